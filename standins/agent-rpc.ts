import { AgentCard } from '@a2a-js/sdk'
import {
  type AgentExecutor,
  DefaultRequestHandler,
  JsonRpcTransportHandler,
  ServerCallContext,
  type TaskStore,
  validateVersion,
} from '@a2a-js/sdk/server'
import * as z from 'zod'
import { json, type StandinAnswer, type StandinRequest } from './serve.ts'

/** An A2A 1.0 agent over the real SDK, without streaming. */
export interface AgentRpc {
  /** The answer to whoever asks for its card. */
  readonly card: StandinAnswer
  /** The answer to one JSON-RPC request; whatever is wrong with the request is said in JSON-RPC too. */
  readonly answer: (request: StandinRequest) => Promise<StandinAnswer>
}

/** Serves what `executor` does under a card of the given `name`, `description`, `version` and address. */
export function agentRpc(told: ToldOfAgent, executor: AgentExecutor): AgentRpc {
  const card = cardOf(told)
  const handler = new JsonRpcTransportHandler(new DefaultRequestHandler(card, keepsNothing, executor))
  return {
    card: json(200, AgentCard.toJSON(card)),
    answer: ({ headers, body }) => answerRpc(handler, card, headers['a2a-version'], body),
  }
}

interface ToldOfAgent extends Pick<AgentCard, 'name' | 'description' | 'version'> {
  readonly url: string
}

async function answerRpc(
  rpc: JsonRpcTransportHandler,
  card: AgentCard,
  version: string | readonly string[] | undefined,
  text: string,
): Promise<StandinAnswer> {
  const body = parsed(text)
  // No header means version 0.3 (A2A 1.0, Versioning).
  const requestedVersion = typeof version === 'string' && version !== '' ? version : '0.3'
  try {
    validateVersion(requestedVersion, card, 'JSONRPC')
    const answer = await rpc.handle(body, new ServerCallContext({ requestedVersion }))
    if (!(Symbol.asyncIterator in answer)) return json(200, answer)
    // The card says that there is no streaming; the SDK says so when the stream is read.
    const { value } = await answer[Symbol.asyncIterator]().next()
    return json(200, value)
  } catch (cause) {
    const error = JsonRpcTransportHandler.mapToJSONRPCError(cause)
    return json(200, { jsonrpc: '2.0', id: idOf(body), error })
  }
}

/** Not a JSON object: text that the SDK refuses in its own words. */
function parsed(text: string): string | Record<string, unknown> {
  try {
    const body = JsonObject.safeParse(JSON.parse(text))
    return body.success ? body.data : '{}'
  } catch {
    return text
  }
}

const JsonObject = z.record(z.string(), z.unknown())

function idOf(body: string | Record<string, unknown>): string | number | null {
  const id = typeof body === 'string' ? null : body['id']
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** A task ends with the answer, so there is nothing to find again. */
const keepsNothing: TaskStore = {
  save: () => Promise.resolve(),
  load: () => Promise.resolve(undefined),
  list: () => Promise.resolve({ tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 }),
}

const cardOf = ({ url, ...told }: ToldOfAgent): AgentCard => ({
  ...told,
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' }],
  provider: undefined,
  capabilities: { streaming: false, pushNotifications: false, extensions: [] },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['application/json'],
  skills: [],
  signatures: [],
})
