import type { Step } from '../derivation.ts'
import { sameMoney } from '../money.ts'
import type { Clause } from './clauses.ts'
import type { Reading } from './found.ts'
import { moneyAt } from './money.ts'
import { referenceAt } from './names.ts'
import type { ReadStep } from './steps.ts'
import type { Range } from './tokens.ts'
import { wordAt } from './words.ts'

/** The step with something to choose in it: two sayings of the message do not agree about it. */
export const contradicted = (placed: ReadStep): ReadStep => ({
  ...placed,
  step: { ...placed.step, missing: [...new Set([...placed.step.missing, 'choice' as const])] },
})

/** "Pay Bob 500 kr. Only 50 kr.", "… Or Oslo Bolig.": another amount or payee behind a settled one may replace it. */
export function amended(reading: Reading, steps: readonly ReadStep[], { from, to }: Range): readonly ReadStep[] {
  const last = steps.findLast(({ at, step }) => at < from && step.class === 'move_money')
  if (last === undefined) return steps
  for (let at = from; at < to; at += 1) {
    if (!isShare(reading, at) && !isOther(reading, last.step, at, to - from <= 3)) continue
    return steps.map((each) => (each === last ? contradicted(each) : each))
  }
  return steps
}

/** A bare number is an amount only where hardly anything else is said: "only 50", but not "the ticket is 4711". */
function isOther(
  { tokens, words, facts, index }: Reading,
  { amount, payee }: Step,
  at: number,
  isBrief: boolean,
): boolean {
  const reference = referenceAt(index, tokens, words, at)
  if (reference?.kind === 'payee') return payee !== undefined && reference.id !== payee.value
  if (amount === undefined || reference !== undefined) return false
  const found = moneyAt(tokens, words, at, facts.currency)
  if (found?.money === undefined || (found.bare && !isBrief)) return false
  return !sameMoney(found.money, amount.value)
}

/** "Pay my invoice and add 10 %", "… and round it up": a wish behind a payment that changes how much is paid. */
export function recalculated(
  reading: Reading,
  steps: readonly ReadStep[],
  clauses: readonly Clause[],
): readonly ReadStep[] {
  const changes = clauses.filter((clause) => changesAmount(reading, clause))
  return steps.map((placed) =>
    placed.step.class === 'move_money' && changes.some(({ from }) => from > placed.at) ? contradicted(placed) : placed,
  )
}

const CHANGES =
  /^(?:add|include|increase|raise|reduce|lower|adjust|change|correct|make|legg|øk|auk|reduser|senk|juster|endre|endra)$/

function changesAmount(reading: Reading, { verb, from, to }: Clause): boolean {
  if (!CHANGES.test(verb?.words[0] ?? '')) return false
  const { tokens, words, facts, index } = reading
  const places = Array.from({ length: to - from }, (_, offset) => from + offset)
  if (places.some((at) => isShare(reading, at) || EXTRA.test(wordAt(words, at)))) return true
  const isMuch = moneyAt(tokens, words, from, facts.currency) !== undefined
  return isMuch && !places.some((at) => referenceAt(index, tokens, words, at) !== undefined)
}

const EXTRA =
  /^(?:tips?|extra|ekstra|amount|beløp|beløpet|totals?|totalen|interest|renter|fees?|gebyr|gebyret|it|more|mer|meir)$/
const isShare = ({ words }: Reading, at: number): boolean => /^(?:%|percent|prosent|‰)$/.test(wordAt(words, at))
