import { fc, test } from '@fast-check/vitest'
import { expect, it } from 'vitest'
import { typedAnswer } from '../../src/approval/typed-answer.ts'

it.each(['y', 'Y', ' yes ', 'YES', 'j', 'ja', 'Ja'])('takes "%s" as a yes', (line) => {
  expect(typedAnswer(line)).toEqual({ kind: 'yes' })
})

it.each(['d', 'D', 'details'])('takes "%s" as a wish to see more', (line) => {
  expect(typedAnswer(line)).toEqual({ kind: 'details' })
})

it.each([
  { line: '' },
  { line: '   ' },
  { line: 'n' },
  { line: 'No.' },
  { line: 'nei' },
  { line: 'n because' },
  { line: 'n because wrong payee', reason: 'wrong payee' },
  { line: 'no, because: wrong payee', reason: 'wrong payee' },
  { line: 'nei fordi det er feil konto', reason: 'det er feil konto' },
  { line: 'n: 500 is too much', reason: '500 is too much' },
  { line: 'not this account', reason: 'not this account' },
  { line: 'use the savings', reason: 'use the savings' },
  { line: '1', reason: '1' },
  { line: 'true', reason: 'true' },
  { line: 'ok', reason: 'ok' },
  { line: 'ｙ', reason: 'ｙ' },
  { line: 'уes', reason: 'уes' },
  { line: 'ʏ', reason: 'ʏ' },
])('takes "$line" as a no', ({ line, reason }) => {
  expect(typedAnswer(line)).toEqual({ kind: 'no', almost: false, ...(reason === undefined ? {} : { reason }) })
})

it.each(['yes please', 'y n', 'ja takk', 'y,'])(
  'takes "%s" as a no without a reason, for it reads like a yes',
  (line) => {
    expect(typedAnswer(line)).toEqual({ kind: 'no', almost: true })
  },
)

const line = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('y', 'Y', 'e', 's', 'j', 'a', ' ', 'ſ', 'K') }),
)
test.prop([line])('nothing but four words is a yes', (typed) => {
  const isYes = /^\s*(?:y|yes|j|ja)\s*$/.test(typed.replace(/[A-Z]/g, (letter) => letter.toLowerCase()))
  expect(typedAnswer(typed).kind === 'yes').toBe(isYes)
})
