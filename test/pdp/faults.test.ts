import { createServer as createPlain, type AddressInfo, type Server } from 'node:net'
import { createServer, type TlsOptions } from 'node:tls'
import { afterAll, describe, expect, it } from 'vitest'
import { createAuthzenPdp } from '../../src/pdp/client.ts'
import { createWorld } from '../../src/world.io.ts'
import { throwawayCertificate } from '../../standins/throwaway-certificate.ts'
import { answerBytes, hostile, plays } from '../hostile-server.ts'
import { FAULTS, GOOD } from './faults.ts'
import { question, view } from './questions.ts'

const world = createWorld()
afterAll(() => world.close())

const asked = question(view('bob', 'Account', 'acc-bob-checking'), view('bob', 'Account', 'acc-joint'))

async function decide(url: URL, deadlineMs = 5000) {
  const deadline = world.deadline(deadlineMs)
  const evaluationsUrl = new URL('access/v1/evaluations', url)
  const verdict = await createAuthzenPdp({ evaluationsUrl, headers: {} }, world).decide(asked, deadline.signal)
  deadline.clear()
  return verdict
}

describe('a PDP that answers wrongly is refused', () => {
  it('and one that answers rightly is not', async () => {
    const server = await hostile(plays(GOOD))
    expect(await decide(server.url)).toEqual({ ok: true, value: [true, true] })
    await server.close()
  })

  it.each(FAULTS)('$what', async ({ play, code, deadlineMs, asked: times = 1 }) => {
    const server = await hostile(play)
    const verdict = await decide(server.url, deadlineMs)
    await server.close()
    expect(verdict).toMatchObject({ ok: false, reason: code })
    // Nothing that was received is quoted.
    expect(verdict.ok ? '' : verdict.detail).toMatch(/^[\w ,/:;.-]{5,120}$/)
    expect(server.requests.map((each) => each.path)).toEqual(Array(times).fill('/access/v1/evaluations'))
  })

  it('with at least 300 ways to be wrong, each named once', () => {
    expect(FAULTS.length).toBeGreaterThanOrEqual(300)
    expect(new Set(FAULTS.map((each) => each.what)).size).toBe(FAULTS.length)
  })
})

/** Every way to put both decisions that are not both true. */
const REORDERED = ['[false,true]', '[true,false]', '[false,false]']

describe('a real no is an answer, wherever it stands', () => {
  it.each(REORDERED)('%s never reads as two permits', async (order) => {
    const decisions = JSON.parse(order) as boolean[]
    const server = await hostile(plays({ evaluations: decisions.map((decision) => ({ decision })), decision: true }))
    expect(await decide(server.url)).toEqual({ ok: true, value: decisions })
    await server.close()
    expect(server.requests).toHaveLength(1)
  })
})

const NOWHERE = new URL('http://127.0.0.1:1/')

describe('one more try', () => {
  const turns =
    (...statuses: readonly number[]): Parameters<typeof hostile>[0] =>
    (wire, _request, turn) => {
      wire.write(answerBytes(GOOD, { status: statuses[turn - 1] ?? 200 }))
    }

  it('is given to a 503, with the same question and the same id', async () => {
    const server = await hostile(turns(503))
    expect(await decide(server.url)).toEqual({ ok: true, value: [true, true] })
    await server.close()
    const [first, second, ...more] = server.requests
    expect(second).toEqual(first)
    expect(more).toEqual([])
  })

  it('is given once only', async () => {
    const server = await hostile(turns(503, 503, 200))
    expect(await decide(server.url)).toMatchObject({ reason: 'pdp.unavailable' })
    await server.close()
    expect(server.requests).toHaveLength(2)
  })

  it('is given to a connection that is refused: a PDP that comes back in between decides', async () => {
    const port = await freePort()
    let server: Server | undefined
    const send: typeof world.send = async (url, request) => {
      try {
        return await world.send(url, request)
      } finally {
        server ??= await listening(
          createPlain((wire) => wire.on('data', () => wire.write(answerBytes(GOOD)))),
          port,
        )
      }
    }
    const evaluationsUrl = new URL(`http://127.0.0.1:${port}/access/v1/evaluations`)
    const pdp = createAuthzenPdp({ evaluationsUrl, headers: {} }, { ...world, send })
    expect(await pdp.decide(asked, new AbortController().signal)).toEqual({ ok: true, value: [true, true] })
    server?.close()
  })

  it('ends with the deadline', async () => {
    const startedMs = performance.now()
    expect(await decide(NOWHERE, 20)).toMatchObject({ ok: false, reason: 'pdp.timeout' })
    expect(performance.now() - startedMs).toBeLessThan(1000)
  })
})

async function listening(server: Server, port = 0): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

async function freePort(): Promise<number> {
  const server = await listening(createPlain())
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const answersOverTls = (options: TlsOptions): Server =>
  createServer({ ...throwawayCertificate(), ...options }, (wire) => {
    wire.on('error', () => undefined)
    wire.on('data', () => wire.write(answerBytes(GOOD)))
  })

describe('a PDP that cannot be reached safely is not asked', () => {
  it.each([
    { what: 'a certificate that nobody vouches for', open: () => answersOverTls({}), code: 'pdp.unavailable' },
    {
      what: 'a certificate that has expired',
      open: () => answersOverTls(throwawayCertificate(Date.now() - 1_000_000_000)),
      code: 'pdp.unavailable',
    },
    {
      what: 'no cipher in common',
      open: () => answersOverTls({ ciphers: 'DHE-RSA-AES256-SHA', maxVersion: 'TLSv1.2' }),
      code: 'pdp.unavailable',
    },
    {
      what: 'plain HTTP where TLS should be',
      open: () => createPlain((wire) => wire.on('error', () => undefined).end(answerBytes(GOOD))),
      code: 'pdp.unavailable',
    },
    {
      what: 'a connection that is cut before the handshake',
      open: () => createPlain((wire) => wire.destroy()),
      code: 'pdp.unavailable',
    },
    {
      what: 'a handshake that never ends',
      open: () => createPlain((wire) => wire.on('error', () => undefined)),
      code: 'pdp.timeout',
    },
  ])('$what', async ({ open, code }) => {
    const wires = new Set<{ destroy: () => void }>()
    const server = await listening(open())
    server.on('connection', (wire) => wires.add(wire))
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const verdict = await decide(url, code === 'pdp.timeout' ? 150 : 5000)
    server.close()
    for (const wire of wires) wire.destroy()
    expect(verdict).toMatchObject({ ok: false, reason: code })
    expect(verdict.ok ? '' : verdict.detail).toMatch(/^[\w ,/:;.-]{5,120}$/)
  })

  it.each([
    { what: 'nothing that listens', url: 'http://127.0.0.1:1/' },
    { what: 'plain http to another host', url: 'http://pdp.example.com/' },
    { what: 'credentials in the URL', url: 'http://user:word@127.0.0.1:1/' },
    { what: 'another scheme', url: 'ftp://127.0.0.1/' },
  ])('$what', async ({ url }) => {
    expect(await decide(new URL(url))).toMatchObject({ ok: false, reason: 'pdp.unavailable' })
  })
})
