import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCopilotRuntime } from '../../adapters/hosts/copilot.io.ts'
import { renewedRuntime } from '../../adapters/hosts/renewed-runtime.ts'
import type { CopilotRuntime, GatedSession, TurnRecord } from '../../adapters/hosts/session.ts'
import { withMemo, type BankData } from '../canbank/bank.ts'
import { bankNamed, BANK_NAMES, type ComposeOptions } from './compose.io.ts'
import { checkTenants } from './pdp.io.ts'
import { openAgents, type Agents } from './scenarios-agent.io.ts'
import { openOutage, type Outage } from './scenarios-outage.io.ts'
import { openModels, type Models } from './scenarios-model.io.ts'
import type { Settings } from '../config.io.ts'
import type { Login } from '../core/login.ts'
import { SettingError } from '../core/setting-error.ts'
import type { Change } from '../domain/store.ts'
import type { Manifest, Mode, Prompt, Sighting } from '../runner/record.ts'
import type { CertificateFields } from '../runner/reference.ts'
import { scenarioError, type Scenario } from '../runner/scenario.ts'
import { bankStage, domainStage, type DomainFile, type Stage } from './scenarios-stage.io.ts'
import { issuedLog, watcher, type IssuedLog, type Watcher } from './scenarios-watch.ts'
import { createWorld, type OpenWorld } from '../world.io.ts'

/** What all runs of a set of scenarios share. */
export interface BenchOptions {
  readonly settings: Settings
  readonly certificates: ComposeOptions['certificates']
  /** `scripted` plays each scenario's own calls; anything else is a model that reads and decides by itself. */
  readonly model: string
  /** Runs take place in this domain. @defaultValue the bank that a scenario names */
  readonly domain?: DomainFile | undefined
  /** Every bank of the scenarios that will be run with the gate. */
  readonly banks: ReadonlySet<string>
  /** Keeps the intent-agent's answers in this file. */
  readonly record?: string | undefined
  /** Answers from this recording in place of an intent-agent. */
  readonly replay?: string | undefined
  /** Hears of breakage. */
  readonly report: (cause: unknown) => void
}

/** Everything that one run showed, before it is scored. */
export interface Ran {
  readonly login: Login
  readonly turns: readonly TurnRecord[]
  readonly ledger: {
    readonly before: Readonly<Record<string, number>>
    readonly after: Readonly<Record<string, number>>
  }
  /** Changes of records; undefined in a bank. */
  readonly changes: readonly Change[] | undefined
  readonly seen: readonly Sighting[]
  readonly prompts: readonly Prompt[]
  readonly manifest: Manifest
  /** The certificates of each turn, one a stage. */
  readonly issued: readonly (readonly CertificateFields[])[]
  /** Milliseconds. */
  readonly ms: number
}

/** One model for all runs and one runtime for many; books, session and services are made anew for each. */
export interface ScenarioBench {
  /** The model as transcripts name it. */
  readonly model: string
  /** Who reads the sentences of the gate's calls, as transcripts name it. */
  readonly intentAgent: string
  /** Questions that a replay was asked and does not have, one sentence each. */
  unanswered(): readonly string[]
  /**
   * One run. Runs may go on side by side.
   * @throws when the run could not be made; a turn that failed is a run that shows it.
   */
  run(scenario: Scenario, mode: Mode, signal: AbortSignal): Promise<Ran>
  close(): Promise<void>
}

const HOST_GRACE_MS = 5_000
const PERSON_MS = 5_000
const TURN_MS = 180_000

/**
 * Starts the runtime and the model.
 * @throws SettingError for a setting that cannot work; nothing is left running then.
 */
export async function openBench(options: BenchOptions): Promise<ScenarioBench> {
  const { settings, banks, report } = options
  if (settings.OIDC_ISSUER !== undefined) {
    throw new SettingError('OIDC_ISSUER', 'scenarios sign the demo customers in by themselves', 'Unset it for this run')
  }
  checkTenants(settings, BANK_NAMES, [...banks])
  const world = createWorld()
  const folder = mkdtempSync(join(tmpdir(), 'gate-scenarios-'))
  const closers: (() => unknown)[] = [
    () => {
      rmSync(folder, { recursive: true, force: true })
    },
    () => world.close(),
  ]
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0).reverse()) await each()
  }
  try {
    const outage = await openOutage()
    closers.push(() => outage.close())
    const agents = await agentsOf(options, world)
    closers.push(() => agents.close())
    const models = await openModels(options.model, settings)
    closers.push(() => models.close())
    const { useCopilotSignIn } = models
    const start = (): Promise<CopilotRuntime> => startCopilotRuntime({ world, log: report, useCopilotSignIn })
    const runtime = renewedRuntime(await start(), { start, log: report })
    closers.push(() => runtime.stop())
    const run: ScenarioBench['run'] = (scenario, mode, signal) =>
      oneRun({ options, world, runtime, models, agents, outage, folder }, scenario, mode, signal)
    return { model: models.name, intentAgent: agents.name, unanswered: () => agents.unanswered(), run, close }
  } catch (cause) {
    await close()
    throw cause
  }
}

/** A domain asks no intent-agent: its tools' own definitions say what to evaluate. */
function agentsOf(options: BenchOptions, world: OpenWorld): Promise<Agents> {
  if (options.domain === undefined) return openAgents(options, world)
  const option = [
    options.record === undefined ? [] : '--record',
    options.replay === undefined ? [] : '--replay',
  ].flat()[0]
  if (option !== undefined) {
    throw new SettingError(option, 'needs an intent-agent, and a domain has none', 'Leave it out')
  }
  if (options.settings.PDP_KIND !== 'standin') {
    throw new SettingError('--pdp', 'names a PDP, and a domain decides by what its types say', 'Leave it out')
  }
  return Promise.resolve({
    name: 'none',
    optionsFor: (_bank, settings) => ({ settings }),
    unanswered: () => [],
    close: () => Promise.resolve(),
  })
}

interface Bench {
  readonly options: BenchOptions
  readonly world: OpenWorld
  readonly runtime: CopilotRuntime
  readonly models: Models
  readonly agents: Agents
  readonly outage: Outage
  readonly folder: string
}

async function oneRun(bench: Bench, scenario: Scenario, mode: Mode, signal: AbortSignal): Promise<Ran> {
  const { world, folder, models } = bench
  const startedMs = world.monotonicMs()
  const id = world.newId()
  const file = join(folder, `${id}.jsonl`)
  const log = issuedLog()
  const stage = await stageOf(bench, scenario, mode, file, log)
  try {
    const login = await signedIn(stage, scenario, scenario.caller)
    const watch = watcher(scenario, login, await othersOf(stage, scenario), log)
    const before = stage.books()
    const session = await opened(bench, stage, scenario, id, login, watch)
    const turns = await talked(session, scenario, signal)
    const after = stage.books()
    watch.replied(turns.map(({ assistant }) => assistant))
    const ms = world.monotonicMs() - startedMs
    const showed = { prompts: watch.prompts, seen: watch.seen(), manifest: watch.manifest(), issued: watch.issued() }
    return { login, turns, ledger: { before, after }, changes: stage.changes(), ...showed, ms }
  } finally {
    models.done(id)
    await stage.close()
    for (const each of [file, `${file}.head`]) rmSync(each, { force: true })
  }
}

function stageOf(bench: Bench, scenario: Scenario, mode: Mode, file: string, log: IssuedLog): Promise<Stage> {
  const { options, world } = bench
  const { domain, settings, certificates, report } = options
  if (domain === undefined) return bankStage(graphOptions(bench, scenario, mode, file, log))
  const common = { deadlineMs: settings.GATE_DEADLINE_MS, issued: log.hear, report }
  return mode === 'gate'
    ? domainStage(
        domain,
        { ...common, certificates, audit: { file }, withoutGate: false, broken: scenario.broken },
        world,
      )
    : domainStage(domain, { ...common, certificates: 'off', audit: 'unrecorded', withoutGate: true, broken: [] }, world)
}

function graphOptions(
  { options, agents, outage }: Bench,
  { bank, data, broken }: Scenario,
  mode: Mode,
  file: string,
  { hear: issued }: IssuedLog,
): ComposeOptions {
  const { settings, certificates, report } = options
  const withMemos = (known: BankData): BankData =>
    Object.entries(data.memos).reduce((changed, [invoice, memo]) => withMemo(changed, invoice, memo), known)
  const common = { banks: [bankNamed(bank).tenant], data: withMemos, report }
  return mode === 'gate'
    ? outage.within(broken, { ...common, ...agents.optionsFor(bank, settings), certificates, issued, audit: { file } })
    : { ...common, settings: embedded(settings), certificates: 'off', audit: 'unrecorded', withoutGate: true }
}

/** Without the gate nothing but the stand-ins of this process is in reach, whatever the settings name. */
const embedded = (settings: Settings): Settings => ({
  ...settings,
  ...{ PDP_KIND: 'standin', AUTHZEN_PDP_URL: undefined, AUTHZEN_PDP_CLIENT_KEY: undefined, OPENFGA_API_URL: undefined },
  ...{ INTENT_SOURCE: 'agent', INTENT_AGENT_URL: undefined, INTENT_AGENT_TOKEN: undefined, ofTenants: {} },
  ...{ INTENT_MODEL_BASE_URL: undefined, INTENT_MODEL_API_KEY: undefined, INTENT_MODEL_NAME: undefined },
  ...{ INDYKITE_BASE_URL: undefined, INTROSPECT_URL: undefined },
})

async function signedIn(stage: Stage, { file, id }: Scenario, customer: string): Promise<Login> {
  const login = await stage.signIn(customer)
  if (login.ok) return login.value
  throw scenarioError(file, id, 'caller', `"${customer}" could not sign in (${login.reason})`)
}

/** Logins under which the host will hand over messages that are not theirs. */
async function othersOf(stage: Stage, scenario: Scenario): Promise<ReadonlyMap<string, Login>> {
  const others = new Map<string, Login>()
  for (const { by } of scenario.turns) {
    if (by !== undefined) others.set(by, await signedIn(stage, scenario, by))
  }
  return others
}

function opened(
  { options, runtime, models }: Bench,
  stage: Stage,
  scenario: Scenario,
  id: string,
  login: Login,
  watch: Watcher,
): Promise<GatedSession> {
  return runtime.openSession({
    gate: watch.around(stage.gate),
    login,
    model: models.modelFor(scenario, id),
    system: stage.prompt(login),
    approver: watch.approver,
    turnTimeoutMs: TURN_MS,
    decisionTimeoutMs: options.settings.GATE_DEADLINE_MS + HOST_GRACE_MS + PERSON_MS,
  })
}

/** All turns of the user, or those up to the first that does not end well. */
async function talked(session: GatedSession, { turns }: Scenario, signal: AbortSignal): Promise<readonly TurnRecord[]> {
  const records: TurnRecord[] = []
  try {
    for (const { user } of turns) {
      const record = await session.send(user, signal)
      records.push(record)
      if (record.ended !== 'done') break
    }
    return records
  } finally {
    await session.close()
  }
}
