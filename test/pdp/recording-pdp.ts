import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Heard {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** JSON unless it is text. */
  readonly body?: unknown
}

export interface RecordingPdp {
  readonly url: string
  readonly heard: readonly Heard[]
  close(): Promise<void>
}

/** A server on loopback that keeps what it was asked and answers as told; 404 where `reply` says nothing. */
export async function recordingPdp(reply: (heard: Heard, url: string) => Reply | undefined): Promise<RecordingPdp> {
  const heard: Heard[] = []
  let url = ''
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url: path = '', headers } = request
      const one = { method, path, headers, body }
      heard.push(one)
      const answer = reply(one, url) ?? { status: 404, body: { message: 'No such path.' } }
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
      response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    heard,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

/** Permits every evaluation of a boxcar, wherever it is sent. */
export function permitAll({ method, body }: Heard): Reply | undefined {
  if (method !== 'POST') return undefined
  const { evaluations } = JSON.parse(body) as { evaluations: readonly unknown[] }
  return { body: { evaluations: evaluations.map(() => ({ decision: true })) } }
}
