import { failuresOf } from './failures.ts'
import { createHistogram, type Histogram } from './histogram.ts'
import { MODES, type Mode, type RunRecord } from './record.ts'
import { scoreOf, type Score } from './score.ts'

/** What was run in the same way: one table. */
export interface Setting {
  readonly label: string
  readonly mode: Mode
  readonly model: string
  readonly pdp: string
  readonly intentAgent: string
  readonly certificates: string
}

/** The figures of some runs, in the words of the published table. */
export interface Figures {
  readonly scenarios: number
  readonly runs: number
  readonly attempted: number
  readonly blocked: number
  readonly executed: number
  readonly landedRuns: number
  readonly movedRuns: number
  readonly denied: number
  readonly controls: number
  readonly completed: number
  readonly injectedRuns: number
  readonly prompts: number
  readonly errors: number
  /** Milliseconds of a decision; undefined where nothing was decided. */
  readonly latency: Latency | undefined
}

/** Unauthorized calls of one scenario, over all its runs. */
interface ScenarioFigures {
  readonly family: string
  readonly scenario: string
  readonly kind: string
  readonly title: string
  readonly runs: number
  readonly blocked: number
  readonly executed: number
  readonly landedRuns: number
  readonly completedRuns: number
}

/** Milliseconds of many decisions. */
interface Latency {
  readonly median: number
  readonly p90: number
  readonly max: number
}

/** One set-up: all of it, by family and by scenario. */
export interface Group {
  readonly setting: Setting
  /** Of each room that had an opinion, by name. */
  readonly stages: ReadonlyMap<string, Latency>
  readonly all: Figures
  readonly families: ReadonlyMap<string, Figures>
  readonly scenarios: readonly ScenarioFigures[]
}

/** An expectation that was not met, and in how many runs. */
export interface Failure {
  readonly setting: Setting
  readonly scenario: string
  readonly says: string
  readonly runs: number
}

/** Adds up runs, in any order and in memory that does not grow with their number. */
export interface Tally {
  /** @returns the score of the run, for whoever adds up more. */
  add(record: RunRecord): Score
  /** Prompt only before the gate, labels in order. */
  groups(): readonly Group[]
  failures(): readonly Failure[]
}

/** A tally without any run. */
export function createTally(): Tally {
  const groups = new Map<string, OpenGroup>()
  const failures = new Map<string, Failure>()
  return {
    add: (record) => {
      const setting = settingOf(record)
      const key = JSON.stringify(setting)
      const group = groups.get(key) ?? newGroup(setting)
      groups.set(key, group)
      const score = scoreOf(record)
      count(group, record, score)
      for (const says of failuresOf(record, score)) {
        const failure = `${key} ${record.scenario} ${says}`
        const runs = (failures.get(failure)?.runs ?? 0) + 1
        failures.set(failure, { setting, scenario: record.scenario, says, runs })
      }
      return score
    },
    groups: () => inOrder(groups).map(closed),
    failures: () => inOrder(failures),
  }
}

/** By key, so that the order of the runs does not show; prompt only first within a label. */
function inOrder<T extends { readonly setting: Setting }>(found: ReadonlyMap<string, T>): readonly T[] {
  const place = ({ setting }: T, key: string): string =>
    JSON.stringify([setting.label, MODES.indexOf(setting.mode), key])
  return [...found]
    .toSorted(([a, one], [b, other]) => (place(one, a) < place(other, b) ? -1 : 1))
    .map(([, each]) => each)
}

/** How a run was made; runs of one setting share a table. */
export function settingOf({ label, mode, model, pdp, intentAgent, certificates }: RunRecord): Setting {
  // Without the gate nobody decides, so nothing else sets these runs apart.
  if (mode === 'prompt-only') return { label, mode, model, pdp: '', intentAgent: '', certificates: '' }
  return { label, mode, model, pdp, intentAgent, certificates }
}

type Counts = Record<Exclude<keyof Figures, 'latency' | 'scenarios'>, number>

interface Bucket {
  readonly counts: Counts
  readonly scenarios: Set<string>
  readonly latency: Histogram
}

interface OpenGroup {
  readonly setting: Setting
  readonly all: Bucket
  readonly families: Map<string, Bucket>
  readonly stages: Map<string, Histogram>
  readonly scenarios: Map<string, { -readonly [Name in keyof ScenarioFigures]: ScenarioFigures[Name] }>
}

const newGroup = (setting: Setting): OpenGroup => ({
  setting,
  all: newBucket(),
  families: new Map(),
  stages: new Map(),
  scenarios: new Map(),
})

const newBucket = (): Bucket => ({
  counts: {
    ...{ runs: 0, attempted: 0, blocked: 0, executed: 0, landedRuns: 0, movedRuns: 0, denied: 0 },
    ...{ controls: 0, completed: 0, injectedRuns: 0, prompts: 0, errors: 0 },
  },
  scenarios: new Set(),
  latency: createHistogram(),
})

function count(group: OpenGroup, record: RunRecord, score: Score): void {
  const { family } = record.facts
  const bucket = group.families.get(family) ?? newBucket()
  group.families.set(family, bucket)
  for (const each of [group.all, bucket]) add(each, record, score)
  if (record.mode === 'gate') addStages(group.stages, record)
  addScenario(group, record, score)
}

function add({ counts, scenarios, latency }: Bucket, record: RunRecord, score: Score): void {
  scenarios.add(record.scenario)
  counts.runs += 1
  counts.denied += score.denied
  counts.prompts += score.prompts
  counts.errors += Number(score.broke)
  counts.injectedRuns += Number(score.injected)
  counts.controls += Number(record.facts.kind === 'control')
  counts.completed += Number(record.facts.kind === 'control' && score.completed)
  // What a limitation lets through is allowed to the caller; it has a row of its own.
  if (record.facts.kind !== 'limitation') {
    counts.attempted += score.attempted
    counts.executed += score.executed
    counts.blocked += score.attempted - score.executed
    counts.landedRuns += Number(score.leaked || score.moved)
    counts.movedRuns += Number(score.moved)
  }
  if (record.mode === 'gate') for (const { calls } of record.turns) for (const { ms } of calls) latency.add(ms)
}

function addStages(stages: Map<string, Histogram>, { turns }: RunRecord): void {
  for (const { stages: times = {} } of turns.flatMap(({ calls }) => calls)) {
    for (const [room, ms] of Object.entries(times)) {
      const histogram = stages.get(room) ?? createHistogram()
      stages.set(room, histogram)
      histogram.add(ms)
    }
  }
}

function addScenario(group: OpenGroup, { scenario, facts }: RunRecord, score: Score): void {
  const { family, kind, title } = facts
  const figures = group.scenarios.get(scenario) ?? {
    ...{ family, scenario, kind, title },
    ...{ runs: 0, blocked: 0, executed: 0, landedRuns: 0, completedRuns: 0 },
  }
  group.scenarios.set(scenario, figures)
  figures.runs += 1
  figures.executed += score.executed
  figures.blocked += score.attempted - score.executed
  figures.landedRuns += Number(score.landed)
  figures.completedRuns += Number(score.completed)
}

function closed({ setting, all, families, stages, scenarios }: OpenGroup): Group {
  return {
    setting,
    all: figuresOf(all),
    families: new Map([...families].toSorted(byName).map(([name, bucket]) => [name, figuresOf(bucket)])),
    stages: new Map(
      [...stages].toSorted(byName).flatMap(([room, times]) => {
        const latency = latencyOf(times)
        return latency === undefined ? [] : [[room, latency] as const]
      }),
    ),
    scenarios: [...scenarios].toSorted(byName).map(([, figures]) => figures),
  }
}

const byName = <T>(one: readonly [string, T], other: readonly [string, T]): number => (one[0] < other[0] ? -1 : 1)

const figuresOf = ({ counts, scenarios, latency }: Bucket): Figures => ({
  ...counts,
  scenarios: scenarios.size,
  latency: latencyOf(latency),
})

function latencyOf(times: Histogram): Latency | undefined {
  const [median, p90, max] = [0.5, 0.9, 1].map((share) => times.quantile(share))
  const measured = median !== undefined && p90 !== undefined && max !== undefined
  return measured ? { median, p90, max } : undefined
}
