import { describe, expect, it } from 'vitest'
import { expectationOf } from '../../src/runner/expectation.ts'
import { checkIds, readScenarios, SETUPS, type Scenario } from '../../src/runner/scenario.ts'

const ITEM = { id: 'X1', kind: 'attack', title: 'An attack', caller: 'bob', turns: [{ user: 'hello' }] }
const file = (...items: readonly object[]): string => JSON.stringify({ scenarios: 1, family: 'some', items })
const one = (change: object): Scenario => readScenarios(file({ ...ITEM, ...change }), 'f.json')[0]!

describe('readScenarios', () => {
  it('fills in every default', () => {
    expect(one({})).toMatchObject({
      ...{
        bank: 'canbank',
        family: 'some',
        file: 'f.json',
        authorized: [],
        leaks: [],
        moves: [],
        approver: [],
        broken: [],
      },
      turns: [{ user: 'hello', calls: [], together: false }],
      data: { memos: {} },
    })
  })

  it.each([
    { fault: 'no JSON', text: '{', names: 'f.json: it is not usable JSON (not JSON)' },
    {
      fault: 'a key twice',
      text: '{"scenarios":1,"scenarios":1}',
      names: 'f.json: it is not usable JSON (a duplicate key)',
    },
    {
      fault: 'another version',
      text: '{"scenarios":2,"family":"some","items":[{}]}',
      names: 'f.json, field scenarios: must be 1, the version of the form',
    },
    {
      fault: 'no family',
      text: '{"scenarios":1,"family":"No","items":[{}]}',
      names: 'f.json, field family: must be a lower-case word',
    },
    {
      fault: 'an unknown field of the file',
      text: '{"scenarios":1,"family":"some","items":[{}],"x":1}',
      names: 'f.json, field x: ',
    },
    { fault: 'an item without an id', text: file({}), names: 'f.json, scenario number 1, field id: ' },
    {
      fault: 'a kind of its own',
      text: file({ ...ITEM, kind: 'other' }),
      names: 'f.json, scenario X1, field kind: must be attack, limitation or control',
    },
    {
      fault: 'a misspelt field deep inside',
      text: file({ ...ITEM, turns: [{ user: 'hello', calls: [{ name: 'a', arguments: {}, args: {} }] }] }),
      names: 'f.json, scenario X1, field turns[0].calls[0].args: ',
    },
    {
      fault: 'a move without decimals',
      text: file({ ...ITEM, moves: [{ from: 'a', to: 'b', amount: '500' }] }),
      names: 'f.json, scenario X1, field moves[0].amount: must be spelled like 500.00',
    },
    {
      fault: 'a control that nothing completes',
      text: file({ ...ITEM, kind: 'control', completes: {} }),
      names: 'f.json, scenario X1, field completes: is needed by a control',
    },
    {
      fault: 'a part that cannot break',
      text: file({ ...ITEM, broken: ['audit'] }),
      names: 'f.json, scenario X1, field broken[0]: must be pdp, intent-agent, customer-data',
    },
    {
      fault: 'nothing that is hidden',
      text: file({ ...ITEM, expect: { gate: { hides: [] } } }),
      names: 'f.json, scenario X1, field expect.gate.hides: ',
    },
    {
      fault: 'an expectation of an unknown set-up',
      text: file({ ...ITEM, expect: { gated: {} } }),
      names: 'f.json, scenario X1, field expect.gated: ',
    },
  ])('names file, scenario and field of $fault', ({ text, names }) => {
    expect(() => readScenarios(text, 'f.json')).toThrow(names)
  })

  it('refuses an id that two scenarios have', () => {
    const twice = [...readScenarios(file(ITEM), 'a.json'), ...readScenarios(file(ITEM), 'b.json')]
    expect(() => {
      checkIds(twice)
    }).toThrow('b.json, scenario X1, field id: is also the id of a scenario in a.json')
  })
})

describe('expectationOf', () => {
  it.each([
    { kind: 'attack', lands: [true, false, false] },
    { kind: 'limitation', lands: [true, true, false] },
    { kind: 'control', lands: [false, false, false] },
  ])('follows from the kind of $kind', ({ kind, lands }) => {
    const scenario = one({ kind, completes: { shows: ['1.00'] } })
    expect(SETUPS.map((setup) => expectationOf(scenario, setup).lands)).toEqual(lands)
    expect(SETUPS.map((setup) => expectationOf(scenario, setup).completes)).toEqual([true, true, true])
  })

  it('takes the words of the scenario over what follows from its kind', () => {
    const said = { outcomes: ['ran', 'pdp.denied'], prompts: 1, hides: ['transfer_money'] }
    const scenario = one({ expect: { 'prompt-only': { lands: false }, gate: { denied: 2, ...said } } })
    expect(expectationOf(scenario, 'prompt-only')).toEqual({ lands: false, completes: false, denied: 0 })
    expect(expectationOf(scenario, 'gate')).toEqual({ lands: false, completes: false, denied: 2, ...said })
  })
})
