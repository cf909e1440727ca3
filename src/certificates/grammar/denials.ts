import type { IntentClass, Step } from '../derivation.ts'
import type { Reading } from './found.ts'
import { moneyAt } from './money.ts'
import { referenceAt, type Reference } from './names.ts'
import type { Denial } from './negation.ts'
import { nounOf } from './nouns.ts'
import { issuerAt } from './own-noun.ts'
import { FILLERS, PREPOSITIONS, TRANSPARENT, wordAt } from './words.ts'
import { isKnown } from './vocabulary.ts'

/**
 * Classes that a message forbids. "Don't pay Oslo Bolig" forbids that payment; beside a payment that the same message
 * orders to somebody else it forbids no other. Whatever it does not name for sure forbids the class.
 */
export function deniedClasses(
  reading: Reading,
  denials: readonly Denial[],
  steps: readonly Step[],
): ReadonlySet<IntentClass> {
  const payments = steps.filter((step) => step.class === 'move_money')
  const isSpared = (denial: Denial): boolean => payments.length > 0 && isElsewhere(reading, denial, payments)
  return new Set(
    denials.flatMap((denial) => denial.denied.filter((each) => each !== 'move_money' || !isSpared(denial))),
  )
}

/** Every payment goes to somebody whom the user names and the denial does not. */
function isElsewhere(reading: Reading, denial: Denial, payments: readonly Step[]): boolean {
  const named = partiesIn(reading, denial)
  return (
    named !== undefined &&
    payments.every(({ payee, records }) => payee !== undefined && records.length === 0 && !named.has(payee.value))
  )
}

/** Whom the words of a denial name; undefined: something in them may mean more than that. */
function partiesIn(reading: Reading, { from, to }: Denial): ReadonlySet<string> | undefined {
  const parties = new Set<string>()
  let isNamed = false
  let at = from
  while (at < to && !endsDenial(wordAt(reading.words, at))) {
    const part = partAt(reading, at)
    if (part === undefined) return undefined
    for (const id of part.parties ?? []) parties.add(id)
    isNamed ||= part.parties !== undefined
    at += part.length
  }
  return isNamed ? parties : undefined
}

const endsDenial = (word: string): boolean => /^(?:,|but|men|just|bare|berre|instead|heller|heldan)$/.test(word)

interface Part {
  readonly length: number
  /** Absent: a word that names nobody. */
  readonly parties?: readonly string[]
}

function partAt(reading: Reading, at: number): Part | undefined {
  const { tokens, words, index, facts } = reading
  const reference = referenceAt(index, tokens, words, at)
  if (reference !== undefined) return partOf(reading, reference)
  const issuer = issuerAt(reading, at)
  if (issuer > 0) return { length: issuer, parties: heldPayees(reading) }
  const money = moneyAt(tokens, words, at, facts.currency)
  if (money !== undefined) return { length: money.length }
  const word = wordAt(words, at)
  if (nounOf(word) !== undefined) return { length: 1, parties: heldPayees(reading) }
  if (PLAIN.test(word) || isLink(word)) return { length: 1 }
  return isStranger(reading, at) ? { length: 1, parties: [] } : undefined
}

function partOf(reading: Reading, reference: Reference): Part | undefined {
  if (reference.kind === 'unresolved') return undefined
  const { kind, id, length } = reference
  if (kind === 'payee') return { length, parties: [id] }
  return reference.account ? { length, parties: [id] } : { length, parties: heldPayees(reading) }
}

const heldPayees = ({ facts }: Reading): readonly string[] =>
  facts.records.flatMap(({ holds }) => [...(holds?.payees ?? [])])

const PLAIN = /^(?:yet|today|kr|ennå|enda|enno|i|dag|bill|or|nor|eller)$/
const isLink = (word: string): boolean =>
  TRANSPARENT.has(word) || FILLERS.has(word) || ['to', 'for'].includes(PREPOSITIONS[word] ?? '')

/** A plain word that no part of a payee's name is like. */
function isStranger({ tokens, facts }: Reading, at: number): boolean {
  const token = tokens[at]
  if (token?.kind !== 'word' || !token.plain || !/^\p{L}{2,}$/u.test(token.lower) || isKnown(token.lower)) return false
  const parts = facts.payees.flatMap(({ name }) => name.toLowerCase().split(/\s+/))
  return !parts.some((part) => part.startsWith(token.lower) || token.lower.startsWith(part))
}
