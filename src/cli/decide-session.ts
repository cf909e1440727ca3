import { hash } from 'node:crypto'
import type { HostRequest } from '../../adapters/hosts/translate.ts'
import type { DecideLine } from './decide.ts'

/** Sessions that one `decide` follows. */
const MAX_SESSIONS = 100_000
/** Calls with an id in one turn of a session. */
const MAX_CALLS = 10_000

/** What the lines of one session share: the turn, its message, and the calls that had an id. Both as digests. */
export interface DecideSession {
  turn: number
  message: string | undefined
  /** True once the turn's message has made its certificate. */
  certified: boolean
  readonly calls: Map<string, { readonly fingerprint: string; readonly times: number }>
}

/** A session before its first line: the first turn may have any number above zero. */
export const newSession = (): DecideSession => ({ turn: 0, message: undefined, certified: false, calls: new Map() })

/** Why a line does not fit its session, and what to tell about it. */
export interface Unfit {
  readonly code: 'request.invalid' | 'permit.call_id_reused'
  readonly hint?: string
}

const TURNS: Unfit = { code: 'request.invalid', hint: 'A turn never goes back and has one message.' }
const CALLS: Unfit = { code: 'request.invalid', hint: `A turn has at most ${MAX_CALLS} calls.` }

/**
 * Finds a session by its key, or opens it; undefined when there are too many. None is ever forgotten: a session that
 * begins again could go back a turn.
 */
export function openSessions(limit: number = MAX_SESSIONS): (key: string) => DecideSession | undefined {
  const sessions = new Map<string, DecideSession>()
  return (key) => {
    const known = sessions.get(key)
    if (known !== undefined || sessions.size >= limit) return known
    const session = newSession()
    sessions.set(key, session)
    return session
  }
}

/** What a line is told whose session is one too many. */
export const TOO_MANY_SESSIONS = `There are ${MAX_SESSIONS} sessions already.`

/** Moves the session to the line's turn; a line that names none belongs to the one under way, which is 1 at first. */
export function advance(session: DecideSession, line: DecideLine): Unfit | undefined {
  const turn = line.turn ?? Math.max(session.turn, 1)
  if (turn < session.turn) return TURNS
  const message = line.message === undefined ? undefined : digest(line.message)
  if (turn > session.turn) {
    session.turn = turn
    session.message = message
    session.certified = false
    session.calls.clear()
    return undefined
  }
  if (message !== undefined && session.message !== undefined && message !== session.message) return TURNS
  session.message ??= message
  return undefined
}

/**
 * Notes the call's id in the turn; a second call with that id must be the same call. It is a call of its own all the same,
 * with a name of its own: each line asks anew, and what the first one took is taken.
 */
export function claimCallId({ calls }: DecideSession, request: HostRequest): HostRequest | Unfit {
  const { id, kind, tool, args } = request
  if (id === undefined) return request
  const key = digest(id)
  const fingerprint = digest(JSON.stringify([kind, tool, args]))
  const known = calls.get(key)
  if (known !== undefined && known.fingerprint !== fingerprint) return { code: 'permit.call_id_reused' }
  if (known === undefined && calls.size >= MAX_CALLS) return CALLS
  const times = (known?.times ?? 0) + 1
  calls.set(key, { fingerprint, times })
  return times === 1 ? request : { ...request, id: `${id} (${times})` }
}

const digest = (text: string): string => hash('sha256', text, 'base64url')
