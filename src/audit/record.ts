import type { Evaluation } from '../core/authzen.ts'
import type { ReasonCode } from '../core/reasons.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'

/** Which call a record is about. Holds ids only: no token, no message text, no result. */
export interface AuditedCall {
  readonly tenant: string
  readonly caller: { readonly type: string; readonly id: string }
  readonly session: string
  readonly turn: number
  readonly toolCallId: string
  readonly kind: string
  readonly tool: string
}

/** One attempted call and what was decided. Written before anything runs. */
export interface DecisionRecord extends AuditedCall {
  readonly type: 'decision'
  /** Unique; the outcome names it. */
  readonly id: string
  /** ISO 8601, UTC. */
  readonly at: string
  readonly decision: 'permit' | 'clarify' | 'deny'
  readonly code: ReasonCode | null
  readonly cause: 'decision' | 'fault' | null
  readonly obligations: readonly string[]
  readonly opinions: readonly { readonly room: string; readonly kind: string; readonly code: string | null }[]
  /** What exactly was wrong, in words of the gate. */
  readonly detail?: string | undefined
  /** Normalized; absent when the arguments were refused. */
  readonly args?: ToolArguments | undefined
  readonly argsHash?: string | undefined
  readonly sentence?: string | undefined
  readonly evaluations?: readonly Evaluation[] | undefined
  readonly decisions?: readonly boolean[] | undefined
  readonly ms: number
}

/**
 * What a permitted call came to. `refused` is the tool's own refusal, `failed` is breakage in it, `not_run` means that
 * the turn ended before the runtime ran the tool.
 */
export interface OutcomeRecord extends AuditedCall {
  readonly type: 'outcome'
  /** The id of the decision record. */
  readonly decision: string
  readonly at: string
  readonly outcome: 'done' | 'refused' | 'failed' | 'not_run'
  /** The tool's own code of a refusal. */
  readonly code: string | null
  readonly ms: number
}

/** A tool was run without a permit that fits. Nothing happened. */
export interface BypassRecord extends AuditedCall {
  readonly type: 'bypass'
  readonly at: string
  readonly code: ReasonCode
}

export type AuditRecord = DecisionRecord | OutcomeRecord | BypassRecord
