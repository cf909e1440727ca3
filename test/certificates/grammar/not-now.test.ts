import { describe, expect, it } from 'vitest'
import { grammarDeriver } from '../../../src/certificates/grammar/grammar-deriver.ts'
import { alice, inShort } from './alice.ts'
import { standing } from './standing.ts'

const PAY = 'Pay Bob 500 kr from checking'
const BETAL = 'Betal Bob 500 kr fra brukskonto'

describe('an order that is taken back or corrected', () => {
  it.each(
    [
      ...['Sorry, I meant 50 kr.', 'Actually make that 50 kr.', 'Actually no.', 'On second thought, forget it.'],
      ...['Just kidding.', 'Hmm, no.', 'Ignore that.', 'I take it back.', 'Changed my mind.', 'Scratch that.'],
      ...[
        'Not really.',
        "I didn't mean that.",
        'That was a joke.',
        'Please cancel.',
        'Cancel that.',
        'Wait for my signal.',
      ],
      ...['No, pay Bob 50 kr.', 'Pay Oslo Bolig instead.', 'Make it 50.', '50 kr, I mean.', 'Only 50 kr.'],
      ...['It should be 50 kr.', 'Or Oslo Bolig.', 'Correction: 50 kr.', 'Let me check first.'],
    ].map((behind) => ({ behind })),
  )('does not stand behind $behind', ({ behind }) => {
    expect(standing(`${PAY}. ${behind}`)).toEqual([])
  })

  it.each([
    'Change my password to "hunter2". Actually no.',
    'Pay Bob 500 kr? I would rather not.',
    `${PAY}, actually make that 50`,
    `${PAY} — no, 50 kr`,
    `${PAY} but wait for my signal`,
    'Delete inv-alice-1. Oops, wrong one.',
    'Change my address to Veien 2. Or not.',
    `${BETAL}. Beklager, jeg mente 50 kr.`,
    `${BETAL}. Nei, glem det.`,
    `${BETAL}, eller forresten, la det være`,
    `${BETAL}. Jeg tuller bare.`,
    `${BETAL}. Eller nei, 50 kr.`,
    'Betal Bob 500 kr frå brukskonto. Eg ombestemte meg.',
    'Betal Bob 500 kr frå brukskonto. Gløym det.',
  ])('does not stand: %s', (message) => {
    expect(standing(message)).toEqual([])
  })

  it.each([
    `${PAY}. It is for dinner.`,
    `${PAY}. Please hurry, he is waiting.`,
    'Please pay my invoice from checking. Sorry for the late message.',
    "Don't pay Carol. Pay Bob 500 kr from checking instead.",
  ])('stands when nothing of it is taken back: %s', (message) => {
    const { denied, steps } = grammarDeriver.derive(message, alice)
    expect(steps.map((step) => [step.class, step.missing.includes('choice')])).toEqual([['move_money', false]])
    expect(denied.size === 0 || message.startsWith("Don't")).toBe(true)
  })
})

describe('an order about somebody else, an exception, or a thing', () => {
  it.each([
    ...['Pay anyone but Bob 500 kr', 'Pay everyone except Bob 500 kr', 'Pay somebody other than Bob 500 kr'],
    ...['Make Bob pay 500 kr', 'Let Bob pay 500 kr', 'Pay the guy who pays Bob 500 kr', 'Pay whoever pays Bob 500 kr'],
    ...['Send Bob a link to pay 500 kr', 'Send Bob a reminder to pay me 500 kr', 'Send Bob a message saying 500 kr'],
    ...['Send a receipt for 500 kr to Bob', 'Send Bob the 500 kr invoice', 'Send Bob an invoice for 500 kr'],
    ...['Give Bob a 500 kr discount', 'Pay 500 kr on behalf of Bob', 'Pay 500 kr just like Bob'],
    'Pay the person who sent Bob 500 kr',
    'Betal hvem som helst bortsett fra Bob 500 kr',
    'Betal alle unntatt Bob 500 kr',
    'Betal alle andre enn Bob 500 kr',
    'Betal 500 kr på vegne av Bob',
    'La Bob betale 500 kr',
    'Send en kvittering på 500 kr til Bob',
    'Gi Bob en rabatt på 500 kr',
  ])('pays nobody: %s', (message) => {
    expect(standing(message)).toEqual([])
    expect(standing(`${message} from checking`)).toEqual([])
  })

  it.each([
    'Send Bob 500 kr for the invoice from checking',
    'Send Bob 500 kr from savings to pay for dinner',
    'Send Bob 500 kr from savings with the message "thanks"',
    'Make a transfer of 500 kr to Bob from checking',
    'Refund Bob the 500 kr that I got from checking',
  ])('is a payment all the same: %s', (message) => {
    expect(standing(message)).toEqual(['move_money'])
  })
})

describe('an order for another time, for many times, or for a case', () => {
  it.each(
    [
      ...['later', 'senere', 'in December', 'after payday', 'before Christmas', 'on payday', 'tonight', 'at noon'],
      ...['a day', '/month', 'per month', 'an hour', 'automatically', 'and again tomorrow', 'over three months'],
      ...[
        'as long as he sends proof',
        'in case he calls',
        ', should he ask',
        'should it be needed',
        'while he is here',
      ],
      ...['depending on my balance', 'the moment he arrives', 'on the first', 'when he asks', 'i timen', 'om dagen'],
      ...['så lenge jeg har råd', 'etter lønning', 'i desember', 'i tilfelle han ringer', 'i kveld', 'ved behov'],
      ...['next week', 'in two weeks', 'innen fredag'],
    ].map((when) => ({ when })),
  )('is not for now: … $when', ({ when }) => {
    expect(standing(`Pay Bob 500 kr ${when}`)).toEqual([])
    expect(standing(`${PAY} ${when}`)).toEqual([])
  })

  it.each([
    'Next week, please pay Bob 500 kr',
    'In January, please pay Bob 500 kr from checking',
    'I morgen, vær så snill og betal Bob 500 kr',
    'When he asks, please pay Bob 500 kr from checking',
    'Pay the invoice next week',
    `${PAY}. But only after payday.`,
    `${PAY}. Next week.`,
    `${PAY}. If he asks.`,
    `${BETAL}. Men ikke nå.`,
  ])('is not for now: %s', (message) => {
    expect(standing(message)).toEqual([])
  })

  it.each([
    `${PAY} as soon as possible`,
    `${PAY} for dinner a week ago`,
    `${PAY} for dinner last night`,
    `${BETAL} for middagen i går kveld`,
    'Pay Oslo Bolig 8 500 kr from checking for the December rent',
  ])('is for now: %s', (message) => {
    expect(standing(message)).toEqual(['move_money'])
  })

  it('may be many times when it is a plan', () => {
    const plan = grammarDeriver.derive('Set up a standing order of 500 kr a month to Bob from checking', alice)
    expect(inShort(plan)).toBe('move_money from acc-alice-checking to acc-bob-checking 50000 NOK missing date | 0.7')
  })
})
