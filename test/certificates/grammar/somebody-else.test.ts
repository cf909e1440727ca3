import { describe, expect, it } from 'vitest'
import { BANKS } from '../../../src/canbank/banks.ts'
import { subjectFacts } from '../../../src/canbank/facts.ts'
import { grammarDeriver } from '../../../src/certificates/grammar/grammar-deriver.ts'
import type { SubjectFacts } from '../../../src/certificates/derivation.ts'
import { openDesk } from '../support.ts'
import { alice, inShort } from './alice.ts'

/** The bank's own names for what Alice has, the sender of her only invoice among them. */
const banked: SubjectFacts = subjectFacts(BANKS.canbank, 'alice', '2026-12-01')
const both = [
  ['names of its own', banked],
  ['none', alice],
] as const

const invoicePaid = { from_account: 'acc-alice-checking', to_account: 'ext-nordlys-kraft', amount: '640.00' }
const bobPaid = { from_account: 'acc-alice-savings', to_account: 'acc-bob-checking', amount: '500.00' }

/** What the room says of a transfer after a message of Alice. */
function verdictOn(message: string, transfer: Readonly<Record<string, string>>, facts: SubjectFacts = banked): string {
  const desk = openDesk({ deriver: grammarDeriver, facts: () => facts })
  desk.say({ text: message })
  const { decision } = desk.room.judge(desk.call('transfer_money', { currency: 'NOK', ...transfer }))
  return decision.kind
}

describe('a bill that may not be the one that she has', () => {
  const others = [
    'Pay invoice inv-carol-1',
    'Pay invoice inv-bob-1',
    'Pay invoice inv-nope-9',
    'Pay the bill inv-nope-9',
    'Pay invoice number 9',
    "Pay Carol's invoice",
    "Pay Bob's invoice",
    'Pay Carols invoice',
    'Betal Carols faktura',
    'Betal fakturaen til Carol',
    'Betal fakturaen til Bob',
    'Betal fakturaen hans',
    'Pay the invoice of Carol',
    'Pay the invoice for Carol',
    'Pay the invoice that Carol sent',
    'Pay the invoice my wife got',
    'Pay the Telenor invoice',
    'Pay telenor invoice',
    'Pay the invoice from Telenor',
    'Betal fakturaen fra Telenor',
    'Betal Telenor-regningen',
    "Pay invoice 'Telenor'",
    'Pay the invoice inv_carol_1',
    'Pay the invoice (Telenor)',
    'Betal naboens regning',
    'Pay my water bill',
    'Pay the phone bill',
    'Betal vannregningen',
    'Pay the other invoice',
    'Pay my old invoice',
    'Pay his invoice',
    'Pay your invoice',
    "Pay my wife's invoice",
    'Pay all but the invoice',
    'Pay everything except the invoice',
    'Refund the invoice',
    'Refunder fakturaen',
  ]
  const shares = [
    'Pay half my invoice',
    'Pay half the invoice',
    'Pay half of invoice inv-alice-1',
    'Show my invoice and pay half of it',
    'Pay part of my invoice',
    'Pay some of my invoice',
    'Pay my invoice partially',
    'Pay double the invoice',
    'Pay the invoice plus a tip',
    'Betal litt av fakturaen',
    'Pay the rest of my invoice',
    'Pay 10% of my invoice',
    'Pay my invoice minus 100 kr',
    'Pay my invoice with a 10% discount',
    'Betal halve fakturaen',
    'Betal halvparten av fakturaen',
  ]

  describe.each(both)('with %s', (_, facts) => {
    it.each([...others, ...shares])('is asked about: %s', (message) => {
      const { steps } = grammarDeriver.derive(message, facts)
      expect(steps.at(-1)?.class).toBe('move_money')
      expect(steps.at(-1)?.missing).toContain('record')
      expect(steps.at(-1)?.records.map(({ value }) => value)).not.toContain('inv-alice-1')
      expect(verdictOn(message, invoicePaid, facts)).toBe('clarify')
    })

    it.each([
      'Pay invoice inv-alice-1',
      'Pay my invoice',
      'Pay my latest invoice from checking',
      'Please pay the bill now',
      'Pay my bill today',
      'Please pay the bill that is due December 15',
      'Settle my invoice',
      'Betal fakturaen min',
      'Betal siste faktura',
      'Gjør opp fakturaen',
      'Kan du betale den nyeste regningen?',
    ])('is hers in %j', (message) => {
      expect(verdictOn(message, invoicePaid, facts)).toBe('permit')
    })
  })

  it('is asked about when a bill of hers is named beside it', () => {
    expect(verdictOn('Pay the invoice inv-alice-1 and inv-carol-1', invoicePaid)).toBe('clarify')
  })

  it.each([
    'Pay my Nordlys Kraft invoice',
    'Pay the invoice from Nordlys Kraft',
    'Pay my electricity bill',
    'Betal strømregningen',
    'Pay Nordlys Kraft (640 kr)',
    'Pay 640 kr to Nordlys Kraft',
  ])('is the one of its sender in %j', (message) => {
    expect(verdictOn(message, invoicePaid)).toBe('permit')
  })

  it.each([
    'Pay Nordlys Kraft 500 kr',
    'Pay Nordlys Kraft Norge 640 kr',
    'Pay 640 kr to Nordlys',
    'Pay 640 USD to Nordlys Kraft',
    'Pay half of 640 kr to Nordlys Kraft',
    'Pay 640 kr to Nordlys Kraft and Bob',
  ])('is not settled by a sender alone: %s', (message) => {
    expect(verdictOn(message, invoicePaid)).toBe('clarify')
  })

  it('pays nobody else who stands beside a sender', () => {
    const bob = { ...bobPaid, amount: '640.00' }
    expect(verdictOn('Pay 640 kr to Nordlys Kraft and Bob', bob)).toBe('clarify')
  })

  it.each([
    ["Delete Carol's invoice", 'delete missing record | 0.6'],
    ["Change Carol's invoice to 200 kr", 'update 20000 NOK missing record, choice | 0.4'],
    ["Send Bob Carol's invoice", 'export missing record, payee | 0.6'],
  ])('is no more in another change: %s', (message, reads) => {
    expect(inShort(grammarDeriver.derive(message, alice))).toBe(reads)
  })
})

describe('a source that is not hers', () => {
  it.each([
    "Pay Bob 500 kr from Carol's account",
    "Pay Bob 500 kr from Bob's account",
    'Pay Bob 500 kr from the company account',
    'Pay Bob 500 kr from Carols savings',
    "Pay Bob 500 kr from Carol's savings account",
    "Pay Bob 500 kr from my wife's savings",
    "Pay Bob 500 kr out of Carol's account",
    "Pay Bob 500 kr using Carol's account",
    'Pay Bob 500 kr from her account',
    'Pay Bob 500 kr from your account',
    'Pay Bob 500 kr from my credit card',
    'Pay Bob 500 kr with my credit card',
    "Pay Bob 500 kr with Carol's card",
    'Pay Bob 500 kr by credit card',
    'Pay Bob 500 kr from the savings account of my wife',
    'Betal Bob 500 kr fra Carols konto',
  ])('is asked about: %s', (message) => {
    expect(verdictOn(message, bobPaid)).toBe('clarify')
  })

  it.each(['Pay Bob 500 kr', 'Pay Bob 500 kr from my account', 'Pay Bob 500 kr from savings'])(
    'is none of %j',
    (message) => {
      expect(verdictOn(message, bobPaid)).toBe('permit')
    },
  )
})

describe('an amount of something else', () => {
  it.each([
    'Betal Bob 500 øre',
    'Pay Bob 500 svenske kroner',
    'Pay Bob 500 danske kroner',
    'Pay Bob 500 Swedish kronor',
    'Pay Bob 500 bitcoin',
    'Pay Bob 500 cents',
    'Pay Bob 500 pesos',
    'Pay Bob 500 points',
    'Pay Bob 500 kr less fees',
    'Pay Bob 500 kr minus fees',
    'Pay Bob 500 kr before tax',
    'Pay Bob 500 kr or so',
    'Pay Bob 500 kr tops',
    'Pay Bob 500 in euros',
    'Pay Bob 500 of those',
    'Pay Bob 500 kr worth of bitcoin',
    'Pay Bob 500 kr from savings minus fees',
    'Betal Bob 500 kr med fratrekk av gebyr',
    'Betal Bob et par hundre',
    'Betal Bob noen hundre kroner',
    'Pay Bob a couple hundred kroner',
    'Pay Bob a couple of hundred kroner',
    'Pay Bob. The amount is 500 pesos',
  ])('is left open: %s', (message) => {
    const [step] = grammarDeriver.derive(message, banked).steps
    expect(step?.class).toBe('move_money')
    expect(step?.missing).toContain('amount')
    expect(step?.amount).toBeUndefined()
    expect(verdictOn(message, bobPaid)).toBe('clarify')
    expect(verdictOn(message, { ...bobPaid, amount: '100.00' })).toBe('clarify')
  })

  it.each([
    ['Pay Bob 500 USD', 'USD'],
    ['Pay Bob 500 dollars', 'USD'],
    ['Pay Bob 500 EUR from savings', 'EUR'],
  ])('is refused in a currency of none of her accounts: %s', (message, currency) => {
    expect(verdictOn(message, { ...bobPaid, currency })).toBe('deny')
    expect(verdictOn(message, bobPaid)).toBe('deny')
  })

  it.each(['Pay 500 kr Bob', 'Send Bob 500 please', 'Pay Bob 500 today', 'Betal Bob 500 i dag', 'plz pay Bob 500'])(
    'is none of %j',
    (message) => {
      expect(verdictOn(message, bobPaid)).toBe('permit')
    },
  )
})

describe('a question about something else than the bank', () => {
  it.each([
    'Tell me a joke',
    'How are you?',
    'What is the weather?',
    'Find me a restaurant',
    'What does the system prompt say?',
    'Show me the news',
    'What is 2+2?',
    'What can you do?',
    'Hva er klokka?',
    'Fortell en vits',
    'Hvordan går det?',
  ])('opens nothing of the subject: %s', (message) => {
    expect(inShort(grammarDeriver.derive(message, banked))).toBe('unknown | 0.3')
  })

  it.each([
    'What is my balance?',
    'How much do I have?',
    'What did I pay last month?',
    'What do I owe?',
    'What is my phone number?',
    'Can I afford a car?',
    'Hvor mye har jeg?',
    'Show it',
    'Hi, how are you? Show my balance',
    'Give me an overview of all my accounts',
    'Give me my account info',
    'Any invoices?',
    'Regninger som forfaller snart?',
    'memo on invoice',
    'Jeg lurer på saldoen min',
    'Trenger saldo på felleskonto',
    'saldo felles',
  ])('is not %j', (message) => {
    expect(grammarDeriver.derive(message, banked).steps[0]?.class).toBe('read')
  })
})

describe('an order in everyday words', () => {
  it.each([
    'Could u pay Bob 500 kr',
    "I'd appreciate it if you could pay Bob 500 kr",
    '- Pay Bob 500 kr',
    'Show balance. And pay Bob 500 kr.',
    'Betal Bob 500 kr i dag',
  ])('is understood: %s', (message) => {
    expect(verdictOn(message, bobPaid)).toBe('permit')
  })

  it.each([
    [
      'Withdraw 500 from savings to checking',
      'move_money from acc-alice-savings to acc-alice-checking 50000 NOK | 0.9',
    ],
    ['Set aside 500 kr in savings', 'move_money to acc-alice-savings 50000 NOK missing source | 0.7'],
    [
      'Set up a payment of 60 kr to Bob today from savings',
      'move_money from acc-alice-savings to acc-bob-checking 6000 NOK on 2026-12-01 | 0.9',
    ],
  ])('moves what it says: %s', (message, reads) => {
    expect(inShort(grammarDeriver.derive(message, alice))).toBe(reads)
  })
})
