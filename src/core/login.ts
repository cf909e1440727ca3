import type { Subject } from './authzen.ts'
import type { SubjectId, TenantId } from './ids.ts'

declare const verified: unique symbol
/**
 * Who is signed in, from a verified token and from nowhere else. Only `login/verify.ts` makes one.
 * `token` is a secret: it goes to the intent-agent and to a PDP that wants it, never to an audit line or the model.
 */
export interface Login {
  /** Who issued the token; a gate takes logins of its own issuer only. */
  readonly issuer: string
  readonly tenant: TenantId
  readonly subject: Subject & { readonly id: SubjectId }
  readonly token: string
  /** Milliseconds since the epoch; at or after this instant nothing is permitted. */
  readonly expiresAtMs: number
  readonly [verified]: true
}
