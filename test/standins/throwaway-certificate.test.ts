import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Pool } from 'undici'
import { throwawayCertificate } from '../../standins/throwaway-certificate.ts'

const certified = throwawayCertificate()
const server = createServer(certified, (_request, response) => response.end('hello'))
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

async function get(host: string, connect: object): Promise<string> {
  const pool = new Pool(`https://${host}:${(server.address() as AddressInfo).port}`, { connect })
  try {
    return await (await pool.request({ method: 'GET', path: '/' })).body.text()
  } finally {
    await pool.destroy()
  }
}

describe('a throwaway certificate', () => {
  it.each(['127.0.0.1', 'localhost'])('is good for %s where it is trusted', async (host) => {
    expect(await get(host, { ca: certified.cert })).toBe('hello')
  })

  it('is good nowhere else', async () => {
    await expect(get('127.0.0.1', {})).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    const other = throwawayCertificate()
    await expect(get('127.0.0.1', { ca: other.cert })).rejects.toThrow()
    await expect(get('127.0.0.1', { ca: certified.cert, servername: 'pdp.example.com' })).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })

  it('lasts a day, has a number of its own and fits its key', () => {
    const [one, other] = [certified, throwawayCertificate()].map(({ cert }) => new X509Certificate(cert))
    expect(one!.verify(one!.publicKey)).toBe(true)
    expect(one!.serialNumber).not.toBe(other!.serialNumber)
    const days = (Date.parse(one!.validTo) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(0.9)
    expect(days).toBeLessThan(1.1)
  })
})
