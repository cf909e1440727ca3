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

/** A login as only a verified token gives it. */
export async function loginOf(customer: string, tenant = 'canbank', expiresInSeconds = 3600): Promise<Login> {
  const token = await signed({ sub: customer, tenant, exp: nowSeconds + expiresInSeconds })
  const login = await verifyLogin(token, policy, keys, { now: () => new Date(TEST_NOW) })
  if (!login.ok) throw new Error(login.detail)
  return login.value
}
