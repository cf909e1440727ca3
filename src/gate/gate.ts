import type { Approver } from '../approval/approver.ts'
import type { Evaluation } from '../core/authzen.ts'
import type { ToolCall } from '../core/call.ts'
import type { Decision } from '../core/decision.ts'
import type { SessionId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import type { Opinion } from '../core/opinion.ts'
import type { ReasonCode } from '../core/reasons.ts'
import type { ToolDefinition } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'

/** Everything there is to know about one decision. Holds no token and no result of a tool. */
export interface Judgement {
  /** Unique; the audit's decision line and its outcome name it. */
  readonly id: string
  readonly decision: Decision
  readonly opinions: readonly Opinion[]
  /** Normalized; absent when the arguments were refused. */
  readonly args?: ToolArguments
  readonly argsHash?: string
  readonly sentence?: string
  readonly evaluations?: readonly Evaluation[]
  readonly decisions?: readonly boolean[]
  /** Milliseconds from the call's arrival to the decision, without the time that a person took. */
  readonly ms: number
}

/** What became of one run. `executed` is true only when the tool's own code was entered, now or by an earlier run. */
export type RunResult =
  | { readonly kind: 'done'; readonly executed: true; readonly value: unknown }
  | { readonly kind: 'refused'; readonly executed: true; readonly code: string; readonly says: string }
  | { readonly kind: 'failed'; readonly executed: true }
  | { readonly kind: 'denied'; readonly executed: false; readonly code: ReasonCode }

export interface Gate {
  /** The tools that a login's tenant has; empty for a tenant that this gate does not serve. */
  tools(login: Login): readonly ToolDefinition[]
  /** Decides and records one call that nobody will run: asks nobody, gives no permit. Never rejects. */
  judge(call: ToolCall): Promise<Judgement>
  /**
   * Decides one call for real: meets the obligations of a permit, writes the decision durably, and registers the permit
   * that `run` consumes. A permit that it returns has no open obligations: without an approver a call that must be
   * confirmed is denied. Never rejects.
   */
  authorize(call: ToolCall, approver?: Approver): Promise<Judgement>
  /**
   * Runs a call on its permit: parses the arguments again, runs the tool at most once for a permit, writes the outcome.
   * A second run of the same permit waits for and returns the first result. Never rejects.
   */
  run(call: ToolCall): Promise<RunResult>
  /** Opens the session's turn; outside an open turn `authorize` denies and `run` does nothing. */
  beginTurn(session: SessionId, turn: number): void
  /** Drops every permit of the session's turn; a decision still under way will be a deny. */
  endTurn(session: SessionId, turn: number): void
}
