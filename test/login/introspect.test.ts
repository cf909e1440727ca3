import { afterAll, describe, expect, it } from 'vitest'
import { tenantId } from '../../src/core/ids.ts'
import type { ReasonCode } from '../../src/core/reasons.ts'
import { createIntrospection, type VerifyToken } from '../../src/login/introspect.ts'
import { createWorld } from '../../src/world.io.ts'
import { TEST_NOW } from '../worlds.ts'
import { ok, playedIssuer, refused, type Played, type PlayedIssuer } from './played-issuer.ts'

const open = createWorld()
afterAll(() => open.close())

const ISSUER = 'https://issuer.test'
const nowSeconds = Date.parse(TEST_NOW) / 1000
const ACTIVE = {
  active: true,
  iss: ISSUER,
  aud: ['other', 'gate'],
  sub: 'bob',
  tenant: 'canbank',
  exp: nowSeconds + 3600,
  token_type: 'Bearer',
}
const active = (more: Readonly<Record<string, unknown>> = {}): Played => ok({ ...ACTIVE, ...more })

interface Running {
  readonly server: PlayedIssuer
  readonly verify: VerifyToken
  readonly later: (seconds: number) => void
}

/** An introspection endpoint that plays these answers, one after the other, with a clock that a test moves. */
async function introspecting(answers: readonly Played[], use: (running: Running) => Promise<void>): Promise<void> {
  const server = await playedIssuer(() => ({ '/introspect': answers }))
  let passedMs = 0
  const world = { ...open, now: () => new Date(Date.parse(TEST_NOW) + passedMs), monotonicMs: () => passedMs }
  const verify = createIntrospection(
    {
      url: `${server.issuer}/introspect`,
      clientId: 'gate: one',
      clientSecret: 'a+b &ü',
      policy: { issuer: ISSUER, audience: 'gate', subjectType: 'Customer', tenants: new Set([tenantId('canbank')]) },
    },
    world,
  )
  const later = (seconds: number): void => {
    passedMs += seconds * 1_000
  }
  try {
    await use({ server, verify, later })
  } finally {
    await server.close()
  }
}

it('asks as RFC 7662 says, with the client in HTTP Basic, and takes the claims of an active token', async () => {
  await introspecting([active()], async ({ server, verify }) => {
    expect(await verify('opaque+token&more')).toEqual({
      ok: true,
      value: {
        issuer: ISSUER,
        tenant: 'canbank',
        subject: { type: 'Customer', id: 'bob' },
        token: 'opaque+token&more',
        expiresAtMs: (nowSeconds + 3600) * 1000,
      },
    })
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: '/introspect',
      headers: {
        authorization: `Basic ${Buffer.from('gate%3A+one:a%2Bb+%26%C3%BC').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'token=opaque%2Btoken%26more&token_type_hint=access_token',
    })
  })
})

describe('signs nobody in', () => {
  it.each<[string, Played, ReasonCode]>([
    ['when the token is not active', ok({ active: false }), 'login.invalid'],
    ['when the token is not active, whatever else is said', active({ active: false }), 'login.invalid'],
    ['when active is the word true', active({ active: 'true' }), 'login.unavailable'],
    ['when active is 1', active({ active: 1 }), 'login.unavailable'],
    ['for another issuer', active({ iss: 'https://evil.test' }), 'login.invalid'],
    ['for another audience', active({ aud: 'gatekeeper' }), 'login.invalid'],
    ['for a list of other audiences', active({ aud: ['a', 'b'] }), 'login.invalid'],
    ['after the expiry, beyond the skew', active({ exp: nowSeconds - 30 }), 'login.expired'],
    ['for an expiry that is text', active({ exp: String(nowSeconds + 60) }), 'login.invalid'],
    ['before its time, beyond the skew', active({ nbf: nowSeconds + 31 }), 'login.invalid'],
    ['for a not-before that is text', active({ nbf: 'soon' }), 'login.invalid'],
    ['for a subject that is no plain id', active({ sub: 'bob; alice' }), 'login.invalid'],
    ['for a subject that is a number', active({ sub: 17 }), 'login.invalid'],
    ['for a tenant that is not served', active({ tenant: 'fjordbank' }), 'login.tenant_unknown'],
    ['for a token of another type', active({ token_type: 'DPoP' }), 'login.invalid'],
    ['for a token that is bound to a key', active({ cnf: { jkt: 'x' } }), 'login.invalid'],
    ['with wrong credentials', refused('invalid_client', 401), 'login.introspection_refused'],
    ['without permission to ask', refused('access_denied', 403), 'login.introspection_refused'],
    ['for a kind of token that the endpoint does not take', refused('unsupported_token_type'), 'login.invalid'],
    ['when the endpoint is not there', { body: {}, answer: { status: 404 } }, 'login.unavailable'],
    ['when the endpoint fails', { body: {}, answer: { status: 500 } }, 'login.unavailable'],
    ['for a 201', { body: ACTIVE, answer: { status: 201 } }, 'login.unavailable'],
    ['for a redirect', { body: {}, answer: { status: 307, headers: { location: '/x' } } }, 'login.unavailable'],
    ['for a page', { body: '<html>', answer: { headers: { 'content-type': 'text/html' } } }, 'login.unavailable'],
    ['for two answers in one', { body: '{"active":false,"active":true}' }, 'login.unavailable'],
    ['for a list', ok([ACTIVE]), 'login.unavailable'],
    ['when the connection is lost', 'hangs up', 'login.unavailable'],
  ])('%s', async (_what, played, reason) => {
    await introspecting([played], async ({ verify }) => {
      expect(await verify('token')).toMatchObject({ ok: false, reason })
    })
  })

  it.each(['active', 'iss', 'aud', 'exp', 'sub', 'tenant'])('when the answer lacks %s', async (name) => {
    await introspecting([active({ [name]: undefined })], async ({ verify }) => {
      expect(await verify('token')).toMatchObject({ ok: false })
    })
  })

  it.each(['', ' ', 'a b', 'a\nb', 'tökén', 'x'.repeat(16 * 1024 + 1)])(
    'for what is no token, and asks nobody',
    async (token) => {
      await introspecting([active()], async ({ server, verify }) => {
        expect(await verify(token)).toMatchObject({ ok: false, reason: 'login.invalid' })
        expect(server.requests).toEqual([])
      })
    },
  )
})

describe('an answer', () => {
  it('is believed for thirty seconds and not one more', async () => {
    await introspecting([active(), ok({ active: false })], async ({ server, verify, later }) => {
      expect(await verify('token')).toMatchObject({ ok: true })
      later(29.999)
      expect(await verify('token')).toMatchObject({ ok: true })
      expect(server.requests).toHaveLength(1)
      later(0.001)
      expect(await verify('token')).toMatchObject({ ok: false, reason: 'login.invalid' })
    })
  })

  it('is not believed past the expiry of the token', async () => {
    await introspecting([active({ exp: nowSeconds + 5 }), ok({ active: false })], async ({ server, verify, later }) => {
      await verify('token')
      later(5)
      expect(await verify('token')).toMatchObject({ ok: false, reason: 'login.invalid' })
      expect(server.requests).toHaveLength(2)
    })
  })

  it('counts for its own token only', async () => {
    await introspecting([active(), ok({ active: false })], async ({ verify }) => {
      expect(await verify('token')).toMatchObject({ ok: true })
      expect(await verify('token2')).toMatchObject({ ok: false })
    })
  })

  it.each<[string, Played]>([
    ['a no', ok({ active: false })],
    ['a fault', { body: {}, answer: { status: 503 } }],
    ['a token of somebody else', active({ tenant: 'fjordbank' })],
  ])('that is %s is not remembered', async (_what, first) => {
    await introspecting([first, active()], async ({ verify }) => {
      expect(await verify('token')).toMatchObject({ ok: false })
      expect(await verify('token')).toMatchObject({ ok: true })
    })
  })
})
