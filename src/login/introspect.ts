import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Login } from '../core/login.ts'
import { TransportError } from '../core/transport-error.ts'
import { refuse, type Verdict } from '../core/verdict.ts'
import type { HttpAnswer, World } from '../core/world.ts'
import { exchange, form, read } from './exchange.ts'
import { checkClaims, loginFrom, type Claims, type LoginPolicy } from './verify.ts'

/** Who a token says is signed in. */
export type VerifyToken = (token: string) => Promise<Verdict<Login>>

/** Where tokens are asked about (RFC 7662, 2.1), and what must hold of the answer. */
export interface IntrospectionSettings {
  readonly url: string
  readonly clientId: string
  /** A secret; goes to `url` only. */
  readonly clientSecret: string
  readonly policy: LoginPolicy
}

/** An answer is believed this long, and not past the token's expiry. */
const REMEMBERED_MS = 30_000
/** Answers that are kept at most; beyond it the oldest goes. */
const MAX_REMEMBERED = 1_000
const MAX_TOKEN = 16 * 1024

// Loose on purpose: the claims of the token are beside it (RFC 7662, 2.2).
const Answer = z.looseObject({ active: z.boolean() })

interface Remembered {
  readonly claims: Claims
  readonly untilMs: number
}

/**
 * Asks the issuer about a token (RFC 7662), for tokens that nobody but it can read. Only `active: true` counts, and the
 * claims beside it must hold as those of a JWT do; `iss`, `aud` and `exp` must be there.
 */
export function createIntrospection(settings: IntrospectionSettings, world: World): VerifyToken {
  const remembered = new Map<string, Remembered>()
  return async (token) => {
    if (!/^[\x21-\x7e]+$/.test(token) || token.length > MAX_TOKEN) return refuse('login.invalid', 'not a token')
    const key = createHash('sha256').update(token).digest('base64')
    const known = remembered.get(key)
    if (known !== undefined && world.monotonicMs() < known.untilMs) return judged(token, known.claims, settings, world)
    remembered.delete(key)
    const askedAtMs = world.monotonicMs()
    const claims = await introspect(token, settings, world)
    if (!claims.ok) return claims
    const login = judged(token, claims.value, settings, world)
    if (login.ok) {
      const leftMs = login.value.expiresAtMs - world.now().getTime()
      keep(remembered, key, { claims: claims.value, untilMs: askedAtMs + Math.min(leftMs, REMEMBERED_MS) })
    }
    return login
  }
}

function judged(token: string, claims: Claims, { policy }: IntrospectionSettings, world: World): Verdict<Login> {
  return checkClaims(claims, policy, world) ?? loginFrom(token, claims, policy)
}

async function introspect(token: string, settings: IntrospectionSettings, world: World): Promise<Verdict<Claims>> {
  try {
    const headers = { authorization: basic(settings.clientId, settings.clientSecret) }
    const ask = { ...form({ token, token_type_hint: 'access_token' }), headers }
    const answer = await exchange(world, settings.url, ask)
    return refusalOf(answer) ?? activeClaims(answer)
  } catch (cause) {
    if (cause instanceof TransportError) return refuse('login.unavailable', cause.message)
    throw cause
  }
}

function refusalOf({ status }: HttpAnswer): Verdict<Claims> | undefined {
  if (status === 401 || status === 403) return refuse('login.introspection_refused', `status ${status}`)
  // A token of a kind that the endpoint does not take, like a JWT at some (RFC 7009, 2.2.1).
  return status === 400 ? refuse('login.invalid', 'the introspection endpoint does not take the token') : undefined
}

function activeClaims(answer: HttpAnswer): Verdict<Claims> {
  const { active, ...claims } = read(Answer, answer)
  if (!active) return refuse('login.invalid', 'the token is not active')
  const { token_type: type } = claims
  const isBearer = type === undefined || (typeof type === 'string' && type.toLowerCase() === 'bearer')
  return isBearer ? { ok: true, value: claims } : refuse('login.invalid', 'the token is not for a bearer')
}

/** The header of HTTP Basic; id and secret are form-encoded first (RFC 6749, 2.3.1). */
function basic(id: string, secret: string): string {
  const encoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)
  return `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64')}`
}

function keep(remembered: Map<string, Remembered>, key: string, entry: Remembered): void {
  remembered.set(key, entry)
  const [oldest] = remembered.keys()
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest)
}
