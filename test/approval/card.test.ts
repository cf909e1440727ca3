import { z } from 'zod'
import { describe, expect, it } from 'vitest'
import { cardOf } from '../../src/approval/card.ts'
import { defineTool } from '../../src/core/define-tool.ts'
import type { Effect, EffectContract } from '../../src/core/effect.ts'
import { ALL_SAID, bankTool, transferCard } from './cards.ts'

it('gives every argument in the order of the tool, with where it came from', () => {
  expect(transferCard().values).toEqual([
    { label: 'From', value: 'acc-alice-savings', origin: 'user' },
    { label: 'To, who receives', value: 'acc-bob-checking', origin: 'user', source: 'your saved payee; called Bob' },
    { label: 'Amount', value: '500.00 NOK', origin: 'user' },
    { label: 'Currency', value: 'NOK', origin: 'record', source: 'account acc-alice-savings' },
  ])
})

it('says what a transfer does: amount in words, who pays, who receives, and that it stays done', () => {
  expect(transferCard().changes).toEqual([
    'Money is moved.',
    '500.00 NOK (five hundred) leaves acc-alice-savings.',
    'acc-bob-checking (Bob) receives it.',
    'It cannot be undone.',
  ])
})

it('takes an argument whose origin is unknown for the model’s', () => {
  const origins = new Map([...ALL_SAID].filter(([name]) => name !== 'to_account'))
  expect(transferCard({ origins }).values[1]).toEqual({
    ...{ label: 'To, who receives', value: 'acc-bob-checking', origin: 'model' },
  })
})

it('names the payee that the call has, not the one that the records name', () => {
  const card = transferCard({ args: { to_account: 'acc-carol-checking' }, origins: new Map() })
  expect(card.changes[2]).toBe('acc-carol-checking receives it.')
})

it('shows an argument that no one defined, too, and one that is no text', () => {
  const definition = { ...bankTool('transfer_money'), roles: {} }
  const { values } = transferCard({ definition, args: { constructor: [1, { a: null }] } })
  expect(values.at(-1)).toEqual({ label: 'Constructor', value: '[1,{"a":null}]', origin: 'model' })
})

it('says of a read that nothing is changed', () => {
  const card = cardOf(
    {
      ...{
        definition: bankTool('get_invoice'),
        args: { invoice_id: 'inv-alice-1' },
        origins: new Map(),
        tenant: 'canbank',
      },
      ...{ subject: { type: 'Customer', id: 'alice' }, sentence: 'View Invoice inv-alice-1', evaluations: [] },
    },
    [],
  )
  expect(card.changes).toEqual(['Nothing is changed: something is read.', 'It is about inv-alice-1, at most 1 record.'])
})

describe('an effect without a bound is said to have none', () => {
  const changes = (contract: Partial<EffectContract>, effect: Partial<Effect>): readonly string[] => {
    const predicted: Effect = { mutations: [], resources: [], rows: 1, destinations: [], egress: 'user', ...effect }
    const definition = defineTool({
      ...{ name: 't', description: 'T.', parameters: z.object({}), template: 'T', resources: [], run: () => 1 },
      effect: {
        ...{ class: 'move_money', tier: 'high', reversible: false, untrustedOutput: false, version: '1' },
        predict: () => predicted,
        ...contract,
      },
    })
    const facts = { definition, args: {}, origins: new Map(), tenant: 't', sentence: 'T', evaluations: [] }
    return cardOf({ ...facts, subject: { type: 'C', id: 'a' } }, []).changes
  }

  it.each([
    {
      what: 'amount',
      contract: {},
      effect: { amount: { minor: Infinity, currency: 'NOK' } },
      says: 'An amount without a bound leaves something unnamed.',
    },
    { what: 'no amount', contract: {}, effect: {}, says: 'An amount without a bound leaves something unnamed.' },
    { what: 'payee', contract: {}, effect: {}, says: 'Who receives it is not bounded.' },
    {
      what: 'rows',
      contract: { class: 'delete' as const },
      effect: { rows: Infinity, resources: ['a', 'b'] },
      says: 'It is about a, b, without a bound.',
    },
    {
      what: 'a stake',
      contract: { class: 'update' as const },
      effect: { amount: { minor: 5, currency: 'NOK' } },
      says: 'Up to 0.05 NOK (zero and 05/100) is at stake.',
    },
    {
      what: 'a destination',
      contract: { class: 'export' as const },
      effect: { destinations: ['x@y'] },
      says: 'It goes to x@y.',
    },
    {
      what: 'a third party',
      contract: { class: 'export' as const },
      effect: { egress: 'third_party' as const },
      says: 'What it returns goes to a third party.',
    },
    {
      what: 'undoing',
      contract: { class: 'create' as const, reversible: true },
      effect: {},
      says: 'It can be undone.',
    },
  ])('$what', ({ contract, effect, says }) => {
    expect(changes(contract, effect)).toContain(says)
  })
})
