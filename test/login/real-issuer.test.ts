import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CLIENT_ID,
  INTROSPECTOR,
  OPAQUE_RESOURCE,
  RESOURCE,
  startDemoProvider,
  type DemoProvider,
} from '../../scripts/demo-provider.ts'
import { tenantId } from '../../src/core/ids.ts'
import type { Login } from '../../src/core/login.ts'
import type { Verdict } from '../../src/core/verdict.ts'
import type { World } from '../../src/core/world.ts'
import type { DeviceOptions, DevicePrompt } from '../../src/login/device.ts'
import { discover } from '../../src/login/discovery.ts'
import { createIntrospection } from '../../src/login/introspect.ts'
import { createIssuer, type Issuer } from '../../src/login/issuer.ts'
import type { LoginPolicy } from '../../src/login/verify.ts'
import { createAuthzenPdp } from '../../src/pdp/client.ts'
import { createWorld } from '../../src/world.io.ts'
import { hostile, plays } from '../hostile-server.ts'
import { question, view } from '../pdp/questions.ts'
import { disownCode, signInAs } from './person.ts'

// The real server, the real network; only the waiting between two questions is shorter.
const open = createWorld()
let laterMs = 0
const world: World = {
  ...open,
  monotonicMs: () => open.monotonicMs() + laterMs,
  pause: (ms, signal) => open.pause(ms / 100, signal),
}

let provider: DemoProvider
beforeAll(async () => {
  provider = await startDemoProvider({
    customers: ['alice', 'bob', 'carol'],
    tenant: 'canbank',
    claims: (customer) => ({
      customer_no: `c-${customer}`,
      bank: 'fjordbank',
      number: 17,
      spaced: `${customer} `,
      list: [customer],
    }),
  })
})
afterAll(async () => {
  await Promise.all([provider.close(), open.close()])
})

const policyOf = (more: Partial<LoginPolicy> = {}): LoginPolicy => ({
  issuer: provider.issuer,
  audience: RESOURCE,
  subjectType: 'Customer',
  tenants: new Set([tenantId('canbank')]),
  ...more,
})
const issuerOf = (more: Partial<LoginPolicy> = {}): Issuer => createIssuer(policyOf(more), world)
const introspectingOf = (more: Partial<LoginPolicy> = {}, secret = INTROSPECTOR.secret, at: World = world): Issuer => {
  const url = `${provider.issuer}/token/introspection`
  const settings = { url, clientId: INTROSPECTOR.id, clientSecret: secret, policy: policyOf(more) }
  return createIssuer(policyOf(more), world, createIntrospection(settings, at))
}

/** Signs in by device as `person` does it at the address that is shown. */
async function byDevice(
  issuer: Issuer,
  person: (prompt: DevicePrompt) => Promise<unknown>,
  options: Partial<DeviceOptions> = {},
): Promise<Verdict<Login>> {
  let acted: Promise<unknown> = Promise.resolve()
  const login = await issuer.signInByDevice({
    clientId: CLIENT_ID,
    scope: 'openid',
    resource: RESOURCE,
    signal: new AbortController().signal,
    show: (prompt) => {
      acted = person(prompt)
    },
    ...options,
  })
  await acted
  return login
}

async function loginAs(customer: string, issuer: Issuer, resource = RESOURCE): Promise<Login> {
  const login = await byDevice(issuer, (prompt) => signInAs(customer, prompt), { resource })
  if (!login.ok) throw new Error(`${login.reason}: ${login.detail}`)
  return login.value
}

it('finds the endpoints of the issuer', async () => {
  expect(await discover(provider.issuer, world)).toMatchObject({
    issuer: provider.issuer,
    device_authorization_endpoint: `${provider.issuer}/device/auth`,
    introspection_endpoint: `${provider.issuer}/token/introspection`,
  })
})

describe('the device flow', () => {
  it.each(['alice', 'bob', 'carol'])('signs %s in, who entered the code', async (customer) => {
    let prompt: DevicePrompt | undefined
    const login = await byDevice(issuerOf(), (shown) => {
      prompt = shown
      return signInAs(customer, shown)
    })
    expect(login).toMatchObject({ ok: true, value: { tenant: 'canbank', subject: { type: 'Customer', id: customer } } })
    expect(prompt).toEqual({
      verificationUri: `${provider.issuer}/device`,
      verificationUriComplete: `${provider.issuer}/device?user_code=${prompt?.userCode ?? ''}`,
      userCode: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/) as string,
      expiresInSeconds: 600,
    })
  })

  it('ends when the person refuses to sign in', async () => {
    const login = await byDevice(issuerOf(), (prompt) => signInAs('nobody', prompt))
    expect(login).toMatchObject({ ok: false, reason: 'login.denied' })
  })

  it('ends when the person says that the code is not theirs', async () => {
    expect(await byDevice(issuerOf(), disownCode)).toMatchObject({ ok: false, reason: 'login.denied' })
  })

  it('ends at the expiry of the code', async () => {
    const short = await startDemoProvider({ customers: ['bob'], tenant: 'canbank', codeSeconds: 1 })
    const { pause } = open
    const issuer = createIssuer(policyOf({ issuer: short.issuer }), { ...world, pause })
    const login = await byDevice(issuer, () => Promise.resolve())
    await short.close()
    expect(login).toMatchObject({ ok: false, reason: 'login.timeout' })
  })

  it('ends when it is given up here, also while it waits', async () => {
    const abort = new AbortController()
    const issuer = createIssuer(policyOf(), { ...world, pause: open.pause })
    const started = open.monotonicMs()
    const login = await byDevice(
      issuer,
      async () => {
        abort.abort()
      },
      { signal: abort.signal },
    )
    expect(login).toMatchObject({ ok: false, reason: 'login.cancelled' })
    expect(open.monotonicMs() - started).toBeLessThan(4_000)
  })

  it.each<[string, Partial<DeviceOptions>]>([
    ['a client that it does not know', { clientId: 'somebody-else' }],
    ['a client that may not use it', { clientId: INTROSPECTOR.id }],
  ])('is not begun for %s', async (_what, options) => {
    const login = await byDevice(issuerOf(), () => Promise.reject(new Error('nothing may be shown')), options)
    expect(login).toMatchObject({ ok: false, reason: 'login.client_refused' })
  })

  it('gives no login for a token that is for no resource', async () => {
    const login = await byDevice(issuerOf(), (prompt) => signInAs('bob', prompt), { resource: undefined })
    expect(login).toMatchObject({ ok: false, reason: 'login.invalid' })
  })
})

describe('claims', () => {
  it('names the subject by the claim of the settings', async () => {
    const { subject } = await loginAs('bob', issuerOf({ subjectClaim: 'customer_no' }))
    expect(subject.id).toBe('c-bob')
  })

  it('names the tenant by the claim of the settings', async () => {
    const tenants = new Set([tenantId('fjordbank')])
    expect((await loginAs('bob', issuerOf({ tenantClaim: 'bank', tenants }))).tenant).toBe('fjordbank')
  })

  it.each<[string, Partial<LoginPolicy>, string]>([
    ['a number as subject', { subjectClaim: 'number' }, 'login.invalid'],
    ['a subject with a space', { subjectClaim: 'spaced' }, 'login.invalid'],
    ['a list of subjects', { subjectClaim: 'list' }, 'login.invalid'],
    ['no such subject claim', { subjectClaim: 'constructor' }, 'login.invalid'],
    ['a list of tenants', { tenantClaim: 'list' }, 'login.invalid'],
    ['no such tenant claim', { tenantClaim: 'org' }, 'login.invalid'],
    ['a tenant that is not served', { tenantClaim: 'bank' }, 'login.tenant_unknown'],
    ['another audience', { audience: 'another' }, 'login.invalid'],
  ])('refuses %s, in a JWT and in an introspection', async (_what, more, reason) => {
    const jwt = (await loginAs('bob', issuerOf())).token
    const opaque = (await loginAs('bob', introspectingOf(), OPAQUE_RESOURCE)).token
    expect(await issuerOf(more).verify(jwt)).toMatchObject({ ok: false, reason })
    expect(await introspectingOf(more).verify(opaque)).toMatchObject({ ok: false, reason })
  })
})

describe('a new key of the issuer', () => {
  it('is fetched when a token names it, and the withdrawn one is no longer good', async () => {
    const issuer = issuerOf()
    const before = (await loginAs('bob', issuer)).token
    await provider.rotateKeys()
    expect(await issuer.verify(before)).toMatchObject({ ok: true })

    laterMs += 10_000
    const after = (await loginAs('carol', issuer)).token
    expect(await issuer.verify(after)).toMatchObject({ ok: true, value: { subject: { id: 'carol' } } })
    expect(await issuer.verify(before)).toMatchObject({ ok: false, reason: 'login.invalid' })
  })

  it('is not looked for again within ten seconds', async () => {
    const issuer = issuerOf()
    await loginAs('bob', issuer)
    await provider.rotateKeys()
    const login = await byDevice(issuer, (prompt) => signInAs('bob', prompt))
    expect(login).toMatchObject({ ok: false, reason: 'login.invalid' })
  })

  it('ends the old one after ten minutes, also when nobody names the new one', async () => {
    const issuer = issuerOf()
    const { token } = await loginAs('bob', issuer)
    await provider.rotateKeys()
    laterMs += 10 * 60_000
    expect(await issuer.verify(token)).toMatchObject({ ok: false, reason: 'login.invalid' })
  })
})

describe('introspection', () => {
  it('signs in with a token that only the issuer can read', async () => {
    const { token, ...login } = await loginAs('alice', introspectingOf(), OPAQUE_RESOURCE)
    expect(token).not.toContain('.')
    expect(login).toMatchObject({ tenant: 'canbank', subject: { type: 'Customer', id: 'alice' } })
    expect(login.expiresAtMs).toBeGreaterThan(Date.now())
    expect(await issuerOf().verify(token)).toMatchObject({ ok: false, reason: 'login.invalid' })
  })

  it.each([
    ['nothing', ''],
    ['a token that it does not know', 'a-token-of-nobody'],
    ['two lines', 'one\ntwo'],
  ])('refuses %s', async (_what, token) => {
    expect(await introspectingOf().verify(token)).toMatchObject({ ok: false, reason: 'login.invalid' })
  })

  it('refuses a JWT, which this server does not introspect', async () => {
    const { token } = await loginAs('bob', issuerOf())
    expect(await introspectingOf().verify(token)).toMatchObject({ ok: false, reason: 'login.invalid' })
  })

  it('says that the credentials of the gate are wrong', async () => {
    const login = await introspectingOf({}, 'wrong').verify('some-token')
    expect(login).toMatchObject({ ok: false, reason: 'login.introspection_refused' })
  })
})

it("hands the session's own token to a PDP whose kind forwards it, and to no other", async () => {
  const pdp = await hostile(plays({ evaluations: [{ decision: true }] }))
  const login = await loginAs('bob', issuerOf())
  const asked = { ...question(view('bob', 'Account', 'acc-joint')), login }
  for (const forwardsLogin of [true, false]) {
    const profile = { evaluationsUrl: pdp.url, headers: {}, forwardsLogin }
    expect(await createAuthzenPdp(profile, world).decide(asked, AbortSignal.timeout(5_000))).toMatchObject({ ok: true })
  }
  await pdp.close()
  expect(pdp.requests.map(({ headers }) => headers['authorization'])).toEqual([`Bearer ${login.token}`, undefined])
})
