import type { Money, OwnRecord } from '../derivation.ts'
import type { Clause } from './clauses.ts'
import { isTimeUnit } from './dates.ts'
import type { Reading } from './found.ts'
import { nounOf } from './nouns.ts'
import { isKnown } from './vocabulary.ts'
import { JOINING, PREPOSITIONS, wordAt } from './words.ts'

const list = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Leave what they stand before the subject's own. */
const DETERMINERS = list('the my our this that min mi mitt mine vår vårt våre den det denne dette')
/** Say which of the subject's own records, as far as the bank can tell. */
export const RECENCY = list(
  'latest last newest recent most new unpaid open outstanding due overdue pending current next upcoming only single whole entire full all of siste nyeste nyaste ubetalt ubetalte åpen åpne opne utestående neste aktuelle nye heile hele alle av',
)
/** Trades that an issuer's name tells of: "the power bill" of a company called Kraft, the rent of one called Bolig. */
const TRADES: readonly ReadonlySet<string>[] = [
  list('kraft energi energy power electricity electric strøm straum'),
  list('bolig bustad housing rent husleie husleige leie leige'),
]

/** Behind a noun: they begin what makes it somebody else's. */
const OPENS_OTHER = list('of by av hos for')
const RELATIVE = list('that which who som')
/** Behind a noun: whose it is, or the beginning of what somebody else has done with it. */
const OTHERS = list(
  'my our the a his her hers their theirs your yours hans hennes hennar deira deres din ditt dine dykkar dykk',
)
const SELF = list('me us myself meg oss my mine min mitt now today nå no payment betaling')
/** A relative clause about what the bank knows of a bill. */
const OF_ITSELF = list('is are was i we jeg eg vi er forfaller forfall har have just came kom arrived')

type Place = Pick<Clause, 'from' | 'to'>

/**
 * Whether the words around a noun, "my latest" or "of Carol", may make it another record than the subject's own. Any
 * word does that neither points at a record nor is in the name of one of its kind.
 */
export function isOthers(reading: Reading, { from, to }: Place, at: number, length: number, type: string): boolean {
  const own = reading.facts.records.filter((record) => record.type.toLowerCase() === type.toLowerCase())
  // Where there is none of its kind, none stands in for it.
  if (own.length === 0) return false
  const names = namesOf(own)
  return isOthersBefore(reading.words, from, at, names) || isOthersBehind(reading, at + length, to, names)
}

/** Whether a kind of bill is what the subject's own are for, by who sent them. */
export const isOwnKind = ({ facts }: Reading, type: string, kind: string): boolean =>
  namesOf(facts.records.filter((record) => record.type.toLowerCase() === type)).has(kind)

function namesOf(records: readonly OwnRecord[]): ReadonlySet<string> {
  const words = records.flatMap(({ names }) => names.flatMap((name) => name.toLowerCase().split(' ')))
  const trades = TRADES.filter((trade) => words.some((word) => trade.has(word)))
  return new Set([...words, ...trades.flatMap((trade) => [...trade])])
}

function isOthersBefore(words: readonly string[], from: number, at: number, names: ReadonlySet<string>): boolean {
  for (let place = at - 1; place >= from; place -= 1) {
    const word = wordAt(words, place)
    if (EXCEPT.has(word)) return true
    if (DETERMINERS.has(word)) return EXCEPT.has(wordAt(words, place - 1))
    if (RECENCY.has(word) || names.has(word)) continue
    return !endsPhrase(word)
  }
  return false
}

/** A quotation, a mark, a preposition or an "and": the phrase of the noun begins behind it. */
const endsPhrase = (word: string): boolean =>
  word === '' ||
  PAYMENT.test(word) ||
  !/^[\p{L}\p{N}]/u.test(word) ||
  JOINING.has(word) ||
  Object.hasOwn(PREPOSITIONS, word)

/** "The payment of the latest invoice". */
const PAYMENT = /^(?:payment|betaling|betalingen|betalinga)$/

function isOthersBehind(reading: Reading, behind: number, to: number, names: ReadonlySet<string>): boolean {
  const { words } = reading
  if (behind >= to) return false
  if (isCalled(reading, behind)) return true
  const [word, next] = [wordAt(words, behind), wordAt(words, behind + 1)]
  if (OTHERS.has(word)) return true
  if (RELATIVE.has(word)) return !OF_ITSELF.has(next)
  return OPENS_OTHER.has(word) && behind + 1 < to && !isOfSelf(next) && !names.has(next)
}

/** "Savings account of my wife": an own account is not meant. */
export function isOfSomebody({ words }: Reading, behind: number): boolean {
  const at = /^(?:account|konto|kontoen|kontoa)$/.test(wordAt(words, behind)) ? behind + 1 : behind
  const next = wordAt(words, at + 1)
  return /^(?:of|av|hos)$/.test(wordAt(words, at)) && next !== '' && !/^(?:mine|me|meg|[0-9].*)$/.test(next)
}

/** A quotation or an unknown word right behind a noun is what it is called: "invoice 'Telenor'", "invoice inv_9". */
function isCalled({ tokens, facts }: Reading, at: number): boolean {
  const token = tokens[at]
  if (token?.kind === 'quote') return true
  return token?.kind === 'word' && !isKnown(token.lower) && !facts.records.some(({ id }) => id === token.text)
}

const isOfSelf = (word: string): boolean => SELF.has(word) || isTimeUnit(word) || /^[0-9]/.test(word)

/** The subject's own records that the issuer at a place has sent. */
export function issuedBy({ facts, words }: Reading, at: number): readonly OwnRecord[] {
  const isFrom = (name: string): boolean => {
    const issuer = issuerIn(name)
    return issuer.length > 0 && issuer.every((word, offset) => words[at + offset] === word)
  }
  return facts.records.filter(({ names }) => names.some(isFrom))
}

/** The one record that the issuer at a place has sent for this amount: "pay Nordlys Kraft (640 kr)". */
export function issuedFor(reading: Reading, at: number, { minor, currency }: Money): OwnRecord | undefined {
  const [record, other] = issuedBy(reading, at).filter(
    ({ holds }) => holds?.amounts.some((held) => held.minor === minor && held.currency === currency) === true,
  )
  return other === undefined ? record : undefined
}

/** How many words at a place are the name of who sent one of the subject's records: "Nordlys Kraft"; 0: none. */
export function issuerAt({ facts, words }: Reading, at: number): number {
  const issuers = facts.records.flatMap(({ names }) => names.map(issuerIn))
  const fitting = issuers.filter((issuer) => issuer.every((word, offset) => words[at + offset] === word))
  return Math.max(0, ...fitting.map(({ length }) => length))
}

/** "Nordlys kraft" of "nordlys kraft invoice". */
function issuerIn(name: string): readonly string[] {
  const words = name.toLowerCase().split(' ')
  return nounOf(words.at(-1) ?? '') === undefined ? [] : words.slice(0, -1)
}

/** Take something out of what is named. */
const EXCEPT = list('but except excluding besides unless not unntatt untatt bortsett utenom utanom minus men')

/** A share of what is named. */
const PARTIAL = list(
  'half halve halvparten part parts part-payment portion piece bit rest remainder remaining third quarter percent installment instalment installments instalments del deler delen delar resten prosent avdrag tredjedel tredel fjerdedel fjerdedelen discount rabatt minus less except excluding unntatt untatt bortsett % deposit depositum some most little litt noe noko mesteparten partially partly delvis double doubled twice triple interest renter fee fees gebyr gebyret gebyrer gebyra purregebyr round rounded avrund avrundet avrunda rund rundet runda deduct deducted subtract subtracted multiply multiplied double dobbelt dobbel minimum minste tip tips plus pluss extra ekstra down several few',
)

/** True when a wish is for less than what it names: half of it, all but it. */
export const isPartial = ({ words }: Pick<Reading, 'words'>, { from, to }: Place): boolean =>
  words.slice(from, to).some((word) => PARTIAL.has(word))
