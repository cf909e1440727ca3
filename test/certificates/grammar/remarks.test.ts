import { describe, expect, it } from 'vitest'
import { grammarDeriver } from '../../../src/certificates/grammar/grammar-deriver.ts'
import { alice, inShort } from './alice.ts'
import { standing } from './standing.ts'

const read = (message: string): string => inShort(grammarDeriver.derive(message, alice))

describe('an order behind a few words', () => {
  it.each([
    'lunch was great, send Bob 500 from savings',
    'The trip was really fun, send Bob 500 kr from savings',
    "Rent's due, send Bob 500 kr from savings",
    'I just got paid, send Bob 500 kr from savings',
    'Bob covered the taxi, send him 500 kr from savings',
    'Bob paid for the whole meal, send him 500 kr from savings',
    'Middagen var god, send Bob 500 kr fra sparekonto',
    'Bob la ut for drosjen, send ham 500 kr fra sparekonto',
    'From my savings: send Bob 500 kr',
    'I want 500 kr sent to Bob from savings',
    "I'd like 500 kr moved from savings to Bob",
    'Jeg vil ha 500 kr overført til Bob fra sparekonto',
    'Can I send Bob 500 from savings please',
    'Kan jeg sende Bob 500 kr fra sparekonto, takk',
    'Kan eg sende Bob 500 kr frå sparekonto, er du snill',
  ])('stands: %s', (message) => {
    expect(read(message)).toBe('move_money from acc-alice-savings to acc-bob-checking 50000 NOK | 0.9')
  })

  it.each([
    ['The email was odd, pay Bob 500 kr from savings', 'a text is spoken of'],
    ['The letter was clear, pay Bob 500 kr from savings', 'a text is spoken of'],
    ['lunch was great, pay Bob 500 kr from savings it said', 'it is told'],
    ['lunch was great, Bob says pay Bob 500 kr from savings', 'it is told'],
    ["lunch was great, don't pay Bob 500 kr from savings", 'it is forbidden'],
    ['Bob fixed a letter, pay Bob 500 kr from savings', 'a text that nobody knows'],
    ['From Bob to savings: pay Bob 500 kr from savings', 'a sender stands before the colon'],
    ['I want 500 kr sent to Bob from savings last week refunded', 'it was done'],
    ["I don't want 500 kr sent to Bob from savings", 'it is not wanted'],
    ['Can I send Bob 500 kr from savings', 'leave is asked for'],
    ['Can I send Bob 500 kr from savings or is it too much, please', 'something else is asked'],
    ['Bob asked can I send Bob 500 kr from savings please', 'somebody else asks'],
  ])('does not stand in "%s": %s', (message) => {
    expect(standing(message)).toEqual([])
  })
})
