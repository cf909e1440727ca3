import { renewedRuntime } from '../../adapters/hosts/renewed-runtime.ts'
import type { AttemptedCall, CopilotRuntime, GatedSession, ModelChoice } from '../../adapters/hosts/session.ts'
import { AUDIENCE, startIssuer } from '../../standins/issuer.ts'
import { APPROVAL_MS } from '../approval/ask.ts'
import { ASKS_PER_TURN } from '../approval/asks.ts'
import type { ApprovalAnswer, ApprovalRequest } from '../approval/approver.ts'
import { openAuditFile } from '../audit/jsonl.io.ts'
import { openCertificates, type CertificateChoice } from './certificates.io.ts'
import { startProbedRuntime } from './doctor.io.ts'
import { tenantId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import { says } from '../core/says.ts'
import { SettingError } from '../core/setting-error.ts'
import type { ToolDefinition } from '../core/tool.ts'
import type { Verdict } from '../core/verdict.ts'
import { assembleGate } from '../gate/create-gate.ts'
import { safely } from '../gate/fail-closed.ts'
import type { Gate } from '../gate/gate.ts'
import { definitionSource } from '../intent/definition-source.ts'
import type { IntentSource } from '../intent/intent-source.ts'
import { createIssuer, type Issuer } from '../login/issuer.ts'
import type { Pdp } from '../pdp/pdp.ts'
import { createWorld, type OpenWorld } from '../world.io.ts'

/** Where logins come from. */
export type LoginSettings =
  | {
      /** An OpenID Connect issuer; its tokens need a `tenant` claim that names this gate's tenant. */
      readonly issuer: string
      readonly audience: string
      /** AuthZEN `subject.type` of everyone who signs in. */
      readonly subjectType: string
      /** @defaultValue sub */
      readonly subjectClaim?: string
    }
  | {
      /** Gives up authentication: an embedded issuer signs each of these in for the asking. For trials and tests. */
      readonly demoWithoutPasswords: readonly string[]
      readonly subjectType: string
    }

/** What an app says about its gate. A missing or contradictory value is a SettingError before anything listens. */
export interface GateSettings {
  readonly tenant: string
  readonly tools: readonly ToolDefinition[]
  /** Who decides; asked anew for every call. */
  readonly pdp: Pdp
  /** Where a call's evaluations come from. @defaultValue the tool's own definition */
  readonly intents?: IntentSource
  /**
   * Bounds every call by what the user's own message asks for. `off` gives that up: an agent may then be made to do
   * whatever its user may do. @defaultValue off
   */
  readonly certificates?: 'off' | CertificateChoice
  /** The audit file; nothing runs that cannot be written there. */
  readonly audit: string
  readonly login: LoginSettings
  /** Milliseconds for one whole decision. @defaultValue 20000 */
  readonly deadlineMs?: number
  /** Hears of breakage, which the audit only names. @defaultValue nobody */
  readonly onFault?: (cause: unknown) => void
}

/** A gate of an app's own tools. */
export interface AppGate {
  readonly gate: Gate
  /** @throws SettingError when the token is not accepted; it says why. */
  signIn(token: string): Promise<Login>
  /** Signs one of `demoWithoutPasswords` in. @throws SettingError for anyone else, and with a real issuer. */
  signInDemo(subject: string): Promise<Login>
  /** Ends every session, the runtime and the audit. */
  close(): Promise<void>
}

/** One conversation of an app's user: the model, its prompt, and who hears of what happens. */
export interface AppSessionOptions {
  readonly model: ModelChoice
  /** The whole system prompt. */
  readonly system: string
  /** Hears of every attempted call once it is decided. */
  readonly onDecision?: (call: AttemptedCall) => void
  /** Puts a card to a person. Absent: a call that must be confirmed is denied. */
  readonly onApproval?: (request: ApprovalRequest) => Promise<ApprovalAnswer>
  /** A piece of the model's text, as it streams. */
  readonly onText?: (text: string) => void
}

const DEADLINE_MS = 20_000
const HOST_GRACE_MS = 5_000

/** What only this file may reach of an app's gate. */
interface Inside {
  readonly world: OpenWorld
  readonly deadlineMs: number
  readonly log: (cause: unknown) => void
  readonly closers: (() => Promise<void>)[]
  runtime: Promise<CopilotRuntime> | undefined
  usesCopilotSignIn: boolean | undefined
  closed: boolean
}
const insides = new WeakMap<AppGate, Inside>()

/**
 * A gate over an app's own tools, with its audit file open.
 * @throws SettingError for a setting that cannot work; nothing is left open then.
 */
export async function createGate(settings: GateSettings): Promise<AppGate> {
  checkSettings(settings)
  const { tools, pdp, intents = definitionSource(), deadlineMs = DEADLINE_MS, onFault = () => undefined } = settings
  const world = createWorld()
  const inside: Inside = {
    ...{
      world,
      deadlineMs,
      closers: [() => world.close()],
      log: (cause) => {
        safely(onFault, cause)
      },
    },
    ...{ runtime: undefined, usesCopilotSignIn: undefined, closed: false },
  }
  try {
    const { issuer, url, demo } = await openIssuer(settings, world, inside.closers)
    const audit = await openAuditFile(settings.audit)
    inside.closers.push(() => audit.close())
    const chosen = settings.certificates ?? 'off'
    const certificates = chosen === 'off' ? chosen : openCertificates(chosen, world)
    const services = { issuer: url, tools: new Map(tools.map((tool) => [tool.name, tool])), certificates, intents, pdp }
    const tenants = new Map([[tenantId(settings.tenant), services]])
    const app = appGate(assembleGate({ world, tenants, deadlineMs, audit, report: inside.log }), issuer, demo, inside)
    insides.set(app, inside)
    return app
  } catch (cause) {
    await closeAll(inside)
    throw cause
  }
}

const appGate = (gate: Gate, issuer: Issuer, demo: boolean, inside: Inside): AppGate => ({
  gate,
  signIn: async (token) => signedIn(await issuer.verify(token), 'token'),
  signInDemo: async (subject) => {
    if (!demo) throw new SettingError('signInDemo', 'needs demoWithoutPasswords', 'Sign in with a token')
    return signedIn(await issuer.signInDemo(subject), subject)
  },
  close: () => closeAll(inside),
})

/** Ends everything, last opened first; what cannot be ended does not keep the rest open. */
async function closeAll(inside: Inside): Promise<void> {
  inside.closed = true
  await inside.runtime?.then((runtime) => runtime.stop()).catch(inside.log)
  for (const close of inside.closers.splice(0).reverse()) await close().catch(inside.log)
}

function checkSettings({ tools, tenant, login }: GateSettings): void {
  if (new Set(tools.map(({ name }) => name)).size < tools.length) {
    throw new SettingError('tools', 'two of them have the same name', 'Rename one')
  }
  if (!/^[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,126}[A-Za-z0-9])?$/.test(tenant)) {
    throw new SettingError('tenant', 'is not a plain id', 'Use letters, digits, dots, - and _')
  }
  if (typeof (login as unknown) !== 'object') {
    throw new SettingError('login', 'is missing', 'Name your issuer and audience, or demoWithoutPasswords for a trial')
  }
}

/**
 * A conversation of one login, on the real Copilot runtime, in which every tool call goes through the gate.
 * @throws SettingError when the gate is closed, the model has no usable URL, or the runtime cannot be used.
 */
export async function gateSession(app: AppGate, login: Login, options: AppSessionOptions): Promise<GatedSession> {
  const inside = insides.get(app)
  if (inside === undefined) throw new SettingError('gateSession', 'needs a gate of createGate', 'Call createGate first')
  checkModel(options.model)
  const { onApproval, ...rest } = options
  const runtime = await runtimeOf(inside, options.model.kind === 'copilot')
  const decisionTimeoutMs = inside.deadlineMs + HOST_GRACE_MS
  if (onApproval === undefined) return runtime.openSession({ ...rest, gate: app.gate, login, decisionTimeoutMs })
  const approver = { ask: onApproval }
  return runtime.openSession({
    ...rest,
    gate: app.gate,
    login,
    approver,
    decisionTimeoutMs: decisionTimeoutMs + ASKS_PER_TURN * APPROVAL_MS,
  })
}

function checkModel(model: ModelChoice): void {
  if (model.kind === 'openai' && !URL.canParse(model.baseUrl)) {
    throw new SettingError(
      'model.baseUrl',
      'is not a URL',
      'Name an OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1',
    )
  }
}

/** The one runtime of the gate. A start that failed is tried again by the next session. */
async function runtimeOf(inside: Inside, useCopilotSignIn: boolean): Promise<CopilotRuntime> {
  if (inside.closed) throw new SettingError('gateSession', 'the gate is closed', 'Call createGate again')
  if (inside.runtime !== undefined && inside.usesCopilotSignIn !== useCopilotSignIn) {
    throw new SettingError('model', 'all sessions of a gate use the Copilot sign-in, or none', 'Use a second gate')
  }
  const { world, log } = inside
  inside.usesCopilotSignIn = useCopilotSignIn
  const start = (): Promise<CopilotRuntime> => startProbedRuntime({ world, useCopilotSignIn, log })
  inside.runtime ??= start().then((first) => renewedRuntime(first, { start, log }))
  try {
    return await inside.runtime
  } catch (cause) {
    inside.runtime = undefined
    throw cause
  }
}

async function openIssuer(
  { tenant, login }: GateSettings,
  world: OpenWorld,
  closers: (() => Promise<void>)[],
): Promise<{ readonly issuer: Issuer; readonly url: string; readonly demo: boolean }> {
  const policy = { subjectType: login.subjectType, tenants: new Set([tenantId(tenant)]) }
  if ('issuer' in login) {
    const { issuer, audience, subjectClaim = 'sub' } = login
    return { issuer: createIssuer({ ...policy, issuer, audience, subjectClaim }, world), url: issuer, demo: false }
  }
  const customers = login.demoWithoutPasswords.map((id) => ({ id }))
  const running = await startIssuer({ bank: { tenant, customers } })
  closers.push(() => running.close())
  return {
    issuer: createIssuer({ ...policy, issuer: running.url, audience: AUDIENCE }, world),
    url: running.url,
    demo: true,
  }
}

function signedIn(login: Verdict<Login>, who: string): Login {
  if (login.ok) return login.value
  throw new SettingError(who, says(login.reason, []), 'Sign in again')
}
