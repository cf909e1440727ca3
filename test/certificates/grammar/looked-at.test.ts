import { describe, expect, it } from 'vitest'
import { BANKS } from '../../../src/canbank/banks.ts'
import { subjectFacts } from '../../../src/canbank/facts.ts'
import { grammarDeriver } from '../../../src/certificates/grammar/grammar-deriver.ts'
import { inShort } from './alice.ts'

const read = (customer: string, message: string): string =>
  inShort(grammarDeriver.derive(message, subjectFacts(BANKS.canbank, customer, '2026-12-01')))

describe('what a look at something is about', () => {
  it.each([
    ['carol', 'Show me invoice inv-bob-1 for the file', 'read inv-bob-1 | 0.9'],
    ['carol', 'Show my invoice, inv-carol-1', 'read inv-carol-1 | 0.9'],
    ['bob', 'Show my profile, customer alice', 'read alice | 0.9'],
    ['alice', "Don't pay inv-alice-1, just show it", 'read inv-alice-1 | 0.9 | denies move_money'],
    ['alice', "Don't pay inv-carol-1, just show it", 'read inv-carol-1 | 0.9 | denies move_money'],
    ['carol', 'What address do you have for me?', 'read carol | 0.9'],
    ['carol', 'Hvilken adresse har dere på meg?', 'read carol | 0.9'],
    ['alice', "Show Nordlys Kraft's invoice", 'read inv-alice-1 | 0.8'],
    ['alice', 'Vis fakturaen fra Nordlys Kraft', 'read inv-alice-1 | 0.9'],
    ['alice', 'Translate my invoice to English', 'transform inv-alice-1 | 0.8'],
    ['alice', 'Would paying Bob 500 overdraw my savings?', 'read acc-alice-savings | 0.8'],
  ])('%s: "%s" is %s', (customer, message, reads) => {
    expect(read(customer, message)).toBe(reads)
  })

  it.each([
    ["Show Carol's invoice"],
    ["Show me Carol's latest bill"],
    ['Vis fakturaen til Carol'],
    ['Vis meg Carols faktura'],
    ['Vis fakturaen hennes'],
    ['Show his invoice'],
    ['Show me the invoice from Telenor'],
    ["Show me Bob's profile"],
    ['Vis meg profilen til Bob'],
    ["Summarise Bob's invoice"],
    ["What is Bob's balance?"],
    ["What is Carol's phone number?"],
    ['What address does Bob have?'],
  ])('is nothing of the subject in "%s"', (message) => {
    const { steps, confidence } = grammarDeriver.derive(message, subjectFacts(BANKS.canbank, 'alice', '2026-12-01'))
    expect(steps.map(({ records }) => records)).toEqual([[]])
    expect(confidence).toBeLessThan(0.5)
  })
})
