import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose'
import { tenantId } from '../src/core/ids.ts'
import type { Login } from '../src/core/login.ts'
import { verifyLogin, type LoginPolicy } from '../src/login/verify.ts'
import { TEST_NOW } from './worlds.ts'

export const ISSUER = 'https://issuer.test'
export const nowSeconds = Date.parse(TEST_NOW) / 1000
export const policy: LoginPolicy = {
  issuer: ISSUER,
  audience: 'intent-gate',
  subjectType: 'Customer',
  tenants: new Set([tenantId('canbank'), tenantId('fjordbank')]),
}

const { privateKey, publicKey } = await generateKeyPair('ES256')
export const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] })

/** A token of the test issuer; `claims` replace its own. */
export const signed = (
  claims: Readonly<Record<string, unknown>> = {},
  header: Record<string, string> = {},
): Promise<string> =>
  new SignJWT({
    iss: ISSUER,
    aud: 'intent-gate',
    sub: 'bob',
    tenant: 'canbank',
    iat: nowSeconds,
    exp: nowSeconds + 3600,
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header })
    .sign(privateKey)

/** A login as only a verified token gives it, on the clock of test worlds. */
export const loginOf = (customer: string, tenant = 'canbank', expiresInSeconds = 3600): Promise<Login> =>
  loginAt(new Date(TEST_NOW), customer, tenant, expiresInSeconds)

/** The same on the real clock; with a negative time it has expired, within the skew that verifying allows. */
export const loginNow = (customer: string, tenant = 'canbank', expiresInSeconds = 3600): Promise<Login> =>
  loginAt(new Date(), customer, tenant, expiresInSeconds)

async function loginAt(now: Date, customer: string, tenant: string, expiresInSeconds: number): Promise<Login> {
  const seconds = Math.floor(now.getTime() / 1000)
  const token = await signed({ sub: customer, tenant, iat: seconds, exp: seconds + expiresInSeconds })
  const login = await verifyLogin(token, policy, keys, { now: () => now })
  if (!login.ok) throw new Error(login.detail)
  return login.value
}
