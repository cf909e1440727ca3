import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { errors, Pool, type Dispatcher } from 'undici'
import { strictJson, StrictJsonError } from './core/strict-json.ts'
import { TransportError, type TransportFailure } from './core/transport-error.ts'
import type { HttpAnswer, HttpRequest, World } from './core/world.ts'
import { createDeadlines } from './deadlines.io.ts'

const MAX_BODY_BYTES = 1024 * 1024
const MAX_UNREAD_BYTES = 64 * 1024
const MAX_TIMER_MS = 2 ** 31 - 1

/** What the real world may do beyond its defaults. */
export interface WorldOptions {
  /** Hosts (`name` or `name:port`) that plain `http:` may reach besides loopback. @defaultValue none */
  readonly allowPlainHttp?: readonly string[]
}

/** A `World` that holds open connections. */
export interface OpenWorld extends World {
  /** Ends every connection; an exchange under way fails, and so does every later one. */
  close(): Promise<void>
}

/** The real clock, ids and network: one pool of keep-alive connections per origin, made at first use. */
export function createWorld({ allowPlainHttp = [] }: WorldOptions = {}): OpenWorld {
  const pools = new Map<string, Pool>()
  const closing = new AbortController()
  // Every open connection listens to it.
  setMaxListeners(0, closing.signal)
  return {
    now: () => new Date(),
    monotonicMs: () => performance.now(),
    newId: () => randomUUID(),
    deadline: createDeadlines(),
    pause,
    send: async (url, request) => {
      const problem = closing.signal.aborted ? 'the process is closing' : urlProblem(url, allowPlainHttp)
      if (problem !== undefined) throw new TransportError('unreachable', problem)
      let pool = pools.get(url.origin)
      if (pool === undefined) pools.set(url.origin, (pool = openPool(url.origin, closing.signal)))
      return exchange(pool, url, request)
    },
    close: async () => {
      const gone = [...pools.values()].map((pool) => pool.destroy())
      // A pool leaves a connection alone that is still being made, and a silent server would keep the process for seconds.
      closing.abort()
      await Promise.all(gone)
    },
  }
}

// Set here, so that NODE_TLS_REJECT_UNAUTHORIZED=0 cannot turn it off.
const openPool = (origin: string, signal: AbortSignal): Pool =>
  new Pool(origin, { connect: { rejectUnauthorized: true, signal } })

/** Why nothing may be sent to `url`; undefined when it may. */
export function urlProblem(url: URL, allowPlainHttp: readonly string[]): string | undefined {
  if (url.username !== '' || url.password !== '') return 'the URL holds credentials'
  if (url.protocol === 'https:') return undefined
  if (url.protocol !== 'http:') return 'the URL is neither https nor http'
  if (isLoopback(url.hostname) || allowPlainHttp.some((each) => names(url, each))) return undefined
  return 'plain http to a host that is not loopback'
}

// The URL parser has made every spelling of an IPv4 address dotted decimal.
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)

const names = (url: URL, allowed: string): boolean => [url.hostname, url.host].includes(allowed.toLowerCase())

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS))
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}

/** `unanswered`: the connection was lost before the head of an answer had arrived. */
type Outcome = HttpAnswer | TransportError | 'unanswered'

/**
 * A server may close an idle connection in the very moment in which the next request goes out. Every question that the
 * gate asks is free of side effects, or refused when it is asked twice (a device code), so such a request is sent once
 * more; one of whose answer something was read is not.
 */
async function exchange(pool: Pool, url: URL, request: HttpRequest): Promise<HttpAnswer> {
  let outcome = await attempt(pool, url, request)
  if (outcome === 'unanswered') outcome = await attempt(pool, url, request)
  if (outcome === 'unanswered') throw new TransportError('unreachable', 'the connection was closed without an answer')
  if (outcome instanceof TransportError) throw outcome
  return outcome
}

function attempt(pool: Pool, url: URL, request: HttpRequest): Promise<Outcome> {
  const { method, body, signal } = request
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined
    let over = false
    const end = (outcome: Outcome): void => {
      if (over) return
      over = true
      signal.removeEventListener('abort', giveUp)
      resolve(outcome)
      // Stops what is still under way and closes its connection; after a complete answer there is nothing to stop.
      controller?.abort(NOT_WANTED)
    }
    const giveUp = (): void => {
      end(reasonOf(signal))
    }
    if (signal.aborted) {
      giveUp()
      return
    }
    signal.addEventListener('abort', giveUp)
    const started = (opened: Dispatcher.DispatchController): void => {
      controller = opened
      if (over) opened.abort(NOT_WANTED)
    }
    pool.dispatch(
      { path: url.pathname + url.search, method, headers: wireHeaders(request), body: body ?? null },
      { onRequestStart: started, ...answerReader(end, request) },
    )
  })
}

const NOT_WANTED = new TransportError('answer', 'the rest of the answer is not wanted')

const reasonOf = ({ reason }: AbortSignal): TransportError =>
  reason instanceof TransportError ? reason : new TransportError('timeout', 'the exchange was given up')

const JSON_TYPE = 'application/json'

const wireHeaders = ({ headers, body, accepts, contentType }: HttpRequest): Record<string, string> => ({
  ...headers,
  accept: accepts?.join(', ') ?? JSON_TYPE,
  'accept-encoding': 'identity',
  ...(body === undefined ? {} : { 'content-type': contentType ?? JSON_TYPE }),
})

type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** Reads one answer. `end` is called at least once; what follows its first call is ignored. */
function answerReader(end: (outcome: Outcome) => void, request: HttpRequest): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = []
  let size = 0
  let begun = false
  let read = false
  let status = 0
  let headers: Readonly<Record<string, string>> = {}
  return {
    onResponseStart: (_controller, code, raw: RawHeaders) => {
      begun = true
      if (code < 200) return
      status = code
      headers = combined(raw)
      read = code === 200 || (request.readsRefusals === true && code >= 400 && code < 500)
      const fault = read ? headFault(raw, request.accepts) : undefined
      if (fault !== undefined) end(new TransportError('answer', fault))
    },
    onResponseData: (_controller, chunk) => {
      size += chunk.length
      if (!read) {
        if (size > MAX_UNREAD_BYTES) end({ status, headers, body: undefined })
      } else if (size > MAX_BODY_BYTES) end(new TransportError('answer', 'the body is over 1 MiB'))
      else chunks.push(chunk)
    },
    onResponseEnd: () => {
      end(read ? parsed(status, headers, chunks) : { status, headers, body: undefined })
    },
    onResponseError: (_controller, error) => {
      if (status !== 0 && !read) end({ status, headers, body: undefined })
      else end(begun || !isLostConnection(error) ? failureOf(error) : 'unanswered')
    },
  }
}

/** RFC 9110, 5.3: a reader that took one value of several could be shown the one that it looks for. */
function combined(raw: RawHeaders): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(raw)) {
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : [...new Set(value)].join(', ')
  }
  return headers
}

function headFault(raw: RawHeaders, accepts: readonly string[] = [JSON_TYPE]): string | undefined {
  // Two headers of type are no type.
  const type = typeof raw['content-type'] === 'string' ? raw['content-type'] : ''
  const mediaType = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!accepts.includes(mediaType)) return `the content type is not ${accepts.join(' or ')}`
  if (namesOtherCharset(type)) return 'the content type names another charset than UTF-8'
  const isPlain = isAbsentOr('chunked', raw['transfer-encoding']) && isAbsentOr('identity', raw['content-encoding'])
  return isPlain ? undefined : 'the body is encoded'
}

const isAbsentOr = (word: string, header: RawHeaders[string] = word): boolean =>
  typeof header === 'string' && header.trim().toLowerCase() === word

/** JSON is UTF-8 and has no charset (RFC 8259, 8.1); a peer that names another one reads other text than we do. */
const namesOtherCharset = (type: string): boolean =>
  [...type.matchAll(/;\s*charset\s*=\s*"?([^\s";]*)/gi)].some(
    ([, charset = '']) => !/^(?:utf-8|utf8|us-ascii)$/i.test(charset),
  )

function parsed(status: number, headers: HttpAnswer['headers'], chunks: readonly Buffer[]): Outcome {
  const bytes = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
  if (!isUtf8(bytes)) return new TransportError('answer', 'the body is not UTF-8')
  const text = bytes.toString()
  if (text.startsWith('\uFEFF')) return new TransportError('answer', 'the body begins with a byte-order mark')
  try {
    return { status, headers, body: strictJson(text) }
  } catch (cause) {
    const fault = cause instanceof StrictJsonError ? cause.message : 'it could not be parsed'
    return new TransportError('answer', `the body is not strict JSON: ${fault}`)
  }
}

const LOST = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const KINDS: Readonly<Record<string, TransportFailure>> = {
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'answer',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answer',
}

const isLostConnection = (error: Error): boolean => LOST.has(codeOf(error))

// The code alone: a message may quote what was received, or a header that was to be sent.
function failureOf(error: Error): TransportError {
  if (error instanceof errors.HTTPParserError) return new TransportError('answer', 'the answer is not HTTP/1.1')
  const code = codeOf(error)
  return new TransportError(KINDS[code] ?? 'unreachable', `the exchange failed: ${code}`, {
    refused: code === 'ECONNREFUSED',
  })
}

function codeOf(error: Error): string {
  const code = 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : 'unknown failure'
}
