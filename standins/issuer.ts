import { randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as z from 'zod'
import { StrictJsonError, strictJson } from '../src/core/strict-json.ts'
import {
  hasContentType,
  json,
  type Listening,
  listening,
  type Route,
  type Running,
  serve,
  type StandinAnswer,
  type StandinRequest,
} from './serve.ts'

export interface IssuerOptions extends Listening {
  /** Who can sign in, and at which tenant; `anyone`: whoever gives a name. */
  readonly bank: { readonly tenant: string; readonly customers: readonly { readonly id: string }[] | 'anyone' }
  /** @defaultValue 3600 */
  readonly tokenLifetimeSeconds?: number | undefined
  readonly now?: (() => Date) | undefined
}

/** The `aud` of the issuer's tokens. */
export const AUDIENCE = 'intent-gate'
const SAYS = 'A demo: whoever asks gets the token of any customer, without a password.'
const NO_STORE = { 'cache-control': 'no-store' }

/** The embedded identity: an OpenID issuer with a key of its own, made at start and gone at the end. */
export async function startIssuer(options: IssuerOptions): Promise<Running> {
  const { tenant } = options.bank
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  const jwks = json(200, { keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] })
  return serve({ name: 'issuer', tenant, ...listening(options) }, (url) => {
    const found = json(200, discovery(url))
    const health = json(200, { status: 'ok', standin: SAYS })
    return {
      'GET /health': () => health,
      'GET /.well-known/openid-configuration': () => found,
      'GET /jwks': () => jwks,
      'POST /token': tokens(options, (claims) =>
        claims.setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' }).setIssuer(url).sign(privateKey),
      ),
    }
  })
}

const discovery = (url: string) => ({
  issuer: url,
  jwks_uri: `${url}/jwks`,
  token_endpoint: `${url}/token`,
  token_endpoint_auth_methods_supported: ['none'],
  response_types_supported: [],
  grant_types_supported: ['urn:intent-gate:demo'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  standin: SAYS,
})

function tokens(options: IssuerOptions, sign: (claims: SignJWT) => Promise<string>): Route {
  const { bank, tokenLifetimeSeconds = 3600, now = () => new Date() } = options
  const customers = bank.customers === 'anyone' ? undefined : new Set(bank.customers.map(({ id }) => id))
  return async (request) => {
    const customer = customerOf(request)
    if (typeof customer !== 'string') return customer
    // One answer for all whom the bank does not know: it says nothing about who exists.
    if (customers === undefined ? !isName(customer) : !customers.has(customer)) {
      return json(400, { error: 'invalid_grant' }, NO_STORE)
    }
    const issuedAt = Math.floor(now().getTime() / 1000)
    const claims = new SignJWT({ tenant: bank.tenant })
      .setAudience(AUDIENCE)
      .setSubject(customer)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + tokenLifetimeSeconds)
      .setJti(randomUUID())
    const answer = { access_token: await sign(claims), token_type: 'Bearer', expires_in: tokenLifetimeSeconds }
    return json(200, { ...answer, standin: SAYS }, NO_STORE)
  }
}

const isName = (name: string): boolean => name !== '' && name.length <= 128 && name.isWellFormed()

/** The customer who is asked for, in a form or in JSON, or the refusal. */
function customerOf({ headers, body }: StandinRequest): string | StandinAnswer {
  const refusal = (says: string) => json(400, { error: 'invalid_request', error_description: says }, NO_STORE)
  if (hasContentType(headers, 'application/x-www-form-urlencoded')) {
    const [customer, ...more] = new URLSearchParams(body).getAll('customer')
    return customer === undefined || more.length > 0 ? refusal('One customer is needed.') : customer
  }
  if (!hasContentType(headers, 'application/json')) return refusal('A form or JSON is needed.')
  try {
    const asked = Asked.safeParse(strictJson(body))
    return asked.success ? asked.data.customer : refusal('A customer is needed.')
  } catch (cause) {
    if (cause instanceof StrictJsonError) return refusal('The body is not JSON.')
    throw cause
  }
}

// Loose on purpose: a token request may hold what OAuth adds to it.
const Asked = z.looseObject({ customer: z.string() })
