import { afterEach, describe, expect, it } from 'vitest'
import { PDP_KINDS } from '../../adapters/pdp/kinds.ts'
import type { PdpSettings } from '../../adapters/pdp/settings.ts'
import { BANKS } from '../../src/canbank/banks.ts'
import { createWorld } from '../../src/world.io.ts'
import { bankPdp, type Question } from '../../standins/pdp.ts'
import { describePdp } from './pdp.contract.ts'
import { loginOf, question, transfer, view } from './questions.ts'
import { recordingPdp, type Heard, type RecordingPdp, type Reply } from './recording-pdp.ts'
import { expectSettingError } from './setting-errors.ts'

const KEY = 'app-agent-key'
const decide = bankPdp(BANKS.canbank)

/** IndyKite as its documentation describes it: the key is needed, a user's token must be the subject's own. */
function asDocumented({ method, path, headers, body }: Heard): Reply {
  if (`${method} ${path}` !== 'POST /access/v1/evaluations') return { status: 404, body: { message: 'Not Found' } }
  if (headers['x-ik-clientkey'] !== KEY) return { status: 401, body: { message: 'invalid credentials' } }
  const { evaluations } = JSON.parse(body) as { evaluations: readonly Question[] }
  const answers = evaluations.map((each) => {
    const bearer = headers.authorization
    if (bearer !== undefined && bearer !== `Bearer token-of-${each.subject.id}`) {
      return { decision: false, context: { reason: 'bearer token subject differs from requested subject' } }
    }
    return { decision: decide(each) }
  })
  return { headers: { 'x-request-id': 'its-own' }, body: { evaluations: answers } }
}

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const each of closers.splice(0).reverse()) await each()
})

async function opened(reply: (heard: Heard) => Reply, more: PdpSettings = {}) {
  const server = await recordingPdp(reply)
  const world = createWorld()
  const pdp = PDP_KINDS.indykite({ AUTHZEN_PDP_URL: server.url, AUTHZEN_PDP_CLIENT_KEY: KEY, ...more }, world)
  const close = async (): Promise<void> => {
    await world.close()
    await server.close()
  }
  return { pdp, server, close }
}

async function asking(reply: (heard: Heard) => Reply, more: PdpSettings = {}) {
  const { pdp, server, close } = await opened(reply, more)
  closers.push(close)
  const asked = question(view('bob', 'Account', 'acc-bob-checking'), transfer('bob', 'acc-bob-checking'))
  return { pdp, server, verdict: await pdp.decide(asked, new AbortController().signal) }
}

describePdp('IndyKite (a contract server of ours)', () => opened(asDocumented))

describe('what is sent to IndyKite', () => {
  const only = (server: RecordingPdp): Heard => {
    expect(server.heard).toHaveLength(1)
    return server.heard[0]!
  }

  it("holds the client key and the session's own token", async () => {
    const { server, verdict } = await asking(asDocumented)
    expect(verdict).toEqual({ ok: true, value: [true, true] })
    const { path, headers } = only(server)
    expect(path).toBe('/access/v1/evaluations')
    expect(headers).toMatchObject({ 'x-ik-clientkey': KEY, authorization: 'Bearer token-of-bob' })
    expect(headers['content-type']).toBe('application/json')
  })

  it('holds another token for another session', async () => {
    const { pdp, server } = await asking(asDocumented)
    await pdp.decide(question(view('alice', 'Account', 'acc-joint')), new AbortController().signal)
    expect(server.heard.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-of-bob',
      'Bearer token-of-alice',
    ])
  })

  it("is denied when the session's token is of somebody else", async () => {
    const { pdp } = await asking(asDocumented)
    const { evaluations } = question(view('bob', 'Account', 'acc-bob-checking'))
    const verdict = await pdp.decide({ evaluations, login: loginOf('alice') }, new AbortController().signal)
    expect(verdict).toEqual({ ok: true, value: [false] })
  })

  it('holds the one token that is set, at the embedded issuer', async () => {
    const { server } = await asking(asDocumented, { AUTHZEN_PDP_TOKEN: 'token-of-bob-there' })
    expect(only(server).headers.authorization).toBe('Bearer token-of-bob-there')
  })
})

describe('an answer of IndyKite', () => {
  const item = (context: object) => ({ body: { evaluations: [{ decision: false, context }, { decision: true }] } })

  it.each([
    {
      what: 'a parameter is missing',
      reply: item({ reason: "invalid_argument: missing or wrong input params, 'max'" }),
    },
    {
      what: 'a parameter is missing beside a permit',
      reply: {
        body: { evaluations: [{ decision: true, context: { reason: 'invalid_argument' } }, { decision: true }] },
      },
    },
  ])('is a fault when $what', async ({ reply }) => {
    const { verdict } = await asking(() => reply)
    expect(verdict).toEqual({ ok: false, reason: 'pdp.error', detail: 'item 1 reports an error, status 422' })
  })

  it.each([
    { what: 'a filter denies with advice as a map', context: { reason: 'price', advice: { error: 'x' } } },
    { what: 'a filter denies with advice as a list', context: { reason: 'price', advice: [{ error: 'x' }] } },
    { what: 'the reason is no text', context: { reason: 7 } },
  ])('is a denial when $what', async ({ context }) => {
    const { verdict } = await asking(() => item(context))
    expect(verdict).toEqual({ ok: true, value: [false, true] })
  })

  it.each([
    { status: 400, body: { message: 'malformed' }, reason: 'pdp.answer_invalid' },
    { status: 401, body: { message: 'insufficient API access level for appAgent' }, reason: 'pdp.unauthenticated' },
    { status: 404, body: { message: 'Not Found' }, reason: 'pdp.answer_invalid' },
    { status: 422, body: { errors: ['missing'] }, reason: 'pdp.answer_invalid' },
    { status: 500, body: { message: 'Unable to verify' }, reason: 'pdp.unavailable' },
    { status: 503, body: { message: 'Unable to verify, retry the request' }, reason: 'pdp.unavailable' },
  ])('with status $status is $reason', async ({ status, body, reason }) => {
    expect((await asking(() => ({ status, body }))).verdict).toMatchObject({ ok: false, reason })
  })
})

describe('a wrong setting of IndyKite', () => {
  const settings = { AUTHZEN_PDP_URL: 'https://eu.api.indykite.test', AUTHZEN_PDP_CLIENT_KEY: 'hidden' }
  it.each([
    {
      what: 'no key',
      wrong: { AUTHZEN_PDP_CLIENT_KEY: undefined },
      setting: 'AUTHZEN_PDP_CLIENT_KEY',
      problem: 'needs it',
    },
    {
      what: 'a key with a space',
      wrong: { AUTHZEN_PDP_CLIENT_KEY: 'hidden x' },
      setting: 'AUTHZEN_PDP_CLIENT_KEY',
      problem: 'space',
    },
    { what: 'no URL', wrong: { AUTHZEN_PDP_URL: undefined }, setting: 'AUTHZEN_PDP_URL', problem: 'needs it' },
    {
      what: 'one token for all sessions of a real issuer',
      wrong: { AUTHZEN_PDP_TOKEN: 'hidden', realLogins: true },
      setting: 'AUTHZEN_PDP_TOKEN',
      problem: 'would answer for every session',
    },
  ])('is named for $what', ({ wrong, setting, problem }) => {
    expectSettingError('indykite', { ...settings, ...wrong }, setting, problem)
  })
})
