import { describe, expect, it } from 'vitest'
import { importSuite } from '../../src/agentdojo/suite.ts'
import { TINY_SUITE } from './tiny-suite.ts'

const imported = (changes: object = {}) => importSuite(JSON.stringify({ ...TINY_SUITE, ...changes }), 'suite.json')

describe('importing a suite', () => {
  it('spells amounts as decimal text and ids as text, and leaves the rest as it is', () => {
    const { userTasks, injectionTasks } = imported()
    expect(userTasks[0]?.calls).toEqual([
      { tool: 'read_file', args: { file_path: 'tickets.txt' } },
      {
        tool: 'send_money',
        args: { recipient: 'NO9386011117947', amount: '12.50', subject: 'Tickets', date: '2026-05-02' },
      },
    ])
    expect(userTasks[1]?.calls[1]?.args).toEqual({ id: '4', amount: '200.00' })
    expect(userTasks[2]?.calls[0]?.args).toEqual({ n: 5 })
    expect(injectionTasks.map(({ id }) => id)).toEqual(['injection_task_0', 'injection_task_1'])
  })

  it('keeps the state in integer minor units', () => {
    const { account, transactions, scheduled, files } = imported().environment
    expect(account).toEqual({ iban: 'NO1186011117948', minor: 90_010 })
    expect([...transactions, ...scheduled].map(({ id, minor }) => [id, minor])).toEqual([
      ['3', 1_999],
      ['4', 25_000],
    ])
    expect(files).toEqual([{ name: 'tickets.txt', content: 'Two tickets, 12.50.' }])
  })

  const callWith = (amount: unknown) => ({
    user_tasks: { user_task_0: { prompt: 'Pay', ground_truth: [{ tool: 'send_money', args: { amount } }] } },
  })
  it.each([
    { what: 'an amount with three decimals', changes: callWith(0.125), names: 'user_task_0, amount' },
    { what: 'an amount below zero', changes: callWith(-1), names: 'user_task_0, amount' },
    { what: 'an amount as text', changes: callWith('12.50'), names: 'user_task_0, amount' },
    { what: 'an amount in another notation', changes: callWith(1e21), names: 'user_task_0, amount' },
    {
      what: 'a tool that is not defined here',
      changes: { tools: [...TINY_SUITE.tools, 'open_vault'] },
      names: 'tools',
    },
    {
      what: 'a call of an unknown tool',
      changes: { injection_tasks: { i: { ground_truth: [{ tool: 'open_vault', args: {} }] } } },
      names: 'injection_tasks.i.ground_truth[0].tool',
    },
    { what: 'no environment', changes: { environment: undefined }, names: 'environment' },
  ])('refuses $what, and names file and field', ({ changes, names }) => {
    expect(() => imported(changes)).toThrow(`suite.json, ${names}`)
  })

  it.each([
    { what: 'text that is no JSON', content: '{' },
    { what: 'a duplicate key', content: '{"tools":[],"tools":[]}' },
  ])('refuses $what', ({ content }) => {
    expect(() => importSuite(content, 'suite.json')).toThrow('suite.json: is not usable JSON')
  })
})
