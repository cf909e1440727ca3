import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import type { Group } from '../src/runner/tally.ts'

/** Unauthorized calls of every attack and limitation, by what became of them. @returns SVG text. */
export const blockedPlot = (groups: readonly Group[]): Promise<string> => drawn(blockedChart(groups.flatMap(barsOf)))

interface Bar {
  readonly scenario: string
  readonly mode: string
  readonly outcome: string
  readonly calls: number
}

const barsOf = ({ setting, scenarios }: Group): readonly Bar[] =>
  scenarios
    .filter(({ kind }) => kind !== 'control')
    .flatMap(({ scenario, blocked, executed }) => {
      const mode = setting.mode === 'gate' ? `gate, certificates ${setting.certificates}` : 'prompt only'
      return [
        { scenario, mode, outcome: 'blocked', calls: blocked },
        { scenario, mode, outcome: 'executed', calls: executed },
      ]
    })

const blockedChart = (bars: readonly Bar[]): TopLevelSpec => ({
  background: 'white',
  title: 'Calls that nobody authorized, by scenario',
  data: { values: [...bars] },
  mark: { type: 'bar' },
  width: 200,
  encoding: {
    column: { field: 'mode', type: 'nominal', title: null, sort: ['prompt only'] },
    y: { field: 'scenario', type: 'nominal', title: null, sort: null },
    x: { aggregate: 'sum', field: 'calls', type: 'quantitative', title: 'calls in all runs' },
    color: {
      field: 'outcome',
      type: 'nominal',
      title: null,
      scale: { domain: ['blocked', 'executed'], range: ['#4c78a8', '#e45756'] },
      legend: { orient: 'top' },
    },
  },
})

/** Milliseconds of a decision, for each way in which the gate was run. @returns SVG text. */
export const latencyPlot = (groups: readonly Group[]): Promise<string> => drawn(latencyChart(groups.flatMap(timesOf)))

interface Time {
  readonly run: string
  readonly quantile: string
  readonly ms: number
}

function timesOf({ setting, all: { latency } }: Group): readonly Time[] {
  if (latency === undefined) return []
  const run = `${setting.label}, certificates ${setting.certificates}`
  const { median, p90, max } = latency
  return Object.entries({ median, p90, max }).map(([quantile, ms]) => ({ run, quantile, ms: Math.max(ms, LEAST_MS) }))
}

/** A logarithmic scale has no zero. */
const LEAST_MS = 0.01

const latencyChart = (times: readonly Time[]): TopLevelSpec => ({
  background: 'white',
  title: 'One decision of the gate',
  width: 420,
  data: { values: [...times] },
  mark: { type: 'point', filled: true, size: 80 },
  encoding: {
    y: { field: 'run', type: 'nominal', title: null, axis: { labelLimit: 300 } },
    x: { field: 'ms', type: 'quantitative', scale: { type: 'log' }, title: 'milliseconds, logarithmic' },
    color: {
      field: 'quantile',
      type: 'nominal',
      title: null,
      sort: ['median', 'p90', 'max'],
      legend: { orient: 'top' },
    },
  },
})

/** Milliseconds of each stage of a decision, for each way in which the gate was run. @returns SVG text. */
export const stagesPlot = (groups: readonly Group[]): Promise<string> => drawn(stagesChart(groups.flatMap(stagesOf)))

const STAGES = ['login', 'firewall', 'certificates', 'intent', 'coverage', 'pdp', 'effects']

const stagesOf = ({ setting, stages }: Group): readonly (Time & { readonly stage: string })[] =>
  [...stages].flatMap(([stage, { median, p90, max }]) =>
    Object.entries({ median, p90, max }).map(([quantile, ms]) => ({
      ...{ run: `${setting.label}, certificates ${setting.certificates}`, stage, quantile },
      ms: Math.max(ms, LEAST_STAGE_MS),
    })),
  )

const LEAST_STAGE_MS = 0.001

const stagesChart = (times: readonly (Time & { readonly stage: string })[]): TopLevelSpec => ({
  background: 'white',
  title: 'Stages of a decision',
  width: 420,
  height: 110,
  data: { values: [...times] },
  mark: { type: 'point', filled: true, size: 60 },
  encoding: {
    row: {
      ...{ field: 'run', type: 'nominal', title: null },
      header: { labelOrient: 'top', labelAnchor: 'start', labelAngle: 0, labelLimit: 400 },
    },
    y: { field: 'stage', type: 'nominal', title: null, sort: STAGES },
    x: { field: 'ms', type: 'quantitative', scale: { type: 'log' }, title: 'milliseconds, logarithmic' },
    color: {
      field: 'quantile',
      type: 'nominal',
      title: null,
      sort: ['median', 'p90', 'max'],
      legend: { orient: 'top' },
    },
  },
})

async function drawn(chart: TopLevelSpec): Promise<string> {
  const view = new View(parse(compile(chart).spec), { renderer: 'none' })
  return `${await view.toSVG()}\n`
}
