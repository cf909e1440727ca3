import type { HostRequest } from '../../adapters/hosts/translate.ts'
import type { ReasonCode } from '../core/reasons.ts'
import type { DecideLine } from './decide.ts'

/** What the lines of one session share: the turn, its message, and the calls that had an id. */
export interface DecideSession {
  turn: number
  message: string | undefined
  calls: Map<string, string>
}

export const newSession = (): DecideSession => ({ turn: 0, message: undefined, calls: new Map() })

/** Moves the session to the line's turn. Gives the reason why the line does not fit it: a turn never goes back and has one message. */
export function advance(session: DecideSession, { turn = 1, message }: DecideLine): ReasonCode | undefined {
  if (turn < session.turn) return 'request.invalid'
  if (turn > session.turn) {
    session.turn = turn
    session.message = message
    session.calls = new Map()
    return undefined
  }
  if (message !== undefined && session.message !== undefined && message !== session.message) return 'request.invalid'
  session.message ??= message
  return undefined
}

/** Notes the call's id in the turn; false when another call of the turn has it. */
export function claimCallId(session: DecideSession, { id, kind, tool, args }: HostRequest): boolean {
  if (id === undefined) return true
  const fingerprint = JSON.stringify([kind, tool, args])
  const known = session.calls.get(id)
  if (known === undefined) session.calls.set(id, fingerprint)
  return known === undefined || known === fingerprint
}
