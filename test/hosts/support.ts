import { CopilotClient, RuntimeConnection, type SessionConfig } from '@github/copilot-sdk'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { createBaseDirectory, type BaseDirectory } from '../../adapters/hosts/base-directory.io.ts'
import { gatedSession, openSession, prepareSession, type Host } from '../../adapters/hosts/open-session.io.ts'
import type { GatedSession, SessionOptions, TurnRecord } from '../../adapters/hosts/session.ts'
import { startModel } from '../../standins/model-server.ts'
import type { Brain, ChatRequest } from '../../standins/model-wire.ts'
import { scriptedBrain, type Script } from '../../standins/scripted.ts'
import type { AuditRecord } from '../../src/audit/record.ts'
import { defineTool } from '../../src/core/define-tool.ts'
import type { EffectContract } from '../../src/core/effect.ts'
import { tenantId } from '../../src/core/ids.ts'
import { ToolRefusal, type ToolDefinition } from '../../src/core/tool.ts'
import { pass } from '../../src/core/verdict.ts'
import { assembleGate } from '../../src/gate/create-gate.ts'
import type { Gate } from '../../src/gate/gate.ts'
import { definitionSource } from '../../src/intent/definition-source.ts'
import { createWorld } from '../../src/world.io.ts'
import { ISSUER, loginNow } from '../logins.ts'

const TENANT = tenantId('canbank')
export const bob = await loginNow('bob')

const read: EffectContract = {
  class: 'read',
  tier: 'low',
  reversible: true,
  untrustedOutput: false,
  version: '1',
  predict: () => ({ mutations: [], resources: [], rows: 1, destinations: [], egress: 'none' }),
}

/** One tool that reads an account, and a list of what it was run with. */
export function ledger(name = 'get_balance', work: (id: string) => unknown = (id) => ({ id, balance: '1.00' })) {
  const ran: string[] = []
  const tool = defineTool({
    name,
    description: 'Reads one account.',
    parameters: z.object({ id: z.string() }),
    template: 'View the balance of Account {id}',
    resources: [{ argument: 'id', type: 'Account', actions: ['VIEW'] }],
    effect: read,
    run: ({ id }) => {
      ran.push(id)
      return work(id)
    },
  })
  return { tool, ran }
}

export const refusing = (id: string): never => {
  throw new ToolRefusal('account.closed', `The account ${id.length} is closed.`)
}

/** The real gate with the definition as its source of evaluations, an audit in memory, and a PDP for accounts of Bob. */
export function realGate(tools: readonly ToolDefinition[]) {
  const audit: AuditRecord[] = []
  const gate = assembleGate({
    world: createWorld(),
    tenants: new Map([
      [
        TENANT,
        {
          issuer: ISSUER,
          tools: new Map(tools.map((tool) => [tool.name, tool])),
          certificates: 'off',
          intents: definitionSource(),
          pdp: {
            decide: async ({ evaluations }) => pass(evaluations.map(({ resource }) => resource.id.startsWith('bob'))),
          },
        },
      ],
    ]),
    deadlineMs: 5_000,
    report: () => undefined,
    audit: {
      append: async (record) => {
        audit.push(record)
      },
    },
  })
  return { gate, audit }
}

export interface OpenModel {
  readonly url: string
  readonly requests: ChatRequest[]
}

/** A model on loopback that plays a script, or thinks with a brain of the test. */
export async function openModel(script: Script | Brain): Promise<OpenModel> {
  const requests: ChatRequest[] = []
  const brain = typeof script === 'function' ? script : scriptedBrain(script)
  const model = await startModel({
    brain: (request) => {
      requests.push(request)
      return brain(request)
    },
  })
  onTestFinished(() => model.close())
  return { url: model.url, requests }
}

/** One runtime for a file of tests, with the SDK's own client in reach. */
export interface Bench {
  readonly client: CopilotClient
  readonly base: BaseDirectory
  readonly host: Host
  readonly logged: string[]
  stop(): Promise<void>
}

export async function openBench(): Promise<Bench> {
  const base = createBaseDirectory()
  const client = new CopilotClient({
    mode: 'empty',
    connection: RuntimeConnection.forStdio(),
    baseDirectory: base.home,
    workingDirectory: base.work,
    useLoggedInUser: false,
    env: { PATH: process.env['PATH'], TMPDIR: base.temporary },
    logLevel: 'error',
  })
  await client.start()
  const logged: string[] = []
  const host: Host = {
    client,
    base,
    world: createWorld(),
    log: (sentence) => logged.push(sentence),
    closed: () => undefined,
  }
  const stop = async (): Promise<void> => {
    await client.stop()
    base.remove()
  }
  return { client, base, host, logged, stop }
}

export type Choices = Partial<SessionOptions> & { readonly gate: Gate; readonly url: string }

const optionsOf = ({ url, ...options }: Choices): SessionOptions => ({
  login: bob,
  system: 'You are the assistant of a bank.',
  model: { kind: 'openai', baseUrl: url, apiKey: 'none', name: 'standin' },
  ...options,
})

/** A session of our host, as the product opens it. */
export async function openHosted({ host }: Bench, choices: Choices): Promise<GatedSession> {
  const session = await openSession(host, optionsOf(choices))
  onTestFinished(() => session.close())
  return session
}

type Sdk = Awaited<ReturnType<CopilotClient['createSession']>>

/**
 * A session without our lock-down, as weak as `weaken` makes it, but behind our hook and handlers: what a fact of the
 * runtime could do if the lock-down failed.
 */
export async function openWeakened(
  { client, host }: Bench,
  choices: Choices,
  weaken: (config: SessionConfig) => SessionConfig,
  afterwards: (session: Sdk) => Promise<unknown> = async () => undefined,
): Promise<GatedSession> {
  const options = optionsOf(choices)
  const { mediator, config } = prepareSession(host, options)
  const sdk = await client.createSession(weaken(config))
  await afterwards(sdk)
  const session = gatedSession(host, options, sdk, mediator)
  onTestFinished(() => session.close())
  return session
}

/** The calls of a turn in one line each. */
export const outcomes = ({ calls }: TurnRecord) =>
  calls.map(({ tool, kind, judgement: { decision }, executed }) => ({
    tool,
    kind,
    decided: decision.kind === 'permit' ? 'permit' : decision.reason,
    executed,
  }))

/** What the model was told about its calls, in the request that followed. */
export const toolTexts = (request: ChatRequest | undefined): unknown[] =>
  (request?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content)
