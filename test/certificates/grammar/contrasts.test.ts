import { describe, expect, it } from 'vitest'
import { grammarDeriver } from '../../../src/certificates/grammar/grammar-deriver.ts'
import { alice, inShort } from './alice.ts'

const read = (message: string): string => inShort(grammarDeriver.derive(message, alice))
const SENT = 'move_money from acc-alice-savings to acc-bob-checking 50000 NOK | 0.9'

describe('what only says which value is not meant', () => {
  it.each([
    'Send Bob 500, not 5000, from savings',
    'From savings, send Bob 500 kr, not 5000',
    'From savings, send 500 kr to Bob, not 50',
    'From savings, send 500 kr to Bob, not Carol',
    'From savings, send 500 kr to Bob, not Oslo Bolig',
    'From savings, send 500 kr to Bob and nothing to Carol',
    'Fra sparekonto, send Bob 500 kr, ikke 5000',
    'Frå sparekonto, send Bob 500 kr, ikkje 5000',
    'From savings, send Bob all of 500 kr',
    'From savings, send Bob a total of 500 kr',
  ])('leaves the value that is meant: %s', (message) => {
    expect(read(message)).toBe(SENT)
  })

  it.each([
    ['Send Bob not 500, 5000 from savings', 'no value stands before it'],
    ['Send Bob 500, not 500, from savings', 'it is the same one'],
    ['Send Bob 500, not 5000, or 50 from savings', 'a third one stands beside it'],
    ['From savings, send Bob 500, not 5000 or 50', 'it goes on'],
    ['From savings, send 500 to Bob, not Bob', 'it is the same payee'],
    ['From savings, send 500 to Bob, not Bob Hansen', 'it is a longer name'],
    ['From savings, send 500 to Carol, not Bob', 'nobody is named before it'],
    ['From savings, send Bob 500, not today', 'it is no value'],
    ['From savings, send Bob nearly all of 500', 'it is not the whole'],
    ['From savings, send Bob all of 500 kr minus 50', 'something is taken off'],
    ["Don't send Bob 500, not 5000, from savings", 'nothing is meant'],
  ])('settles nothing in "%s": %s', (message) => {
    const { steps, denied } = grammarDeriver.derive(message, alice)
    const [step] = steps
    const isOpen = denied.has('move_money') || step?.payee === undefined || step.amount === undefined
    expect(isOpen || step.missing.includes('choice')).toBe(true)
  })
})
