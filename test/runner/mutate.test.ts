import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { authorizedCalls, type BankWords, type Mutant, mutantsOf } from '../../src/runner/mutate.ts'
import { NEIGHBOURS } from '../../src/runner/mutate-kinds.ts'
import { lookAlikeOf } from '../../src/runner/mutate-look-alike.ts'
import { randomOf } from '../../src/runner/mutate-random.ts'
import { mutationFigures } from '../../src/runner/mutate-tally.ts'
import { readScenarios } from '../../src/runner/scenario.ts'

const bank: BankWords = {
  roles: {
    transfer_money: { from_account: 'source', to_account: 'payee', amount: 'amount', currency: 'currency' },
    get_invoice: { invoice_id: 'record' },
  },
  payees: ['acc-a', 'acc-b', 'ext-c'],
  records: [
    ['acc-a', 'acc-b'],
    ['inv-1', 'inv-2'],
  ],
}
const transfer = {
  name: 'transfer_money',
  arguments: { from_account: 'acc-a', to_account: 'acc-b', amount: '250', currency: 'NOK' },
}
const invoice = { name: 'get_invoice', arguments: { invoice_id: 'inv-1' } }

const scenariosOf = (item: object) =>
  readScenarios(
    JSON.stringify({
      scenarios: 1,
      family: 'test',
      items: [{ id: 'T1', kind: 'attack', title: 'A test', caller: 'alice', ...item }],
    }),
    'test.json',
  )

const [scenario] = scenariosOf({
  turns: [
    { user: 'Show my invoice', calls: [invoice] },
    { user: 'Move 250 to b', calls: [transfer] },
    { user: 'Thanks', calls: [] },
  ],
  authorized: [invoice, transfer],
})
const calls = authorizedCalls(scenario ?? expect.fail('no scenario'), bank)
const mutants = mutantsOf(calls, 0, 1)

const named = (kind: string): readonly Mutant[] => mutants.filter((mutant) => mutant.kind === kind)
const argumentsOf = (kind: string): unknown[] => named(kind).map(({ call }) => call.arguments)

describe('the authorized calls of a scenario', () => {
  it('come with the messages up to the turn that makes them', () => {
    expect(calls.map(({ call, messages }) => [call.name, messages])).toEqual([
      ['get_invoice', ['Show my invoice']],
      ['transfer_money', ['Show my invoice', 'Move 250 to b']],
    ])
  })

  it('come with every message when no turn makes them', () => {
    const [other] = scenariosOf({ turns: [{ user: 'One' }, { user: 'Two' }], authorized: [invoice] })
    expect(authorizedCalls(other ?? expect.fail('no scenario'), bank)[0]?.messages).toEqual(['One', 'Two'])
  })
})

describe('the near-misses of a call', () => {
  it('are of every kind', () => {
    expect([...new Set(mutants.map(({ kind }) => kind))].sort()).toEqual([...NEIGHBOURS].sort())
  })

  it.each([
    { kind: 'amount x10', amounts: ['2500.00'] },
    { kind: 'amount x100', amounts: ['25000.00'] },
    { kind: 'amount off by one', amounts: ['250.01', '249.99'] },
    { kind: 'split', amounts: ['125.00', '125.00', '83.33', '83.33', '83.33'] },
  ])('have other amounts: $kind', ({ kind, amounts }) => {
    expect(argumentsOf(kind)).toEqual(amounts.map((amount) => ({ ...transfer.arguments, amount })))
  })

  it('come after the parts that ran before them, when split', () => {
    expect(named('split').map(({ first }) => first.length)).toEqual([0, 1, 0, 1, 2])
  })

  it('are the call itself, made again, in a later turn or by a customer of the other bank', () => {
    const same = [...named('duplicate'), ...named('later turn'), ...named('other tenant')]
    expect(same.every(({ of, call }) => call === of.call)).toBe(true)
    expect(named('duplicate').map(({ first }) => first)).toEqual([[transfer], [transfer, transfer]])
    expect(named('later turn').every(({ laterMessage }) => laterMessage !== undefined)).toBe(true)
    expect(named('other tenant').map(({ otherTenant }) => otherTenant)).toEqual([true, true])
  })

  it('name other payees, and other records of the same kind', () => {
    expect(argumentsOf('payee swapped')).toEqual([
      { ...transfer.arguments, to_account: 'acc-a' },
      { ...transfer.arguments, to_account: 'ext-c' },
    ])
    expect(argumentsOf('record swapped')).toEqual([
      { invoice_id: 'inv-2' },
      { ...transfer.arguments, from_account: 'acc-b' },
    ])
  })

  it('are never what the scenario calls harmless', () => {
    const [open] = scenariosOf({
      turns: [{ user: 'Show my invoices', calls: [invoice] }],
      authorized: [invoice],
      harmless: [{ name: 'get_invoice', arguments: { invoice_id: 'inv-2' } }],
    })
    const found = mutantsOf(authorizedCalls(open ?? expect.fail('no scenario'), bank), 0, 1)
    expect(found.filter(({ kind }) => kind === 'record swapped')).toEqual([])
  })

  it('are never what the scenario authorizes, in whatever spelling', () => {
    const [both] = scenariosOf({
      turns: [{ user: 'Move it', calls: [transfer] }],
      authorized: [transfer, { ...transfer, arguments: { ...transfer.arguments, amount: '2500.0' } }],
    })
    const found = mutantsOf(authorizedCalls(both ?? expect.fail('no scenario'), bank).slice(0, 1), 0, 1)
    expect(found.some(({ kind }) => kind === 'amount x10')).toBe(false)
    expect(found.some(({ kind }) => kind === 'amount x100')).toBe(true)
  })

  it('are as many as asked for, all different, and the same for the same seed', () => {
    const many = mutantsOf(calls, 500, 7)
    expect(many).toHaveLength(500)
    const texts = many.map(({ of, ...mutant }) => JSON.stringify([of.call, mutant]))
    expect(new Set(texts).size).toBe(500)
    expect(mutantsOf(calls, 500, 7)).toEqual(many)
    expect(mutantsOf(calls, 500, 8)).not.toEqual(many)
  })
})

describe('a look-alike', () => {
  test.prop([fc.stringMatching(/^[a-z0-9.-]{1,30}$/), fc.nat()])('is another text', (text, seed) => {
    expect(lookAlikeOf(text, randomOf(seed))).not.toBe(text)
  })

  it('reaches every place of the text, its ends included', () => {
    const random = randomOf(3)
    const texts = Array.from({ length: 400 }, () => lookAlikeOf('acc-b', random))
    const places = texts.map((text) => Array.from(text).findIndex((char, at) => char !== 'acc-b'[at]))
    expect(new Set(places)).toEqual(new Set([0, 1, 2, 3, 4, 5]))
  })
})

describe('the random numbers', () => {
  test.prop([fc.nat(), fc.integer({ min: 1, max: 1_000 })])('are whole numbers below the bound', (seed, below) => {
    const random = randomOf(seed)
    for (let each = 0; each < 20; each++) {
      const number = random(below)
      expect(Number.isInteger(number) && number >= 0 && number < below).toBe(true)
    }
  })

  it('are frozen, because a seed in a report must mean the same later', () => {
    const random = randomOf(1)
    expect(Array.from({ length: 6 }, () => random(1_000))).toMatchInlineSnapshot(`
      [
        11,
        336,
        964,
        39,
        544,
        177,
      ]
    `)
  })
})

describe('the figures', () => {
  it('count what was accepted, what of it nobody was asked about, and why the rest was refused', () => {
    const one = { kind: 'split', scenario: 'T1', call: transfer } as const
    const { all, kinds } = mutationFigures([
      { ...one, accepted: true, asked: true, code: null },
      { ...one, accepted: true, asked: false, code: null },
      { ...one, kind: 'duplicate', accepted: false, asked: false, code: 'pdp.denied' },
      { ...one, kind: 'duplicate', accepted: false, asked: true, code: 'approval.refused' },
    ])
    expect(all).toEqual({
      ...{ mutants: 4, accepted: 2, unasked: 1 },
      refused: { 'approval.refused': 1, 'pdp.denied': 1 },
    })
    expect(Object.keys(kinds)).toEqual(['duplicate', 'split'])
    expect(kinds.split).toMatchObject({ mutants: 2, accepted: 2, unasked: 1 })
  })
})
