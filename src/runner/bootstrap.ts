import { randomOf } from './mutate-random.ts'

/** What one scenario adds to each of several shares, over all its runs. */
export interface Cluster {
  readonly numerators: readonly number[]
  readonly denominators: readonly number[]
}

/** From and to, each a share from 0 to 1. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** How often the scenarios are drawn anew (intent-certificate model, metrics). */
const RESAMPLES = 10_000
const SEED = 20_260_618
/** What is left out at each end: 95% lies between. */
const TAIL = 0.025

/**
 * Percentile intervals of shares that are summed over scenarios. Whole scenarios are drawn, with replacement: repeats of
 * one scenario are not independent. The same scenarios in the same order give the same numbers on every machine.
 * @returns one interval a share; undefined where no draw has anything to be a share of.
 */
export function bootstrapIntervals(scenarios: readonly Cluster[]): readonly (Interval | undefined)[] {
  const shares = (scenarios[0]?.numerators ?? []).map(() => new Float64Array(RESAMPLES))
  const width = 2 * shares.length
  // One row a scenario, numerators before denominators: millions of additions want flat numbers.
  const rows = Float64Array.from(scenarios.flatMap(({ numerators, denominators }) => [...numerators, ...denominators]))
  const random = randomOf(SEED)
  const sums = new Float64Array(width)
  for (let round = 0; round < RESAMPLES; round++) {
    sums.fill(0)
    for (let draw = 0; draw * width < rows.length; draw++) addRow(sums, rows, random(scenarios.length) * width)
    // Of nothing it is NaN, and no draw to count.
    shares.forEach((values, at) => (values[round] = (sums[at] ?? 0) / (sums[at + shares.length] ?? 0)))
  }
  return shares.map(intervalOf)
}

function addRow(sums: Float64Array, rows: Float64Array, start: number): void {
  for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + (rows[start + at] ?? 0)
}

function intervalOf(drawn: Float64Array): Interval | undefined {
  const sorted = drawn.filter((share) => !Number.isNaN(share)).sort()
  const at = (part: number): number | undefined => sorted[Math.round(part * (sorted.length - 1))]
  const [low, high] = [at(TAIL), at(1 - TAIL)]
  return low === undefined || high === undefined ? undefined : { low, high }
}
