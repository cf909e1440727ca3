import { afterAll, describe, expect, it } from 'vitest'
import type { ReasonCode } from '../../src/core/reasons.ts'
import type { Verdict } from '../../src/core/verdict.ts'
import type { World } from '../../src/core/world.ts'
import { deviceToken, type DevicePrompt } from '../../src/login/device.ts'
import { createWorld } from '../../src/world.io.ts'
import { DISCOVERY, metadata, ok, playedIssuer, refused, type Played, type PlayedIssuer } from './played-issuer.ts'

const open = createWorld()
afterAll(() => open.close())

const TOKEN = { access_token: 'the.access.token', token_type: 'Bearer' }
const code = (issuer: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  device_code: 'secret-device-code',
  user_code: 'WDJB-MJHT',
  verification_uri: `${issuer}/enter`,
  expires_in: 600,
  ...more,
})

interface Flow {
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly begin?: (issuer: string) => Played
  readonly tokens?: readonly Played[]
  readonly resource?: string
  readonly abortAfterMs?: number
}
interface FlowEnd {
  readonly end: Verdict<string>
  /** Seconds that were waited before each question. */
  readonly waits: readonly number[]
  readonly prompts: readonly DevicePrompt[]
  readonly server: PlayedIssuer
}

/** Runs a flow against a played issuer, with a clock that jumps ahead over each pause. */
async function flow({ metadata: more, begin, tokens = [ok(TOKEN)], resource, abortAfterMs }: Flow): Promise<FlowEnd> {
  const server = await playedIssuer((issuer) => ({
    [DISCOVERY]: [ok(metadata(issuer, more))],
    '/device': [begin?.(issuer) ?? ok(code(issuer))],
    '/token': tokens,
  }))
  const waits: number[] = []
  const prompts: DevicePrompt[] = []
  const abort = new AbortController()
  let nowMs = 0
  const pause = (ms: number): Promise<void> => {
    waits.push(ms / 1_000)
    nowMs += ms
    if (abortAfterMs !== undefined && nowMs >= abortAfterMs) abort.abort()
    return Promise.resolve()
  }
  const world: World = { ...open, pause, monotonicMs: () => nowMs }
  try {
    const show = (prompt: DevicePrompt): void => {
      prompts.push(prompt)
    }
    const options = { clientId: 'cli', scope: 'openid', resource, show, signal: abort.signal }
    return { end: await deviceToken(server.issuer, options, world), waits, prompts, server }
  } finally {
    await server.close()
  }
}

const pending = refused('authorization_pending')

it('asks as RFC 8628 says, and shows the code once', async () => {
  const { end, prompts, server } = await flow({ tokens: [pending, ok(TOKEN)], resource: 'urn:bank' })
  expect(end).toEqual({ ok: true, value: 'the.access.token' })
  expect(prompts).toEqual([{ verificationUri: `${server.issuer}/enter`, userCode: 'WDJB-MJHT', expiresInSeconds: 600 }])
  const [, begun, first, second] = server.requests
  expect(begun).toMatchObject({ method: 'POST', body: 'client_id=cli&scope=openid&resource=urn%3Abank' })
  expect(first).toMatchObject({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: 'grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=secret-device-code&client_id=cli&resource=urn%3Abank',
  })
  expect(second?.body).toBe(first?.body)
})

describe('waits between two questions', () => {
  it.each<[string, Record<string, unknown>, readonly Played[], readonly number[]]>([
    ['five seconds by default', {}, [pending, pending, ok(TOKEN)], [5, 5, 5]],
    ['as long as the issuer says', { interval: 7 }, [pending, ok(TOKEN)], [7, 7]],
    ['a second at least', { interval: 0 }, [pending, ok(TOKEN)], [1, 1]],
    [
      'five more after each slow_down',
      {},
      [refused('slow_down'), refused('slow_down'), pending, ok(TOKEN)],
      [5, 10, 15, 15],
    ],
    ['also when slow_down is a 429', {}, [refused('slow_down', 429), ok(TOKEN)], [5, 10]],
    ['twice as long after a 503', {}, [{ body: 'busy', answer: { status: 503 } }, pending, ok(TOKEN)], [5, 10, 10]],
    ['not beyond the expiry', { interval: 9, expires_in: 10 }, [pending], [9, 1]],
  ])('%s', async (_what, more, tokens, waits) => {
    expect((await flow({ begin: (issuer) => ok(code(issuer, more)), tokens })).waits).toEqual(waits)
  })

  it('not longer than half an hour, whatever the issuer says', async () => {
    const { end, prompts } = await flow({
      begin: (issuer) => ok(code(issuer, { expires_in: 1e9, interval: 1e8 })),
      tokens: [pending],
    })
    expect(end).toMatchObject({ ok: false, reason: 'login.timeout' })
    expect(prompts[0]?.expiresInSeconds).toBe(1_800)
  })
})

describe('ends without a token', () => {
  it.each<[string, readonly Played[], ReasonCode]>([
    ['when the person says no', [pending, refused('access_denied')], 'login.denied'],
    ['when the person says no, with a 403', [refused('access_denied', 403)], 'login.denied'],
    ['when the code was used by somebody else', [refused('invalid_grant')], 'login.denied'],
    ['when the issuer says that the code has expired', [pending, refused('expired_token')], 'login.timeout'],
    ['when nobody comes', [pending], 'login.timeout'],
    ['when the client is no longer known', [refused('invalid_client', 401)], 'login.client_refused'],
    ['for an error of nobody', [refused('teapot', 418)], 'login.unavailable'],
    ['for a refusal without an error', [{ body: {}, answer: { status: 400 } }], 'login.unavailable'],
    [
      'for a refusal that is not JSON',
      [{ body: 'no', answer: { status: 400, headers: { 'content-type': 'text/html' } } }],
      'login.unavailable',
    ],
    [
      'for a redirect',
      [{ body: {}, answer: { status: 302, headers: { location: 'https://evil.test' } } }],
      'login.unavailable',
    ],
    ['for a 201', [{ body: TOKEN, answer: { status: 201 } }], 'login.unavailable'],
    ['for a 200 with an error', [ok({ error: 'authorization_pending' })], 'login.unavailable'],
    ['for a token of another type', [ok({ ...TOKEN, token_type: 'DPoP' })], 'login.unavailable'],
    ['for a token without a type', [ok({ access_token: 'a.b.c' })], 'login.unavailable'],
    ['for an empty token', [ok({ ...TOKEN, access_token: '' })], 'login.unavailable'],
    ['for a token with a line break', [ok({ ...TOKEN, access_token: 'a\r\nx: y' })], 'login.unavailable'],
    [
      'for two tokens under one name',
      [{ body: '{"access_token":"a","access_token":"b","token_type":"Bearer"}' }],
      'login.unavailable',
    ],
    ['when the connection is lost again and again', ['hangs up'], 'login.unavailable'],
    ['when the issuer fails three times in a row', [{ body: '', answer: { status: 500 } }], 'login.unavailable'],
  ])('%s', async (_what, tokens, reason) => {
    expect((await flow({ tokens })).end).toMatchObject({ ok: false, reason })
  })

  it('as soon as it is given up', async () => {
    const { end, server } = await flow({ tokens: [pending], abortAfterMs: 12_000 })
    expect(end).toMatchObject({ ok: false, reason: 'login.cancelled' })
    expect(server.asked('/token')).toBe(2)
  })
})

it('does not ask again after an answer that makes no sense', async () => {
  expect((await flow({ tokens: [{ body: 'no' }, ok(TOKEN)] })).server.asked('/token')).toBe(1)
})

it('ends at once when it is given up while the issuer says nothing', async () => {
  const server = await playedIssuer((issuer) => ({
    [DISCOVERY]: [ok(metadata(issuer))],
    '/device': [ok(code(issuer))],
    '/token': ['says nothing'],
  }))
  const abort = new AbortController()
  const world: World = { ...open, pause: () => Promise.resolve() }
  const options = { clientId: 'cli', scope: 'openid', show: () => undefined, signal: abort.signal }
  const end = deviceToken(server.issuer, options, world)
  await expect.poll(() => server.asked('/token')).toBe(1)
  const started = open.monotonicMs()
  abort.abort()
  expect(await end).toMatchObject({ ok: false, reason: 'login.cancelled' })
  expect(open.monotonicMs() - started).toBeLessThan(3_000)
  await server.close()
})

it('forgives two lost answers, and counts anew after a good one', async () => {
  const lost: Played = { body: '', answer: { status: 502 } }
  expect((await flow({ tokens: [lost, lost, pending, lost, lost, ok(TOKEN)] })).end).toMatchObject({ ok: true })
})

describe('does not begin', () => {
  it.each<[string, Flow, ReasonCode]>([
    ['without a device endpoint', { metadata: { device_authorization_endpoint: undefined } }, 'login.no_device_flow'],
    ['without a token endpoint', { metadata: { token_endpoint: undefined } }, 'login.no_device_flow'],
    ['when the metadata is of another issuer', { metadata: { issuer: 'https://evil.test' } }, 'login.unavailable'],
    [
      'at an endpoint in plain http elsewhere',
      { metadata: { device_authorization_endpoint: 'http://evil.test/d' } },
      'login.unavailable',
    ],
    ['for a client that is refused', { begin: () => refused('unauthorized_client') }, 'login.client_refused'],
    ['for a scope that is refused', { begin: () => refused('invalid_scope') }, 'login.client_refused'],
    ['for a resource that is refused', { begin: () => refused('invalid_target') }, 'login.client_refused'],
    ['when the issuer is down', { begin: () => 'hangs up' }, 'login.unavailable'],
    ['when the issuer fails', { begin: () => ({ body: '', answer: { status: 500 } }) }, 'login.unavailable'],
    ...badCodes(),
  ])('%s', async (_what, given, reason) => {
    const { end, prompts } = await flow(given)
    expect(end).toMatchObject({ ok: false, reason })
    expect(prompts).toEqual([])
  })
})

function badCodes(): [string, Flow, ReasonCode][] {
  const bad: [string, Record<string, unknown>][] = [
    ['no device code', { device_code: undefined }],
    ['no user code', { user_code: undefined }],
    ['a user code with an escape', { user_code: 'AB\u001b[2J' }],
    ['a user code that hides letters', { user_code: 'AB\u202eCD' }],
    ['no address', { verification_uri: undefined }],
    ['an address in plain http elsewhere', { verification_uri: 'http://evil.test/enter' }],
    ['an address that is a script', { verification_uri: 'javascript:alert(1)' }],
    ['a complete address in plain http elsewhere', { verification_uri_complete: 'http://evil.test/?user_code=A' }],
    ['no expiry', { expires_in: undefined }],
    ['an expiry that is past', { expires_in: 0 }],
    ['a negative interval', { interval: -1 }],
    ['an interval that is text', { interval: '5' }],
  ]
  return bad.map(([what, more]) => [`with ${what}`, { begin: (issuer) => ok(code(issuer, more)) }, 'login.unavailable'])
}
