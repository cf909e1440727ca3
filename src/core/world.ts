/** A strict answer from outside. `body` is parsed JSON when `status` is one that the request reads, else undefined. */
export interface HttpAnswer {
  readonly status: number
  /** Lower-case names; the values of a repeated header, each once, with a comma and a space between them. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  /** The text to send, JSON unless `contentType` says otherwise; absent on a GET. */
  readonly body?: string
  /** The media type of `body`. @defaultValue application/json */
  readonly contentType?: 'application/json' | 'application/x-www-form-urlencoded'
  /** Media types of JSON that the answer may have; they are also asked for. @defaultValue application/json alone */
  readonly accepts?: readonly string[]
  /**
   * Reads a 4xx as strictly as a 200, for protocols that say in its body what was refused (RFC 6749, 5.2).
   * @defaultValue false: only a 200 is read
   */
  readonly readsRefusals?: boolean
  readonly signal: AbortSignal
}

/** One clock for a whole decision: connecting, TLS, intent-agent, PDP. */
export interface Deadline {
  /** Aborts when the time is up, with a `TransportError` of kind `timeout` as its reason. */
  readonly signal: AbortSignal
  /** True once the time is up, also when a busy event loop has kept the signal from firing. */
  readonly expired: () => boolean
  /** Releases the timer. Call once, when the decision is made. */
  readonly clear: () => void
}

/** Everything a room may not reach for by itself. */
export interface World {
  readonly now: () => Date
  /** Monotonic milliseconds, for durations only. */
  readonly monotonicMs: () => number
  readonly newId: () => string
  readonly deadline: (ms: number) => Deadline
  /** Resolves after `ms` milliseconds, or as soon as the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  /**
   * One HTTP exchange. Resolves for any status; rejects with a `TransportError` for everything else, and with nothing
   * but a `TransportError`: unreachable, timeout, redirect, a 200 whose body is not strict JSON (see `strict-json.ts`),
   * is over 1 MiB, is encoded, or is of another media type than the request accepts.
   */
  readonly send: (url: URL, request: HttpRequest) => Promise<HttpAnswer>
}
