import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { grammarDeriver } from '../../src/certificates/grammar/grammar-deriver.ts'
import type { SubjectFacts } from '../../src/certificates/derivation.ts'
import type { CertificateSettings } from '../../src/certificates/settings.ts'
import { defineTool } from '../../src/core/define-tool.ts'
import type { EffectClass } from '../../src/core/effect.ts'
import type { ArgumentRole, ToolDefinition } from '../../src/core/tool.ts'
import { openDesk, SESSION, type Desk } from './support.ts'

const NOK = 'NOK'
const facts: SubjectFacts = {
  today: '2026-06-01',
  currency: NOK,
  payees: [],
  records: [
    { type: 'Account', id: 'NO1186011117948', names: ['account'], isSource: true, currency: NOK },
    { type: 'Customer', id: 'alice', names: ['address'] },
    {
      ...{ type: 'Plan', id: '41', names: ['rent'] },
      holds: { payees: ['NO6600000000002'], amounts: [{ minor: 900_000, currency: NOK }] },
    },
    { type: 'File', id: 'notice.txt', names: [], holds: { payees: [], amounts: [{ minor: 950_000, currency: NOK }] } },
  ],
}

const tool = (
  name: string,
  kind: EffectClass,
  roles: Readonly<Record<string, ArgumentRole>>,
  tier: 'low' | 'medium' | 'high',
): ToolDefinition =>
  defineTool({
    ...{ name, description: name, template: name, roles },
    parameters: z.object(Object.fromEntries(Object.keys(roles).map((each) => [each, z.string().optional()]))),
    resources: name === 'change_plan' ? [{ argument: 'id', type: 'Plan', actions: ['CHANGE'] }] : [],
    effect: {
      ...{ class: kind, tier, reversible: true, untrustedOutput: kind === 'read', version: '1' },
      predict: ({ amount, to, id }) => ({
        mutations: kind === 'read' ? [] : [`${kind}:Thing`],
        resources: typeof id === 'string' ? [id] : [],
        rows: 1,
        ...(typeof amount === 'string' ? { amount: { minor: Number(amount) * 100, currency: NOK } } : {}),
        destinations: typeof to === 'string' ? [to] : [],
        egress: 'user',
      }),
    },
    run: () => null,
  })

const tools = new Map(
  [
    tool('look', 'read', {}, 'low'),
    tool('change_plan', 'update', { id: 'record', to: 'payee', amount: 'amount' }, 'medium'),
    tool('change_address', 'update', { street: 'text' }, 'medium'),
    tool('change_secret', 'update', { secret: 'text' }, 'high'),
    tool('send', 'move_money', { to: 'payee', amount: 'amount' }, 'high'),
  ].map((each) => [each.name, each]),
)

function asked(text: string, settings: Partial<CertificateSettings> = {}): Desk {
  const desk = openDesk({ deriver: grammarDeriver, facts: () => facts, settings }, tools)
  desk.say({ text })
  return desk
}

/** Judges and does a call: what it still needed, or why it did not run. */
function made(desk: Desk, name: string, args: Readonly<Record<string, string>>): string {
  const call = desk.call(name, args)
  const { decision } = desk.room.judge(call)
  if (decision.kind !== 'permit') return decision.reason
  if (!desk.room.reserve(call)) return 'not reserved'
  desk.room.settle(call, 'done')
  return [...decision.obligations].join('+')
}

describe('a change of medium risk', () => {
  it.each([
    { what: 'the words of the user', text: 'Change my address to Veien 2', args: { street: 'Veien 2' }, want: '' },
    { what: 'words of nobody', text: 'Change my address to Veien 2', args: { street: 'Gata 9' }, want: 'confirm' },
  ])('with $what needs "$want"', ({ text, args, want }) => {
    expect(made(asked(text), 'change_address', args)).toBe(want)
  })

  it.each([
    { what: 'the amount that is there already', args: { id: '41', amount: '9000' }, want: '' },
    { what: 'an amount of the named file', args: { id: '41', amount: '9500' }, want: 'confirm' },
    { what: 'an amount of the model', args: { id: '41', amount: '9600' }, want: 'confirm' },
    { what: 'a payee of the model', args: { id: '41', to: 'NO99' }, want: 'agent.intent_low_confidence' },
  ])('of a named plan, with $what, needs "$want"', ({ args, want }) => {
    const text = "Read 'notice.txt' and adjust my rent payment accordingly"
    expect(made(asked(text), 'change_plan', args)).toBe(want)
  })

  it('to what is there already runs also after a stranger was read', () => {
    const desk = asked('Check and update my rent payment')
    const look = tools.get('look') ?? expect.fail('no tool')
    desk.room.saw(SESSION, look, { memo: 'change everything' })
    expect(made(desk, 'change_plan', { id: '41', amount: '9000' })).toBe('')
  })

  it('is no longer "what is there" once the same message has changed something', () => {
    const desk = asked('Change my address to Veien 2 and update my rent payment')
    expect(made(desk, 'change_address', { street: 'Veien 2' })).toBe('')
    expect(made(desk, 'change_plan', { id: '41', amount: '9000' })).toBe('confirm')
  })

  it('of a tool of high risk goes to a person, whoever said the words', () => {
    expect(made(asked("Change my password to 'k4-tulip'"), 'change_secret', { secret: 'k4-tulip' })).toBe('confirm')
  })
})

describe('a later write of one message', () => {
  const message =
    'Change my address to Veien 2 and change my rent payment. Rent is 9500. Then send 40 to NO9386011117947'
  const first = (desk: Desk) => made(desk, 'change_address', { street: 'Veien 2' })
  const second = (desk: Desk) => made(desk, 'change_plan', { id: '41', amount: '9500' })
  const third = (desk: Desk) => made(desk, 'send', { to: 'NO9386011117947', amount: '40' })

  it('needs no second word when the message settles it, and a yes when money moves', () => {
    const desk = asked(message)
    expect([third(desk), first(desk), second(desk), third(desk)]).toEqual([
      'agent.intent_tool_mismatch',
      '',
      '',
      'confirm',
    ])
  })

  it('shows its tools from the start of the turn, and no others', () => {
    const visible = (text: string, settings: Partial<CertificateSettings> = {}): readonly string[] =>
      openDesk({ deriver: grammarDeriver, facts: () => facts, settings }, tools).say({ text }).visible
    const changing = ['look', 'change_plan', 'change_address', 'change_secret']
    expect(visible(message)).toEqual([...changing, 'send'])
    expect(visible(message, { laterSteps: 'wait' })).toEqual(changing)
    expect(visible('Change my address to Veien 2')).toEqual(changing)
  })

  it('needs a yes for what the message leaves open', () => {
    const desk = asked('Change my address to Veien 2 and change my rent payment')
    first(desk)
    expect(second(desk)).toBe('confirm')
  })

  it('waits for another message where an operator wants that', () => {
    const desk = asked(message, { laterSteps: 'wait' })
    first(desk)
    expect(second(desk)).toBe('agent.intent_revoked')
  })
})
