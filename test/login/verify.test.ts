import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { ReasonCode } from '../../src/core/reasons.ts'
import { TransportError } from '../../src/core/transport-error.ts'
import { verifyLogin } from '../../src/login/verify.ts'
import { ISSUER, keys, nowSeconds, policy, signed } from '../logins.ts'
import { proves } from '../requirements.ts'
import { TEST_NOW } from '../worlds.ts'

const world = { now: () => new Date(TEST_NOW) }
const claims = { iss: ISSUER, aud: 'intent-gate', sub: 'bob', tenant: 'canbank', exp: nowSeconds + 60 }
const otherKey = (await generateKeyPair('ES256')).privateKey

describe(proves('login.from-token-only'), () => {
  it('takes subject, tenant and expiry from a valid token', async () => {
    const token = await signed()
    expect(await verifyLogin(token, policy, keys, world)).toEqual({
      ok: true,
      value: {
        issuer: ISSUER,
        tenant: 'canbank',
        subject: { type: 'Customer', id: 'bob' },
        token,
        expiresAtMs: (nowSeconds + 3600) * 1000,
      },
    })
  })

  it('takes the subject from the claim that the settings name', async () => {
    const login = await verifyLogin(
      await signed({ customer_no: 'c-17' }),
      { ...policy, subjectClaim: 'customer_no' },
      keys,
      world,
    )
    expect(login).toMatchObject({ ok: true, value: { subject: { id: 'c-17' } } })
  })

  it.each<[string, () => Promise<string>, ReasonCode, string?]>([
    ['nothing', () => Promise.resolve(''), 'login.invalid'],
    ['prose', () => Promise.resolve('bob'), 'login.invalid'],
    ['another issuer', () => signed({ iss: 'https://evil.test' }), 'login.invalid'],
    ['another audience', () => signed({ aud: 'other-app' }), 'login.invalid'],
    ['no audience', () => signed({ aud: undefined }), 'login.invalid'],
    ['no expiry', () => signed({ exp: undefined }), 'login.invalid'],
    ['an expiry that is past, beyond the skew', () => signed({ exp: nowSeconds - 31 }), 'login.expired'],
    ['a not-before that is ahead, beyond the skew', () => signed({ nbf: nowSeconds + 31 }), 'login.invalid'],
    ['no subject', () => signed({ sub: undefined }), 'login.invalid'],
    ['an empty subject', () => signed({ sub: '' }), 'login.invalid'],
    ['a subject with a space', () => signed({ sub: 'bob ' }), 'login.invalid'],
    ['a look-alike subject', () => signed({ sub: 'b\u043eb' }), 'login.invalid'],
    ['a subject that is no string', () => signed({ customer_no: 17 }), 'login.invalid', 'customer_no'],
    ['no tenant', () => signed({ tenant: undefined }), 'login.invalid'],
    ['a list of tenants', () => signed({ tenant: ['canbank'] }), 'login.invalid'],
    ['a tenant that is not served', () => signed({ tenant: 'otherbank' }), 'login.tenant_unknown'],
    ['an unknown key', () => signed({}, { kid: 'k2' }), 'login.invalid'],
    [
      'the signature of another key',
      () => new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(otherKey),
      'login.invalid',
    ],
    ['no signature', () => Promise.resolve(new UnsecuredJWT(claims).encode()), 'login.invalid'],
    [
      'a symmetric signature',
      () => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode('x'.repeat(32))),
      'login.invalid',
    ],
  ])('refuses a token with %s', async (_what, token, reason, subjectClaim) => {
    const given = subjectClaim === undefined ? policy : { ...policy, subjectClaim }
    expect(await verifyLogin(await token(), given, keys, world)).toMatchObject({ ok: false, reason })
  })

  it('refuses a token whose bytes were changed', async () => {
    const [head, , signature] = (await signed()).split('.')
    const payload = Buffer.from(JSON.stringify({ ...claims, sub: 'alice' })).toString('base64url')
    const login = await verifyLogin(`${head ?? ''}.${payload}.${signature ?? ''}`, policy, keys, world)
    expect(login).toMatchObject({ ok: false, reason: 'login.invalid' })
  })

  it('tells an issuer that cannot be reached from a bad token', async () => {
    const unreachable = (): never => {
      throw new TransportError('unreachable', 'refused')
    }
    const login = await verifyLogin(await signed(), policy, unreachable, world)
    expect(login).toMatchObject({ ok: false, reason: 'login.unavailable' })
  })
})

it('allows thirty seconds of clock skew and not one more', async () => {
  const token = await signed({ exp: nowSeconds - 29 })
  expect(await verifyLogin(token, policy, keys, world)).toMatchObject({ ok: true })
})
