import type { SessionId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import { newOwner, revokeAll, type Entry, type Message, type Owner } from './book.ts'
import { createRefusals } from './refusals.ts'
import { createSeen, type Seen } from './seen.ts'
import type { CertificateSettings } from './settings.ts'

/** One session, with what each login has in it. */
interface Session {
  readonly owners: Map<string, Owner>
  readonly seen: Seen
  /** Untrusted output has entered; that stays so. */
  tainted: boolean
  /** Which certificate a permitted call took from, until it is settled. */
  readonly uses: Map<string, { readonly message: Message; readonly entry: Entry; readonly turn: number }>
}

/** All sessions of one gate process. */
export interface Sessions {
  readonly at: (id: SessionId) => Session | undefined
  /** The session, made when there is none. */
  readonly open: (id: SessionId) => Session
  /** What this login has in the session: never what another one has. */
  readonly ownerAt: (login: Login, id: SessionId) => Owner | undefined
  /** The same, made when there is none. */
  readonly ownerOf: (login: Login, id: SessionId) => Owner
  /** Ends every certificate of the session. */
  readonly revoke: (id: SessionId) => void
  readonly endTurn: (id: SessionId, turn: number) => void
  readonly forget: (id: SessionId) => void
}

const ownerKey = ({ issuer, tenant, subject }: Login): string =>
  JSON.stringify([issuer, tenant, subject.type, subject.id])

/** An empty set of sessions; `salt` keys the hashes of what their tools return. */
export function createSessions(salt: string, settings: CertificateSettings): Sessions {
  const sessions = new Map<SessionId, Session>()
  const open = (id: SessionId): Session => {
    const session = sessions.get(id) ?? { owners: new Map(), seen: createSeen(salt), tainted: false, uses: new Map() }
    sessions.set(id, session)
    return session
  }
  const revoke = (id: SessionId): void => {
    for (const owner of sessions.get(id)?.owners.values() ?? []) revokeAll(owner)
  }
  return {
    at: (id) => sessions.get(id),
    open,
    ownerAt: (login, id) => sessions.get(id)?.owners.get(ownerKey(login)),
    ownerOf: (login, id) => {
      const { owners } = open(id)
      const owner = owners.get(ownerKey(login)) ?? newOwner(createRefusals(settings))
      owners.set(ownerKey(login), owner)
      return owner
    },
    revoke,
    endTurn: (id, turn) => {
      const session = sessions.get(id)
      if (session === undefined) return
      for (const { refusals } of session.owners.values()) refusals.end(turn)
      for (const [callId, use] of session.uses) if (use.turn <= turn) session.uses.delete(callId)
    },
    forget: (id) => {
      revoke(id)
      sessions.delete(id)
    },
  }
}
