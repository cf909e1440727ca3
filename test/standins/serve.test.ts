import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { json, type Routes, serve } from '../../standins/serve.ts'
import { get, post, started } from './support.ts'

const start = (routes: Routes = {}, port?: number, portSetting?: string) =>
  started(serve({ name: 'echo', tenant: 'canbank', port, portSetting }, () => routes))

describe('a stand-in', () => {
  it('says in every answer what it is, and for which tenant', async () => {
    const { url } = await start({ 'GET /': () => json(200, {}) })
    for (const path of ['/', '/nowhere']) {
      const { headers } = await get(url + path)
      expect(headers.get('x-standin')).toBe('echo; tenant=canbank; not a real service')
      expect(headers.get('server')).toBe('intent-gate-standin')
    }
  })

  it.each([
    { what: 'an unknown path', method: 'GET', path: '/nowhere', status: 404 },
    { what: 'another method', method: 'DELETE', path: '/echo', status: 405 },
    { what: 'a path with one slash more', method: 'POST', path: '/echo/', status: 404 },
    { what: 'the right path and a query', method: 'POST', path: '/echo?a=1', status: 200 },
  ])('answers $status to $what', async ({ method, path, status }) => {
    const { url } = await start({ 'POST /echo': () => json(200, {}) })
    expect((await fetch(url + path, { method })).status).toBe(status)
  })

  it.each([
    { what: 'a body over 1 MiB', body: 'x'.repeat(1_048_577), status: 413 },
    { what: 'a body of exactly 1 MiB', body: 'x'.repeat(1_048_576), status: 200 },
    { what: 'bytes that are not UTF-8', body: new Uint8Array([0x7b, 0xff]), status: 400 },
    { what: 'no body', body: '', status: 200 },
  ])('answers $status to $what', async ({ body, status }) => {
    const { url } = await start({ 'POST /': () => json(200, {}) })
    expect((await post(url, body)).status).toBe(status)
  })

  it('answers 500 without a word of what was thrown', async () => {
    const { url } = await start({
      'GET /': () => {
        throw new Error('the secret')
      },
    })
    const answer = await get(url)
    expect(answer.status).toBe(500)
    expect(JSON.stringify(answer.body)).not.toContain('secret')
  })

  it('names the port and the setting when the port is in use', async () => {
    const { port } = await start()
    await expect(
      serve({ name: 'echo', tenant: 'canbank', port, portSetting: 'ECHO_PORT' }, () => ({})),
    ).rejects.toMatchObject({
      name: 'SettingError',
      what: 'ECHO_PORT',
      problem: `port ${port} is in use`,
    })
  })

  it.each([-1, 65_536, 1.5, Number.NaN])('refuses %d as a port', async (port) => {
    await expect(serve({ name: 'echo', tenant: 'canbank', port }, () => ({}))).rejects.toMatchObject({
      name: 'SettingError',
      what: 'port of the echo stand-in',
      problem: 'it is not a port',
    })
  })
})

function flag(): readonly [Promise<void>, () => void] {
  let raise = (): void => undefined
  const raised = new Promise<void>((resolve) => {
    raise = resolve
  })
  return [
    raised,
    () => {
      raise()
    },
  ]
}

describe('closing a stand-in', () => {
  const slow = (ms: number, arrived: () => void = () => undefined): Routes => ({
    'GET /': async () => {
      arrived()
      await sleep(ms)
      return json(200, { slow: true })
    },
  })

  it('lets a request in flight finish, then frees the port', async () => {
    const [arrives, arrived] = flag()
    const server = await start(slow(60, arrived))
    const answer = get(server.url)
    await arrives
    const closing = server.close()
    expect((await answer).body).toEqual({ slow: true })
    await closing
    await start({}, server.port)
  })

  it('ends connections that are kept alive', async () => {
    const server = await start({ 'GET /': () => json(200, {}) })
    const socket = await keptAlive(server.port)
    const ended = once(socket, 'close')
    const before = performance.now()
    await server.close()
    await ended
    expect(performance.now() - before).toBeLessThan(400)
  })

  it('cuts off a request that does not finish within the grace', async () => {
    const server = await start(slow(5_000))
    const answer = get(server.url)
    const cut = expect(answer).rejects.toThrow('fetch failed')
    await sleep(20)
    const before = performance.now()
    await server.close()
    await cut
    expect(performance.now() - before).toBeLessThan(2_000)
  })

  it('may be asked for twice', async () => {
    const server = await start()
    await Promise.all([server.close(), server.close()])
    await server.close()
  })
})

async function keptAlive(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(socket, 'data')
  return socket
}
