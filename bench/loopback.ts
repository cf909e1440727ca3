import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { Pool } from 'undici'

/** About the size of one Access Evaluations request. */
const QUESTION = JSON.stringify({
  evaluations: [{ subject: 's'.repeat(60), action: 'a'.repeat(60), resource: 'r'.repeat(60) }],
})
const ANSWER = JSON.stringify({ evaluations: [{ decision: true }] })

/** The floor of anything that asks over HTTP: a server that reads a body and answers, and a client that does not check. */
export interface Loopback {
  /** One POST over a connection that is kept. */
  readonly post: () => Promise<void>
  readonly close: () => Promise<void>
}

export async function openLoopback(): Promise<Loopback> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server's address is an AddressInfo once it listens.
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const headers = { 'content-type': 'application/json' }
  return {
    post: async () => {
      const { body } = await pool.request({ method: 'POST', path: '/', headers, body: QUESTION })
      await body.text()
    },
    close: async () => {
      await pool.close()
      server.close()
    },
  }
}

/** POSTs a second, `atOnce` of them under way. */
export async function postsPerSecond({ post }: Loopback, count: number, atOnce: number): Promise<number> {
  const startedMs = performance.now()
  let left = count
  const work = async (): Promise<void> => {
    while (left-- > 0) await post()
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return (count / (performance.now() - startedMs)) * 1000
}
