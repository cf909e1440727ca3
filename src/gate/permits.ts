import type { ToolCall } from '../core/call.ts'
import type { Obligation } from '../core/decision.ts'
import type { SessionId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import type { ReasonCode } from '../core/reasons.ts'
import { pass, refuse, type Verdict } from '../core/verdict.ts'
import type { Judgement, RunResult } from './gate.ts'

/** Milliseconds that a permit lives at most; it dies with its turn before that. */
export const PERMIT_MS = 60_000

/** The right to run one call once: this login, session, turn, call id and these normalized arguments. */
export interface Permit {
  /** The id of the decision that gave it. */
  readonly decision: string
  readonly argsHash: string
  readonly login: Login
  /** What was met before it was given; a run that would need more is not run. */
  readonly obligations: ReadonlySet<Obligation>
  readonly expiresAtMs: number
  /** The first and only run; a second one waits for it. */
  run?: Promise<RunResult>
}

/** One call as the runtime asks about it: possibly several times, answered once. */
interface Entry {
  readonly call: ToolCall
  /** As they were when the call was asked about; the object itself could change. */
  readonly argsText: string | undefined
  readonly judgement: Promise<Judgement>
  permit?: Permit
}

interface Turn {
  readonly turn: number
  readonly calls: Map<string, Entry>
  /** Made when somebody waits for the end of the turn. */
  over?: AbortController
}

/** A permit that was given and never used. */
interface Unused {
  readonly call: ToolCall
  readonly permit: Permit
}

/** The calls of the turns under way, at most one turn a session. A turn that has not begun or has ended permits nothing. */
export interface Permits {
  /** Opens the session's turn and ends the one before; gives the permits of that one that were never used. */
  begin(session: SessionId, turn: number): readonly Unused[]
  /** Ends the session's turn; gives the permits that were never used. */
  end(session: SessionId, turn: number): readonly Unused[]
  isOpen(call: ToolCall): boolean
  /** Gives a signal that aborts when the call's turn ends; one that has aborted when it is not open any more. */
  over(call: ToolCall): () => AbortSignal
  /** The answer given, or being found, for exactly this call; refused when its id belongs to another call of the turn. */
  asked(call: ToolCall): Verdict<Promise<Judgement> | undefined>
  deciding(call: ToolCall, judgement: Promise<Judgement>): void
  /** Registers the permit; false when the turn ended meanwhile, and then there is none. */
  give(call: ToolCall, permit: Permit): boolean
  /** The permit that a run may consume, or why there is none. */
  take(call: ToolCall, argsHash: string, nowMs: number): Verdict<Permit>
}

/** In memory, for one gate process: no permit outlives it. */
export function createPermits(): Permits {
  const open = new Map<SessionId, Turn>()
  const close = (session: SessionId): readonly Unused[] => {
    const current = open.get(session)
    open.delete(session)
    current?.over?.abort()
    return [...(current?.calls.values() ?? [])].flatMap(unused)
  }
  const callsOf = ({ session, turn }: ToolCall): Map<string, Entry> | undefined => {
    const current = open.get(session)
    return current?.turn === turn ? current.calls : undefined
  }
  const entryOf = (call: ToolCall): Entry | undefined => callsOf(call)?.get(call.id)
  return {
    begin(session, turn) {
      const left = close(session)
      open.set(session, { turn, calls: new Map() })
      return left
    },
    end: (session, turn) => (open.get(session)?.turn === turn ? close(session) : []),
    isOpen: (call) => callsOf(call) !== undefined,
    over({ session, turn }) {
      const current = open.get(session)
      return () => (current?.turn === turn && open.get(session) === current ? endOf(current) : AbortSignal.abort())
    },
    asked(call) {
      const entry = entryOf(call)
      if (entry === undefined) return pass(undefined)
      if (isSame(entry, call)) return pass(entry.judgement)
      return refuse('permit.call_id_reused', 'the same id with another tool, other arguments or another login')
    },
    deciding(call, judgement) {
      callsOf(call)?.set(call.id, { call, argsText: textOf(call.args), judgement })
    },
    give(call, permit) {
      const entry = entryOf(call)
      if (entry !== undefined) entry.permit = permit
      return entry !== undefined
    },
    take(call, argsHash, nowMs) {
      const permit = entryOf(call)?.permit
      if (permit === undefined) return refuse('permit.missing', 'nothing was permitted for this run')
      const fault = faultOf(permit, call, argsHash, nowMs)
      return fault === undefined ? pass(permit) : refuse(fault, 'the permit does not fit this run')
    },
  }
}

/** Made late: few calls are put to a person, and making and aborting a signal takes a quarter of a whole decision. */
function endOf(turn: Turn): AbortSignal {
  turn.over ??= new AbortController()
  return turn.over.signal
}

const unused = ({ call, permit }: Entry): readonly Unused[] =>
  permit !== undefined && permit.run === undefined ? [{ call, permit }] : []

function faultOf(permit: Permit, call: ToolCall, argsHash: string, nowMs: number): ReasonCode | undefined {
  if (permit.login.tenant !== call.login.tenant || permit.login.token !== call.login.token) return 'permit.missing'
  if (permit.argsHash !== argsHash) return 'permit.arguments_changed'
  if (permit.run !== undefined) return undefined
  if (!(nowMs < permit.login.expiresAtMs)) return 'login.expired'
  return nowMs < permit.expiresAtMs ? undefined : 'permit.expired'
}

const isSame = ({ call, argsText }: Entry, { kind, tool, args, cwd, login }: ToolCall): boolean =>
  call.kind === kind &&
  call.tool === tool &&
  call.cwd === cwd &&
  call.login.tenant === login.tenant &&
  call.login.subject.type === login.subject.type &&
  call.login.subject.id === login.subject.id &&
  call.login.token === login.token &&
  argsText === textOf(args)

// Undefined for what has no JSON form: the gate denies such a call.
const textOf = (args: unknown): string | undefined => JSON.stringify(args)
