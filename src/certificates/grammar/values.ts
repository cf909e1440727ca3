import type { Origin } from '../derivation.ts'
import type { Clause } from './clauses.ts'
import { dateAt, isTimeUnit, type DateMention } from './dates.ts'
import { spanOf, type Arguments, type Cursor, type Reading, type RecordReference } from './found.ts'
import { moneyAt, type MoneyMention } from './money.ts'
import { referenceAt, type Reference } from './names.ts'
import { nounOf } from './nouns.ts'
import { isOfSomebody, isOthers } from './own-noun.ts'
import { isPlan } from './step-class.ts'
import type { Token } from './tokens.ts'
import { isOfOtherUnit } from './units.ts'
import type { Verb } from './verbs.ts'
import { wordAt, type Slot } from './words.ts'

/** Adds the date, reference or amount at the cursor and says how many tokens it takes; undefined: none is there. */
export function addValue(reading: Reading, cursor: Cursor, clause: Clause, found: Arguments): number | undefined {
  const { tokens, words, facts, index } = reading
  if (tokens[cursor.at]?.kind === 'quote') return addQuote(reading, cursor, clause, found)
  const date = dateAt(tokens, cursor.at, facts.today)
  if (date !== undefined) return addDate(reading, date, cursor, clause, found)
  const reference = referenceAt(index, tokens, words, cursor.at)
  if (reference !== undefined) return addReference(reading, reference, cursor, clause, found)
  const money = moneyAt(tokens, words, cursor.at, facts.currency)
  return money === undefined ? undefined : addMoney(reading, money, cursor, found)
}

function addDate(
  { tokens, words }: Reading,
  { iso, length, isNow }: DateMention,
  cursor: Cursor,
  clause: Clause,
  found: Arguments,
): number {
  const { at, slot } = cursor
  if (isOfNoun(words, at)) return length
  // "Today" is when a call runs anyway: it is no day to plan for.
  if (isNow === true && !isPlan(clause)) found.cues.add('today')
  // "Change the payment for next month" says which one; it sets no date.
  else if (iso !== undefined || slot !== 'for' || clause.verb?.class !== 'update') {
    found.dates.push(iso === undefined ? undefined : { value: iso, origin: spanOf(tokens, at, at + length) })
  }
  if (slot !== 'for') cursor.slot = undefined
  return length
}

/** "The bill that is due December 15" says which bill, not when to pay. */
const isOfNoun = (words: readonly string[], at: number): boolean => {
  const before = words.slice(Math.max(0, at - 5), at).join(' ')
  return /(?:^| )(?:(?:that|which) (?:is|was) due|som (?:forfaller|forfell|forfall))(?: on| den)?(?: the)?$/.test(
    before,
  )
}

const MESSAGE = /^(?:message|note|subject|reference|text|melding|meldinga|meldingen|merknad|referanse|tekst|teksten|:)$/

/** A quotation that is one name or id as a whole is a mention; anything else is a literal for a free field. */
function addQuote(reading: Reading, cursor: Cursor, { verb }: Clause, found: Arguments): number {
  const token = reading.tokens[cursor.at]
  if (token === undefined) return 1
  const inner: Token = { ...token, kind: 'word' }
  const words = token.lower.split(/\s+/)
  const parts = words.map((word, place): Token =>
    place === 0 ? { ...inner, lower: word } : { ...inner, lower: word, glued: false },
  )
  const single = words.length === 1 ? [inner] : parts
  const reference = referenceAt(reading.index, single, words, 0)
  if (reference?.length === words.length && reference.kind !== 'unresolved') {
    const only = verb === undefined ? {} : { verb }
    addReference(reading, { ...reference, length: 1 }, cursor, { ...only, from: cursor.at, to: cursor.at + 1 }, found)
  } else if (token.text.trim() !== '') {
    const text = { value: token.text, origin: { kind: 'user', start: token.start, end: token.end } } as const
    found.texts.push(text)
    if (MESSAGE.test(wordAt(reading.words, cursor.at - 1))) found.messages.push(text)
    place(cursor.slot, found)
  }
  cursor.slot = undefined
  return 1
}

function place(slot: Slot | undefined, found: Arguments): void {
  if (slot === 'to') found.unresolved.add('payee')
  if (slot === 'from') found.unresolved.add('source')
}

type Place = Pick<Clause, 'from' | 'to' | 'verb'>

function addReference(reading: Reading, reference: Reference, cursor: Cursor, clause: Place, found: Arguments): number {
  const { slot } = cursor
  const { length } = reference
  if (slot !== 'for') cursor.last = slot
  cursor.slot = slot === 'for' ? slot : undefined
  if (reference.kind !== 'unresolved') found.mentioned.push(reference)
  sortIn(reading, reference, { at: cursor.at, slot }, clause, found)
  // An "and" behind the verb's own object joins another object.
  if (slot === undefined && cursor.at === clause.from) cursor.last = undefined
  return length
}

/** Puts a mention where its slot belongs. */
function sortIn(
  reading: Reading,
  reference: Reference,
  { at, slot }: Pick<Cursor, 'at' | 'slot'>,
  clause: Place,
  found: Arguments,
): void {
  if (reference.kind === 'unresolved') addUnresolved(slot, found)
  else if (reference.kind === 'payee') addPayee(reading, reference, { at, slot, verb: clause.verb }, found)
  else if (!reference.account) {
    found.records.push(reference)
    if (isNamedAsOthers(reading, reference, at, clause)) found.unresolved.add('noun')
  } else if (isOfSomebody(reading, at + reference.length)) addUnresolved(slot, found)
  else addAccount(reference, slot ?? (isToppedUp(clause, found) ? 'to' : undefined), found)
}

/** "Top up savings with 500 kr": the account behind the verb is where the money goes. */
const isToppedUp = ({ verb }: Place, { payees }: Arguments): boolean =>
  verb?.words.join(' ') === 'top up' && payees.length === 0

const isNamedAsOthers = (
  reading: Reading,
  { origin, type, length }: RecordReference,
  at: number,
  clause: Place,
): boolean => origin.kind === 'record' && isOthers(reading, clause, at, length, type)

function addUnresolved(slot: Slot | undefined, found: Arguments): void {
  if (slot === 'from') found.unresolved.add('source')
  else if (slot !== 'for') found.unresolved.add('payee')
  if (slot !== 'from' && slot !== 'to') found.unresolved.add('id')
}

function addPayee(
  { words }: Reading,
  { id, origin }: Extract<Reference, { kind: 'payee' }>,
  { at, slot, verb }: Pick<Cursor, 'at' | 'slot'> & { readonly verb: Verb | undefined },
  found: Arguments,
): void {
  if (slot === 'from') found.sources.push({ value: id, origin })
  else if (slot !== 'for') {
    if (verb?.class === 'move_money' && standsBeside(words, at, slot, origin.kind)) found.unresolved.add('payee')
    else found.payees.push({ value: id, origin })
  }
}

/** "With Bob", "near Bob", "like Bob": who stands beside what is done, unless accounts are settled with them. */
function standsBeside(words: readonly string[], at: number, slot: Slot | undefined, kind: Origin['kind']): boolean {
  if (slot === 'with') return !/^(?:settle|square|up|opp)$/.test(wordAt(words, at - 2))
  const before = wordAt(words, at - 1)
  // "The balance of acc-1" is asked about as it is written.
  return slot === undefined && (BESIDE.test(before) || (kind === 'record' && /^(?:of|av)$/.test(before)))
}
const BESIDE =
  /^(?:by|at|near|against|behind|through|under|beside|beyond|despite|like|than|off|per|without|around|past|over|ved|hos|mot|bak|gjennom|blant|om|enn|uten|utan|forbi|rundt)$/

function addAccount(reference: RecordReference, slot: Slot | undefined, found: Arguments): void {
  const { id, origin, closed } = reference
  // By name it is a slip of the tongue; as a literal id it is what the user says, and the ledger refuses it.
  const isUsable = !closed || origin.kind === 'user'
  if (slot === 'from' || slot === 'with') {
    if (isUsable) found.sources.push({ value: id, origin })
    else found.unresolved.add('source')
  } else if (slot === 'to' || slot === 'in') {
    if (slot === 'in') found.cues.add('in')
    if (isUsable) found.payees.push({ value: id, origin })
    else found.unresolved.add('payee')
  } else found.loose.push(reference)
}

/** Counts, references and what an amount is for are no amounts. */
function addMoney(reading: Reading, money: MoneyMention, cursor: Cursor, found: Arguments): number {
  const { tokens, words } = reading
  const { at, slot } = cursor
  // "By 100" is a change, not an amount.
  if (/^(?:by|med)$/.test(wordAt(words, at - 1))) found.cues.add('vague')
  const isCount =
    money.bare && (slot === 'for' || countsThings(wordAt(words, at + money.length)) || isReference(words, at))
  const { bare, length } = money
  const value = isOfOtherUnit(reading, at, money) ? { bare, length } : money
  if (!isCount) found.amounts.push({ value, origin: spanOf(tokens, at, at + length) })
  if (slot !== 'for') cursor.slot = undefined
  return length
}

const countsThings = (next: string): boolean => isTimeUnit(next) || nounOf(next)?.plural === true

/** "KID 123", "invoice number: 7". */
function isReference(words: readonly string[], at: number): boolean {
  const before = wordAt(words, at - 1)
  return REFERENCE.test(/^[:.]$/.test(before) ? wordAt(words, at - 2) : before)
}
const REFERENCE = /^(?:kid|ref|reference|referanse|number|nummer|nr|no|id|#)$/
