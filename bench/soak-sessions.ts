import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startCopilotRuntime } from '../adapters/hosts/copilot.io.ts'
import { renewedRuntime } from '../adapters/hosts/renewed-runtime.ts'
import type { CopilotRuntime, TurnRecord } from '../adapters/hosts/session.ts'
import { verifyAudit } from '../src/audit/verify.io.ts'
import { BANKS } from '../src/canbank/banks.ts'
import { compose, type Composition } from '../src/compose/compose.io.ts'
import { readSettings } from '../src/config.io.ts'
import { tenantId } from '../src/core/ids.ts'
import { startBankStandins } from '../standins/all.ts'
import { startModel } from '../standins/model-server.ts'
import { descendants, residentMb } from './memory.ts'
import type { Place } from './place.ts'
import { randoms } from './randoms.ts'
import { marked, TENANTS, type Who } from './soak-banks.ts'
import {
  effectFaults,
  lineFaults,
  memoryReport,
  turnFaults,
  type Line,
  type MemoryReport,
  type MemorySample,
} from './soak-checks.ts'
import { AGENT_FAULTS, beFaulty, LATE_MS, PDP_FAULTS, type FaultyService } from './soak-faults.ts'
import { messageOf, plannedBrain, planOf } from './soak-plan.ts'

export interface SessionsOptions {
  readonly place: Place
  readonly sessions: number
  readonly minutes: number
  readonly seed: number
  /** Called once everything is running, before the first session. */
  readonly opened: () => void
  /** Hears of every session that is over, with what is wrong in it and how many megabytes this process has. */
  readonly over: (faults: readonly string[], ownMb: number) => void
}

export interface SessionsReport {
  readonly sessions: number
  readonly turns: number
  /** How many calls came to what: `permit`, or the reason of the refusal. */
  readonly decisions: Readonly<Record<string, number>>
  readonly transfers: number
  readonly auditLines: number
  readonly played: Readonly<Record<'pdp' | 'agent', Readonly<Record<string, number>>>>
  readonly memory: MemoryReport & { readonly samples: readonly MemorySample[] }
  /** Values of somebody else in a reply, a decision or a line of the audit, and whatever else was wrong with those. */
  readonly crossTalk: readonly string[]
  readonly effectsWithoutRecord: readonly string[]
  /** Everything else. */
  readonly faults: readonly string[]
}

const AT_ONCE = 8
const SAMPLE_EVERY_MS = 1_000

/** What the sessions share. */
interface Bench {
  readonly composition: Composition
  readonly runtime: CopilotRuntime
  /** Process ids of the runtime. */
  readonly modelUrl: string
  readonly pdps: readonly FaultyService[]
  readonly agent: FaultyService
  close(): Promise<void>
}

/**
 * Sessions of customers of two banks on one real runtime and one gate, spread over the minutes, each with random calls
 * that a seed repeats, while PDPs and intent-agent answer wrongly, late or not at all.
 */
export async function soakSessions(options: SessionsOptions): Promise<SessionsReport> {
  const audit = options.place.file('sessions.jsonl')
  const bench = await openBench(options.seed, audit)
  options.opened()
  try {
    const load = await runSessions(bench, options)
    await bench.composition.audit?.close()
    const lines = readFileSync(audit, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line)
    const effects = TENANTS.map((tenant) => {
      const ledger = bench.composition.banks.get(tenantId(tenant))?.ledger
      if (ledger === undefined) throw new Error(`${tenant} is not served`)
      return effectFaults(ledger, lines)
    })
    const { problems } = await verifyAudit(audit)
    const transfers = effects.reduce((sum, each) => sum + each.transfers, 0)
    return {
      sessions: load.sessions.size,
      turns: load.turns,
      decisions: load.decisions,
      transfers,
      auditLines: lines.length,
      played: { pdp: sumOf(bench.pdps.map(({ played }) => played)), agent: bench.agent.played },
      memory: { ...memoryReport(load.samples, options.sessions), samples: load.samples },
      crossTalk: [...load.faults, ...lineFaults(lines, load.sessions)],
      effectsWithoutRecord: effects.flatMap(({ faults }) => faults),
      faults: [
        ...problems.map(({ line, says }) => `line ${line} of the audit ${says}`),
        ...idleFaults(options.sessions, load.decisions, transfers),
      ],
    }
  } finally {
    await bench.close()
  }
}

/** A soak in which nothing is permitted, or nothing refused, shows nothing. */
function idleFaults(
  sessions: number,
  decisions: Readonly<Record<string, number>>,
  transfers: number,
): readonly string[] {
  if (sessions < 20) return []
  const happened = { 'no call was permitted': decisions['permit'], 'no call was denied': decisions['pdp.denied'] }
  const missing = Object.entries(happened).flatMap(([says, count = 0]) => (count === 0 ? [says] : []))
  return transfers === 0 ? [...missing, 'no money was moved'] : missing
}

async function openBench(seed: number, audit: string): Promise<Bench> {
  const closers: (() => Promise<void>)[] = []
  const opened = <T extends { close(): Promise<void> }>(each: T): T => {
    closers.push(() => each.close())
    return each
  }
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0).reverse()) await each()
  }
  try {
    const standins = await Promise.all(TENANTS.map((tenant) => startBankStandins({ bank: marked(BANKS[tenant]) })))
    standins.forEach(opened)
    const pdps = await Promise.all(
      standins.map(async ({ indykiteUrl }, n) =>
        opened(await beFaulty(indykiteUrl, PDP_FAULTS, randoms(seed + 1 + n))),
      ),
    )
    const agent = opened(await beFaulty(standins[0]?.agentUrl ?? '', AGENT_FAULTS, randoms(seed + 9)))
    const settings = readSettings({
      ...Object.fromEntries(TENANTS.map((tenant, n) => [`AUTHZEN_PDP_URL__${tenant.toUpperCase()}`, pdps[n]?.url])),
      INTENT_AGENT_URL: agent.url,
      INTENT_AGENT_TIMEOUT_MS: String(LATE_MS / 3),
      GATE_DEADLINE_MS: String((LATE_MS * 2) / 3),
    })
    const composition = opened(
      await compose({ settings, banks: TENANTS, audit: { file: audit }, data: marked, certificates: 'off' }),
    )
    const model = opened(await startModel({ brain: plannedBrain, name: 'planned' }))
    const start = (): Promise<CopilotRuntime> => startCopilotRuntime({ world: composition.world })
    const runtime = renewedRuntime(await start(), { start, log: () => undefined })
    closers.push(() => runtime.stop())
    return { composition, runtime, modelUrl: model.url, pdps, agent, close }
  } catch (cause) {
    await close()
    throw cause
  }
}

/** What has come of the sessions so far. */
interface Load {
  /** By session id. */
  readonly sessions: Map<unknown, Who>
  turns: number
  readonly decisions: Record<string, number>
  readonly samples: MemorySample[]
  readonly faults: string[]
}

async function runSessions(bench: Bench, { sessions, minutes, seed, over }: SessionsOptions): Promise<Load> {
  const load: Load = { sessions: new Map(), turns: 0, decisions: {}, samples: [], faults: [] }
  const startedMs = performance.now()
  const everyMs = (minutes * 60_000) / Math.max(1, sessions)
  let next = 0
  let sampledMs = -Infinity
  const work = async (): Promise<void> => {
    for (let n = next++; n < sessions; n = next++) {
      await wait(Math.max(0, startedMs + n * everyMs - performance.now()))
      const faults = await oneSession(bench, n, seed, load)
      load.faults.push(...faults)
      if (performance.now() - sampledMs >= SAMPLE_EVERY_MS) {
        sampledMs = performance.now()
        load.samples.push(sampled(load.sessions.size, descendants(process.pid)))
      }
      over(faults, load.samples.at(-1)?.ownMb ?? 0)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return load
}

/** One customer from the sign-in to the end; gives what was wrong. */
async function oneSession(bench: Bench, n: number, seed: number, load: Load): Promise<readonly string[]> {
  const plan = planOf(n, randoms(seed * 1_000 + n))
  const { composition, runtime, modelUrl } = bench
  const login = await composition.signIn(tenantId(plan.who.tenant), plan.who.customer)
  if (!login.ok) return [`session ${n}: ${plan.who.customer} of ${plan.who.tenant} could not sign in: ${login.detail}`]
  const session = await runtime.openSession({
    gate: composition.gate,
    login: login.value,
    model: { kind: 'openai', baseUrl: modelUrl, name: 'planned' },
    system: 'You are the assistant of a bank.',
  })
  load.sessions.set(session.id, plan.who)
  try {
    const faults: string[] = []
    for (const [turn, calls] of plan.turns.entries()) {
      const record = await session.send(messageOf(calls))
      load.turns += 1
      count(load.decisions, record)
      faults.push(...turnFaults(plan, turn, record).map((fault) => `session ${n} (seed ${seed}): ${fault}`))
    }
    return faults
  } finally {
    await session.close()
  }
}

function count(decisions: Record<string, number>, { calls }: TurnRecord): void {
  for (const { judgement } of calls) {
    const name = judgement.decision.kind === 'permit' ? 'permit' : judgement.decision.reason
    decisions[name] = (decisions[name] ?? 0) + 1
  }
}

setFlagsFromString('--expose-gc')
/** What is garbage is no leak. */
const collect = runInNewContext('gc') as () => void

function sampled(sessions: number, runtime: readonly number[]): MemorySample {
  collect()
  const runtimeMb = runtime.reduce((sum, pid) => sum + (residentMb(pid) ?? 0), 0)
  return { sessions, ownMb: round(process.memoryUsage().rss / 1e6), runtimeMb: round(runtimeMb) }
}

const round = (mb: number): number => Math.round(mb * 10) / 10

const sumOf = (all: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> =>
  all.reduce<Record<string, number>>((sum, each) => {
    for (const [name, times] of Object.entries(each)) sum[name] = (sum[name] ?? 0) + times
    return sum
  }, {})
