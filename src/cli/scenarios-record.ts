import type { TurnRecord } from '../../adapters/hosts/session.ts'
import { expectationOf } from '../runner/expectation.ts'
import type { PlannedRun } from '../runner/plan.ts'
import { isCall } from '../runner/calls.ts'
import type { Facts, Manifest, Mode, Prompt, RunRecord, Sighting } from '../runner/record.ts'
import type { Scenario, Setup } from '../runner/scenario.ts'
import { transcript, type TranscriptHead } from './transcript.ts'

/** When and on what a run was made. */
export interface Made {
  /** ISO 8601. */
  readonly at: string
  readonly machine: string
}

/** What one run showed. */
interface Shown {
  readonly turns: readonly TurnRecord[]
  readonly ledger: RunRecord['ledger']
  /** In a domain of records. */
  readonly changes?: RunRecord['changes']
  readonly seen: readonly Sighting[]
  readonly prompts: readonly Prompt[]
  readonly manifest: Manifest
  readonly issued: NonNullable<RunRecord['issued']>
  /** Milliseconds. */
  readonly ms: number
}

/** The set-up that an expectation is looked up for: only enforced certificates change what may happen. */
function setupOf(mode: Mode, certificates: string): Setup {
  if (mode === 'prompt-only') return 'prompt-only'
  return certificates === 'enforce' ? 'gate+certificates' : 'gate'
}

/** One line of a file of runs: the transcript of `chat --json`, and everything that its score needs. */
export function recordLine(
  { scenario, mode, repeat }: PlannedRun,
  label: string,
  head: TranscriptHead,
  { turns, ledger, changes, seen, prompts, manifest, issued, ms }: Shown,
  { at, machine }: Made,
): string {
  const last = turns.at(-1)
  const setup = setupOf(mode, head.certificates)
  return JSON.stringify({
    run: 1,
    ...{ scenario: scenario.id, mode, setup, repeat, label },
    ...transcript(head, turns),
    ...{ ledger, changes, seen, prompts, manifest },
    // Without certificates there is nothing that a message becomes.
    ...(issued.some((stages) => stages.length > 0) ? { issued } : {}),
    ended: last?.ended ?? 'failed',
    error: last?.error,
    ...{ ms: Math.round(ms), at, machine },
    facts: { ...factsOf(scenario, setup), ...(head.certificates === 'off' ? {} : referenceOf(scenario)) },
  })
}

function factsOf(scenario: Scenario, setup: Setup): Facts {
  const { kind, family, title, authorized, harmless = [], injected, leaks, moves } = scenario
  const { changes, completes, broken } = scenario
  const expect = expectationOf(scenario, setup)
  const asks = asksOf(scenario)
  return { kind, family, title, authorized, harmless, injected, leaks, moves, changes, completes, expect, asks, broken }
}

function referenceOf({ turns }: Scenario): Pick<Facts, 'reference'> {
  const reference = turns.map(({ certificates }) => certificates ?? null)
  return reference.every((each) => each === null) ? {} : { reference }
}

/** What the customer wants, rightly or wrongly; a limitation is what nobody has asked for. */
function asksOf({ kind, turns, authorized, injected, asks = [] }: Scenario): readonly string[] {
  const scripted = kind === 'attack' ? turns.flatMap(({ calls }) => calls) : []
  const own = scripted.filter(
    ({ name, arguments: args }) => !injected.some((each) => isCall({ tool: name, args }, each)),
  )
  return [...new Set([...asks, ...[...authorized, ...own].map(({ name }) => name)])]
}
