import { exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWK, type JWTHeaderParameters } from 'jose'
import { afterAll, describe, expect, it } from 'vitest'
import { tenantId } from '../../src/core/ids.ts'
import type { Login } from '../../src/core/login.ts'
import type { ReasonCode } from '../../src/core/reasons.ts'
import type { Verdict } from '../../src/core/verdict.ts'
import { createIssuer, type Issuer } from '../../src/login/issuer.ts'
import { createWorld } from '../../src/world.io.ts'
import { DISCOVERY, metadata, ok, playedIssuer, type Played, type PlayedIssuer } from './played-issuer.ts'

const open = createWorld()
afterAll(() => open.close())

const [rsa, other, curve] = await Promise.all([
  generateKeyPair('RS256', { extractable: true }),
  generateKeyPair('RS256', { extractable: true }),
  generateKeyPair('ES256', { extractable: true }),
])
const jwk = async (key: Key, more: Readonly<Record<string, unknown>> = {}): Promise<JWK> => ({
  ...(await exportJWK(key)),
  kid: 'k1',
  ...more,
})

type Key = Awaited<ReturnType<typeof generateKeyPair>>['publicKey']
type Signer = Key | Uint8Array
const signed = (
  issuer: string,
  header: Partial<JWTHeaderParameters> = {},
  key: Signer = rsa.privateKey,
  claims: Readonly<Record<string, unknown>> = {},
): Promise<string> =>
  new SignJWT({ sub: 'bob', tenant: 'canbank', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header })
    .setIssuer(issuer)
    .setAudience('gate')
    .setExpirationTime('1h')
    .sign(key)

interface Running {
  readonly server: PlayedIssuer
  readonly issuer: Issuer
  readonly later: (ms: number) => void
}

/** An issuer that publishes these key sets, one after the other, with a clock that a test moves. */
async function withKeys(sets: readonly Played[], use: (running: Running) => Promise<void>): Promise<void> {
  const server = await playedIssuer((issuer) => ({ [DISCOVERY]: [ok(metadata(issuer))], '/jwks': sets }))
  let nowMs = 0
  const policy = {
    issuer: server.issuer,
    audience: 'gate',
    subjectType: 'Customer',
    tenants: new Set([tenantId('canbank')]),
  }
  const issuer = createIssuer(policy, { ...open, monotonicMs: () => nowMs })
  const later = (ms: number): void => {
    nowMs += ms
  }
  try {
    await use({ server, issuer, later })
  } finally {
    await server.close()
  }
}

async function verified(keys: readonly JWK[], token: (issuer: string) => Promise<string>): Promise<Verdict<Login>> {
  let login: Verdict<Login> | undefined
  await withKeys([ok({ keys })], async ({ server, issuer }) => {
    login = await issuer.verify(await token(server.issuer))
  })
  return login!
}

describe('a key is used', () => {
  it.each<[string, Readonly<Record<string, unknown>>, boolean]>([
    ['that says nothing about its use', {}, true],
    ['that is for signatures', { use: 'sig', alg: 'RS256', key_ops: ['verify'] }, true],
    ['never for encryption', { use: 'enc' }, false],
    ['never for a use that we do not know', { use: 'other' }, false],
    ['never for other operations', { key_ops: ['encrypt', 'wrapKey'] }, false],
    ['never with another algorithm than its own', { alg: 'PS256' }, false],
    ['never under another id', { kid: 'k2' }, false],
  ])('%s', async (_what, more, isUsed) => {
    const login = await verified([await jwk(rsa.publicKey, more)], signed)
    expect(login).toMatchObject(isUsed ? { ok: true } : { ok: false, reason: 'login.invalid' })
  })

  it('never when it is a private one', async () => {
    expect(await verified([await jwk(rsa.privateKey)], signed)).toMatchObject({ ok: false, reason: 'login.invalid' })
  })
})

const spki = new TextEncoder().encode(await exportSPKI(rsa.publicKey))
const { n: modulus = '' } = await exportJWK(rsa.publicKey)
const shared: JWK = { kty: 'oct', k: modulus, kid: 'k1' }
const unsigned = async (issuer: string): Promise<string> => {
  const [, payload = ''] = (await signed(issuer)).split('.')
  return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
}

describe("the algorithm is not the token's to choose", () => {
  it.each<[string, readonly JWK[], (issuer: string) => Promise<string>]>([
    ['the public key as a shared secret', [], (issuer) => signed(issuer, { alg: 'HS256' }, spki)],
    [
      'a shared secret that the issuer publishes',
      [shared],
      (issuer) => signed(issuer, { alg: 'HS256' }, Buffer.from(modulus, 'base64url')),
    ],
    ['an algorithm of another type of key', [], (issuer) => signed(issuer, { alg: 'ES256' }, curve.privateKey)],
    [
      'a key in the token',
      [],
      async (issuer) => signed(issuer, { kid: 'x', jwk: await jwk(other.publicKey) }, other.privateKey),
    ],
    [
      'a place of keys in the token',
      [],
      (issuer) => signed(issuer, { kid: 'x', jku: `${issuer}/evil` }, other.privateKey),
    ],
    ['no signature', [], unsigned],
  ])('refuses %s', async (_what, more, token) => {
    const login = await verified([await jwk(rsa.publicKey), ...more], token)
    expect(login).toMatchObject({ ok: false, reason: 'login.invalid' })
  })
})

describe('a token of another kind', () => {
  it.each<[string, boolean]>([
    ['JWT', true],
    ['at+jwt', true],
    ['application/at+JWT', true],
    ['logout+jwt', false],
    ['dpop+jwt', false],
    ['token-introspection+jwt', false],
  ])('of type %s', async (typ, isTaken) => {
    expect((await verified([await jwk(rsa.publicKey)], (issuer) => signed(issuer, { typ }))).ok).toBe(isTaken)
  })

  it('that is bound to a key of its owner is refused', async () => {
    const claims = { cnf: { jkt: 'thumbprint' } }
    const login = await verified([await jwk(rsa.publicKey)], (issuer) => signed(issuer, {}, rsa.privateKey, claims))
    expect(login).toMatchObject({ ok: false, reason: 'login.invalid' })
  })
})

describe('keys are fetched', () => {
  it('once for many tokens at the same time', async () => {
    await withKeys([ok({ keys: [await jwk(rsa.publicKey)] })], async ({ server, issuer }) => {
      const token = await signed(server.issuer)
      const logins = await Promise.all(Array.from({ length: 20 }, () => issuer.verify(token)))
      expect(logins.every(({ ok: isIn }) => isIn)).toBe(true)
      expect(server.asked('/jwks')).toBe(1)
    })
  })

  it('in either media type of RFC 7517', async () => {
    const keys = [await jwk(rsa.publicKey)]
    const headers = { 'content-type': 'application/jwk-set+json' }
    await withKeys([{ body: { keys }, answer: { headers } }], async ({ server, issuer }) => {
      expect(await issuer.verify(await signed(server.issuer))).toMatchObject({ ok: true })
    })
  })

  it('again for an unknown one, and only every ten seconds however many tokens name one', async () => {
    const sets = [ok({ keys: [await jwk(rsa.publicKey)] }), ok({ keys: [await jwk(other.publicKey, { kid: 'k2' })] })]
    await withKeys(sets, async ({ server, issuer, later }) => {
      await issuer.verify(await signed(server.issuer))
      const [wrong, next] = [
        await signed(server.issuer, { kid: 'k9' }),
        await signed(server.issuer, { kid: 'k2' }, other.privateKey),
      ]
      for (let turn = 0; turn < 5; turn++) await issuer.verify(wrong)
      later(9_999)
      expect(await issuer.verify(next)).toMatchObject({ ok: false, reason: 'login.invalid' })
      expect(server.asked('/jwks')).toBe(1)
      later(1)
      expect(await issuer.verify(next)).toMatchObject({ ok: true })
      for (let turn = 0; turn < 5; turn++) await issuer.verify(wrong)
      expect(server.asked('/jwks')).toBe(2)
    })
  })

  it('not again for a token that two known ones fit', async () => {
    const keys = [await jwk(rsa.publicKey), await jwk(other.publicKey)]
    await withKeys([ok({ keys })], async ({ server, issuer, later }) => {
      const token = await signed(server.issuer)
      await issuer.verify(token)
      later(10_000)
      expect(await issuer.verify(token)).toMatchObject({ ok: false, reason: 'login.invalid' })
      expect(server.asked('/jwks')).toBe(1)
    })
  })

  it('again after ten minutes; while they cannot be had nobody signs in', async () => {
    const good = ok({ keys: [await jwk(rsa.publicKey)] })
    await withKeys([good, { body: '', answer: { status: 503 } }, good], async ({ server, issuer, later }) => {
      const token = await signed(server.issuer)
      expect(await issuer.verify(token)).toMatchObject({ ok: true })
      later(599_999)
      expect(await issuer.verify(token)).toMatchObject({ ok: true })
      later(1)
      expect(await issuer.verify(token)).toMatchObject({ ok: false, reason: 'login.unavailable' })
      expect(await issuer.verify(token)).toMatchObject({ ok: true })
    })
  })
})

it.each<[string, Played, ReasonCode]>([
  ['nothing', ok({}), 'login.unavailable'],
  ['a list', ok([]), 'login.unavailable'],
  ['a key without a type', ok({ keys: [{ kid: 'k1' }] }), 'login.unavailable'],
  ['a page', { body: '<html>', answer: { headers: { 'content-type': 'text/html' } } }, 'login.unavailable'],
  ['a redirect', { body: {}, answer: { status: 301, headers: { location: '/other' } } }, 'login.unavailable'],
  ['over 1 MiB', ok({ keys: [], more: 'x'.repeat(1024 * 1024) }), 'login.unavailable'],
  ['the end of the connection', 'hangs up', 'login.unavailable'],
  ['no key at all', ok({ keys: [] }), 'login.invalid'],
])('signs nobody in while the keys are %s', async (_what, keys, reason) => {
  await withKeys([keys], async ({ server, issuer }) => {
    expect(await issuer.verify(await signed(server.issuer))).toMatchObject({ ok: false, reason })
  })
})

it('says that there are no keys when the issuer names no place of them', async () => {
  const server = await playedIssuer((issuer) => ({ [DISCOVERY]: [ok({ issuer })] }))
  const policy = { issuer: server.issuer, audience: 'gate', subjectType: 'Customer', tenants: new Set([tenantId('a')]) }
  const login = await createIssuer(policy, open).verify(await signed(server.issuer))
  await server.close()
  expect(login).toMatchObject({ ok: false, reason: 'login.unavailable' })
})
