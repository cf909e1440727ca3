import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { TransportError } from '../../src/core/transport-error.ts'
import type { HttpRequest } from '../../src/core/world.ts'
import { createWorld } from '../../src/world.io.ts'
import { answerBytes, hostile, plays, type HostileHandler, type HostileServer } from '../hostile-server.ts'

const world = createWorld()
afterAll(() => world.close())

const { signal } = new AbortController()
const get = (url: URL, rest: Partial<HttpRequest> = {}) =>
  world.send(url, { method: 'GET', headers: {}, signal, ...rest })

/** A hostile server for the length of one test. */
async function against(handler: HostileHandler, use: (server: HostileServer) => Promise<void>): Promise<void> {
  const server = await hostile(handler)
  try {
    await use(server)
  } finally {
    await server.close()
  }
}

const MIB = 1024 * 1024
const CHUNKED = { 'content-length': '', 'transfer-encoding': 'chunked' }

describe('a request', () => {
  it('asks for plain JSON whatever the caller wants, and carries path, query, headers and body', async () => {
    await against(plays('{}'), async ({ url, requests }) => {
      const headers = { accept: 'text/html', 'accept-encoding': 'gzip', 'content-type': 'text/plain', 'x-mine': 'yes' }
      await get(new URL('a/b?c=d#e', url), { method: 'POST', headers, body: '{"ü":1}' })
      expect(requests[0]).toEqual({
        method: 'POST',
        path: '/a/b?c=d',
        headers: {
          host: url.host,
          connection: 'keep-alive',
          accept: 'application/json',
          'accept-encoding': 'identity',
          'content-type': 'application/json',
          'content-length': '8',
          'x-mine': 'yes',
        },
        body: '{"ü":1}',
      })
    })
  })

  it('has no type and no length without a body', async () => {
    await against(plays('{}'), async ({ url, requests }) => {
      await get(url)
      expect(Object.keys(requests[0]!.headers)).toEqual(['host', 'connection', 'accept', 'accept-encoding'])
    })
  })

  it('with a header that cannot be sent is refused, and the header is not quoted', async () => {
    await against(plays('{}'), async ({ url, requests }) => {
      const failed: unknown = await get(url, { headers: { authorization: 'Bearer secret\r\nx: y' } }).catch(
        (cause: unknown) => cause,
      )
      expect(failed).toMatchObject({ name: 'TransportError', kind: 'unreachable' })
      expect(String(failed)).not.toContain('secret')
      expect(requests).toEqual([])
    })
  })
})

describe('a 200 in strict JSON is accepted', () => {
  it.each([
    { what: 'with a charset', headers: { 'content-type': 'application/json; charset=utf-8' } },
    { what: 'in other letters', headers: { 'content-type': 'Application/JSON ;charset="utf-8"; v=1' } },
    { what: 'with the identity encoding', headers: { 'content-encoding': 'Identity' } },
    { what: 'without a length', headers: { 'content-length': '', connection: 'close' } },
  ])('$what', async ({ headers }) => {
    const handler: HostileHandler = (wire) => {
      wire.end(answerBytes('{"a":"ü"}', { headers }))
    }
    await against(handler, async ({ url }) => {
      expect(await get(url)).toMatchObject({ status: 200, body: { a: 'ü' } })
    })
  })

  it('of exactly 1 MiB', async () => {
    await against(plays(`{"a":"ü"}${' '.repeat(MIB - 10)}`), async ({ url }) => {
      expect((await get(url)).body).toEqual({ a: 'ü' })
    })
  })

  it('in chunks that split a letter', async () => {
    const handler: HostileHandler = (wire) => {
      wire.write(answerBytes('', { headers: CHUNKED }))
      for (const byte of Buffer.from('{"a":"ü€😀"}')) wire.write(Buffer.from([...Buffer.from('1\r\n'), byte, 13, 10]))
      wire.write('0\r\n\r\n')
    }
    await against(handler, async ({ url }) => {
      expect((await get(url)).body).toEqual({ a: 'ü€😀' })
    })
  })

  it('after early hints', async () => {
    const handler: HostileHandler = (wire) => {
      wire.write(`HTTP/1.1 103 Early Hints\r\nx-id: early\r\n\r\n`)
      wire.write(answerBytes('1', { headers: { 'x-id': 'late' } }))
    }
    await against(handler, async ({ url }) => {
      expect(await get(url)).toMatchObject({ status: 200, headers: { 'x-id': 'late' }, body: 1 })
    })
  })

  it('with lower-case names, and of a repeated header every value', async () => {
    await against(plays('1', { headers: { 'X-One': 'first', 'x-one': 'second' } }), async ({ url }) => {
      expect((await get(url)).headers).toEqual({
        'content-type': 'application/json',
        'content-length': '1',
        'x-one': 'first, second',
      })
    })
  })
})

describe('every other status resolves without a body', () => {
  it.each([201, 204, 206, 301, 302, 307, 308, 400, 401, 404, 429, 500, 503])('%i', async (status) => {
    const played = plays(status === 204 ? '' : '{"a":1}', {
      status,
      headers: { location: '/elsewhere', 'retry-after': '7' },
    })
    await against(played, async ({ url, requests }) => {
      const answer = await get(url)
      expect(answer).toMatchObject({ status, headers: { 'retry-after': '7' } })
      expect(answer.body).toBeUndefined()
      expect(requests.map((each) => each.path)).toEqual(['/'])
    })
  })

  it('and the connection of a short one is used again', async () => {
    await against(plays('sorry', { status: 503, headers: { 'content-type': 'text/plain' } }), async (server) => {
      for (let round = 0; round < 10; round++) expect((await get(server.url)).status).toBe(503)
      expect(server.connections()).toBeLessThanOrEqual(2)
    })
  })
})

describe('a lost connection', () => {
  it('that was kept open and closes under the next request costs one more try', async () => {
    const handler: HostileHandler = (wire, request, turn) => {
      if (turn === 2) wire.destroy()
      else plays(String(turn))(wire, request, turn)
    }
    await against(handler, async ({ url, requests }) => {
      expect((await get(url)).body).toBe(1)
      expect((await get(url)).body).toBe(3)
      expect(requests).toHaveLength(3)
    })
  })

  it('is given up after the second try', async () => {
    await against(
      (wire) => wire.destroy(),
      async ({ url, requests }) => {
        await expect(get(url)).rejects.toMatchObject({ kind: 'unreachable' })
        expect(requests).toHaveLength(2)
      },
    )
  })

  it('is not tried again when the time is up', async () => {
    const handler: HostileHandler = (wire) => setTimeout(() => wire.destroy(), 80)
    await against(handler, async ({ url, requests }) => {
      const deadline = world.deadline(40)
      await expect(get(url, { signal: deadline.signal })).rejects.toMatchObject({ kind: 'timeout' })
      await wait(120)
      expect(requests).toHaveLength(1)
    })
  })
})

describe('an answer that nobody asked for', () => {
  it.each([{ delayMs: 0 }, { delayMs: 10 }])('after $delayMs ms is not taken for the next one', async ({ delayMs }) => {
    const handler: HostileHandler = (wire, _request, turn) => {
      const real = answerBytes(String(turn))
      const forged = answerBytes('"forged"')
      if (delayMs === 0) wire.write(Buffer.concat([real, forged]))
      else wire.write(real, () => setTimeout(() => wire.write(forged), delayMs))
    }
    await against(handler, async ({ url }) => {
      for (let turn = 1; turn <= 5; turn++) {
        expect((await get(url)).body).toBe(turn)
        await wait(delayMs * 3)
      }
    })
  })
})

describe('giving up', () => {
  it('before the request sends nothing', async () => {
    await against(plays('1'), async ({ url, connections }) => {
      await expect(get(url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ kind: 'timeout' })
      expect(connections()).toBe(0)
    })
  })

  it('rejects with the reason of the signal when that is a failure of transport', async () => {
    await against(
      () => undefined,
      async ({ url }) => {
        const reason = new TransportError('timeout', 'enough')
        const controller = new AbortController()
        const sent = get(url, { signal: controller.signal })
        controller.abort(reason)
        await expect(sent).rejects.toBe(reason)
      },
    )
  })

  it('rejects with a timeout for every other reason', async () => {
    await against(
      () => undefined,
      async ({ url }) => {
        await expect(get(url, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({
          name: 'TransportError',
          kind: 'timeout',
        })
      },
    )
  })

  it('ends a TLS connection that is still being made as soon as the world closes', async () => {
    let ended = 0
    // It reads what it is sent, which is no request, and never answers.
    const server = createServer((wire) =>
      wire
        .on('error', () => undefined)
        .on('close', () => ended++)
        .resume(),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const closing = createWorld()
    const deadline = closing.deadline(150)
    const url = new URL(`https://127.0.0.1:${port}/`)
    await expect(closing.send(url, { method: 'GET', headers: {}, signal: deadline.signal })).rejects.toMatchObject({
      kind: 'timeout',
    })
    expect(ended).toBe(0)
    await closing.close()
    await expect.poll(() => ended).toBe(1)
    await new Promise((resolve) => server.close(resolve))
  })

  it('closes the connection of what is still under way', async () => {
    let closed = false
    const handler: HostileHandler = (wire) => {
      wire.on('close', () => (closed = true))
    }
    await against(handler, async ({ url }) => {
      const deadline = world.deadline(30)
      await expect(get(url, { signal: deadline.signal })).rejects.toThrow(TransportError)
      await expect.poll(() => closed).toBe(true)
    })
  })
})

describe('closing', () => {
  it('fails what is under way and everything later', async () => {
    const closing = createWorld()
    await against(
      () => undefined,
      async ({ url, requests }) => {
        const sent = closing.send(url, { method: 'GET', headers: {}, signal })
        const outcome = expect(sent).rejects.toMatchObject({ name: 'TransportError', kind: 'unreachable' })
        await expect.poll(() => requests.length).toBe(1)
        await closing.close()
        await outcome
        await closing.close()
        const later = closing.send(url, { method: 'GET', headers: {}, signal })
        await expect(later).rejects.toMatchObject({ name: 'TransportError', kind: 'unreachable' })
        expect(requests).toHaveLength(1)
      },
    )
  })
})
