import { answerBytes, hostile, type HostileServer, type PlayedAnswer } from '../hostile-server.ts'

/** What is played for one request: a body with its head, the end of the connection, or nothing at all. */
export type Played = { readonly body: unknown; readonly answer?: PlayedAnswer } | 'hangs up' | 'says nothing'

export const ok = (body: unknown): Played => ({ body })
export const refused = (error: string, status = 400): Played => ({ body: { error }, answer: { status } })

export interface PlayedIssuer extends Pick<HostileServer, 'requests' | 'close'> {
  /** Without a slash at its end. */
  readonly issuer: string
  /** How many requests a path had. */
  readonly asked: (path: string) => number
}

/**
 * An issuer on the bare connection. For each path a list: its answers in order, the last one again and again; for every
 * other path 404. `routes` is asked with the issuer's URL.
 */
export async function playedIssuer(
  routes: (issuer: string) => Readonly<Record<string, readonly Played[]>>,
): Promise<PlayedIssuer> {
  const counts = new Map<string, number>()
  const server = await hostile((wire, { path }) => {
    const turn = counts.get(path) ?? 0
    counts.set(path, turn + 1)
    const list = routes(issuer)[path] ?? [{ body: {}, answer: { status: 404 } }]
    const played = list[Math.min(turn, list.length - 1)]
    if (played === undefined || played === 'hangs up') wire.destroy()
    else if (played !== 'says nothing') wire.write(answerBytes(played.body, played.answer))
  })
  const issuer = server.url.origin
  return { issuer, requests: server.requests, close: server.close, asked: (path) => counts.get(path) ?? 0 }
}

export const DISCOVERY = '/.well-known/openid-configuration'

/** The metadata of an issuer that has everything. */
export const metadata = (issuer: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  issuer,
  jwks_uri: `${issuer}/jwks`,
  token_endpoint: `${issuer}/token`,
  device_authorization_endpoint: `${issuer}/device`,
  introspection_endpoint: `${issuer}/introspect`,
  ...more,
})
