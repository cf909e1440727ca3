import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Loopback {
  readonly url: URL
  readonly seen: Seen[]
  close(): Promise<void>
}

export type Respond = (response: ServerResponse, seen: Seen) => void

/** A small HTTP server on loopback that keeps what it was asked. */
export async function loopback(respond: Respond): Promise<Loopback> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const entry = { method, path, headers, body: Buffer.concat(chunks).toString() }
      seen.push(entry)
      respond(response, entry)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: new URL(`http://127.0.0.1:${port}/agent/rpc`),
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

/** Answers `value` as JSON. */
export const json = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** The JSON-RPC id of a request. */
export const idOf = (seen: Seen): unknown => (JSON.parse(seen.body) as { id: unknown }).id
