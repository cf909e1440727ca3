import { createServer, type AddressInfo, type Socket } from 'node:net'

interface SeenRequest {
  readonly method: string
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Plays one answer on the bare connection. `turn` counts requests of the server from 1. */
export type HostileHandler = (wire: Socket, request: SeenRequest, turn: number) => void

export interface HostileServer {
  /** `http://127.0.0.1:<port>/` */
  readonly url: URL
  readonly requests: readonly SeenRequest[]
  /** How many connections were opened so far. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/** A server on loopback that reads each request properly and then does whatever `handler` does to the connection. */
export async function hostile(handler: HostileHandler): Promise<HostileServer> {
  const wires = new Set<Socket>()
  const requests: SeenRequest[] = []
  let connections = 0
  const server = createServer((wire) => {
    connections++
    wires.add(wire)
    wire.on('close', () => wires.delete(wire))
    // The other side hangs up on most of what is played here.
    wire.on('error', () => undefined)
    readRequests(wire, (request) => {
      requests.push(request)
      handler(wire, request, requests.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        for (const wire of wires) wire.destroy()
      }),
  }
}

function readRequests(wire: Socket, found: (request: SeenRequest) => void): void {
  let pending = Buffer.alloc(0)
  wire.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const [start = '', ...lines] = pending.subarray(0, headEnd).toString('latin1').split('\r\n')
      const headers = Object.fromEntries(lines.map(readHeader))
      const bodyEnd = headEnd + 4 + Number(headers['content-length'] ?? 0)
      if (pending.length < bodyEnd) return
      const [method = '', path = ''] = start.split(' ')
      const body = pending.subarray(headEnd + 4, bodyEnd).toString()
      pending = pending.subarray(bodyEnd)
      found({ method, path, headers, body })
    }
  })
}

function readHeader(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

export interface PlayedAnswer {
  /** @defaultValue 200 */
  readonly status?: number
  /** Beside a right `content-length` and `content-type: application/json`; an empty value leaves a header out. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The bytes of one HTTP/1.1 answer; a body that is neither text nor bytes is sent as JSON. */
export function answerBytes(body: unknown, { status = 200, headers = {} }: PlayedAnswer = {}): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const all = { 'content-type': 'application/json', 'content-length': String(bytes.length), ...headers }
  const lines = Object.entries(all).filter(([, value]) => value !== '')
  const head = [`HTTP/1.1 ${status} Played`, ...lines.map(([name, value]) => `${name}: ${value}`), '', '']
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes])
}

/** Plays the same well-framed answer to every request. */
export const plays =
  (body: unknown, answer: PlayedAnswer = {}): HostileHandler =>
  (wire) => {
    wire.write(answerBytes(body, answer))
  }
