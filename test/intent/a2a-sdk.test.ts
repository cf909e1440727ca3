import { randomUUID } from 'node:crypto'
import type { AgentCard } from '@a2a-js/sdk'
import { type Part, Role, TaskState } from '@a2a-js/sdk'
import {
  AgentEvent,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  type RequestContext,
  ServerCallContext,
  validateVersion,
} from '@a2a-js/sdk/server'
import { serve, type ServerType } from '@hono/node-server'
import { Hono } from 'hono'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { pass, refuse } from '../../src/core/verdict.ts'
import { agentSource } from '../../src/intent/a2a.ts'
import { createWorld } from '../../src/world.io.ts'
import { bobsBalance, patient, viewBobs } from './fixtures.ts'

type Behave = (context: RequestContext, bus: ExecutionEventBus) => void | Promise<void>
let behave: Behave = () => undefined
/** The version that the agent's own interface speaks. */
let agentVersion = '1.0'
const world = createWorld()
let server: ServerType
let url: URL

const card: AgentCard = {
  name: 'intent',
  description: 'a test agent',
  version: '0.0.0',
  // The gate never reads it, so that this address gets no token.
  supportedInterfaces: [
    { url: 'http://169.254.169.254/', protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
  ],
  provider: undefined,
  capabilities: { streaming: false, pushNotifications: false, extensions: [] },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['application/json'],
  skills: [],
  signatures: [],
}

beforeAll(async () => {
  const executor = {
    execute: async (context: RequestContext, bus: ExecutionEventBus) => {
      await behave(context, bus)
      bus.finished()
    },
    cancelTask: () => Promise.resolve(),
  }
  const rpc = new JsonRpcTransportHandler(new DefaultRequestHandler(card, new InMemoryTaskStore(), executor))
  const app = new Hono()
  // As the SDK's own JSON-RPC handler for Express does it.
  app.post('/a2a', async (c) => {
    const version = c.req.header('a2a-version')
    const context = new ServerCallContext(version === undefined ? {} : { requestedVersion: version })
    const text = await c.req.text()
    try {
      const [first] = card.supportedInterfaces
      const own = { ...card, supportedInterfaces: [{ ...first!, protocolVersion: agentVersion }] }
      validateVersion(context.requestedVersion, own, 'JSONRPC')
    } catch (cause) {
      const { id } = JSON.parse(text) as { id: unknown }
      return c.json({ jsonrpc: '2.0', id, error: JsonRpcTransportHandler.mapToJSONRPCError(cause) })
    }
    const answer = await rpc.handle(text, context)
    return Symbol.asyncIterator in answer ? c.body(null, 500) : c.json(answer)
  })
  await new Promise<void>((resolve) => {
    server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (info: AddressInfo) => {
      url = new URL(`http://127.0.0.1:${info.port}/a2a`)
      resolve()
    })
  })
})
// The SDK logs what its executors throw.
beforeEach(() => {
  for (const level of ['error', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => undefined)
})
afterAll(async () => {
  await world.close()
  await new Promise((resolve) => server.close(resolve))
})

const SECRET = 'the phone of alice'
const payload = { evaluations: [viewBobs], reasons: [], obligations: [] }
const part = (content: Part['content'], mediaType = 'application/json'): Part => ({
  content,
  mediaType,
  filename: '',
  metadata: undefined,
})
const dataPart = (value: unknown) => part({ $case: 'data', value })
const textPart = (value: string) => part({ $case: 'text', value }, 'text/plain')
const agentMessage = ({ contextId }: RequestContext, parts: Part[]) => ({
  messageId: randomUUID(),
  contextId,
  taskId: '',
  role: Role.ROLE_AGENT,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
})
const startTask: Behave = ({ taskId, contextId, userMessage }, bus) => {
  const status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: undefined }
  bus.publish(
    AgentEvent.task({ id: taskId, contextId, status, artifacts: [], history: [userMessage], metadata: undefined }),
  )
}
const addArtifact = ({ taskId, contextId }: RequestContext, bus: ExecutionEventBus, parts: Part[]): void => {
  const artifact = {
    artifactId: randomUUID(),
    name: 'result',
    description: '',
    extensions: [],
    metadata: undefined,
    parts,
  }
  bus.publish(
    AgentEvent.artifactUpdate({ taskId, contextId, append: false, lastChunk: true, metadata: undefined, artifact }),
  )
}
const endTask = (context: RequestContext, bus: ExecutionEventBus, state: TaskState): void => {
  const { taskId, contextId } = context
  const status = { state, message: agentMessage(context, [textPart(SECRET)]), timestamp: new Date().toISOString() }
  bus.publish(AgentEvent.statusUpdate({ taskId, contextId, metadata: undefined, status }))
}
const answering =
  (...artifacts: readonly Part[][]): Behave =>
  async (context, bus) => {
    await startTask(context, bus)
    for (const parts of artifacts) addArtifact(context, bus, parts)
    endTask(context, bus, TaskState.TASK_STATE_COMPLETED)
  }
const endingIn =
  (state: TaskState): Behave =>
  async (context, bus) => {
    await startTask(context, bus)
    endTask(context, bus, state)
  }
const talking =
  (...parts: Part[]): Behave =>
  (context, bus) => {
    bus.publish(AgentEvent.message(agentMessage(context, parts)))
  }

const ask = () => agentSource({ url, timeoutMs: 5_000, world }).extract(bobsBalance(), patient())

describe('an agent made with the A2A SDK for JavaScript', () => {
  it.each([
    { what: 'a data part', does: answering([dataPart(payload)]) },
    { what: 'a bare array', does: answering([dataPart([viewBobs])]) },
    { what: 'a text part', does: answering([textPart(JSON.stringify(payload))]) },
    { what: 'a remark and a payload in two artifacts', does: answering([textPart('done')], [dataPart(payload)]) },
    { what: 'a message with data', does: talking(dataPart(payload)) },
    { what: 'a message with text', does: talking(textPart(JSON.stringify(payload))) },
  ])('is understood when it answers $what', async ({ does }) => {
    behave = does
    expect(await ask()).toEqual(pass([viewBobs]))
  })

  it('sees the sentence, and the caller in the metadata of the message', async () => {
    let seen: RequestContext['userMessage'] | undefined
    behave = (context, bus) => {
      seen = context.userMessage
      return talking(dataPart(payload))(context, bus)
    }
    await ask()
    expect(seen).toMatchObject({
      role: Role.ROLE_USER,
      parts: [
        { content: { $case: 'text', value: 'View the balance of Account acc-bob-checking' }, mediaType: 'text/plain' },
      ],
      metadata: { subject_type: 'Customer', subject_id: 'bob' },
    })
  })

  it('A2-13: is in a new context and task with each question', async () => {
    const seen = new Set<string>()
    behave = (context, bus) => {
      seen.add(context.contextId).add(context.taskId)
      return answering([dataPart(payload)])(context, bus)
    }
    await ask()
    await ask()
    expect(seen.size).toBe(4)
  })

  it.each<{ what: string; does: Behave; code: string }>([
    { what: 'rejects', does: endingIn(TaskState.TASK_STATE_REJECTED), code: 'intent.refused' },
    { what: 'asks back', does: endingIn(TaskState.TASK_STATE_INPUT_REQUIRED), code: 'intent.refused' },
    { what: 'fails', does: endingIn(TaskState.TASK_STATE_FAILED), code: 'intent.agent_failed' },
    { what: 'is canceled', does: endingIn(TaskState.TASK_STATE_CANCELED), code: 'intent.agent_failed' },
    { what: 'wants a sign-in', does: endingIn(TaskState.TASK_STATE_AUTH_REQUIRED), code: 'intent.unauthenticated' },
    { what: 'stops while at work', does: endingIn(TaskState.TASK_STATE_WORKING), code: 'intent.agent_failed' },
    { what: 'only starts', does: startTask, code: 'intent.agent_failed' },
    {
      what: 'completes without an artifact',
      does: endingIn(TaskState.TASK_STATE_COMPLETED),
      code: 'intent.answer_invalid',
    },
    {
      what: 'throws before the task',
      does: () => {
        throw new Error(SECRET)
      },
      code: 'intent.agent_failed',
    },
    {
      what: 'throws after the artifact',
      does: async (context, bus) => {
        await startTask(context, bus)
        addArtifact(context, bus, [dataPart(payload)])
        throw new Error(SECRET)
      },
      code: 'intent.agent_failed',
    },
    { what: 'says nothing', does: () => undefined, code: 'intent.agent_failed' },
    {
      what: 'begins with a status',
      does: (context, bus) => {
        endTask(context, bus, TaskState.TASK_STATE_COMPLETED)
      },
      code: 'intent.agent_failed',
    },
    { what: 'only talks', does: talking(textPart(SECRET)), code: 'intent.answer_invalid' },
    { what: 'answers twice', does: answering([dataPart(payload)], [dataPart(payload)]), code: 'intent.answer_invalid' },
    {
      what: 'answers bytes',
      does: answering([part({ $case: 'raw', value: Buffer.from(JSON.stringify(payload)) })]),
      code: 'intent.answer_invalid',
    },
    {
      what: 'answers a link',
      does: answering([part({ $case: 'url', value: 'http://169.254.169.254/' })]),
      code: 'intent.answer_invalid',
    },
    {
      what: 'explains a refusal',
      does: answering([dataPart({ evaluations: [], reasons: [SECRET] })]),
      code: 'intent.refused',
    },
    {
      what: 'sets an obligation',
      does: answering([dataPart({ ...payload, obligations: [{ id: 'mfa' }] })]),
      code: 'intent.obligation_unknown',
    },
    {
      what: 'A2-19: answers a number as an id',
      does: answering([dataPart([{ ...viewBobs, resource: { type: 'Account', id: 7 } }])]),
      code: 'intent.answer_invalid',
    },
  ])('that $what gives $code', async ({ does, code }) => {
    behave = does
    const verdict = await ask()
    expect(verdict).toMatchObject({ ok: false, reason: code })
    expect(JSON.stringify(verdict)).not.toContain(SECRET)
  })

  it.each(['0.3', '2.0'])('that speaks only version %s gives intent.version_unsupported', async (version) => {
    behave = talking(dataPart(payload))
    agentVersion = version
    try {
      expect(await ask()).toEqual(refuse('intent.version_unsupported', 'JSON-RPC error -32009'))
    } finally {
      agentVersion = '1.0'
    }
  })
})
