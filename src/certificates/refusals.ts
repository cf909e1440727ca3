import { REASONS, type ReasonCode } from '../core/reasons.ts'
import type { CertificateSettings } from './settings.ts'

/** How often an identical call may be refused before it is not looked at any more. */
const IDENTICAL = 2

/** A person's no stands until the turn ends: the same question is not put twice. */
const FINAL: ReadonlySet<ReasonCode> = new Set(['approval.refused'])

/** What was refused in the current turn of one login's session. */
export interface Refusals {
  /** The refusal that a call gets without any work; undefined when it is to be judged. */
  readonly known: (turn: number, key: string) => ReasonCode | undefined
  /** Remembers a refusal and gives its count; a fault is not counted, because it says nothing about the call. */
  readonly add: (turn: number, key: string, reason: ReasonCode) => number
  readonly end: (turn: number) => void
}

/** Remembers refusals of the newest turn alone; a higher turn forgets those before it. */
export function createRefusals({ refusalsPerTurn }: Pick<CertificateSettings, 'refusalsPerTurn'>): Refusals {
  let current = 0
  let refused = new Map<string, { times: number; reason: ReasonCode }>()
  const at = (turn: number): typeof refused => (turn === current ? refused : new Map<never, never>())
  return {
    known: (turn, key) => {
      const before = at(turn).get(key)
      if (before === undefined) return at(turn).size >= refusalsPerTurn ? 'agent.intent_refusal_cap' : undefined
      if (before.times >= IDENTICAL) return 'agent.intent_repeated'
      return FINAL.has(before.reason) ? before.reason : undefined
    },
    add: (turn, key, reason) => {
      if (turn > current) {
        current = turn
        refused = new Map()
      }
      const before = refused.get(key) ?? { times: 0, reason }
      const isFull = before.times === 0 && refused.size >= refusalsPerTurn
      if (turn < current || isFull || REASONS[reason].cause === 'fault') return before.times
      const times = before.times + 1
      refused.set(key, { times, reason: FINAL.has(before.reason) ? before.reason : reason })
      return times
    },
    end: (turn) => {
      if (turn >= current) refused = new Map()
    },
  }
}
