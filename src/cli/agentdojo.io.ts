import { ORDERS, plannedRuns, type Order, type Run } from '../agentdojo/runs.ts'
import { figures, type Outcome } from '../agentdojo/score.ts'
import { readSuite } from '../agentdojo/suite-file.io.ts'
import type { Suite } from '../agentdojo/suite.ts'
import { type AgentdojoOptions, openAgentdojo } from '../compose/agentdojo.io.ts'
import { SettingError } from '../core/setting-error.ts'
import { AGENTDOJO_HEAD, agentdojoRows, type Played, sampled } from './agentdojo-view.ts'
import { Interrupted } from './failure.io.ts'
import { interruptible } from './interrupt.io.ts'
import { print, table, tell } from './output.io.ts'

export interface AgentdojoCommandOptions extends Pick<AgentdojoOptions, 'approver' | 'certificates'> {
  readonly agentdojo?: string
  readonly order: Order | 'both'
  readonly mode: 'gate' | 'prompt-only' | 'both'
  /** A whole number as text, or `all`. */
  readonly runtime?: string
  readonly json?: boolean
}

/**
 * `scenarios agentdojo`: plays the suite and prints its figures. Nothing of the suite's text is printed or kept.
 * @throws SettingError when the file is not named or is something else.
 */
export async function agentdojoCommand(options: AgentdojoCommandOptions): Promise<void> {
  const file = options.agentdojo ?? process.env['AGENTDOJO_FILE']
  if (file === undefined || file === '') {
    const fix = 'Name the JSON file of the banking suite, version v1.2.2, with --agentdojo or AGENTDOJO_FILE'
    throw new SettingError('--agentdojo', 'is missing: the suite is not part of this package', fix)
  }
  const suite = readSuite(file)
  const all = plannedRuns(suite, options.order === 'both' ? ORDERS : [options.order])
  const runs = sampled(all, sampleOf(options.runtime) ?? all.length)
  const how = howCarried(runs.length, all.length, options)
  const signal = interruptible()
  const modes = options.mode === 'both' ? (['prompt-only', 'gate'] as const) : [options.mode]
  const played: Played[] = []
  for (const mode of modes) {
    if (options.json !== true) tell(`${mode}: ${runs.length} runs …`, 'dim')
    const outcomes = await playAll(suite, runs, options, mode, signal)
    played.push({ setup: setupName(mode, options), outcomes })
  }
  if (options.json === true) print(asJson(played, how))
  else print(`${how}\n\n${table(AGENTDOJO_HEAD, played.flatMap(agentdojoRows))}`)
}

async function playAll(
  suite: Suite,
  runs: readonly Run[],
  { approver, certificates, runtime }: AgentdojoCommandOptions,
  mode: 'gate' | 'prompt-only',
  signal: AbortSignal,
): Promise<readonly Outcome[]> {
  const report = (cause: unknown): void => {
    tell(`intent-gate: ${cause instanceof Error ? cause.message : String(cause)}`, 'dim')
  }
  const bench = await openAgentdojo({
    ...{ suite, approver, certificates, mode, report },
    throughRuntime: runtime !== undefined,
  })
  try {
    const outcomes: Outcome[] = []
    for (const run of runs) {
      if (signal.aborted) throw new Interrupted('interrupted')
      outcomes.push(await bench.play(run))
    }
    return outcomes
  } finally {
    await bench.close()
  }
}

function sampleOf(runtime: string | undefined): number | undefined {
  if (runtime === undefined || runtime === 'all') return undefined
  const count = /^\d{1,6}$/.test(runtime) ? Number(runtime) : 0
  if (count > 0) return count
  throw new SettingError('--runtime', `"${runtime}" is no number of runs`, 'Give a whole number above zero, or all')
}

function howCarried(runs: number, all: number, { runtime }: AgentdojoCommandOptions): string {
  const which = runs === all ? `all ${all} runs` : `a sample of ${runs} of ${all} runs`
  const by = runtime === undefined ? 'the gate alone, without a runtime' : 'a real Copilot runtime'
  return `AgentDojo banking: ${which}, carried by ${by}; the scripted model makes the ground-truth calls.`
}

const setupName = (mode: 'gate' | 'prompt-only', { approver, certificates }: AgentdojoCommandOptions): string =>
  mode === 'gate' ? `gate, certificates ${certificates}, approver ${approver}` : 'prompt only (by construction)'

const asJson = (played: readonly Played[], how: string): string =>
  JSON.stringify({
    agentdojo: 1,
    how,
    setups: played.map(({ setup, outcomes }) => ({ setup, figures: figures(outcomes), runs: outcomes })),
  })
