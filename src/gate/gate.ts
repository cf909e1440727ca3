import type { Approver } from '../approval/approver.ts'
import type { BreachRecord } from '../audit/record.ts'
import type { CertificateOpinion } from '../certificates/certificates.ts'
import type { CertificateMode } from '../certificates/modes.ts'
import type { Evaluation } from '../core/authzen.ts'
import type { ToolCall } from '../core/call.ts'
import type { Decision } from '../core/decision.ts'
import type { SessionId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import type { Opinion } from '../core/opinion.ts'
import type { ReasonCode } from '../core/reasons.ts'
import type { ToolDefinition } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import type { Screened } from '../firewall/firewall.ts'

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
  /** What the firewall's policy says, where one decides: the rules that fired, and whether the session is tainted. */
  readonly screened?: Pick<Screened, 'tainted' | 'policySha256'> & { readonly rules: readonly string[] }
  /** What the intent certificate of the user's message says; absent with certificates off, and where it was not asked. */
  readonly certified?: CertificateOpinion & { readonly mode: CertificateMode }
  /** Of the card that a person would be shown, where `judge` leaves one to be answered. Lower-case hex. */
  readonly digest?: string
  /** Milliseconds from the call's arrival to the decision, without the time that a person took. */
  readonly ms: number
}

/** What became of one run. `executed` is true only when the tool's own code was entered, now or by an earlier run. */
export type RunResult =
  | { readonly kind: 'done'; readonly executed: true; readonly value: unknown }
  | { readonly kind: 'refused'; readonly executed: true; readonly code: string; readonly says: string }
  | { readonly kind: 'failed'; readonly executed: true }
  /** It ran and did something else than its contract says. What it returned is for nobody but the audit. */
  | { readonly kind: 'breached'; readonly executed: true; readonly code: ReasonCode; readonly breach: BreachRecord }
  | { readonly kind: 'denied'; readonly executed: false; readonly code: ReasonCode }

/** The user's message that a turn begins with, exactly as the login sent it. Nothing else may be put in here. */
export interface TurnMessage {
  readonly login: Login
  readonly text: string
}

/** What an opened turn may offer to the model. */
export interface TurnStart {
  /** Names of the tools that the turn may show to the model. A call of another one is denied whatever is shown. */
  readonly visible: readonly string[]
}

/** The policy enforcement point of one process: every tool call of every session goes through it. */
export interface Gate {
  /** The tools that a login's tenant has; empty for a tenant that this gate does not serve. */
  tools(login: Login): readonly ToolDefinition[]
  /**
   * Decides and records one call that nobody will run: gives no permit to run it. With an approver the obligations are
   * met or the call is denied; without one a permit names what is still to be met. Never rejects.
   */
  judge(call: ToolCall, approver?: Approver): Promise<Judgement>
  /**
   * Decides one call for real: meets the obligations of a permit, writes the decision durably, and registers the permit
   * that `run` consumes. A permit that it returns has no open obligations: without an approver a call that must be
   * confirmed is denied. Never rejects.
   */
  authorize(call: ToolCall, approver?: Approver): Promise<Judgement>
  /**
   * Runs a call on its permit: parses the arguments again, asks whether its certificate still stands, runs the tool at
   * most once for a permit, holds its receipt against the predicted effect, writes the outcome. A second run of the same
   * permit waits for and returns the first result. Never rejects.
   */
  run(call: ToolCall): Promise<RunResult>
  /**
   * Opens the session's turn; outside an open turn `authorize` denies and `run` does nothing. The message becomes the
   * turn's intent certificate; without one nothing new is certified. Never throws.
   */
  beginTurn(session: SessionId, turn: number, message?: TurnMessage): TurnStart
  /** Takes every intent certificate of the session away: the user said stop. */
  revoke(session: SessionId): void
  /** The session is over, and so is everything that it was allowed. */
  forget(session: SessionId): void
  /** Tells what a tool has returned to the model by another way than `run`; such text can only narrow. */
  heard(login: Login, session: SessionId, tool: string, text: string): void
  /** Drops every permit of the session's turn; a decision still under way will be a deny. */
  endTurn(session: SessionId, turn: number): void
}
