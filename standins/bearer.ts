import type { Agent } from 'undici'
import { request } from 'undici'
import { basic } from './introspect.ts'

export interface BearerOptions {
  /** RFC 7662 endpoint. */
  readonly introspectUrl: string
  readonly client?: { readonly id: string; readonly secret: string } | undefined
  readonly agent: Agent
  readonly now: () => number
}

/** `unknown` when introspection gave no usable answer: that is not the caller's fault, but it is not a yes either. */
export type Standing = 'active' | 'inactive' | 'unknown'

const KEPT_MS = 30_000
const MAX_KEPT = 1_000
const TIMEOUT_MS = 2_000

/** Asks whether a bearer token is active, and remembers a yes for 30 seconds. A no is asked again each time. */
export function bearerCheck(options: BearerOptions): (token: string) => Standing | Promise<Standing> {
  const activeUntil = new Map<string, number>()
  const asking = new Map<string, Promise<Standing>>()
  const ask = async (token: string): Promise<Standing> => {
    const standing = await introspect(token, options)
    if (standing === 'active') {
      if (activeUntil.size >= MAX_KEPT) activeUntil.clear()
      activeUntil.set(token, options.now() + KEPT_MS)
    }
    return standing
  }
  return (token) => {
    const until = activeUntil.get(token)
    if (until !== undefined && options.now() < until) return 'active'
    activeUntil.delete(token)
    const asked = asking.get(token) ?? ask(token).finally(() => asking.delete(token))
    asking.set(token, asked)
    return asked
  }
}

/** The token of an `Authorization: Bearer` header, if that is what it is. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1]

async function introspect(token: string, { introspectUrl, client, agent }: BearerOptions): Promise<Standing> {
  try {
    const answer = await request(introspectUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(client === undefined ? {} : { authorization: basic(client.id, client.secret) }),
      },
      body: new URLSearchParams({ token }).toString(),
      dispatcher: agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const body: unknown = await answer.body.json()
    if (answer.statusCode !== 200 || typeof body !== 'object' || body === null) return 'unknown'
    return 'active' in body && body.active === true ? 'active' : 'inactive'
  } catch {
    // Unreachable, too slow or not JSON: three ways to know nothing.
    return 'unknown'
  }
}
