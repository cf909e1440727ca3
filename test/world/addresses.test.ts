import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createWorld, urlProblem } from '../../src/world.io.ts'
import { selfSigned } from './self-signed.ts'

const world = createWorld()
afterAll(() => world.close())

/** Listens on loopback while `use` runs, and ends every connection after it. */
async function listening(server: Server, use: (port: number) => Promise<void>): Promise<void> {
  const wires = new Set<{ destroy: () => unknown }>()
  server.on('connection', (wire) => wires.add(wire))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await use((server.address() as AddressInfo).port)
  for (const wire of wires) wire.destroy()
  await new Promise((resolve) => server.close(resolve))
}

async function get(url: string, ms = 5000) {
  const deadline = world.deadline(ms)
  try {
    return await world.send(new URL(url), { method: 'GET', headers: {}, signal: deadline.signal })
  } finally {
    deadline.clear()
  }
}

describe('plain http', () => {
  it.each([
    { url: 'http://localhost:1/' },
    { url: 'http://LOCALHOST/' },
    { url: 'http://127.0.0.1/' },
    { url: 'http://127.255.0.9:8080/x' },
    { url: 'http://127.1/' },
    { url: 'http://0x7f000001/' },
    { url: 'http://[::1]:9002/' },
    { url: 'http://[0:0:0:0:0:0:0:1]/' },
    { url: 'https://pdp.example/' },
    { url: 'https://10.0.0.1/' },
    { url: 'http://pdp.internal/', allowed: ['pdp.internal'] },
    { url: 'http://PDP.internal:8080/', allowed: ['Pdp.Internal'] },
    { url: 'http://pdp.internal:8080/', allowed: ['other', 'pdp.internal:8080'] },
    { url: 'http://[fd00::1]/', allowed: ['[fd00::1]'] },
  ])('may reach $url', ({ url, allowed = [] }) => {
    expect(urlProblem(new URL(url), allowed)).toBeUndefined()
  })

  it.each([
    { url: 'http://pdp.example/' },
    { url: 'http://10.0.0.1/' },
    { url: 'http://128.0.0.1/' },
    { url: 'http://0.0.0.0/' },
    { url: 'http://169.254.169.254/latest' },
    { url: 'http://[::]/' },
    { url: 'http://[::ffff:127.0.0.1]/' },
    { url: 'http://localhost.example/' },
    { url: 'http://127.0.0.1.example/' },
    { url: 'http://notlocalhost/' },
    { url: 'http://my.localhost/' },
    { url: 'http://sub.pdp.internal/', allowed: ['pdp.internal'] },
    { url: 'http://pdp.internal.evil/', allowed: ['pdp.internal'] },
    { url: 'http://pdp.internal:81/', allowed: ['pdp.internal:80'] },
    { url: 'http://pdp.internal/', allowed: ['', '*', '.internal'] },
    { url: 'http://me@localhost/' },
    { url: 'https://me:secret@pdp.example/' },
    { url: 'ftp://localhost/' },
    { url: 'file:///etc/passwd' },
    { url: 'data:application/json,{}' },
    { url: 'ws://localhost/' },
  ])('may not reach $url', async ({ url, allowed = [] }) => {
    expect(urlProblem(new URL(url), allowed)).toEqual(expect.any(String))
    const strict = createWorld({ allowPlainHttp: allowed })
    const sent = strict.send(new URL(url), { method: 'GET', headers: {}, signal: new AbortController().signal })
    await expect(sent).rejects.toMatchObject({ name: 'TransportError', kind: 'unreachable' })
    await expect(sent).rejects.not.toThrow('secret')
  })
})

describe('what cannot be reached is unreachable', () => {
  it.each([
    { what: 'a bad port', url: 'http://127.0.0.1:9/' },
    { what: 'a bad port by name', url: 'http://localhost:9/' },
    { what: 'a bad port over TLS', url: 'https://127.0.0.1:9/' },
  ])('$what', async ({ url }) => {
    await expect(get(url)).rejects.toMatchObject({ name: 'TransportError', kind: 'unreachable' })
  })

  it('a port on which nobody listens any more', async () => {
    let port = 0
    await listening(createServer(), async (opened) => {
      port = opened
    })
    await expect(get(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      kind: 'unreachable',
      message: 'the exchange failed: ECONNREFUSED',
    })
  })

  it('a host that has no address', async () => {
    const failed = await get('https://nobody.invalid/', 3000).catch((cause: unknown) => cause)
    expect(failed).toMatchObject({ name: 'TransportError' })
    expect((failed as { kind: string }).kind).toMatch(/^(unreachable|timeout)$/)
  })

  it('a plain port that is spoken to over TLS', async () => {
    await listening(createHttpServer(), async (port) => {
      await expect(get(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({ kind: 'unreachable' })
    })
  })

  it.each([{ verify: undefined }, { verify: '0' }])(
    'a certificate that nobody vouches for, with NODE_TLS_REJECT_UNAUTHORIZED=$verify',
    async ({ verify }) => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', verify)
      let asked = 0
      const server = createTlsServer(selfSigned(), (wire) => {
        wire.on('error', () => undefined)
        wire.on('data', () => {
          asked++
          wire.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}')
        })
      })
      await listening(server, async (port) => {
        await expect(get(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({
          kind: 'unreachable',
          message: 'the exchange failed: DEPTH_ZERO_SELF_SIGNED_CERT',
        })
      })
      expect(asked).toBe(0)
    },
  )

  it('a TLS handshake that never ends, but only until the time is up', async () => {
    await listening(createServer(), async (port) => {
      const start = performance.now()
      await expect(get(`https://127.0.0.1:${port}/`, 100)).rejects.toMatchObject({ kind: 'timeout' })
      expect(performance.now() - start).toBeLessThan(2000)
    })
  })
})
