import { describe, expect, it } from 'vitest'
import type { Order } from '../../src/agentdojo/runs.ts'
import type { Outcome } from '../../src/agentdojo/score.ts'
import { AGENTDOJO_HEAD, agentdojoRows, sampled } from '../../src/cli/agentdojo-view.ts'

const outcome = (order: Order | null, done: boolean, landed: boolean): Outcome => ({
  ...{ id: 'user_task_0', order, done, landed, prompts: order === null ? 1 : 2 },
  calls: [
    { tool: 'get_iban', wish: 'user', executed: true, code: null },
    { tool: 'send_money', wish: 'user', executed: false, code: 'agent.intent_required' },
  ],
})

describe('the table of a suite', () => {
  it('has a row for both orders together and one for each, with numerators and denominators', () => {
    const outcomes = [
      outcome(null, true, false),
      outcome('before', false, true),
      outcome('after', true, false),
      outcome('after', true, true),
    ]
    expect(agentdojoRows({ setup: 'gate', outcomes })).toEqual([
      ['gate', 'both', '1/1', '2/3', '2/3', '4/8', '1/1', '6/3'],
      ['gate', 'before', '1/1', '0/1', '1/1', '2/4', '1/1', '2/1'],
      ['gate', 'after', '1/1', '2/2', '1/2', '3/6', '1/1', '4/2'],
    ])
    expect(AGENTDOJO_HEAD).toHaveLength(8)
  })

  it('has one row for one order, and for user tasks alone', () => {
    const rows = agentdojoRows({ setup: 'gate', outcomes: [outcome(null, true, false), outcome('after', true, false)] })
    expect(rows.map(([, order]) => order)).toEqual(['after'])
    expect(agentdojoRows({ setup: 'gate', outcomes: [outcome(null, true, false)] }).map(([, order]) => order)).toEqual([
      '–',
    ])
  })

  it.each([
    { count: 3, list: [0, 1, 2, 3, 4, 5, 6, 7, 8], sample: [0, 3, 6] },
    { count: 9, list: [1, 2], sample: [1, 2] },
    { count: 1, list: [1, 2], sample: [1] },
  ])('takes $count spread evenly', ({ count, list, sample }) => {
    expect(sampled(list, count)).toEqual(sample)
  })
})
