import { isUtf8 } from 'node:buffer'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { SettingError } from '../src/core/setting-error.ts'

/** A server of ours that is listening. */
export interface Running {
  /** Without a trailing slash. */
  readonly url: string
  readonly port: number
  /** Lets requests in flight finish, for at most half a second, and ends every connection. May be called twice. */
  close(): Promise<void>
}

export interface StandinRequest {
  /** Lower-case names, as Node has them. */
  readonly headers: IncomingHttpHeaders
  readonly query: URLSearchParams
  /** Decoded from UTF-8. */
  readonly body: string
}

export interface StandinAnswer {
  readonly status: number
  /** JSON text. */
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Route = (request: StandinRequest) => StandinAnswer | Promise<StandinAnswer>

/** Keys are `METHOD /path`, matched exactly. */
export type Routes = Readonly<Record<string, Route>>

/** One answered request, without query, headers and bodies: they may hold tokens. */
export interface Exchange {
  readonly method: string
  readonly path: string
  /** Absent when the client went away before an answer. */
  readonly status?: number
  /** Milliseconds from the head of the request to the end of the answer. */
  readonly ms: number
}

/** Where a stand-in listens, and who hears of its requests. */
export interface Listening {
  /** @defaultValue 0: the system chooses */
  readonly port?: number | undefined
  /** The name of the setting that chose the port, for the message when it cannot be used. */
  readonly portSetting?: string | undefined
  /** The address to listen on; anything but loopback is for a container's own network. @defaultValue 127.0.0.1 */
  readonly host?: string | undefined
  /** @defaultValue nobody */
  readonly heard?: ((exchange: Exchange) => void) | undefined
}

/** The part of a stand-in's options that its server needs. */
export const listening = ({ port, portSetting, host, heard }: Listening): Listening => ({
  port,
  portSetting,
  host,
  heard,
})

export interface ServeOptions extends Listening {
  /** What it stands in for; sent with the tenant in the `x-standin` header of every answer. */
  readonly name: string
  readonly tenant: string
  /** Sends a request's `X-Request-ID` back (AuthZEN 1.0, Request Identification). @defaultValue false */
  readonly echoesRequestId?: boolean
  /** PEM texts of a key and its certificate. @defaultValue plain HTTP */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined
}

export const HOST = '127.0.0.1'
const MAX_BODY_BYTES = 1_048_576
const CLOSE_GRACE_MS = 500
const MAX_SHOWN_PATH = 200
const NO_QUERY = new URLSearchParams()

/** Any value as an answer. */
export const json = (status: number, value: unknown, headers?: Readonly<Record<string, string>>): StandinAnswer => ({
  status,
  body: JSON.stringify(value),
  ...(headers === undefined ? {} : { headers }),
})

/**
 * Listens on loopback and answers JSON. Node's own server, because `decide` counts microseconds.
 * @param routesAt makes the routes once the server's own url is known.
 * @throws SettingError when the port cannot be used.
 */
export async function serve(options: ServeOptions, routesAt: (url: string) => Routes): Promise<Running> {
  const { tls } = options
  const kept = { keepAliveTimeout: 30_000 }
  const server: Server = tls === undefined ? createServer(kept) : createSecureServer({ ...kept, ...tls })
  const port = await listen(server, options)
  const url = `${tls === undefined ? 'http' : 'https'}://${HOST}:${port}`
  server.on('request', answering(server, options, new Map(Object.entries(routesAt(url)))))
  return { url, port, close: closer(server) }
}

/**
 * Makes a server listen, and tells of its answers.
 * @returns the port.
 * @throws SettingError when the port cannot be used.
 */
export function listen(server: Server, options: Listening & { readonly name: string }): Promise<number> {
  const { name, port = 0, portSetting, host = HOST, heard } = options
  if (heard !== undefined) server.on('request', telling(heard))
  const what = portSetting ?? `port of the ${name} stand-in`
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return Promise.reject(new SettingError(what, 'it is not a port', 'Give a whole number from 0 to 65535'))
  }
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const problem = cause.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${cause.code ?? cause.message})`
      const place = host === HOST ? `port ${port}` : `port ${port} of ${host}`
      reject(new SettingError(what, `${place} ${problem}`, 'Choose another port, or 0 to let the system choose'))
    })
    // A TCP server's address is an AddressInfo once it listens.
    server.listen(port, host, () => {
      resolve((server.address() as AddressInfo).port)
    })
  })
}

const telling =
  (heard: (exchange: Exchange) => void) =>
  ({ method = '', url = '' }: IncomingMessage, response: ServerResponse): void => {
    const startedMs = performance.now()
    const path = (url.split('?', 1)[0] ?? '').slice(0, MAX_SHOWN_PATH)
    response.on('close', () => {
      const answered = response.headersSent ? { status: response.statusCode } : {}
      heard({ method, path, ...answered, ms: performance.now() - startedMs })
    })
  }

/** Ends a server once, however often it is called. */
export function closer(server: Server): () => Promise<void> {
  let closed: Promise<void> | undefined
  return () => (closed ??= close(server))
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => {
      server.closeAllConnections()
    }, CLOSE_GRACE_MS)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
  })
}

function answering(server: Server, options: ServeOptions, routes: ReadonlyMap<string, Route>) {
  const fixed = ['content-type', 'application/json', 'server', 'intent-gate-standin']
  fixed.push('x-standin', `${options.name}; tenant=${options.tenant}; not a real service`)
  const send = (request: IncomingMessage, response: ServerResponse, { status, body, headers }: StandinAnswer): void => {
    const lines = [...fixed, 'content-length', String(Buffer.byteLength(body))]
    if (headers !== undefined) lines.push(...Object.entries(headers).flat())
    const id = request.headers['x-request-id']
    if (options.echoesRequestId === true && typeof id === 'string') lines.push('x-request-id', id)
    // A connection that outlives `close` would hold it up until the grace is over.
    if (!server.listening) response.shouldKeepAlive = false
    response.writeHead(status, lines).end(body)
  }
  return (request: IncomingMessage, response: ServerResponse): void => {
    const respond = (answer: StandinAnswer): void => {
      send(request, response, answer)
    }
    readBody(request, (body) => {
      if (typeof body !== 'string') respond(body)
      else {
        dispatch(routes, request, body)
          .then(respond)
          // A head that cannot be written must not end the process.
          .catch(() => response.destroy())
      }
    })
  }
}

/** Calls back once, with the text or with the answer that refuses it; never when the client goes away half-way. */
function readBody(request: IncomingMessage, done: (body: string | StandinAnswer) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
  })
  request.on('end', () => {
    if (size > MAX_BODY_BYTES) {
      done(json(413, { message: 'The body is over 1 MiB.' }, { connection: 'close' }))
      return
    }
    const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
    done(isUtf8(bytes) ? bytes.toString('utf8') : json(400, { message: 'The body is not UTF-8.' }))
  })
}

async function dispatch(
  routes: ReadonlyMap<string, Route>,
  { method = '', url = '', headers }: IncomingMessage,
  body: string,
): Promise<StandinAnswer> {
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const route = routes.get(`${method} ${path}`)
  if (route === undefined) return unrouted(routes, path)
  try {
    return await route({ headers, query: mark === -1 ? NO_QUERY : new URLSearchParams(url.slice(mark)), body })
  } catch {
    return json(500, { message: 'The stand-in failed.' })
  }
}

function unrouted(routes: ReadonlyMap<string, Route>, path: string): StandinAnswer {
  const allow = [...routes.keys()].filter((key) => key.endsWith(` ${path}`)).map((key) => key.split(' ')[0])
  if (allow.length === 0) return json(404, { message: 'No such path.' })
  return json(405, { message: 'Another method is needed.' }, { allow: allow.join(', ') })
}

/** True when the content type is `expected`, whatever its parameters. */
export function hasContentType(headers: IncomingHttpHeaders, expected: string): boolean {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === expected
}
