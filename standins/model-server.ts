import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { z } from 'zod'
import { type Brain, ChatRequest, completion, completionEvents } from './model-wire.ts'
import { chatRequestOf, responseBody, responseEvents, ResponseRequest } from './responses-wire.ts'
import { closer, HOST, listen, type Listening, listening, type Running } from './serve.ts'

export interface ModelOptions extends Listening {
  /** Gives every answer. */
  readonly brain: Brain
  /** The one model in the list, and what `x-standin` says. @defaultValue standin */
  readonly name?: string
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

// A conversation with a few huge tool arguments in it must still arrive.
const MAX_BODY_BYTES = 64 * 1_048_576

/**
 * Serves an OpenAI-compatible API on loopback: `POST /v1/chat/completions` and `POST /v1/responses`, streaming or not,
 * and `GET /v1/models`, beside `GET /health`. A stand-in: every answer says so in `x-standin`, and any API key is accepted.
 * @returns a running server whose `url` ends in `/v1`.
 * @throws SettingError when the port cannot be used.
 */
export async function startModel(options: ModelOptions): Promise<Running> {
  const name = options.name ?? 'standin'
  const server = createServer({ keepAliveTimeout: 30_000 }, (request, response) => {
    void answer(request, options.brain, name)
      .catch(() => refusal(500, 'server_error', 'The stand-in model failed.'))
      .then((answered) => {
        send(server, response, name, answered)
      })
  })
  const port = await listen(server, { name: 'model', ...listening(options) })
  return { url: `http://${HOST}:${port}/v1`, port, close: closer(server) }
}

function send(server: Server, response: ServerResponse, name: string, { status, type, body, headers }: Answer): void {
  // A connection that outlives `close` would hold it up until the grace is over.
  if (!server.listening) response.shouldKeepAlive = false
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-standin': `model ${name}; not a real service`,
    ...headers,
  })
  response.end(body)
}

const json = (status: number, value: object, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
  headers,
})

const refusal = (status: number, type: string, message: string, headers?: Readonly<Record<string, string>>): Answer =>
  json(status, { error: { message, type, param: null, code: null } }, headers)

async function answer(request: IncomingMessage, brain: Brain, name: string): Promise<Answer> {
  const path = (request.url ?? '').split('?', 1)[0] ?? ''
  const allow = METHODS.get(path)
  if (allow === undefined) return refusal(404, 'invalid_request_error', 'The stand-in model has no such path.')
  if (request.method !== allow) {
    return refusal(405, 'invalid_request_error', `This path takes ${allow}.`, { allow })
  }
  if (path === '/health') return json(200, { status: 'ok', standin: SAYS })
  if (path === '/v1/models') return json(200, models(name))
  const body = await readBody(request)
  if (body === undefined) {
    return refusal(413, 'invalid_request_error', 'The body is over 64 MiB.', { connection: 'close' })
  }
  return path === '/v1/responses' ? respond(body, brain, name) : chat(body, brain, name)
}

const SAYS = 'A stand-in: it follows rules or a script, and is no language model.'
const METHODS: ReadonlyMap<string, string> = new Map([
  ['/health', 'GET'],
  ['/v1/models', 'GET'],
  ['/v1/chat/completions', 'POST'],
  ['/v1/responses', 'POST'],
])

const models = (id: string): object => ({
  object: 'list',
  data: [{ id, object: 'model', created: 0, owned_by: 'intent-gate-standin' }],
})

/** The whole body, or nothing when it is too large. Rejects when the client goes away half-way. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8')
}

async function chat(body: string, brain: Brain, name: string): Promise<Answer> {
  const parsed = parsedBody(body, ChatRequest, 'a chat completion request')
  if (typeof parsed === 'string') return refusal(400, 'invalid_request_error', parsed)
  const answered = await brain(parsed)
  const envelope = {
    id: `chatcmpl-standin-${parsed.messages.length}`,
    created: nowSeconds(),
    model: parsed.model ?? name,
  }
  return parsed.stream === true
    ? { status: 200, type: 'text/event-stream', body: completionEvents(parsed, answered, envelope) }
    : { status: 200, type: 'application/json', body: completion(parsed, answered, envelope) }
}

async function respond(body: string, brain: Brain, name: string): Promise<Answer> {
  const parsed = parsedBody(body, ResponseRequest, 'a response request')
  if (typeof parsed === 'string') return refusal(400, 'invalid_request_error', parsed)
  const conversation = chatRequestOf(parsed)
  const answered = await brain(conversation)
  const id = `resp_standin_${conversation.messages.length}`
  const envelope = { id, created_at: nowSeconds(), model: parsed.model ?? name }
  return parsed.stream === true
    ? { status: 200, type: 'text/event-stream', body: responseEvents(conversation, answered, envelope) }
    : { status: 200, type: 'application/json', body: responseBody(conversation, answered, envelope) }
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/** The request, or what is wrong with it. */
function parsedBody<T>(body: string, schema: z.ZodType<T>, what: string): T | string {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (cause) {
    if (cause instanceof SyntaxError) return 'The body is not JSON.'
    throw cause
  }
  const parsed = schema.safeParse(value)
  return parsed.success ? parsed.data : `The body is not ${what}: ${z.prettifyError(parsed.error)}`
}
