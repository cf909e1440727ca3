import type { ReasonCode } from '../core/reasons.ts'
import { refuse, type Verdict } from '../core/verdict.ts'
import type { World } from '../core/world.ts'
import type { Pdp } from './pdp.ts'

/** When a PDP counts as dead, and for how long. */
export interface BreakerOptions {
  /** Failures in a row after which the PDP is not asked any more. @defaultValue 5 */
  readonly failures?: number
  /** Milliseconds until one question may try it again. @defaultValue 1000 */
  readonly restMs?: number
}

/**
 * Wraps a PDP so that a dead one costs microseconds: after repeated failures every question is refused at once with
 * `pdp.circuit_open`. After a rest one question is let through; its answer closes the breaker, its failure opens it for
 * another rest. An answer, whatever it decides, is never a failure.
 */
export function withBreaker(
  pdp: Pdp,
  { monotonicMs }: Pick<World, 'monotonicMs'>,
  { failures = 5, restMs = 1000 }: BreakerOptions = {},
): Pdp {
  let inARow = 0
  /** When the breaker opened; undefined while it is closed. */
  let openedMs: number | undefined
  let trying = false

  const note = (health: Health): void => {
    if (health === 'unknown') return
    inARow = health === 'dead' ? inARow + 1 : 0
    if (health === 'alive') openedMs = undefined
    else if (openedMs !== undefined ? trying : inARow >= failures) openedMs = monotonicMs()
  }
  const asked: Pdp['decide'] = async (question, signal) => {
    const startedMs = monotonicMs()
    let verdict: Verdict<readonly boolean[]> | undefined
    try {
      verdict = await pdp.decide(question, signal)
      return verdict
    } finally {
      note(healthOf(verdict, monotonicMs() - startedMs, signal))
    }
  }
  return {
    decide: async (question, signal) => {
      if (openedMs === undefined) return asked(question, signal)
      const leftMs = openedMs + restMs - monotonicMs()
      if (trying || leftMs > 0) return refuse('pdp.circuit_open', `not asked after ${inARow} failures in a row`)
      trying = true
      try {
        return await asked(question, signal)
      } finally {
        trying = false
      }
    },
  }
}

type Health = 'alive' | 'dead' | 'unknown'

/** A question that had less time than this left when it came to the PDP tells nothing about the PDP. */
const FAIR_MS = 50

/**
 * Whoever can provoke an answer that is no decision, with an odd id or a token that has expired, must not be able to turn
 * the PDP off for everybody: the PDP did answer. A refusal that is not here did not come from the PDP.
 */
const HEALTH: Readonly<Partial<Record<ReasonCode, Health>>> = {
  'pdp.unavailable': 'dead',
  'pdp.timeout': 'dead',
  'pdp.obligation_unknown': 'alive',
  'pdp.error': 'alive',
  'pdp.count_mismatch': 'alive',
  'pdp.answer_invalid': 'alive',
  'pdp.unauthenticated': 'alive',
  'pdp.filtered': 'alive',
  'pdp.rate_limited': 'alive',
}

/** @param verdict absent when the PDP rejected. */
function healthOf(verdict: Verdict<unknown> | undefined, tookMs: number, { aborted }: AbortSignal): Health {
  const health = verdict === undefined ? 'dead' : verdict.ok ? 'alive' : (HEALTH[verdict.reason] ?? 'unknown')
  return health === 'dead' && aborted && tookMs < FAIR_MS ? 'unknown' : health
}
