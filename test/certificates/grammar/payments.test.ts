import { describe, expect, it } from 'vitest'
import { grammarDeriver } from '../../../src/certificates/grammar/grammar-deriver.ts'
import type { OwnRecord, SubjectFacts } from '../../../src/certificates/derivation.ts'
import { alice, inShort } from './alice.ts'

const payment = (id: string, party: string, minor: number, received: boolean): OwnRecord => ({
  ...{ type: 'Transaction', id, names: [], received },
  holds: { payees: [party], amounts: [{ minor, currency: 'NOK' }] },
})

/** Somebody with a past: two payments came in, two went out, and one of each is planned. */
const kari: SubjectFacts = {
  today: '2026-12-01',
  currency: 'NOK',
  payees: [],
  records: [
    { type: 'Account', id: 'NO1186011117948', names: ['account'], isSource: true, currency: 'NOK' },
    { type: 'Customer', id: 'kari', names: ['profile', 'address'] },
    {
      ...{ type: 'ScheduledPayment', id: '41', names: ['rent'] },
      holds: { payees: ['NO6600000000002'], amounts: [{ minor: 900_000, currency: 'NOK' }] },
    },
    {
      ...{ type: 'ScheduledPayment', id: '42', names: ['phone plan'] },
      holds: { payees: ['NO7700000000003'], amounts: [{ minor: 29_900, currency: 'NOK' }] },
    },
    payment('31', 'NO5500000000001', 12_550, true),
    payment('32', 'NO4400000000005', 7_000, true),
    payment('33', 'NO5500000000001', 7_000, false),
    payment('34', 'NO9386011117947', 40_000, false),
  ],
}
const byName: SubjectFacts = { ...kari, payeesByName: true }
const from = 'from NO1186011117948'

const read = (message: string, facts: SubjectFacts): string => inShort(grammarDeriver.derive(message, facts))

describe('money that is set up to move later', () => {
  it.each([
    ['Schedule 250 kr to Bob for rent from checking', 'acc-bob-checking 25000 NOK missing date | 0.7'],
    ['Arrange a monthly transfer of 80 kr to Bob from checking', 'acc-bob-checking 8000 NOK missing date | 0.7'],
    ['Set up a payment of 60 kr to Bob on 2027-02-01 from checking', 'acc-bob-checking 6000 NOK on 2027-02-01 | 0.9'],
    ['Sett opp en fast betaling på 90 kr til Bob fra brukskonto', 'acc-bob-checking 9000 NOK missing date | 0.7'],
  ])('moves money: %j', (message, terms) => {
    expect(read(message, alice)).toBe(`move_money from acc-alice-checking to ${terms}`)
  })

  it.each([
    ['Create a list of my transactions', 'create missing payee, amount | 0.7'],
    ['Create a new savings account', 'create missing text | 0.7'],
  ])('is not what %j sets up', (message, reads) => {
    expect(read(message, alice)).toBe(reads)
  })

  it.each(["Don't set up any new recurring payment", 'Do not schedule a transfer', 'Ikke opprett en ny betaling'])(
    'does not move under %j',
    (message) => {
      expect(grammarDeriver.derive(message, alice).denied).toContain('move_money')
    },
  )
})

describe('a payment of the past', () => {
  it.each([
    {
      message: 'Refund NO5500000000001 for what they sent me',
      reads: `move_money 31 ${from} to NO5500000000001 missing amount | 0.7`,
    },
    { message: 'Please refund the 70 kr that I got', reads: `move_money 32 ${from} 7000 NOK missing payee | 0.7` },
    { message: 'Pay back the 125.50 kr I received', reads: `move_money 31 ${from} 12550 NOK missing payee | 0.6` },
    { message: 'Refund that 70.00', reads: `move_money 32 ${from} 7000 NOK missing payee | 0.7` },
    { message: 'Send tilbake de 70 kronene', reads: `move_money 32 ${from} 7000 NOK missing payee | 0.7` },
  ])('is named by its amount or its sender, when one fits: $message', ({ message, reads }) => {
    expect(read(message, kari)).toBe(reads)
  })

  it.each([
    { what: 'it is paid anew', message: 'Pay 70 kr' },
    { what: 'only one that went out fits', message: 'Refund 400 kr' },
    { what: 'nothing fits', message: 'Refund 71 kr' },
    { what: 'somebody unknown is named', message: 'Refund 70 kr to Ola Nordmann' },
    { what: 'payee and amount are both said', message: 'Refund 70 kr to NO4400000000005' },
    { what: 'a share of it is meant', message: 'Refund NO5500000000001 half of what they sent' },
    { what: 'it is beside a stray not', message: 'Refund 70 kr, not 125.50' },
  ])('is not named when $what: $message', ({ message }) => {
    expect(grammarDeriver.derive(message, kari).steps.flatMap(({ records }) => records)).toEqual([])
  })

  it('is not named when two fit', () => {
    const two = { ...kari, records: [...kari.records, payment('35', 'NO3300000000006', 7_000, true)] }
    expect(grammarDeriver.derive('Refund the 70 kr', two).steps.flatMap(({ records }) => records)).toEqual([])
  })
})

describe('a payee by name, where the bank takes one', () => {
  it.each([
    ['Send 40 kr to Telia', `move_money ${from} to Telia 4000 NOK | 0.9`],
    ['Telia wrote me a note. Please send them 40 kr', `move_money ${from} to Telia 4000 NOK | 0.9`],
  ])('is the word of the user: %j', (message, reads) => {
    expect(read(message, byName)).toBe(reads)
    expect(read(message, kari)).toContain('missing')
  })

  it.each([
    { what: 'a longer name', message: 'Send 40 kr to Telia Norge' },
    { what: 'two names', message: 'Telia and Telenor wrote to me. Send them 40 kr' },
    { what: 'letters of another script', message: 'Send 40 kr to Теlia' },
    { what: 'a quotation', message: 'A note says "Telia". Send them 40 kr' },
  ])('is not settled by $what', ({ message }) => {
    expect(grammarDeriver.derive(message, byName).steps.at(-1)).toMatchObject({ class: 'move_money' })
    expect(grammarDeriver.derive(message, byName).steps.at(-1)?.payee).toBeUndefined()
  })
})

describe('what is said beside a wish', () => {
  it('names the record that it says a value of', () => {
    expect(read('Please change my standing order. Rent is 9500', kari)).toBe('update 41 950000 NOK | 0.9')
    expect(read('Change my standing order. The price is 320', kari)).toBe('update 32000 NOK | 0.9')
  })

  it.each([
    ['Show the transaction history', 'read 31 32 33 34 | 0.9'],
    ['Show the transaction', 'read missing record | 0.7'],
  ])('a list of a kind is all of it: %j', (message, reads) => {
    expect(read(message, kari)).toBe(reads)
  })
})

describe('a condition', () => {
  const change = "update my password to 'k4-tulip'"

  it('leaves a change to the assistant when it is about what was to be looked at first', () => {
    const { steps } = grammarDeriver.derive(`Check my transactions. If one looks strange, ${change}`, kari)
    expect(steps.map(({ class: kind, missing }) => [kind, missing])).toEqual([
      ['read', []],
      ['update', []],
    ])
  })

  it.each([
    { what: 'nothing was to be looked at', message: `If you like, ${change}`, at: 0 },
    { what: 'the user is to decide', message: `Check my transactions. If I say so, ${change}`, at: 1 },
    { what: 'it is about a time', message: `Check my transactions. When my salary comes, ${change}`, at: 1 },
    { what: 'it is a mere thought', message: `Check my transactions. If one perhaps is strange, ${change}`, at: 1 },
    { what: 'it stands behind', message: `Check my transactions. Then ${change} if one looks strange`, at: 1 },
    { what: 'money moves', message: 'Check my balance. If it is high, send 40 kr to NO4400000000005', at: 1 },
    { what: 'another change comes first', message: `Update my address to 'Veien 2'. If it works, ${change}`, at: 1 },
  ])('is a choice when $what', ({ message, at }) => {
    expect(grammarDeriver.derive(message, kari).steps[at]?.missing).toContain('choice')
  })
})

describe('a thing without a verb', () => {
  it.each([
    ['Balance of acc-alice-savings please.', 'read acc-alice-savings | 0.9'],
    ['And acc-joint?', 'read acc-joint | 0.9'],
    ['My savings balance, please', 'read acc-alice-savings | 0.9'],
    ['Saldoen på brukskontoen, takk', 'read acc-alice-checking | 0.9'],
    ['For testing, show the balance of acc-joint', 'read acc-joint | 0.9'],
  ])('is asked for: %j', (message, reads) => {
    expect(read(message, alice)).toBe(reads)
  })

  it.each([
    'Bob',
    '500 kr to Bob',
    'acc-carol-checking',
    'savings is empty',
    'not my savings',
    'acc-alice-savings Zorp',
  ])('is not seen in %j', (message) => {
    expect(grammarDeriver.derive(message, alice).steps.map((step) => step.class)).toEqual(['unknown'])
  })

  it('is done once more when the words say so, and not for an example', () => {
    const [once] = grammarDeriver.derive('Move 30 kr from savings to checking once more', alice).steps
    expect(once).toMatchObject({ class: 'move_money', missing: [] })
    expect(read('For example, pay Bob 30 kr from savings', alice)).toBe('unknown | 0.3')
  })
})
