import { afterAll, describe, expect, it } from 'vitest'
import type { HttpRequest } from '../../src/core/world.ts'
import { createWorld } from '../../src/world.io.ts'
import { answerBytes, hostile, type HostileServer } from '../hostile-server.ts'

const world = createWorld()
afterAll(() => world.close())

/** What a request that asks for more than the default gets for this answer. */
async function answered(bytes: Buffer, request: Partial<HttpRequest>) {
  const server: HostileServer = await hostile((wire) => {
    wire.end(bytes)
  })
  try {
    const { signal } = new AbortController()
    const answer: unknown = await world
      .send(server.url, { method: 'GET', headers: {}, signal, ...request })
      .catch((cause: unknown) => cause)
    return { answer, headers: server.requests[0]?.headers }
  } finally {
    await server.close()
  }
}

const html = { 'content-type': 'text/html' }
const keys = { 'content-type': 'application/jwk-set+json; charset=utf-8' }

it('sends a form when the request says so', async () => {
  const request = { method: 'POST', body: 'a=1', contentType: 'application/x-www-form-urlencoded' } as const
  expect((await answered(answerBytes({}), request)).headers).toMatchObject({
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': '3',
  })
})

describe('a refusal that is read', () => {
  const body = { error: 'authorization_pending' }

  it.each([400, 401, 403, 429, 499])('has its body: %i', async (status) => {
    const { answer } = await answered(answerBytes(body, { status }), { readsRefusals: true })
    expect(answer).toMatchObject({ status, body })
  })

  it.each<[string, number, Partial<HttpRequest>]>([
    ['the request does not ask for it', 400, {}],
    ['it is not a 4xx', 500, { readsRefusals: true }],
    ['it is a 201', 201, { readsRefusals: true }],
  ])('has no body when %s', async (_what, status, request) => {
    const { answer } = await answered(answerBytes(body, { status }), request)
    expect(answer).toMatchObject({ status, body: undefined })
  })

  it.each<[string, Buffer]>([
    ['of another type', answerBytes(body, { status: 400, headers: html })],
    ['that is not JSON', answerBytes('no', { status: 400 })],
    ['with a key twice', answerBytes('{"error":"a","error":"b"}', { status: 400 })],
    ['over 1 MiB', answerBytes(JSON.stringify({ error: 'x'.repeat(1024 * 1024) }), { status: 400 })],
    ['that is encoded', answerBytes(body, { status: 400, headers: { 'content-encoding': 'gzip' } })],
    ['that is cut off', answerBytes(body, { status: 400, headers: { 'content-length': '999' } })],
  ])('is a fault %s', async (_what, bytes) => {
    expect((await answered(bytes, { readsRefusals: true })).answer).toMatchObject({ name: 'TransportError' })
  })
})

describe('other types of JSON', () => {
  const accepts = ['application/json', 'application/jwk-set+json']

  it('are asked for and read when the request names them', async () => {
    const { answer, headers } = await answered(answerBytes({ keys: [] }, { headers: keys }), { accepts })
    expect(answer).toMatchObject({ status: 200, body: { keys: [] } })
    expect(headers).toMatchObject({ accept: 'application/json, application/jwk-set+json' })
  })

  it.each<[string, Readonly<Record<string, string>>, Partial<HttpRequest>]>([
    ['the request names none', keys, {}],
    ['the request names another', html, { accepts }],
    ['the answer names none', { 'content-type': '' }, { accepts }],
  ])('are a fault when %s', async (_what, headers, request) => {
    const { answer } = await answered(answerBytes({ keys: [] }, { headers }), request)
    expect(answer).toMatchObject({ name: 'TransportError', kind: 'answer' })
  })
})

describe('a pause', () => {
  const since = (start: number): number => world.monotonicMs() - start

  it('takes as long as it is asked for', async () => {
    const start = world.monotonicMs()
    await world.pause(50, new AbortController().signal)
    expect(since(start)).toBeGreaterThanOrEqual(45)
  })

  it('ends with its signal, before and while it lasts', async () => {
    const start = world.monotonicMs()
    const abort = new AbortController()
    const pause = world.pause(60_000, abort.signal)
    abort.abort()
    await pause
    await world.pause(60_000, abort.signal)
    expect(since(start)).toBeLessThan(5_000)
  })
})
