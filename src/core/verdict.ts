import type { ReasonCode } from './reasons.ts'

/** A stage's answer: the next stage's input, or the reason there is none. `detail` is for the audit, not the model. */
export type Verdict<T> = { readonly ok: true; readonly value: T } | Refusal

export interface Refusal {
  readonly ok: false
  readonly reason: ReasonCode
  readonly detail: string
  /** For the model and the user too: made from the tool's own definition only, never from a value. */
  readonly hint?: string
}

export const pass = <T>(value: T): Verdict<T> => ({ ok: true, value })
export const refuse = (reason: ReasonCode, detail: string, hint?: string): Refusal =>
  hint === undefined ? { ok: false, reason, detail } : { ok: false, reason, detail, hint }
