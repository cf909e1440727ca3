import type { Step } from '../derivation.ts'
import type { Clause } from './clauses.ts'
import { spanOf, type Arguments, type Reading } from './found.ts'
import { referenceAt, type Reference } from './names.ts'
import { nounOf } from './nouns.ts'
import { issuerAt, RECENCY } from './own-noun.ts'
import type { Token } from './tokens.ts'
import { isKnown } from './vocabulary.ts'
import { LANGUAGES, wordAt } from './words.ts'

type NamedRecord = Step['records'][number]
type RecordReference = Extract<Reference, { kind: 'record' }>
interface Mention {
  readonly at: number
  readonly reference: RecordReference
}

/** What a look at something names, and whether a noun in it is somebody else's. */
interface LookedAt {
  readonly named: readonly NamedRecord[]
  readonly foreign: boolean
}

/**
 * What a question or a look is about, where the words say more than the names alone: "invoice inv-7" is that one,
 * "Carol's invoice" none of the subject's, "… inv-7, just show it" the one named before.
 */
export function lookedAt(reading: Reading, clause: Clause, found: Arguments, named: readonly NamedRecord[]): LookedAt {
  const mentions = mentionsIn(reading, clause.from, clause.to)
  const strange = mentions.filter(({ at, reference }) => isStrangers(reading, at, reference.length, clause.to))
  const dropped = mentions.filter((each) => strange.includes(each) || isCalledById(reading, each, clause.to))
  const isDropped = ({ type, value, origin }: NamedRecord): boolean =>
    origin.kind === 'record' && dropped.some(({ reference }) => reference.type === type && reference.id === value)
  const customer = customerIn(reading, clause)
  const kept = named.filter((each) => !isDropped(each) && !(customer !== undefined && isByName(each, customer.type)))
  const byId = found.mentioned.flatMap((each) => (isById(each) ? [recordOf(each)] : []))
  const all = [...kept, ...byId.filter(({ value }) => !kept.some((each) => each.value === value))]
  if (customer !== undefined) all.push(customer)
  const nouns = found.nouns.some(({ at }) => isStrangers(reading, at, 1, clause.to))
  const foreign = strange.length > 0 || nouns || asksDetailsOf(reading, clause, found)
  if (all.length > 0 || foreign) return { named: all, foreign }
  return { named: [...spokenOf(reading, clause, found), ...ownDetails(reading, clause, found)], foreign }
}

const recordOf = ({ type, id, origin }: RecordReference): NamedRecord => ({ type, value: id, origin })
const isById = (reference: Arguments['mentioned'][number]): reference is RecordReference =>
  reference.kind === 'record' && reference.origin.kind === 'user'
const isByName = ({ type, origin }: NamedRecord, kind: string): boolean => type === kind && origin.kind === 'record'

/** Records that a stretch calls by a name, not by an id. */
function mentionsIn({ tokens, words, index }: Reading, from: number, to: number): readonly Mention[] {
  const mentions: Mention[] = []
  for (let at = from; at < to; at += 1) {
    const reference = referenceAt(index, tokens, words, at)
    if (reference?.kind === 'record' && reference.origin.kind === 'record') mentions.push({ at, reference })
    at += (reference?.length ?? 1) - 1
  }
  return mentions
}

/** "My invoice, inv-7": the id says which, so the name beside it only says what kind of thing it is. */
function isCalledById({ tokens, words, index }: Reading, { at, reference }: Mention, to: number): boolean {
  let next = at + reference.length
  while (next < to && (BETWEEN.test(wordAt(words, next)) || nounOf(wordAt(words, next)) !== undefined)) next += 1
  const literal = next < to ? referenceAt(index, tokens, words, next) : undefined
  return literal?.kind === 'record' && literal.origin.kind === 'user' && literal.type === reference.type
}
const BETWEEN = /^(?:[,:#(]|number|nr|no|nummer|id|called)$/

/** "Customer alice": an id that looks like any other word. */
function customerIn({ tokens, words }: Reading, { from, to }: Clause): NamedRecord | undefined {
  for (let at = from; at + 1 < to; at += 1) {
    const token = tokens[at + 1]
    if (!/^(?:customer|kunde)$/.test(wordAt(words, at)) || token?.kind !== 'word' || !token.plain) continue
    if (!/^[a-z][a-z0-9]+$/.test(token.text) || isKnown(token.lower)) continue
    return { type: 'Customer', value: token.text, origin: spanOf(tokens, at + 1, at + 2) }
  }
  return undefined
}

/** Whether a name stands beside a noun that makes it somebody else's: "Carol's invoice", "fakturaen til Carol". */
function isStrangers(reading: Reading, at: number, length: number, to: number): boolean {
  const { words } = reading
  let before = at - 1
  while (before >= 0 && RECENCY.has(wordAt(words, before))) before -= 1
  if (isPossessive(reading, before) || HIS.test(wordAt(words, at + length))) return true
  const behind = at + length
  return behind + 1 < to && OF.test(wordAt(words, behind)) && isSomebody(reading, behind + 1)
}

const OF = /^(?:of|til|to|from|fra|frå|by|for|av|hos)$/
const HIS = /^(?:his|her|hers|their|theirs|hans|hennes|hennar|deira|deres|sin|si|sitt)$/

function isPossessive(reading: Reading, at: number): boolean {
  const { tokens, words } = reading
  const word = wordAt(words, at)
  if (/^(?:his|their|hans|hennes|hennar|deira|deres|sin|si|sitt)$/.test(word)) return at > 0
  const token = tokens[at]
  if (!isCapital(token) || !word.endsWith('s')) return false
  return isName(reading, at) && !isIssuerEnd(reading, at)
}

/** "Nordlys Krafts faktura": the sender of one of the subject's own. */
function isIssuerEnd(reading: Reading, at: number): boolean {
  const words = reading.words.with(at, wordAt(reading.words, at).replace(/'?s$/, ''))
  return [0, 1, 2].some((back) => back <= at && issuerAt({ ...reading, words }, at - back) === back + 1)
}

const isName = ({ tokens, words, index }: Reading, at: number): boolean => {
  const reference = referenceAt(index, tokens, words, at)
  return reference === undefined ? !isKnown(wordAt(words, at)) : reference.kind !== 'record'
}

const isCapital = (token: Token | undefined): boolean => token?.kind === 'word' && /^\p{Lu}/u.test(token.text)

function isSomebody(reading: Reading, at: number): boolean {
  const { tokens, words, index } = reading
  if (issuerAt(reading, at) > 0 || isInName(reading, at) || LANGUAGES.has(wordAt(words, at))) return false
  const reference = referenceAt(index, tokens, words, at)
  if (reference !== undefined) return reference.kind === 'payee' && reference.origin.kind === 'record'
  return isCapital(tokens[at]) && !isKnown(wordAt(words, at))
}

/** "Nordlys" of a record that is called "nordlys kraft invoice". */
const isInName = ({ facts, words }: Reading, at: number): boolean =>
  facts.records.some(({ names }) => names.some((name) => name.toLowerCase().split(' ').includes(wordAt(words, at))))

/** "Don't pay invoice inv-7, just show it": the only record that the words before have named by its id. */
function spokenOf(reading: Reading, clause: Clause, { cues, nouns }: Arguments): readonly NamedRecord[] {
  if (!cues.has('it') || nouns.length > 0) return []
  const { tokens, words, index } = reading
  const found = new Map<string, NamedRecord>()
  for (let at = 0; at < clause.from; at += 1) {
    const reference = referenceAt(index, tokens, words, at)
    if (reference?.kind !== 'record') continue
    const { type, id, origin, length } = reference
    if (origin.kind === 'user') found.set(id, { type, value: id, origin })
    at += length - 1
  }
  return found.size === 1 ? [...found.values()] : []
}

const DETAILS =
  /^(?:address|addresses|phone|telephone|mobile|contact|adresse|adressen|adressa|telefon|telefonnummer|telefonnummeret|mobilnummer|mobilnummeret|kontaktinformasjon|kontaktopplysninger)$/

const namesDetails = ({ words }: Reading, { from, to }: Clause): boolean =>
  words.slice(from, to).some((word) => DETAILS.test(word))

/** "What is Carol's phone number?": no profile of the subject's answers that. */
const asksDetailsOf = (reading: Reading, clause: Clause, { mentioned, unresolved }: Arguments): boolean =>
  namesDetails(reading, clause) &&
  (unresolved.has('record') || mentioned.some(({ kind, origin }) => kind === 'payee' && origin.kind === 'record'))

/** "What address do you have for me?": it stands in the one profile that the subject has. */
function ownDetails(reading: Reading, clause: Clause, found: Arguments): readonly NamedRecord[] {
  const isPlain = found.mentioned.length + found.nouns.length + found.unresolved.size === 0
  if (!isPlain || !namesDetails(reading, clause)) return []
  const [profile, other] = reading.facts.records.filter(({ type }) => type === 'Customer')
  if (profile === undefined || other !== undefined) return []
  const { type, id } = profile
  return [{ type, value: id, origin: { kind: 'record', type, id } }]
}
