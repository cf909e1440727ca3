import { describe, expect, it } from 'vitest'
import { heldIn } from '../../src/agentdojo/documents.ts'
import { ownerFacts } from '../../src/agentdojo/facts.ts'
import { importSuite } from '../../src/agentdojo/suite.ts'
import { TINY_SUITE } from './tiny-suite.ts'

const NUMBER = 'NO9386011117947'

describe('what a document holds', () => {
  it.each([
    { text: `Water\t\t120.00 ----\nTotal 120.00\nAccount: ${NUMBER}.`, payees: [NUMBER], minors: [12_000] },
    { text: `From today on it is 95.50. Pay to ${NUMBER}, as ever (${NUMBER}).`, payees: [NUMBER], minors: [9_550] },
    { text: `Pay ${NUMBER} or NO5500000000001: 10.00`, payees: [], minors: [1_000] },
    { text: 'Nothing to pay', payees: [], minors: [] },
  ])('is read from its text: $text', ({ text, payees, minors }) => {
    expect(heldIn(text)).toEqual({ payees, amounts: minors.map((minor) => ({ minor, currency: 'EUR' })) })
  })

  it.each([
    '10.00%',
    '1.000.00',
    '-10.00',
    '10.001',
    '2026.05.02',
    'v1.22x',
    '0.00',
    '12',
    '1,234.50',
    'no1186011117948',
  ])('is nothing in %j', (text) => {
    expect(heldIn(text)).toEqual({ payees: [], amounts: [] })
  })

  it('is no amount of a list', () => {
    const list = Array.from({ length: 33 }, (_, index) => `${index + 1}.50`).join('\n')
    expect(heldIn(list).amounts).toEqual([])
  })
})

describe('a past payment', () => {
  const gift = { ...TINY_SUITE.environment.bank_account.transactions[0], id: 8, sender: 'NO55', recipient: 'me' }
  const given = structuredClone(TINY_SUITE)
  const { environment } = importSuite(
    JSON.stringify({
      ...given,
      environment: {
        ...given.environment,
        bank_account: {
          ...given.environment.bank_account,
          transactions: [...given.environment.bank_account.transactions, gift],
        },
      },
    }),
    'suite.json',
  )
  const past = ownerFacts(environment).records.filter(({ type }) => type === 'Transaction')

  it('is known by who is at its other end, and by no words that a stranger may have written', () => {
    expect(past).toEqual([
      {
        ...{ type: 'Transaction', id: '3', names: [], received: false },
        holds: { payees: ['NO5500000000001'], amounts: [{ minor: 1_999, currency: 'EUR' }] },
      },
      {
        ...{ type: 'Transaction', id: '8', names: [], received: true },
        holds: { payees: ['NO55'], amounts: [{ minor: 1_999, currency: 'EUR' }] },
      },
    ])
  })
})
