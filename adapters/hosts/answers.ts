import { reasonOf, type ReasonCode } from '../../src/core/reasons.ts'
import type { Opinion } from '../../src/core/opinion.ts'
import { says } from '../../src/core/says.ts'
import { unreachable } from '../../src/core/unreachable.ts'
import type { Judgement, RunResult } from '../../src/gate/gate.ts'

/** The only two answers that this host ever gives to a permission request. */
export type PermissionAnswer =
  { readonly kind: 'approve-once' } | { readonly kind: 'reject'; readonly feedback: string }

/** What a tool's handler gives back to the runtime. */
export interface ToolAnswer {
  readonly textResultForLlm: string
  readonly resultType: 'success' | 'failure' | 'denied'
}

/** What the model should do next, by the reason's own retry. */
const ADVICE = {
  never: 'Do not retry this call and do not try another way; tell the user.',
  'after-change': 'Do not repeat this call unchanged.',
  later: 'Do not retry now; tell the user that it may work later.',
} as const

/** A sentence that a model can act on: code, reason, what to do next. Never empty. */
export const feedbackOf = (code: ReasonCode, opinions: readonly Opinion[] = []): string =>
  `Denied (${code}): ${says(code, opinions)} ${ADVICE[reasonOf(code).retry]}`

/** A refusal that the runtime passes on: with feedback, so that the turn goes on. */
export const reject = (code: ReasonCode, opinions: readonly Opinion[] = []): PermissionAnswer => ({
  kind: 'reject',
  // A reject without feedback would end the turn in silence.
  feedback: feedbackOf(code, opinions),
})

/** Only a permit with no open obligation approves, and only this once. */
export function answerOf({ decision, opinions }: Judgement): PermissionAnswer {
  switch (decision.kind) {
    case 'permit':
      return decision.obligations.size === 0 ? { kind: 'approve-once' } : reject('gate.obligation_unmet')
    case 'clarify':
    case 'deny':
      return reject(decision.reason, opinions)
    default:
      return unreachable(decision)
  }
}

/** What the model reads of a run. `denied` and `failure` go on with the turn; the runtime's `rejected` would end it. */
export function toolAnswerOf(result: RunResult): ToolAnswer {
  switch (result.kind) {
    case 'done':
      return succeeded(result.value)
    case 'refused':
      return { textResultForLlm: `${result.code}: ${result.says}`, resultType: 'failure' }
    case 'failed':
      return { textResultForLlm: FAILED, resultType: 'failure' }
    case 'breached':
      return { textResultForLlm: breached(result.code), resultType: 'failure' }
    case 'denied':
      return { textResultForLlm: feedbackOf(result.code), resultType: 'denied' }
    default:
      return unreachable(result)
  }
}

// What broke stays out of the model's sight: a message may quote anything.
const FAILED = 'The tool failed. It may have had an effect; do not repeat the call, tell the user.'

// What it returned is not the answer to what was decided on.
const breached = (code: ReasonCode): string =>
  `The tool ran, and broke its contract (${code}): ${says(code, [])} ${ADVICE[reasonOf(code).retry]}`

function succeeded(value: unknown): ToolAnswer {
  const text = jsonOf(value)
  return text === undefined
    ? { textResultForLlm: 'The tool did its work, but its result cannot be shown.', resultType: 'failure' }
    : { textResultForLlm: text, resultType: 'success' }
}

function jsonOf(value: unknown): string | undefined {
  try {
    return value === undefined ? 'null' : JSON.stringify(value)
  } catch (cause) {
    // A cycle or a BigInt.
    if (cause instanceof TypeError) return undefined
    throw cause
  }
}
