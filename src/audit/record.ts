import type { Evaluation } from '../core/authzen.ts'
import type { Effect } from '../core/effect.ts'
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

/** What the intent certificate said. Holds digests and classes; no bound's value and no text of the message. */
export interface CertificateRecord {
  readonly mode: string
  /** Absent: there was no certificate. */
  readonly id?: string | undefined
  readonly auditDigest?: string | undefined
  readonly state?: string | undefined
  readonly classes?: readonly string[] | undefined
  /** The first check that failed, such as `K6`. */
  readonly failedCheck?: string | undefined
  /** What `enforce` would have said, where the mode said something else; null for a permit. */
  readonly wouldDeny?: string | null | undefined
  /** Where each argument's value came from. */
  readonly provenance: Readonly<Record<string, string>>
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
  /** Where a firewall policy decided: the rules that fired, whether the session is tainted, and which policy it was. */
  readonly firewall?:
    { readonly rules: readonly string[]; readonly tainted: boolean; readonly policySha256: string } | undefined
  /** Absent with certificates off, and where the call was refused before. */
  readonly certificate?: CertificateRecord | undefined
  readonly sentence?: string | undefined
  readonly evaluations?: readonly Evaluation[] | undefined
  readonly decisions?: readonly boolean[] | undefined
  readonly ms: number
}

/**
 * What a permitted call came to. `refused` is the tool's own refusal, `failed` is breakage in it, `breached` means that it
 * did something else than its effect contract says, `not_run` means that the turn ended, or the permit lapsed, before the
 * runtime ran the tool.
 */
export interface OutcomeRecord extends AuditedCall {
  readonly type: 'outcome'
  /** The id of the decision record. */
  readonly decision: string
  readonly at: string
  readonly outcome: 'done' | 'refused' | 'failed' | 'breached' | 'not_run'
  /** The tool's own code of a refusal; else the gate's. */
  readonly code: string | null
  /** Of a breach: what the call was to do at most, what its receipt says, and the first part that differs. */
  readonly breach?: BreachRecord | undefined
  readonly ms: number
}

/** Two effects that should have been one within the other. */
export interface BreachRecord {
  readonly component: string
  readonly predicted: Effect
  /** Absent: the result says nothing that could be read. */
  readonly realized?: Effect | undefined
}

/** A tool was run without a permit that fits. Nothing happened. */
export interface BypassRecord extends AuditedCall {
  readonly type: 'bypass'
  readonly at: string
  readonly code: ReasonCode
}

export type AuditRecord = DecisionRecord | OutcomeRecord | BypassRecord
