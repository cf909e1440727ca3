import { hasContentType, json, type Listening, listening, type Route, type Running, serve } from './serve.ts'

export interface IntrospectOptions extends Listening {
  readonly tenant: string
  /** Asked for with HTTP Basic when given. @defaultValue anybody may ask */
  readonly client?: { readonly id: string; readonly secret: string } | undefined
}

const SAYS = 'A demo: every token that is not empty is active.'

/** Token introspection (RFC 7662) for demos: it checks nothing, and says so in each answer. */
export function startIntrospect(options: IntrospectOptions): Promise<Running> {
  const routes = {
    'GET /health': () => json(200, { status: 'ok', standin: SAYS }),
    'POST /introspect': introspect(options.client),
  }
  return serve({ name: 'introspection', tenant: options.tenant, ...listening(options) }, () => routes)
}

function introspect(client: IntrospectOptions['client']): Route {
  const expected = client === undefined ? undefined : basic(client.id, client.secret)
  const active = json(200, { active: true, standin: SAYS }, { 'cache-control': 'no-store' })
  return ({ headers, body }) => {
    if (expected !== undefined && headers.authorization !== expected) {
      return json(401, { error: 'invalid_client' }, { 'www-authenticate': 'Basic realm="introspection"' })
    }
    if (!hasContentType(headers, 'application/x-www-form-urlencoded')) {
      return json(400, { error: 'invalid_request', error_description: 'A form is needed.' })
    }
    const tokens = new URLSearchParams(body).getAll('token')
    if (tokens.length !== 1) return json(400, { error: 'invalid_request', error_description: 'One token is needed.' })
    return tokens[0] === '' ? json(200, { active: false }, { 'cache-control': 'no-store' }) : active
  }
}

/** The header of HTTP Basic; id and secret are form-encoded first (RFC 6749, 2.3.1). */
export function basic(id: string, secret: string): string {
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
