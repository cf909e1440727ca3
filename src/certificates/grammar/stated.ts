import type { Grounded, Money, Step } from '../derivation.ts'
import type { Range } from './tokens.ts'
import { spanOf, type Reading } from './found.ts'
import { moneyAt } from './money.ts'
import { referenceAt, type Reference } from './names.ts'
import { isOfOtherUnit } from './units.ts'
import { IS, ROLE_NOUNS, wordAt } from './words.ts'

/** A value that a statement gives for a role; undefined: one that nothing settles. */
type Stated = (
  | { readonly role: 'payee'; readonly value: Grounded<string> | undefined }
  | { readonly role: 'amount'; readonly value: Grounded<Money> | undefined }
) & {
  /** The subject's own record that the noun is a name of: "rent is 2200" is about the payment called rent. */
  readonly record?: Step['records'][number]
}

/** Values of "the recipient is acc-1" and "rent is 2200". */
export function statedIn(reading: Reading, { from, to }: Range): readonly Stated[] {
  const stated: Stated[] = []
  for (let at = from + 1; at < to; at += 1) {
    const word = wordAt(reading.words, at)
    if (!IS.has(word) && word !== ':') continue
    const found = statedAt(reading, at - 1, at + 1)
    if (found !== undefined) stated.push(found)
  }
  return stated
}

function statedAt(reading: Reading, nounAt: number, at: number): Stated | undefined {
  const { tokens, words, facts, index } = reading
  const noun = wordAt(words, nounAt)
  const role = Object.hasOwn(ROLE_NOUNS, noun) ? ROLE_NOUNS[noun] : undefined
  if (role === undefined) return undefined
  if (role === 'amount') {
    const found = moneyAt(tokens, words, at, facts.currency)
    if (found === undefined) return undefined
    if (found.money === undefined || isOfOtherUnit(reading, at, found)) return { role, value: undefined }
    const value = { value: found.money, origin: spanOf(tokens, at, at + found.length) }
    return { role, value, ...recordNamed(referenceAt(index, tokens, words, nounAt)) }
  }
  const reference = referenceAt(index, tokens, words, at)
  if (reference === undefined) return undefined
  if (reference.kind === 'unresolved') return { role, value: undefined }
  return { role, value: { value: reference.id, origin: reference.origin } }
}

function recordNamed(reference: Reference | undefined): Pick<Stated, 'record'> {
  if (reference?.kind !== 'record' || reference.account) return {}
  return { record: { type: reference.type, value: reference.id, origin: reference.origin } }
}
