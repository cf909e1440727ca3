import { bootstrapIntervals, type Interval } from './bootstrap.ts'

/** So many of so many. */
interface Counted {
  readonly numerator: number
  readonly denominator: number
}

/** A share, how sure it is, and how many scenarios it is of. */
export interface Estimate extends Counted {
  readonly scenarios: number
  /** 95%, by drawing whole scenarios anew; absent where nothing was counted. */
  readonly interval?: Interval
}

export const NO_ESTIMATE: Estimate = { numerator: 0, denominator: 0, scenarios: 0 }

/** Adds up shares scenario by scenario, in memory that grows with their number and not with that of runs. */
export interface EstimateSum<Name extends string> {
  add(scenario: string, name: Name, counted: Counted): void
  /** Of the scenarios that are meant, and of these shares; of all of them without a test. */
  estimates(wanted: readonly Name[], isMeant?: (scenario: string) => boolean): ReadonlyMap<Name, Estimate>
}

export function createEstimateSum<Name extends string>(names: readonly Name[]): EstimateSum<Name> {
  const scenarios = new Map<string, { readonly numerators: number[]; readonly denominators: number[] }>()
  return {
    add: (scenario, name, { numerator, denominator }) => {
      const zeros = (): number[] => names.map(() => 0)
      const sums = scenarios.get(scenario) ?? { numerators: zeros(), denominators: zeros() }
      scenarios.set(scenario, sums)
      const at = names.indexOf(name)
      sums.numerators[at] = (sums.numerators[at] ?? 0) + numerator
      sums.denominators[at] = (sums.denominators[at] ?? 0) + denominator
    },
    estimates: (wanted, isMeant = () => true) => {
      const places = wanted.map((name) => names.indexOf(name))
      const chosen = (sums: readonly number[]): readonly number[] => places.map((at) => sums[at] ?? 0)
      // In the order of the names, so that the order of the runs does not show.
      const meant = [...scenarios].filter(([scenario]) => isMeant(scenario)).toSorted(byName)
      const clusters = meant.map(([, { numerators, denominators }]) => ({
        numerators: chosen(numerators),
        denominators: chosen(denominators),
      }))
      const intervals = bootstrapIntervals(clusters)
      return new Map(
        wanted.map((name, at): [Name, Estimate] => {
          const total = (of: 'numerators' | 'denominators'): number =>
            clusters.reduce((sum, cluster) => sum + (cluster[of][at] ?? 0), 0)
          const counted = { numerator: total('numerators'), denominator: total('denominators') }
          const counting = clusters.filter(({ denominators }) => (denominators[at] ?? 0) > 0).length
          const interval = intervals[at]
          return [name, { ...counted, scenarios: counting, ...(interval === undefined ? {} : { interval }) }]
        }),
      )
    },
  }
}

const byName = <T>([one]: readonly [string, T], [other]: readonly [string, T]): number => (one < other ? -1 : 1)
