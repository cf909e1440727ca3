import type { NormalizedCall, ToolCall } from '../core/call.ts'
import type { Decision } from '../core/decision.ts'
import type { SessionId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import type { ReasonCode } from '../core/reasons.ts'
import type { ArgumentRole, ToolDefinition } from '../core/tool.ts'
import type { Certificate } from './certificate.ts'
import type { Deriver, Origin, SubjectFacts } from './derivation.ts'
import type { CertificateMode } from './modes.ts'
import type { CertificateSettings } from './settings.ts'

/** What the certificates say of one call. */
export interface CertificateOpinion {
  /** What counts in this mode. */
  readonly decision: Decision
  /** What `enforce` would say; the same as `decision` in enforce. */
  readonly wouldBe: Decision
  /** False in mode `off`: `wouldBe` then says nothing. */
  readonly evaluated: boolean
  /** `K1` to `K14`, or the step before them: `validity`, `confidence`, `conflict`, `repeated`. */
  readonly failedCheck?: string
  /** For the audit only: it may name bounds. */
  readonly detail?: string
  /** What to ask the user; empty when nothing would help. */
  readonly ask: readonly ArgumentRole[]
  readonly certificate?: CertificateBrief
  /** Of every argument of the call. */
  readonly provenance: Readonly<Record<string, Origin>>
}

/** What the audit and the transcript say of a certificate. */
export interface CertificateBrief {
  readonly id: string
  readonly auditDigest: string
  readonly state: string
  readonly classes: readonly string[]
}

/** One authenticated message of one login, handed over by the host and by nobody else. */
export interface TrustedMessage {
  readonly login: Login
  readonly session: SessionId
  /** Counts the user's messages of the session from 1. */
  readonly turn: number
  /** Unique in the session; the same id again gives the same certificate, never a fresh budget. */
  readonly messageId: string
  readonly text: string
}

/** What a message gives to its turn: the tools to show, or what to ask the user first. */
export interface Issued {
  /** Names of the tools that the session may see, in the order of the registry: never more than it was given. */
  readonly visible: readonly string[]
  readonly certificate?: CertificateBrief
  /** Why nothing can be done yet, and what to ask; the model can only talk to the user. */
  readonly clarify?: ReasonCode
  readonly ask: readonly ArgumentRole[]
}

/** How often the identical call was refused in its turn. */
interface RefusalCount {
  readonly times: number
  /** True from the second time on: the feedback says to stop and ask the user. */
  readonly stopAndAsk: boolean
}

/** Certificates of all sessions of one gate. Only the host issues; a call is only ever judged. */
export interface Certificates {
  readonly mode: CertificateMode
  /**
   * Host only: starts a turn. Older write authority of the session ends here, also when no certificate can be made.
   * Throws nothing but an invariant breach in `conformance`.
   */
  readonly issue: (message: TrustedMessage, tools: ReadonlyMap<string, ToolDefinition>) => Issued
  /** The opinion on one call; no side effect, so the same call may be judged again after a person said yes. */
  readonly judge: (call: NormalizedCall) => CertificateOpinion
  /**
   * What counts of a call that holds its reservation, now that it is about to run: the certificate may have ended, or
   * the session may have been tainted. What was refused beside it since does not matter. No side effect.
   */
  readonly stands: (call: NormalizedCall) => Decision
  /** A permit was given: takes the budget, atomically; false when another call took it (`agent.intent_revoked`). */
  readonly reserve: (call: NormalizedCall) => boolean
  /** The reserved call ran, or did not: consumes the budget, or gives it back. Settling twice is settling once. */
  readonly settle: (call: Pick<ToolCall, 'id' | 'session'>, outcome: 'done' | 'not_run') => void
  /** The final decision on a call was a refusal, whichever room's: remembered until the turn ends. */
  readonly refused: (call: NormalizedCall, reason: ReasonCode) => RefusalCount
  /** What a tool returned; untrusted output taints. Only salted hashes of its values are kept. */
  readonly saw: (session: SessionId, tool: ToolDefinition, result: unknown) => void
  /** True once untrusted output has entered the session. */
  readonly tainted: (session: SessionId) => boolean
  /** The user said stop: every certificate of the session is revoked at once. */
  readonly revoke: (session: SessionId) => void
  /** Refusals and open reservations of the turn are forgotten. */
  readonly endTurn: (session: SessionId, turn: number) => void
  /** The session is closed: everything about it goes. */
  readonly forget: (session: SessionId) => void
}

/** Everything the room is made of; it reads no clock, no file and no setting of the machine. */
export interface CertificateOptions {
  readonly mode: CertificateMode
  readonly deriver: Deriver
  /** The subject's own data, read by the host for this login; never by the model. */
  readonly facts: (login: Login) => SubjectFacts
  /** Secret of the server, at least 32 characters: keys the hashes of messages and values. */
  readonly key: string
  readonly now: () => Date
  /** Two of these make one certificate id: at least 64 random bits each. */
  readonly newId: () => string
  /** @defaultValue see `CertificateSettings` */
  readonly settings?: Partial<CertificateSettings>
  /** The application, as far as certificates of several share a process. @defaultValue intent-gate */
  readonly appId?: string
  /** Hears what went wrong while a certificate was made; the answer is a refusal whatever it does. */
  readonly report?: (cause: unknown) => void
  /** Hears the certificates of each message, one a stage, as they are made: for measuring. What it throws is a refusal. */
  readonly issued?: ((certificates: readonly Certificate[]) => void) | undefined
}
