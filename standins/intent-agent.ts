import { AGENT_CARD_PATH } from '@a2a-js/sdk'
import { Agent } from 'undici'
import { SettingError } from '../src/core/setting-error.ts'
import { agentExecutor, type Mind, type Note } from './agent-executor.ts'
import { agentRpc } from './agent-rpc.ts'
import { bearerCheck, bearerOf } from './bearer.ts'
import { BANK_FORMS, extractor, type Form } from './extract.ts'
import { readKnowledge } from './knowledge.ts'
import { type IntentModel, openModelReader, type ModelReader } from './model-extract.ts'
import { json, type Listening, listening, type Route, type Running, serve, type StandinAnswer } from './serve.ts'

export interface IntentAgentOptions extends Listening {
  /** Only said in answers: the agent learns of the bank from IndyKite. */
  readonly tenant: string
  readonly indykiteUrl: string
  readonly clientKey?: string | undefined
  /** RFC 7662 endpoint where the caller's bearer token is asked about. */
  readonly introspectUrl: string
  readonly introspectClient?: { readonly id: string; readonly secret: string } | undefined
  /** Rows of an app's own tools, beside the bank's. @defaultValue none */
  readonly forms?: readonly Form[] | undefined
  /** Reads sentences with a model in the place of rules; `forms` then count for nothing. @defaultValue rules */
  readonly model?: IntentModel | undefined
  /** The agent's own log, one JSON line per message; never holds a token. @defaultValue no log */
  readonly log?: ((line: string, note: Note) => void) | undefined
  readonly now?: (() => Date) | undefined
  /** A second port that answers `GET /health` and nothing else. @defaultValue none */
  readonly healthPort?: number | undefined
  readonly healthPortSetting?: string | undefined
}

/** The agent, and where its health has a port of its own. */
export interface RunningAgent extends Running {
  readonly healthUrl?: string
}

const SAYS = 'A stand-in: it extracts by rules, not with a model.'
const SAYS_WITH_MODEL = 'A stand-in: it extracts with a model, and validates what the model says.'

/**
 * Stands in for the intent-agent: A2A 1.0 at `POST /`, over the real SDK.
 * @throws SettingError when a port cannot be used or IndyKite cannot be read.
 */
export async function startIntentAgent(options: IntentAgentOptions): Promise<RunningAgent> {
  const { tenant, healthPort, healthPortSetting } = options
  const agent = new Agent({ connections: 4, keepAliveTimeout: 10_000 })
  const running: Running[] = []
  let closed: Promise<void> | undefined
  // The servers first: a request in flight may still need the agent.
  const closeAll = async (): Promise<void> => {
    await Promise.all(running.map((server) => server.close()))
    await Promise.all([agent.destroy(), reader?.close()])
  }
  const close = (): Promise<void> => (closed ??= closeAll())
  let reader: ModelReader | undefined
  try {
    reader = options.model === undefined ? undefined : await openModelReader(options.model)
    const mind = await memoryOf(options, agent, reader)
    const main = await serve({ name: 'intent-agent', tenant, ...listening(options) }, (url) =>
      routesOf(url, mind, options, agent),
    )
    running.push(main)
    if (healthPort === undefined) return { url: main.url, port: main.port, close }
    const place = listening({ ...options, port: healthPort, portSetting: healthPortSetting })
    const routes = { 'GET /health': healthRoute(mind) }
    const health = await serve({ name: 'intent-agent health', tenant, ...place }, () => routes)
    running.push(health)
    return { url: main.url, port: main.port, healthUrl: health.url, close }
  } catch (cause) {
    await close()
    throw cause
  }
}

interface Memory {
  /** What it is, for whoever asks. */
  readonly says: string
  readonly current: () => Mind
  /** Rejects, and changes nothing, when IndyKite cannot be read. */
  readonly refresh: () => Promise<Mind>
}

async function memoryOf(
  { indykiteUrl, clientKey, forms = [] }: IntentAgentOptions,
  agent: Agent,
  reader: ModelReader | undefined,
): Promise<Memory> {
  const learn = async (): Promise<Mind> => {
    const read = await readKnowledge({ indykiteUrl, clientKey, agent })
    return reader === undefined
      ? { extract: extractor([...BANK_FORMS, ...forms], read), digest: read.digest }
      : { extract: reader.extractor(read), digest: reader.digest(read.digest) }
  }
  let mind = await learn()
  const says = reader === undefined ? SAYS : SAYS_WITH_MODEL
  return { says, current: () => mind, refresh: async () => (mind = await learn()) }
}

const healthRoute =
  ({ says, current }: Memory): Route =>
  () =>
    json(200, { status: 'ok', standin: says, schema_digest: current().digest })

function routesOf(
  url: string,
  mind: Memory,
  options: IntentAgentOptions,
  agent: Agent,
): Readonly<Record<string, Route>> {
  const { introspectUrl, introspectClient, now = () => new Date() } = options
  const check = bearerCheck({ introspectUrl, client: introspectClient, agent, now: () => now().getTime() })
  const description = `Turns one sentence into AuthZEN evaluations. ${mind.says}`
  const told = { url, name: 'intent-agent (stand-in)', description, version: '1.0.0' }
  const rpc = agentRpc(told, agentExecutor({ mind: mind.current, log: options.log, now }))
  return {
    [`GET /${AGENT_CARD_PATH}`]: () => rpc.card,
    'GET /health': healthRoute(mind),
    'POST /': signedIn(check, rpc.answer),
    'POST /refresh': signedIn(check, () => refresh(mind)),
  }
}

function signedIn(check: ReturnType<typeof bearerCheck>, route: Route): Route {
  const refusal = json(401, { message: 'An active bearer token is needed.' }, { 'www-authenticate': 'Bearer' })
  const outage = json(503, { message: 'Token introspection gave no usable answer.' })
  return async (request) => {
    const token = bearerOf(request.headers.authorization)
    if (token === undefined) return refusal
    const standing = await check(token)
    if (standing === 'active') return route(request)
    return standing === 'inactive' ? refusal : outage
  }
}

async function refresh(mind: Memory): Promise<StandinAnswer> {
  try {
    const { digest } = await mind.refresh()
    return json(200, { schema_digest: digest })
  } catch (cause) {
    if (!(cause instanceof SettingError)) throw cause
    return json(503, { message: 'IndyKite gave no usable answer; what was known before still counts.' })
  }
}
