import { cpus } from 'node:os'
import { openBench, type BenchOptions, type Ran, type ScenarioBench } from '../compose/scenarios.io.ts'
import { readSettings, type Settings } from '../config.io.ts'
import { SettingError } from '../core/setting-error.ts'
import { filtered, planDigest, runsOf, sizeOf, type Plan, type PlannedRun } from '../runner/plan.ts'
import { MODES, readRecord, type Mode } from '../runner/record.ts'
import type { Scenario } from '../runner/scenario.ts'
import { failuresOf } from '../runner/failures.ts'
import { Interrupted } from './failure.io.ts'
import { interruptible } from './interrupt.io.ts'
import { tell } from './output.io.ts'
import type { DomainFile } from '../compose/scenarios-stage.io.ts'
import { addFiles, loadDomain, loadScenarios } from './scenarios-files.io.ts'
import { openOut, type OutFolder } from './scenarios-out.io.ts'
import { createProgress } from './scenarios-progress.io.ts'
import { recordLine, type Made } from './scenarios-record.ts'
import type { TranscriptHead } from './transcript.ts'
import { createScores, type Scores } from './scenarios-scores.ts'
import { showScores } from './scenarios.io.ts'

export interface ScenariosRunOptions {
  readonly mode: string
  readonly domain?: string | undefined
  readonly repeats: string
  readonly filter?: string | undefined
  readonly label: string
  readonly concurrency: string
  readonly pdp?: string | undefined
  readonly certificates: BenchOptions['certificates']
  readonly model: string
  readonly record?: string | undefined
  readonly replay?: string | undefined
  readonly out?: string | undefined
  readonly json?: boolean | undefined
}

/** Milliseconds that runs under way get to end after Ctrl-C. */
const INTERRUPTED_MS = 1_000

/** `intent-gate scenarios run [file…]`: every scenario in each mode, scored by what it did. Exit 1 when one surprises. */
export async function scenariosRunCommand(files: readonly string[], options: ScenariosRunOptions): Promise<void> {
  const settings = readSettings({ PDP_KIND: options.pdp })
  const { domain, scenarios } =
    options.domain === undefined
      ? { domain: undefined, scenarios: loadScenarios(files) }
      : loadDomain(options.domain, files)
  const plan = planFor(scenarios, options)
  checkLabel(options.label)
  const concurrency = wholeNumber('--concurrency', options.concurrency, 64)
  const scores = createScores()
  const batch = { domain, plan, options, settings, concurrency, scores }
  if (options.out === undefined) {
    await runAll(batch, undefined)
  } else {
    const out = openOut(options.out, { digest: digestOf(batch), label: options.label })
    try {
      await addFiles(scores, out.files)
      await runAll(batch, out)
    } finally {
      out.close()
    }
  }
  showScores(scores, options.json === true)
}

interface Batch {
  readonly domain: DomainFile | undefined
  readonly plan: Plan
  readonly options: ScenariosRunOptions
  readonly settings: Settings
  readonly concurrency: number
  readonly scores: Scores
}

const planFor = (scenarios: readonly Scenario[], { mode, repeats, filter }: ScenariosRunOptions): Plan => ({
  scenarios: filtered(scenarios, filter),
  modes: mode === 'both' ? MODES : MODES.filter((each) => each === mode),
  repeats: wholeNumber('--repeats', repeats, 10_000),
})

function wholeNumber(option: string, given: string, most: number): number {
  const value = /^[1-9]\d{0,5}$/.test(given) ? Number(given) : 0
  if (value >= 1 && value <= most) return value
  throw new SettingError(option, `"${given}" is not a whole number from 1 to ${most}`, 'Give such a number')
}

function checkLabel(label: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/.test(label)) return
  throw new SettingError('--label', `"${label}" is no part of a file name`, 'Use letters, digits, dots, - and _')
}

function digestOf({ domain, plan, options, settings }: Batch): string {
  const { label, model, certificates, record, replay } = options
  const { PDP_KIND: pdp, INTENT_SOURCE: intents, INTENT_AGENT_URL: agent } = settings
  return planDigest(plan, { label, model, certificates, record, replay, pdp, intents, agent, domain: domain?.domain })
}

async function runAll(batch: Batch, out: OutFolder | undefined): Promise<void> {
  const due = sizeOf(batch.plan) - (out?.done.size ?? 0)
  if (due === 0) return
  if (out !== undefined && out.done.size > 0) tell(`${out.done.size} runs are done already, ${due} are left`, 'dim')
  const interrupt = interruptible()
  const stop = new AbortController()
  const stopped = AbortSignal.any([interrupt, stop.signal])
  const bench = await openBench(benchOptions(batch, stopped))
  const progress = createProgress(due)
  const work = async (run: PlannedRun): Promise<void> => {
    if (out?.done.has(run.key) === true) return
    await oneRun(batch, bench, run, stopped, (line, failed) => {
      out?.keep(run.key, run.mode, line)
      progress.step(failed)
    })
  }
  try {
    await Promise.race([inParallel(runsOf(batch.plan), batch.concurrency, stop, stopped, work), cutShort(interrupt)])
  } finally {
    progress.clear()
    for (const question of bench.unanswered()) tell(`not in the recording: ${question}`)
    await (interrupt.aborted ? Promise.race([bench.close(), pause()]) : bench.close())
  }
  if (!interrupt.aborted) return
  if (out !== undefined) tell('interrupted; the same command goes on with what is left')
  throw new Interrupted()
}

function benchOptions({ domain, plan, options, settings }: Batch, stopped: AbortSignal): BenchOptions {
  const { model, certificates, record, replay } = options
  const banks = new Set(
    plan.modes.includes('gate') && domain === undefined ? plan.scenarios.map(({ bank }) => bank) : [],
  )
  const report = (cause: unknown): void => {
    // What breaks because of Ctrl-C is no news.
    if (!stopped.aborted) tell(`warning: ${cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)}`)
  }
  return { settings, certificates, model, domain, banks, record, replay, report }
}

async function oneRun(
  batch: Batch,
  bench: ScenarioBench,
  run: PlannedRun,
  stopped: AbortSignal,
  keep: (line: string, failed: boolean) => void,
): Promise<void> {
  const { options, scores } = batch
  const ran = await bench.run(run.scenario, run.mode, stopped)
  // What an interrupt cut short is no run.
  if (stopped.aborted) return
  const line = recordLine(run, options.label, headOf(bench, ran, run.mode, batch), ran, madeNow())
  // Read back, so that what is counted now is what the file will say.
  const record = readRecord(line, options.out ?? 'this run', 1)
  keep(line, failuresOf(record, scores.add(record)).length > 0)
}

/** Says what times can be compared with; no name and no path. */
function madeNow(): Made {
  const [cpu, ...others] = cpus()
  const machine = `${others.length + 1} × ${cpu?.model ?? 'unknown processor'}, ${process.platform} ${process.arch}`
  return { at: new Date().toISOString(), machine: `${machine}, Node ${process.versions.node}` }
}

function headOf(
  { model, intentAgent }: ScenarioBench,
  { login }: Ran,
  mode: Mode,
  { domain, options, settings }: Batch,
): TranscriptHead {
  const gate = mode === 'gate'
  const { PDP_KIND, INTENT_SOURCE } = settings
  const own = { pdp: 'domain', intentSource: 'definition' }
  const { pdp, intentSource } = domain === undefined ? { pdp: PDP_KIND, intentSource: INTENT_SOURCE } : own
  return { login, gate, pdp, intentSource, intentAgent, model, certificates: gate ? options.certificates : 'off' }
}

/** Works through a list with so many at a time. After the first breakage nothing new begins, and it is thrown on. */
async function inParallel<T>(
  list: Iterator<T>,
  concurrency: number,
  stop: AbortController,
  stopped: AbortSignal,
  work: (each: T) => Promise<void>,
): Promise<void> {
  const broken: unknown[] = []
  const worker = async (): Promise<void> => {
    for (let next = list.next(); next.done !== true && !stopped.aborted; next = list.next()) {
      await work(next.value).catch((cause: unknown) => {
        // What breaks after a stop breaks because of it.
        if (!stopped.aborted) broken.push(cause)
        stop.abort()
      })
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  if (broken.length > 0) throw broken[0]
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, INTERRUPTED_MS))

/** Resolves some time after Ctrl-C: a runtime that heard it too may never answer. */
const cutShort = (interrupt: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    interrupt.addEventListener('abort', () => {
      setTimeout(resolve, INTERRUPTED_MS)
    })
  })
