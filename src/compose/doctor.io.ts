import { fileURLToPath } from 'node:url'
import {
  startBareRuntime,
  startCopilotRuntime,
  type BareRuntime,
  type RuntimeOptions,
} from '../../adapters/hosts/copilot.io.ts'
import type { ProbeResult } from '../../adapters/hosts/probe-result.ts'
import { PERMITTED } from '../../adapters/hosts/probe-tool.ts'
import {
  runCanary,
  runProbes,
  type CanaryBench,
  type ProbeGate,
  type ProbeModel,
} from '../../adapters/hosts/probes.io.ts'
import type { CopilotRuntime } from '../../adapters/hosts/session.ts'
import { startBankStandins } from '../../standins/all.ts'
import { AUDIENCE, startIssuer } from '../../standins/issuer.ts'
import { startModel } from '../../standins/model-server.ts'
import { scriptedBrain } from '../../standins/scripted.ts'
import { memoryLog } from '../audit/memory-log.ts'
import { openModel } from './model.io.ts'
import { bankNamed, compose } from './compose.io.ts'
import { checkReachable } from './intent-model.io.ts'
import { realServices, type Settings } from '../config.io.ts'
import { tenantId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import { SettingError } from '../core/setting-error.ts'
import type { ToolDefinition } from '../core/tool.ts'
import { pass } from '../core/verdict.ts'
import type { World } from '../core/world.ts'
import { assembleGate } from '../gate/create-gate.ts'
import { definitionSource } from '../intent/definition-source.ts'
import { createIssuer } from '../login/issuer.ts'
import { createWorld } from '../world.io.ts'

const BANK = 'canbank'
const TENANT = 'doctor'
const DEADLINE_MS = 5_000

/** What a test may replace. */
export interface DoctorParts {
  readonly startRuntime?: (options: RuntimeOptions) => Promise<BareRuntime>
  /** The compiled program `adapters/hosts/probe-mcp.io`. */
  readonly mcpServer?: string
}

/** Everything that is asked about in place of a real service, and a runtime to probe. */
export interface OpenDoctor {
  readonly world: World
  /** Base URLs of the stand-ins; `model` only where no real one is set. */
  readonly standins: { readonly pdp: string; readonly agent: string; readonly issuer: string; readonly model?: string }
  /**
   * Starts a runtime for probes only.
   * @throws SettingError when it does not start.
   */
  openProbes(log: (sentence: string) => void): Promise<OpenProbes>
  /**
   * Puts the gate together as `chat` would, and takes it apart again.
   * @throws SettingError for whatever `chat` would refuse to start with.
   */
  compose(): Promise<void>
  close(): Promise<void>
}

interface OpenProbes {
  readonly sdk: string
  readonly runtime: string
  /** Never rejects. */
  run(onProbe: (tries: string) => void): Promise<readonly ProbeResult[]>
}

/**
 * Starts the stand-ins.
 * @throws SettingError for a URL that nothing may be sent to, and for a model that lacks what it needs.
 */
export async function openDoctor(settings: Settings, parts: DoctorParts = {}): Promise<OpenDoctor> {
  checkUrls(settings)
  const world = createWorld({ allowPlainHttp: settings.ALLOW_PLAIN_HTTP })
  const closers: (() => Promise<void>)[] = [() => world.close()]
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0).reverse()) await each()
  }
  try {
    const clientKey = settings.AUTHZEN_PDP_CLIENT_KEY
    const standins = await startBankStandins({ bank: bankNamed(BANK), clientKey })
    closers.push(() => standins.close())
    const { model, ...opened } = await openModel({}, settings)
    closers.push(() => opened.close())
    const isStandin = settings.MODEL_BASE_URL === undefined && model.kind === 'openai'
    return {
      world,
      standins: {
        pdp: standins.indykiteUrl,
        agent: standins.agentUrl,
        issuer: standins.issuerUrl,
        ...(isStandin ? { model: model.baseUrl } : {}),
      },
      openProbes: (log) => openProbes(world, parts, log, closers),
      compose: async () => {
        const composition = await compose({ settings, banks: [BANK], audit: 'unrecorded', certificates: 'off' })
        await composition.close()
      },
      close,
    }
  } catch (cause) {
    await close()
    throw cause
  }
}

function checkUrls(settings: Settings): void {
  const values: Readonly<Record<string, unknown>> = { ...settings, ...settings.ofTenants }
  for (const name of realServices(settings)) {
    const url = values[name]
    if (typeof url === 'string' && URL.canParse(url)) checkReachable(name, url, settings)
  }
}

async function openProbes(
  world: World,
  { startRuntime = startBareRuntime, mcpServer = OWN_MCP_SERVER }: DoctorParts,
  log: (sentence: string) => void,
  closers: (() => Promise<void>)[],
): Promise<OpenProbes> {
  // An untested runtime is the one to probe; that it is untested is a finding of its own.
  const { client, base, version, sdk, discard } = await startRuntime({ world, log, allowUntestedRuntime: true })
  closers.push(discard)
  const login = await throwAwayLogin(world)
  const host = { client, base, world, log, closed: () => undefined }
  return {
    sdk,
    runtime: version,
    run: (onProbe) => runProbes({ ...canaryBench(login, world), host, mcpServer }, onProbe),
  }
}

const OWN_MCP_SERVER = fileURLToPath(new URL('../../adapters/hosts/probe-mcp.io.js', import.meta.url))

/**
 * Starts the Copilot runtime, and refuses its sessions unless a canary call has shown that it asks before it runs: after
 * an update it may no longer do so. The canary is sent once, before the first session, on a gate and a model of its own.
 * @throws SettingError as `startCopilotRuntime` does.
 */
export async function startProbedRuntime(
  options: RuntimeOptions,
  start: (options: RuntimeOptions) => Promise<CopilotRuntime> = startCopilotRuntime,
): Promise<CopilotRuntime> {
  const runtime = await start(options)
  let probed: Promise<ProbeResult> | undefined
  return {
    ...runtime,
    openSession: async (session) => {
      probed ??= runCanary(canaryBench(session.login, options.world), (canary) => runtime.openSession(canary))
      const { ok, blockedBy, says = '' } = await probed
      // A canary that the gate has denied was asked about, which is what it is for.
      if (!ok && blockedBy?.startsWith('permission handler') !== true) throw notAsking(says)
      return runtime.openSession(session)
    },
  }
}

const notAsking = (says: string): SettingError =>
  new SettingError(
    'the Copilot runtime',
    `a canary call did not go through the gate, so no session is opened (${says.replace(/\.$/, '')})`,
    'Run intent-gate doctor to see what this runtime lets through',
  )

const canaryBench = (login: Login, world: World): CanaryBench => ({
  login,
  openGate: (tool) => throwAwayGate(login, tool, world),
  openModel: scriptedModel,
})

/** Permits one resource and no other; its record is in memory, and nothing else knows of it. */
function throwAwayGate(login: Login, tool: ToolDefinition, world: World): ProbeGate {
  const audit = memoryLog()
  const services = {
    issuer: login.issuer,
    tools: new Map([[tool.name, tool]]),
    certificates: 'off' as const,
    intents: definitionSource(),
    pdp: {
      decide: ({ evaluations }: { readonly evaluations: readonly { readonly resource: { readonly id: string } }[] }) =>
        Promise.resolve(pass(evaluations.map(({ resource }) => resource.id === PERMITTED))),
    },
  }
  const tenants = new Map([[login.tenant, services]])
  const gate = assembleGate({ world, tenants, deadlineMs: DEADLINE_MS, audit, report: () => undefined })
  return { gate, bypasses: () => audit.records.filter(({ type }) => type === 'bypass').length }
}

async function scriptedModel(call: { readonly name: string; readonly arguments: object }): Promise<ProbeModel> {
  const requests: string[] = []
  const brain = scriptedBrain([{ calls: [call] }, { text: 'Done.' }])
  const running = await startModel({
    name: 'probe',
    brain: (request) => {
      requests.push(JSON.stringify(request))
      return brain(request)
    },
  })
  return { url: running.url, requests: () => requests, close: () => running.close() }
}

/** Somebody who is signed in nowhere else, by an issuer that is gone when this resolves. */
async function throwAwayLogin(world: World): Promise<Login> {
  const issuer = await startIssuer({ bank: { tenant: TENANT, customers: [{ id: 'probe' }] } })
  try {
    const policy = { subjectType: 'Customer', tenants: new Set([tenantId(TENANT)]) }
    const login = await createIssuer({ ...policy, issuer: issuer.url, audience: AUDIENCE }, world).signInDemo('probe')
    if (login.ok) return login.value
    throw new Error(`nobody could be signed in for the probes (${login.reason})`)
  } finally {
    await issuer.close()
  }
}
