import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { TransportError } from '../../src/core/transport-error.ts'
import { pass, refuse } from '../../src/core/verdict.ts'
import type { HttpRequest } from '../../src/core/world.ts'
import { agentSource } from '../../src/intent/a2a.ts'
import { createWorld, type OpenWorld } from '../../src/world.io.ts'
import { bobsBalance, callOf, patient, transfer, viewBobs } from './fixtures.ts'
import { idOf, json, loopback, type Loopback, type Respond, type Seen } from './loopback.ts'

let open: { world: OpenWorld; servers: Loopback[] } | undefined
const opened = () => (open ??= { world: createWorld(), servers: [] })
const serve = async (respond: Respond): Promise<Loopback> => {
  const server = await loopback(respond)
  opened().servers.push(server)
  return server
}
afterEach(async () => {
  await open?.world.close()
  await Promise.all(open?.servers.map((server) => server.close()) ?? [])
  open = undefined
})

const good: Respond = (response, seen) => {
  json(response, {
    jsonrpc: '2.0',
    id: idOf(seen),
    result: { message: { role: 'ROLE_AGENT', parts: [{ data: [viewBobs] }] } },
  })
}
const askAt = (url: URL, timeoutMs = 5_000, signal = patient()) =>
  agentSource({ url, timeoutMs, world: opened().world }).extract(bobsBalance(), signal)

describe('the request', () => {
  it('is this body, word for word', async () => {
    const sent: { url: string; request: HttpRequest }[] = []
    const ids = ['request-1', 'message-1']
    const world = {
      deadline: opened().world.deadline,
      newId: () => ids.shift()!,
      send: (url: URL, request: HttpRequest) => {
        sent.push({ url: url.href, request })
        return Promise.reject(new TransportError('unreachable', 'nobody is there'))
      },
    }
    const url = new URL('https://agent.example/a2a/rpc?tenant=canbank')
    const call = callOf(transfer, {}, { id: 'alice' })
    await agentSource({ url, timeoutMs: 1_000, world }).ask({ call, sentence: 'View "it"' }, patient())
    expect(sent.map(({ url, request }) => ({ url, ...request, signal: undefined }))).toEqual([
      {
        url: 'https://agent.example/a2a/rpc?tenant=canbank',
        method: 'POST',
        headers: {
          accept: 'application/json',
          'a2a-version': '1.0',
          authorization: 'Bearer login-token',
          'content-type': 'application/json',
        },
        body: String.raw`{"jsonrpc":"2.0","id":"request-1","method":"SendMessage","params":{"message":{"messageId":"message-1","role":"ROLE_USER","parts":[{"text":"View \"it\"","mediaType":"text/plain"}],"metadata":{"subject_type":"Customer","subject_id":"alice"}},"configuration":{}}}`,
      },
    ])
  })

  it('A2-13, A2-15: is one stateless POST to the configured URL, and no card is fetched', async () => {
    const server = await serve(good)
    expect([await askAt(server.url), await askAt(server.url)]).toEqual([pass([viewBobs]), pass([viewBobs])])
    expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /agent/rpc', 'POST /agent/rpc'])
    const [first, second] = server.seen.map(
      (each) => JSON.parse(each.body) as { id: string; params: { message: Record<string, unknown> } },
    )
    expect(Object.keys(first!.params.message)).toEqual(['messageId', 'role', 'parts', 'metadata'])
    expect(
      new Set([first!.id, second!.id, first!.params.message['messageId'], second!.params.message['messageId']]).size,
    ).toBe(4)
  })

  it.each([
    { token: undefined, sent: 'Bearer login-token' },
    { token: 'agent-token', sent: 'Bearer agent-token' },
  ])('carries $sent when INTENT_AGENT_TOKEN is $token', async ({ token, sent }) => {
    const server = await serve(good)
    const settings = {
      url: server.url,
      timeoutMs: 5_000,
      world: opened().world,
      ...(token === undefined ? {} : { token }),
    }
    await agentSource(settings).extract(bobsBalance(), patient())
    expect(server.seen[0]!.headers).toMatchObject({
      authorization: sent,
      'a2a-version': '1.0',
      'accept-encoding': 'identity',
    })
  })
})

describe('an exchange that fails', () => {
  const status =
    (code: number): Respond =>
    (response) => {
      json(response, { jsonrpc: '2.0', id: 'x', error: { code: -32009, message: 'the phone of alice' } }, code)
    }
  const raw =
    (head: Record<string, string>, text: string | Buffer): Respond =>
    (response) => {
      response.writeHead(200, head).end(text)
    }
  const jsonType = { 'content-type': 'application/json' }
  const wrapped = (id: unknown, data: string): string =>
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"message":{"role":"ROLE_AGENT","parts":[{"data":${data}}]}}}`
  it.each<{ what: string; respond: Respond; code: string; detail?: string }>([
    { what: 'a 401', respond: status(401), code: 'intent.unauthenticated', detail: 'HTTP 401' },
    { what: 'a 403', respond: status(403), code: 'intent.unauthenticated', detail: 'HTTP 403' },
    { what: 'a 500', respond: status(500), code: 'intent.unavailable', detail: 'HTTP 500' },
    { what: 'a 503', respond: status(503), code: 'intent.unavailable', detail: 'HTTP 503' },
    { what: 'a 400', respond: status(400), code: 'intent.answer_invalid', detail: 'HTTP 400' },
    { what: 'a 404', respond: status(404), code: 'intent.answer_invalid', detail: 'HTTP 404' },
    { what: 'a 429', respond: status(429), code: 'intent.answer_invalid', detail: 'HTTP 429' },
    { what: 'a 201', respond: status(201), code: 'intent.answer_invalid', detail: 'HTTP 201' },
    { what: 'a 206', respond: status(206), code: 'intent.answer_invalid', detail: 'HTTP 206' },
    { what: 'a 204', respond: (response) => response.writeHead(204).end(), code: 'intent.answer_invalid' },
    { what: 'an empty 200', respond: raw(jsonType, ''), code: 'intent.answer_invalid' },
    {
      what: 'a page',
      respond: raw({ 'content-type': 'text/html' }, '<h1>Sign in</h1>'),
      code: 'intent.answer_invalid',
    },
    { what: 'no content type', respond: raw({}, '{}'), code: 'intent.answer_invalid' },
    {
      what: 'a stream of events',
      respond: raw({ 'content-type': 'text/event-stream' }, 'data: {}\n\n'),
      code: 'intent.answer_invalid',
    },
    {
      what: 'an encoded body',
      respond: raw({ ...jsonType, 'content-encoding': 'gzip' }, '{}'),
      code: 'intent.answer_invalid',
    },
    {
      what: 'bytes that are not UTF-8',
      respond: raw(jsonType, Buffer.from([0x22, 0xff, 0x22])),
      code: 'intent.answer_invalid',
    },
    { what: 'a byte-order mark', respond: raw(jsonType, '\ufeff{}'), code: 'intent.answer_invalid' },
    {
      what: 'NaN',
      respond: (response, seen) => {
        raw(jsonType, wrapped(idOf(seen), '[NaN]'))(response, seen)
      },
      code: 'intent.answer_invalid',
    },
    {
      what: 'a body over 1 MiB',
      respond: raw(jsonType, JSON.stringify('x'.repeat(1_100_000))),
      code: 'intent.answer_invalid',
    },
    {
      what: 'a duplicate key',
      respond: (response, seen) => {
        raw(jsonType, wrapped(idOf(seen), `{"evaluations":[],"evaluations":[]}`))(response, seen)
      },
      code: 'intent.answer_invalid',
    },
    { what: 'a connection that is cut', respond: (response) => response.socket!.destroy(), code: 'intent.unavailable' },
    {
      what: 'a body that is cut',
      respond: (response) => {
        response.writeHead(200, { ...jsonType, 'content-length': '100' }).write('{"jsonrpc"')
        setTimeout(() => response.socket!.destroy(), 20)
      },
      code: 'intent.unavailable',
    },
  ])('as $what is $code', async ({ respond, code, detail }) => {
    const server = await serve(respond)
    const verdict = await askAt(server.url)
    expect(verdict).toMatchObject({ ok: false, reason: code, ...(detail === undefined ? {} : { detail }) })
    expect(JSON.stringify(verdict)).not.toMatch(/alice|login-token|Sign in/)
  })

  it.each([301, 302, 307, 308])('as a redirect (%i) is not followed, so the token stays', async (code) => {
    const thief = await serve(good)
    const server = await serve((response) => response.writeHead(code, { location: thief.url.href }).end())
    expect(await askAt(server.url)).toMatchObject({ ok: false, reason: 'intent.answer_invalid' })
    expect(thief.seen).toEqual([])
  })

  it('as a server that is gone is intent.unavailable', async () => {
    const server = await serve(good)
    await server.close()
    expect(await askAt(server.url)).toMatchObject({ ok: false, reason: 'intent.unavailable' })
  })

  it('as a host without TLS that is not loopback is intent.unavailable, and nothing is sent', async () => {
    expect(await askAt(new URL('http://agent.invalid/'))).toMatchObject({ ok: false, reason: 'intent.unavailable' })
  })

  it('throws what World.send does not promise, for the catch-all of the gate', async () => {
    const world = { ...opened().world, send: () => Promise.reject(new RangeError('a bug')) }
    const source = agentSource({ url: new URL('https://agent.example/'), timeoutMs: 1_000, world })
    await expect(source.extract(bobsBalance(), patient())).rejects.toThrow(RangeError)
  })
})

describe('the time limit', () => {
  const stalls: readonly { what: string; respond: Respond }[] = [
    { what: 'a server that never answers', respond: () => undefined },
    {
      what: 'a body that never ends',
      respond: (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    },
  ]
  it.each(stalls)('A2-21: of INTENT_AGENT_TIMEOUT_MS ends $what', async ({ respond }) => {
    const server = await serve(respond)
    expect(await askAt(server.url, 150)).toMatchObject({ ok: false, reason: 'intent.timeout' })
  })

  it.each(stalls)('of the whole decision ends $what', async ({ respond }) => {
    const server = await serve(respond)
    const deadline = opened().world.deadline(150)
    expect(await askAt(server.url, 60_000, deadline.signal)).toMatchObject({ ok: false, reason: 'intent.timeout' })
    deadline.clear()
  })

  it('A2-21: lets an agent be slow within it', async () => {
    const server = await serve((response, seen: Seen) =>
      setTimeout(() => {
        good(response, seen)
      }, 300),
    )
    expect(await askAt(server.url, 5_000)).toEqual(pass([viewBobs]))
  })

  it('that is over before the question asks nobody', async () => {
    const server = await serve(good)
    expect(await askAt(server.url, 5_000, AbortSignal.abort())).toMatchObject({ ok: false, reason: 'intent.timeout' })
    expect(server.seen).toEqual([])
  })

  it('refuses an answer that came while a busy event loop kept the timer from firing', async () => {
    const server = await serve(good)
    const { world } = opened()
    const late = { ...world, deadline: () => ({ signal: patient(), expired: () => true, clear: () => undefined }) }
    const source = agentSource({ url: server.url, timeoutMs: 1, world: late })
    expect(await source.extract(bobsBalance(), patient())).toEqual(refuse('intent.timeout', 'a late answer'))
  })

  it('releases its timer however the exchange ends', async () => {
    const server = await serve(good)
    const { world } = opened()
    let running = 0
    const counting = {
      ...world,
      deadline: (ms: number) => {
        running++
        const deadline = world.deadline(ms)
        return {
          ...deadline,
          clear: () => {
            running--
            deadline.clear()
          },
        }
      },
    }
    await agentSource({ url: server.url, timeoutMs: 5_000, world: counting }).extract(bobsBalance(), patient())
    await agentSource({ url: new URL('http://agent.invalid/'), timeoutMs: 5_000, world: counting }).extract(
      bobsBalance(),
      patient(),
    )
    expect(running).toBe(0)
  })
})
