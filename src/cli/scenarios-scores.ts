import type { RunRecord } from '../runner/record.ts'
import { createTally, settingOf, type Group, type Setting, type Tally } from '../runner/tally.ts'
import { createAccuracySum, type AccuracySum, type FieldAccuracy } from './scenarios-accuracy.ts'
import { createMetricsSum, type MetricsSum, type SummedMetrics } from './scenarios-metrics.ts'

/** One way of running, with the metrics of intent certificates where those were on. */
export interface ScoredGroup extends Group {
  readonly metrics?: SummedMetrics
  /** Of the certificates, where scenarios say what a right one holds; absent without the metrics. */
  readonly accuracy?: readonly FieldAccuracy[]
  /** Days (ISO 8601) and machines that its runs were made on, in order. */
  readonly made: { readonly days: readonly string[]; readonly machines: readonly string[] }
}

interface Beside {
  readonly metrics: MetricsSum | undefined
  readonly accuracy: AccuracySum
  readonly days: Set<string>
  readonly machines: Set<string>
}

/** The tally of runs, and the metrics beside it. */
export interface Scores extends Tally {
  groups(): readonly ScoredGroup[]
}

export function createScores(): Scores {
  const tally = createTally()
  const beside = new Map<string, Beside>()
  return {
    add: (record) => {
      const score = tally.add(record)
      const key = keyOf(settingOf(record))
      const known = beside.get(key) ?? newBeside(record)
      beside.set(key, known)
      const { metrics, accuracy, days, machines } = known
      metrics?.add(record, score)
      if (metrics !== undefined) accuracy.add(record)
      if (record.at !== undefined) days.add(record.at.slice(0, 10))
      if (record.machine !== undefined) machines.add(record.machine)
      return score
    },
    groups: () =>
      tally.groups().map((group) => {
        const { metrics, accuracy, days = [], machines = [] } = beside.get(keyOf(group.setting)) ?? {}
        const made = { days: [...days].toSorted(), machines: [...machines].toSorted() }
        if (metrics === undefined || accuracy === undefined) return { ...group, made }
        return { ...group, made, metrics: metrics.sum(), accuracy: accuracy.sum() }
      }),
    failures: () => tally.failures(),
  }
}

const keyOf = (setting: Setting): string => JSON.stringify(setting)

const newBeside = (record: RunRecord): Beside => ({
  metrics: isCertified(record) ? createMetricsSum() : undefined,
  accuracy: createAccuracySum(),
  days: new Set(),
  machines: new Set(),
})

const isCertified = ({ mode, certificates }: RunRecord): boolean => mode === 'gate' && certificates !== 'off'
