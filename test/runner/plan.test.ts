import { describe, expect, it } from 'vitest'
import { filtered, planDigest, runsOf, sizeOf, type Plan } from '../../src/runner/plan.ts'
import { readScenarios } from '../../src/runner/scenario.ts'

const item = (id: string, change: object = {}) => ({
  ...{ id, kind: 'attack', title: 'An attack', caller: 'bob', turns: [{ user: 'hello' }] },
  ...change,
})
const scenarios = readScenarios(
  JSON.stringify({
    scenarios: 1,
    family: 'some',
    items: [item('A1'), item('A10'), item('L1', { kind: 'limitation', bank: 'fjordbank' })],
  }),
  'f.json',
)
const plan: Plan = { scenarios, modes: ['prompt-only', 'gate'], repeats: 2 }

describe('runsOf', () => {
  it('has each scenario in each mode and repeat once, under a key of its own', () => {
    const keys = [...runsOf(plan)].map(({ key }) => key)
    expect(keys).toHaveLength(sizeOf(plan))
    expect(new Set(keys).size).toBe(12)
    expect(keys.slice(0, 4)).toEqual(['prompt-only/A1/1', 'prompt-only/A10/1', 'prompt-only/L1/1', 'gate/A1/1'])
  })
})

describe('planDigest', () => {
  const [first] = scenarios
  it.each([
    { what: 'the same plan', other: plan, choices: { model: 'scripted' }, same: true },
    {
      what: 'a file in another place',
      other: { ...plan, scenarios: scenarios.map((each) => ({ ...each, file: 'g.json' })) },
      choices: { model: 'scripted' },
      same: true,
    },
    { what: 'other choices', other: plan, choices: { model: 'standin' }, same: false },
    { what: 'more repeats', other: { ...plan, repeats: 3 }, choices: { model: 'scripted' }, same: false },
    {
      what: 'another word in a scenario',
      other: { ...plan, scenarios: [{ ...first!, title: 'x' }, ...scenarios.slice(1)] },
      choices: { model: 'scripted' },
      same: false,
    },
  ])('is the same for $what: $same', ({ other, choices, same }) => {
    expect(planDigest(other, choices) === planDigest(plan, { model: 'scripted' })).toBe(same)
  })
})

describe('filtered', () => {
  it.each([
    { filter: undefined, ids: ['A1', 'A10', 'L1'] },
    { filter: 'A1', ids: ['A1'] },
    { filter: 'a*', ids: ['A1', 'A10'] },
    { filter: 'L1, A10', ids: ['A10', 'L1'] },
    { filter: 'limitation', ids: ['L1'] },
    { filter: 'fjordbank', ids: ['L1'] },
    { filter: 'some', ids: ['A1', 'A10', 'L1'] },
    { filter: 'bob', ids: ['A1', 'A10', 'L1'] },
  ])('finds $ids by $filter', ({ filter, ids }) => {
    expect(filtered(scenarios, filter).map(({ id }) => id)).toEqual(ids)
  })

  it.each([{ filter: 'A2' }, { filter: 'A1,A2' }, { filter: '' }, { filter: '.*' }])(
    'refuses $filter',
    ({ filter }) => {
      expect(() => filtered(scenarios, filter)).toThrow('names no scenario')
    },
  )
})
