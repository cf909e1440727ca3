import type { startCopilotRuntime } from '../../adapters/hosts/copilot.io.ts'
import type { CopilotRuntime, GatedSession, SessionOptions } from '../../adapters/hosts/session.ts'
import { compose, type Composition } from '../compose/compose.io.ts'
import { openModel, type OpenModel } from '../compose/model.io.ts'
import { APPROVAL_MS } from '../approval/ask.ts'
import { ASKS_PER_TURN } from '../approval/asks.ts'
import type { CertificateMode } from '../certificates/modes.ts'
import type { Settings } from '../config.io.ts'
import type { Login } from '../core/login.ts'
import { auditPath } from './audit-path.io.ts'
import { tell } from './output.io.ts'
import { openPerson, type Person } from './person.io.ts'
import { createWorld } from '../world.io.ts'
import type { TranscriptHead } from './transcript.ts'

/** The flags of `chat`; `gate` is false with `--no-gate`, which gives every protection up. */
export interface ChatOptions {
  readonly as?: string | undefined
  readonly bank: string
  readonly gate: boolean
  readonly pdp?: string | undefined
  readonly certificates: CertificateMode
  readonly model?: string | undefined
  readonly script?: string | undefined
  readonly ledger?: string | undefined
  readonly audit?: string | undefined
  readonly json?: boolean | undefined
}

/** Everything that conversations share: the graph, the model, the runtime and the audit. */
export interface Desk {
  readonly composition: Composition
  readonly options: ChatOptions
  readonly settings: Settings
  readonly runtime: CopilotRuntime
  readonly model: OpenModel
  /** Who confirms what must be confirmed; undefined without the gate. */
  readonly person: Person | undefined
  /** The audit file; undefined without the gate. */
  readonly audit: string | undefined
}

/** One customer's conversation. */
export interface Seat {
  readonly login: Login
  readonly session: GatedSession
  readonly head: TranscriptHead
}

/** Hears of breakage that changes nothing else. */
export type Warn = (cause: unknown, detail?: unknown) => void

/** What is closed at the end, last opened first. */
export type Closers = (() => Promise<void>)[]

/** Milliseconds that the host waits for the gate beyond the gate's own deadline. */
const HOST_GRACE_MS = 5_000

/**
 * Opens what conversations need. What was opened is in `closers`, also when it throws.
 * @throws SettingError for an option or a setting that cannot work.
 */
export async function openDesk(
  options: ChatOptions,
  settings: Settings,
  banks: readonly string[],
  closers: Closers,
  report: Warn,
  startRuntime: typeof startCopilotRuntime,
): Promise<Desk> {
  const file = options.gate ? (options.audit ?? auditPath(settings)) : undefined
  const graph: { composition?: Composition } = {}
  closers.push(async () => graph.composition?.close())
  const model = await openModel(options, settings)
  closers.push(() => model.close())
  // The runtime needs nothing of the graph and starts beside it.
  const useCopilotSignIn = model.model.kind === 'copilot'
  const starting = startRuntime({ world: createWorld(), log: report, useCopilotSignIn })
  const started = starting.catch(() => undefined)
  closers.push(async () => (await started)?.stop())
  graph.composition = await compose({
    settings,
    banks,
    audit: file === undefined ? 'unrecorded' : { file },
    certificates: options.certificates,
    ledgerFile: options.ledger,
    report,
    withoutGate: !options.gate,
  })
  const person = options.gate ? openPerson() : undefined
  closers.push(() => Promise.resolve(person?.close()))
  return { composition: graph.composition, person, options, settings, runtime: await starting, model, audit: file }
}

/** Opens a conversation of this login; `listeners` hear of it as it goes. */
export async function takeSeat(
  { composition, options, settings, runtime, model, person }: Desk,
  login: Login,
  listeners: Pick<SessionOptions, 'onText' | 'onDecision'>,
): Promise<Seat> {
  const session = await runtime.openSession({
    ...listeners,
    gate: composition.gate,
    login,
    model: model.model,
    system: composition.banks.get(login.tenant)?.prompt(login) ?? '',
    ...(person === undefined ? {} : { approver: person.approver }),
    decisionTimeoutMs: settings.GATE_DEADLINE_MS + ASKS_PER_TURN * APPROVAL_MS + HOST_GRACE_MS,
  })
  return { login, session, head: headOf(login, options, settings, model.name) }
}

function headOf(login: Login, options: ChatOptions, settings: Settings, model: string): TranscriptHead {
  return {
    login,
    gate: options.gate,
    pdp: settings.PDP_KIND,
    intentSource: settings.INTENT_SOURCE,
    intentAgent: intentAgentOf(settings),
    model,
    certificates: options.certificates,
  }
}

function intentAgentOf({ INTENT_AGENT_URL, INTENT_MODEL_BASE_URL, INTENT_MODEL_NAME }: Settings): string {
  if (INTENT_AGENT_URL !== undefined) return 'external'
  return INTENT_MODEL_BASE_URL === undefined ? 'standin' : `model:${INTENT_MODEL_NAME ?? ''}`
}

/** Tells who talks to which model behind which decision point, and what the audit found. */
export function announce({ head }: Seat, { audit: path, composition: { audit }, settings }: Desk): void {
  const { login, gate, pdp, intentSource, intentAgent, model } = head
  const intent = intentSource === 'agent' ? `intent-agent ${intentAgent}` : 'intent by definition'
  const decides = gate ? `PDP ${pdp}${placeOf(settings)} · ${intent}` : 'NO GATE: nothing is decided'
  tell(`${login.subject.id} at ${login.tenant} · model ${model} · ${decides}`, 'dim')
  if (audit === undefined || path === undefined) return
  tell(`audit ${path}`, 'dim')
  for (const notice of audit.notices) tell(`audit: ${notice}`)
  const open = audit.openDecisions.length
  if (open > 0) tell(`audit: ${open} permitted calls have no outcome; see intent-gate audit reconcile ${path}`)
}

/** Where the PDP is, when it is not in this process: the kind alone does not tell a real one from ours. */
function placeOf({ AUTHZEN_PDP_URL, OPENFGA_API_URL }: Settings): string {
  const url = AUTHZEN_PDP_URL ?? OPENFGA_API_URL
  return url === undefined ? '' : ` at ${new URL(url).host}`
}
