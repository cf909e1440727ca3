import type { CallKind } from '../../src/core/call.ts'
import type { SessionId } from '../../src/core/ids.ts'
import type { Login } from '../../src/core/login.ts'
import type { ReasonCode } from '../../src/core/reasons.ts'
import type { Gate, Judgement } from '../../src/gate/gate.ts'

/** One call that the model made, and what became of it. */
export interface AttemptedCall {
  readonly toolCallId: string
  /** The tool's own kind, whatever form the runtime asked in. */
  readonly kind: CallKind
  /** As the model named it; empty when the host could not tell. */
  readonly tool: string
  /** As the model gave them; the raw text when the runtime could not use them. */
  readonly args: unknown
  readonly judgement: Judgement
  /** True when the tool's own code was entered; a run that had not come back when the turn ended counts as entered. */
  readonly executed: boolean
  /** The run did something else than what was decided on. Absent: nothing is known of such a thing. */
  readonly breach?: ReasonCode
  /** Milliseconds that the decision took. */
  readonly ms: number
}

/** One message of the user and everything that came of it. */
export interface TurnRecord {
  readonly user: string
  /** Every call that the model attempted, hidden and unknown tools included, in the model's order. */
  readonly calls: readonly AttemptedCall[]
  /** The last message of the model; what there was of it when the turn was cut short. */
  readonly assistant: string
  readonly ended: 'done' | 'aborted' | 'failed'
  /** One sentence for a person. */
  readonly error?: string
}

/** Which model answers. */
export type ModelChoice =
  | {
      /** Any endpoint that speaks the OpenAI API. */
      readonly kind: 'openai'
      /** Ends in `/v1` at most services. */
      readonly baseUrl: string
      readonly apiKey?: string
      readonly name: string
      /** @defaultValue completions */
      readonly wireApi?: 'completions' | 'responses'
    }
  | {
      /** GitHub's own models, with the Copilot sign-in of this machine; the runtime must be started for it. */
      readonly kind: 'copilot'
      readonly name?: string
    }

/** What was about to be decided. */
type ArrivingCall = Pick<AttemptedCall, 'toolCallId' | 'kind' | 'tool' | 'args'>

/** The gate's own port for asking a person. */
export type Approver = NonNullable<Parameters<Gate['authorize']>[1]>

/** How one conversation is opened. */
export interface SessionOptions {
  readonly gate: Gate
  /** Who talks; the session never changes hands. */
  readonly login: Login
  readonly model: ModelChoice
  /**
   * True when the gate's tools take the place of the runtime's own of the same name. Their calls are then of the
   * built-in's kind. @defaultValue false: a tool by such a name is refused
   */
  readonly replacesBuiltIns?: boolean
  /** The folder that calls of built-in kinds start in, whatever the runtime says. @defaultValue what the runtime says */
  readonly cwd?: string
  /**
   * Built-in tools that the runtime offers and runs itself, on the gate's word alone: what happens between the decision
   * and the run is out of the gate's hands. @defaultValue none
   */
  readonly hostTools?: readonly string[]
  /** The whole system prompt. */
  readonly system: string
  /** A call has arrived. What it throws is logged and changes nothing. */
  readonly onCall?: (call: ArrivingCall) => void
  /** A call was decided; `executed` is not known yet. What it throws is logged and changes nothing. */
  readonly onDecision?: (call: AttemptedCall) => void
  /** A piece of the model's text, as it streams. What it throws is logged and changes nothing. */
  readonly onText?: (text: string) => void
  /** Milliseconds for a whole turn. @defaultValue 600000 */
  readonly turnTimeoutMs?: number
  /** Who confirms what must be confirmed. @defaultValue nobody: such a call is denied */
  readonly approver?: Approver
  /**
   * Milliseconds for one decision; must be above the gate's own deadline, plus the time that a person gets where one is
   * asked. A decision that is later than this is a deny. @defaultValue 30000, and 360000 with an approver
   */
  readonly decisionTimeoutMs?: number
}

/** One conversation of one login with one model, behind the gate. */
export interface GatedSession {
  readonly id: SessionId
  /**
   * One turn. Turns of a session run one after the other, in the order of the calls. Never rejects: whatever goes wrong
   * is a record that ended as `failed`.
   * @param signal ends the turn: no call is permitted from then on, and the model is stopped.
   */
  send(message: string, signal?: AbortSignal): Promise<TurnRecord>
  /** Ends the turn under way and deletes what the runtime has written about the session. May be called twice. */
  close(): Promise<void>
}

/** One real Copilot runtime in a process of its own. */
export interface CopilotRuntime {
  /** Of the runtime, not of the SDK. */
  readonly version: string
  /** @throws SettingError when the options cannot work; Error when the runtime refuses or is not locked down. */
  openSession(options: SessionOptions): Promise<GatedSession>
  /** Closes every session, ends the process and removes its folder, in bounded time. May be called twice. */
  stop(): Promise<void>
  /** Removes the folder at once; for a process that is about to exit. The runtime ends with its parent. */
  removeNow(): void
}

/** Tells a person about breakage that changes nothing else. */
export type Log = (sentence: string, cause?: unknown) => void
