import { describe, expect, it } from 'vitest'
import { bootstrapIntervals, type Cluster } from '../../src/runner/bootstrap.ts'

const scenario = (numerator: number, denominator: number): Cluster => ({
  numerators: [numerator],
  denominators: [denominator],
})
const times = (count: number, each: Cluster): readonly Cluster[] => Array.from({ length: count }, () => each)

describe('bootstrapIntervals', () => {
  it('gives the same numbers each time', () => {
    const scenarios = [...times(10, scenario(1, 1)), ...times(20, scenario(0, 1))]
    expect(bootstrapIntervals(scenarios)).toEqual(bootstrapIntervals(scenarios))
  })

  it('comes near the interval of the binomial distribution where scenarios are single runs', () => {
    // 30 of 100: the 2.5% and 97.5% quantiles of Binomial(100, 0.3) are 21 and 39.
    const [interval] = bootstrapIntervals([...times(30, scenario(1, 1)), ...times(70, scenario(0, 1))])
    expect(interval?.low).toBeCloseTo(0.21, 1)
    expect(interval?.high).toBeCloseTo(0.39, 1)
  })

  it('is no narrower for more repeats of the same scenarios', () => {
    const once = [...times(3, scenario(1, 1)), ...times(7, scenario(0, 1))]
    const often = [...times(3, scenario(50, 50)), ...times(7, scenario(0, 50))]
    expect(bootstrapIntervals(often)).toEqual(bootstrapIntervals(once))
  })

  it.each([
    { what: 'nothing', scenarios: [], intervals: [] },
    { what: 'shares of nothing', scenarios: times(3, scenario(0, 0)), intervals: [undefined] },
    { what: 'scenarios that are all alike', scenarios: times(4, scenario(2, 2)), intervals: [{ low: 1, high: 1 }] },
  ])('knows $what', ({ scenarios, intervals }) => {
    expect(bootstrapIntervals(scenarios)).toEqual(intervals)
  })

  it('draws the same scenarios for every share, and leaves out the draws of which it is no share', () => {
    const [both, half] = bootstrapIntervals([
      { numerators: [1, 1], denominators: [1, 1] },
      { numerators: [0, 0], denominators: [1, 0] },
    ])
    expect([both, half]).toEqual([
      { low: 0, high: 1 },
      { low: 1, high: 1 },
    ])
  })
})
