import { afterAll, describe, expect, it } from 'vitest'
import { createAuthzenPdp } from '../../src/pdp/client.ts'
import type { HttpAnswer, HttpRequest } from '../../src/core/world.ts'
import { createWorld } from '../../src/world.io.ts'
import { hostile, plays } from '../hostile-server.ts'
import { testWorld } from '../worlds.ts'
import { describePdp } from './pdp.contract.ts'
import { loginOf, question, view } from './questions.ts'
import { wellBehavedPdp } from './well-behaved-pdp.ts'

const net = createWorld()
afterAll(() => net.close())

const endpoint = (base: URL): URL => new URL('access/v1/evaluations', base)

describePdp('a plain AuthZEN server', async () => {
  const server = await wellBehavedPdp()
  return { pdp: createAuthzenPdp({ evaluationsUrl: endpoint(server.url), headers: {} }, net), close: server.close }
})

const signal = new AbortController().signal
const bobs = view('bob', 'Account', 'acc-bob-checking')

/** A world that gives one answer and keeps what was sent. */
function answering(answer: Partial<HttpAnswer>) {
  const sent: HttpRequest[] = []
  const send = (_url: URL, request: HttpRequest): Promise<HttpAnswer> => {
    sent.push(request)
    return Promise.resolve({ status: 200, headers: {}, body: { evaluations: [{ decision: true }] }, ...answer })
  }
  return { world: testWorld({ send }), sent }
}

const profile = { evaluationsUrl: new URL('https://pdp.test/access/v1/evaluations'), headers: {} }

describe('the request', () => {
  it('is one boxcar of AuthZEN fields and nothing else, as recorded', async () => {
    const server = await hostile(plays({ evaluations: [{ decision: true }, { decision: false }] }))
    const headers = { 'x-ik-clientkey': 'a-client-key' }
    const pdp = createAuthzenPdp({ evaluationsUrl: endpoint(server.url), headers }, testWorld({ send: net.send }))
    const first = {
      subject: { type: 'Customer', id: 'bob', properties: { segment: 'retail' }, label: 'left out' },
      action: { name: 'VIEW_ACCOUNT_BALANCE', properties: { channel: 'chat' }, label: 'left out' },
      resource: { type: 'Account', id: 'acc-bob-checking', properties: { open: true }, label: 'left out' },
      context: { purpose: 'balance' },
      label: 'left out',
    }
    const second = { ...view('bob', 'Account', 'acc-joint'), subject: first.subject }
    expect(await pdp.decide(question(first, second), signal)).toEqual({ ok: true, value: [true, false] })
    await server.close()

    const [request] = server.requests
    const wire = {
      ...request,
      headers: { ...request?.headers, host: '<host>' },
      body: JSON.parse(request!.body) as unknown,
    }
    await expect(`${JSON.stringify(wire, null, 2)}\n`).toMatchFileSnapshot('../golden/pdp-request.json')
    expect(server.requests).toHaveLength(1)
  })

  it("carries the session's own token only for a profile that forwards it", async () => {
    const { world, sent } = answering({})
    const asked = { evaluations: [bobs] as const, login: loginOf('bob', 'secret-token') }
    await createAuthzenPdp(profile, world).decide(asked, signal)
    await createAuthzenPdp({ ...profile, forwardsLogin: true }, world).decide(asked, signal)
    expect(JSON.stringify(sent[0])).not.toContain('secret-token')
    expect(sent[1]?.headers['authorization']).toBe('Bearer secret-token')
    expect(sent[1]?.body).not.toContain('secret-token')
  })

  it('is sent anew for each question: no permit is remembered', async () => {
    let decision = true
    const server = await hostile((wire, request, turn) => {
      plays({ evaluations: [{ decision }] })(wire, request, turn)
    })
    const pdp = createAuthzenPdp({ evaluationsUrl: endpoint(server.url), headers: {} }, net)
    expect(await pdp.decide(question(bobs), signal)).toEqual({ ok: true, value: [true] })
    decision = false
    expect(await pdp.decide(question(bobs), signal)).toEqual({ ok: true, value: [false] })
    await server.close()
    expect(new Set(server.requests.map((each) => each.headers['x-request-id'])).size).toBe(2)
  })

  it('goes over connections that are kept, not over a new one each time', async () => {
    const server = await hostile(plays({ evaluations: [{ decision: true }] }))
    const pdp = createAuthzenPdp({ evaluationsUrl: endpoint(server.url), headers: {} }, net)
    for (let round = 0; round < 20; round++) expect((await pdp.decide(question(bobs), signal)).ok).toBe(true)
    await server.close()
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  it.each([
    { what: 'no evaluation', evaluations: [] },
    { what: '51 evaluations', evaluations: Array.from({ length: 51 }, (_, at) => view('bob', 'Account', `acc-${at}`)) },
  ])('is not sent with $what', async ({ evaluations }) => {
    const { world, sent } = answering({})
    // The cast plays a caller that has lost the type.
    const asked = { evaluations: evaluations as unknown as readonly [typeof bobs], login: loginOf('bob') }
    expect((await createAuthzenPdp(profile, world).decide(asked, signal)).ok).toBe(false)
    expect(sent).toEqual([])
  })
})

describe('the answer', () => {
  it.each([
    { what: 'no echo of the request id', answer: {}, ok: true },
    { what: 'the same request id', answer: { headers: { 'x-request-id': 'id-1' } }, ok: true },
    { what: 'another request id', answer: { headers: { 'x-request-id': 'id-2' } }, ok: false },
    { what: 'an empty request id', answer: { headers: { 'x-request-id': '' } }, ok: false },
    {
      what: 'a reason beside true',
      answer: { body: { evaluations: [{ decision: true, context: { reason: 'owner' } }] } },
      ok: true,
    },
    {
      what: 'unknown fields',
      answer: { body: { evaluations: [{ decision: true, id: 7 }], decision: false, page: {} } },
      ok: true,
    },
    {
      what: 'obligations that say nothing',
      answer: { body: { evaluations: [{ decision: true, obligations: {}, context: { obligations: [] } }] } },
      ok: true,
    },
    {
      what: 'error fields that say nothing',
      answer: {
        body: { evaluations: [{ decision: true, error: null, context: { errors: [] } }], error: '', errors: {} },
      },
      ok: true,
    },
  ])('with $what is accepted: $ok', async ({ answer, ok }) => {
    const verdict = await createAuthzenPdp(profile, answering(answer).world).decide(question(bobs), signal)
    expect(verdict).toMatchObject(ok ? { ok, value: [true] } : { ok, reason: 'pdp.answer_invalid' })
  })

  it('may have an id of its own where the profile says that the PDP makes one', async () => {
    const { world } = answering({ headers: { 'x-request-id': 'server-made' } })
    const pdp = createAuthzenPdp({ ...profile, echoesRequestId: false }, world)
    expect(await pdp.decide(question(bobs), signal)).toEqual({ ok: true, value: [true] })
  })

  it('is a rejection when something other than the exchange broke', async () => {
    const world = testWorld({ send: () => Promise.reject(new RangeError('a bug')) })
    await expect(createAuthzenPdp(profile, world).decide(question(bobs), signal)).rejects.toThrow(RangeError)
  })
})
