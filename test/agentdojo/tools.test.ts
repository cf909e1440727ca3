import { describe, expect, it } from 'vitest'
import { openingRecords } from '../../src/agentdojo/actions.ts'
import { ownerFacts } from '../../src/agentdojo/facts.ts'
import { ownerRules } from '../../src/agentdojo/rules.ts'
import { recordStore, type RecordStore } from '../../src/domain/store.ts'
import { importSuite } from '../../src/agentdojo/suite.ts'
import { TOOL_NAMES } from '../../src/agentdojo/tool-names.ts'
import { changesRecords, suiteTools } from '../../src/agentdojo/tools.ts'
import { sessionId } from '../../src/core/ids.ts'
import { ToolRefusal, type ToolDefinition } from '../../src/core/tool.ts'
import { renderSentence } from '../../src/intent/template.ts'
import { loginOf } from '../intent/fixtures.ts'
import { TINY_SUITE } from './tiny-suite.ts'

const { environment, userTasks, injectionTasks } = importSuite(JSON.stringify(TINY_SUITE), 'suite.json')

function bank(): { readonly store: RecordStore; readonly tools: ReadonlyMap<string, ToolDefinition> } {
  const store = recordStore(openingRecords(environment))
  return { store, tools: new Map(suiteTools(store).map((tool) => [tool.name, tool])) }
}

let calls = 0
/** Runs a tool as the gate does: parsed arguments, and a key of its own. */
function run({ tools }: ReturnType<typeof bank>, name: string, args: object = {}, key = `k-${++calls}`): unknown {
  const tool = tools.get(name) ?? expect.fail(`no tool ${name}`)
  return tool.run(tool.parameters.parse(args), { login: loginOf(), session: sessionId('s-1'), idempotencyKey: key })
}

const payment = { recipient: 'NO9386011117947', amount: '12.5', subject: 'Tickets', date: '2026-05-02' }

describe('the tools of the suite', () => {
  it('are all there, and read what the records hold', () => {
    const open = bank()
    expect([...open.tools.keys()]).toEqual(TOOL_NAMES)
    expect(run(open, 'get_iban')).toEqual({ iban: 'NO1186011117948' })
    expect(run(open, 'get_balance')).toEqual({ balance: '900.10' })
    expect(run(open, 'read_file', { file_path: 'tickets.txt' })).toMatchObject({ content: 'Two tickets, 12.50.' })
    expect(run(open, 'get_scheduled_transactions')).toMatchObject([{ id: '4', amount: '250.00' }])
    expect(run(open, 'get_most_recent_transactions', { n: 1 })).toMatchObject([{ id: '3', amount: '19.99' }])
  })

  it('do not show the password', () => {
    const open = bank()
    expect(JSON.stringify(TOOL_NAMES.slice(0, 1).map(() => run(open, 'get_user_info')))).not.toContain('not-a-secret')
  })

  it('give a new payment the next id, and take its money from the account', () => {
    const open = bank()
    expect(run(open, 'send_money', payment)).toMatchObject({ id: '5', amount: '12.50', sender: 'me' })
    expect(run(open, 'get_balance')).toEqual({ balance: '887.60' })
    expect(run(open, 'schedule_transaction', { ...payment, recurring: true })).toMatchObject({ id: '6' })
  })

  it('make a payment once for one key', () => {
    const open = bank()
    expect(run(open, 'send_money', payment, 'same')).toEqual(run(open, 'send_money', payment, 'same'))
    expect(open.store.list('Transaction')).toHaveLength(2)
  })

  it('change only what was given', () => {
    const open = bank()
    expect(run(open, 'update_scheduled_transaction', { id: '4', amount: '200' })).toEqual({
      ...{ id: '4', sender: 'NO1186011117948', recipient: 'NO6600000000002', amount: '200.00' },
      ...{ subject: 'Phone', date: '2026-05-10', recurring: true },
    })
    run(open, 'update_user_info', { city: 'Oslo' })
    expect(run(open, 'get_user_info')).toEqual({
      first_name: 'Kari',
      last_name: 'Moe',
      street: 'Veien 1',
      city: 'Oslo',
    })
    run(open, 'update_password', { password: 'new' })
    expect(open.store.get('Owner', 'owner')).toMatchObject({ password: 'new' })
  })

  it.each([
    { tool: 'read_file', args: { file_path: 'other.txt' }, code: 'file.unknown' },
    { tool: 'update_scheduled_transaction', args: { id: '99' }, code: 'payment.unknown' },
  ])('refuse by name what is not there: $code', ({ tool, args, code }) => {
    try {
      run(bank(), tool, args)
      expect.fail('it did not refuse')
    } catch (cause) {
      expect(cause).toBeInstanceOf(ToolRefusal)
      expect(cause).toMatchObject({ code })
    }
  })

  it.each([
    { tool: 'send_money', args: { ...payment, amount: 12.5 } },
    { tool: 'send_money', args: { ...payment, amount: '0' } },
    { tool: 'send_money', args: { ...payment, amount: '1e3' } },
    { tool: 'send_money', args: { ...payment, recipient: 'NO93 8601' } },
    { tool: 'send_money', args: { ...payment, recipient: 'NО93' } },
    { tool: 'send_money', args: { ...payment, currency: 'EUR' } },
    { tool: 'send_money', args: { ...payment, date: 'tomorrow' } },
    { tool: 'read_file', args: { file_path: '../secrets' } },
    { tool: 'get_balance', args: { account: 'other' } },
  ])('refuse other arguments: $tool $args', ({ tool, args }) => {
    expect(bank().tools.get(tool)?.parameters.safeParse(args).success).toBe(false)
  })

  it('have a role for every argument, and a sentence for every call of the suite', () => {
    const { tools } = bank()
    for (const { name, parameters, roles } of tools.values()) {
      expect([name, Object.keys(roles).sort()]).toEqual([name, Object.keys(parameters.shape).sort()])
    }
    for (const { tool, args } of [...userTasks, ...injectionTasks].flatMap((task) => task.calls)) {
      const definition = tools.get(tool) ?? expect.fail(tool)
      expect(renderSentence(definition, definition.parameters.parse(args))).toMatchObject({ ok: true })
    }
  })

  it('count what is planned as money that moves, and ask a person by the risk of the change', () => {
    const effects = [...bank().tools.values()].map(({ name, effect }) => `${name}: ${effect.class}, ${effect.tier}`)
    expect(effects.filter((line) => !line.endsWith(': read, low'))).toEqual([
      'send_money: move_money, high',
      'schedule_transaction: move_money, high',
      'update_scheduled_transaction: update, medium',
      'update_password: update, medium',
      'update_user_info: update, medium',
    ])
  })

  it('do no more than they predict', () => {
    for (const { tool, args } of [...userTasks, ...injectionTasks].flatMap((task) => task.calls)) {
      const open = bank()
      const before = JSON.stringify(open.store.snapshot())
      run(open, tool, args)
      expect([tool, JSON.stringify(open.store.snapshot()) !== before]).toEqual([tool, changesRecords(tool, args)])
    }
  })
})

describe('identity at the bank of the suite', () => {
  const permits = ownerRules(environment)
  const ask = (action: string, type: string, id: string, subject = 'owner') =>
    permits({ subject: { type: 'Customer', id: subject }, action: { name: action }, resource: { type, id } })

  it.each([
    { action: 'USE', type: 'Tool', id: 'send_money', yes: true },
    { action: 'READ_FILE', type: 'File', id: 'tickets.txt', yes: true },
    { action: 'UPDATE_SCHEDULED_PAYMENT', type: 'ScheduledPayment', id: '4', yes: true },
    { action: 'UPDATE_SCHEDULED_PAYMENT', type: 'ScheduledPayment', id: '5', yes: false },
    { action: 'READ_FILE', type: 'File', id: 'other.txt', yes: false },
    { action: 'READ_FILE', type: 'Tool', id: 'send_money', yes: false },
    { action: 'USE', type: 'Tool', id: 'open_vault', yes: false },
  ])('says $yes to the owner for $action on $type $id, and no to everybody else', ({ action, type, id, yes }) => {
    expect(ask(action, type, id)).toBe(yes)
    expect(ask(action, type, id, 'somebody')).toBe(false)
  })

  it('knows what the owner may name', () => {
    const { records, today } = ownerFacts(environment)
    expect(records.map(({ type, id }) => `${type} ${id}`)).toEqual([
      'Account NO1186011117948',
      'Customer owner',
      'File tickets.txt',
      'ScheduledPayment 4',
      'Transaction 3',
    ])
    expect(today).toBe('2026-04-30')
  })
})
