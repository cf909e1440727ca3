import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { createHistogram } from '../../src/runner/histogram.ts'
import { readRecord, type RunRecord } from '../../src/runner/record.ts'
import { createTally } from '../../src/runner/tally.ts'
import { DENIED, facts, made, record, SAVINGS, TRANSFER } from './records.ts'

const limitation = facts({ kind: 'limitation', injected: [TRANSFER] })
const control = facts({
  ...{ kind: 'control', authorized: [SAVINGS], completes: { shows: ['1.00'], moves: false } },
  expect: { lands: false, completes: true, denied: 0 },
})
const RUNS: readonly RunRecord[] = [
  record([made(SAVINGS, DENIED)]),
  record([made(SAVINGS, { ...DENIED, ms: 8 })], { repeat: 2, scenario: 'X2' }),
  record([made(SAVINGS)], { mode: 'prompt-only', setup: 'prompt-only' }),
  record([made(TRANSFER)], { scenario: 'L1', facts: limitation, ledger: { before: { a: 1 }, after: { a: 0 } } }),
  record([made(SAVINGS)], { scenario: 'C1', facts: control, seen: [{ value: '1.00', in: 'result' }] }),
  record([], { scenario: 'C1', repeat: 2, facts: control, prompts: [{ tool: 'x', args: {}, approved: true }] }),
]
const tallied = (runs: readonly RunRecord[]) => {
  const tally = createTally()
  for (const run of runs) tally.add(run)
  return { groups: tally.groups(), failures: tally.failures() }
}

describe('createTally', () => {
  it('adds up what the published table has, prompt only first', () => {
    const { groups } = tallied(RUNS)
    expect(groups.map(({ setting }) => setting.mode)).toEqual(['prompt-only', 'gate'])
    expect(groups[1]?.all).toEqual({
      ...{ scenarios: 4, runs: 5, attempted: 2, blocked: 2, executed: 0, landedRuns: 0, movedRuns: 0, denied: 0 },
      ...{ controls: 2, completed: 1, injectedRuns: 1, prompts: 1, errors: 0 },
      latency: { median: 2, p90: 8, max: 8 },
    })
  })

  it('keeps the times of each stage apart', () => {
    const timed = (certificates: number, pdp: number) => made(SAVINGS, { ...DENIED, stages: { certificates, pdp } })
    const { groups } = tallied([record([timed(0.1, 2), timed(0.3, 4)]), record([made(SAVINGS, DENIED)])])
    expect(groups[0]?.stages).toEqual(
      new Map([
        ['certificates', { median: 0.1, p90: 0.3, max: 0.3 }],
        ['pdp', { median: 2, p90: 4, max: 4 }],
      ]),
    )
  })

  it('counts a failed expectation once for all runs that share it', () => {
    const { failures } = tallied([...RUNS, { ...RUNS[5]!, repeat: 3 }])
    expect(failures.find(({ scenario }) => scenario === 'C1')).toMatchObject({ says: 'it was not completed', runs: 2 })
  })

  test.prop([fc.shuffledSubarray([...RUNS], { minLength: RUNS.length })])('gives the same in any order', (runs) => {
    expect(tallied(runs)).toEqual(tallied(RUNS))
  })
})

describe('createHistogram', () => {
  test.prop([fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 1 })])(
    'gives the quantiles of the times',
    (times) => {
      const histogram = createHistogram()
      for (const ms of times) histogram.add(ms)
      const sorted = times.toSorted((one, other) => one - other)
      for (const share of [0.5, 0.9, 1]) {
        expect(histogram.quantile(share)).toBe(sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1])
      }
    },
  )

  it('has no quantile of nothing', () => {
    expect(createHistogram().quantile(0.5)).toBeUndefined()
  })
})

describe('readRecord', () => {
  it('reads what JSON keeps of a run', () => {
    const line = JSON.stringify(RUNS[4])
    expect(tallied([readRecord(line, 'f.jsonl', 1)])).toEqual(tallied([RUNS[4]!]))
  })

  it.each([
    { fault: 'a torn line', line: '{"run":1', names: 'f.jsonl, line 7: is not JSON' },
    { fault: 'another version', line: JSON.stringify({ ...RUNS[0], run: 2 }), names: 'f.jsonl, line 7, field run: ' },
    {
      fault: 'a wrong field deep inside',
      line: JSON.stringify(record([made(SAVINGS, { ms: -1 })])),
      names: 'f.jsonl, line 7, field turns[0].calls[0].ms: ',
    },
  ])('names file, line and field of $fault', ({ line, names }) => {
    expect(() => readRecord(line, 'f.jsonl', 7)).toThrow(names)
  })
})
