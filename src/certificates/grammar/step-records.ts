import type { ArgumentRole } from '../../core/tool.ts'
import type { IntentClass, OwnRecord, Step } from '../derivation.ts'
import type { Clause } from './clauses.ts'
import type { Arguments, Reading } from './found.ts'
import { lookedAt } from './looked-at.ts'
import { isWrite } from './negation.ts'
import type { TypeNoun } from './nouns.ts'
import { isPartial, issuedBy, issuedFor } from './own-noun.ts'
import { givesBack } from './past-payments.ts'
import { isPlan } from './step-class.ts'
import { verbAt } from './verbs.ts'

type NamedRecord = Step['records'][number]

/** The records that a step names. */
interface Records {
  readonly named: readonly NamedRecord[]
  /** `record`, and `choice` for a change that no card could put right. */
  readonly missing: readonly ArgumentRole[]
}

/** What the wish names: literally, as "it" of the step before, or by the noun for its type. */
export function recordsOf(
  reading: Reading,
  clause: Clause,
  intent: IntentClass,
  found: Arguments,
  before: Step | undefined,
): Records {
  const { named, nouns } = objectsOf(reading, clause, intent, found, before)
  const foreign = foreignOf(reading, clause, intent, found, { named, nouns })
  if (foreign !== undefined) return foreign
  if (isLooked(intent)) return lookedRecords(reading, clause, intent, found, { named, nouns })
  if (isNamedElsewhere(reading, clause, intent, found, nouns)) return { named, missing: RECORD }
  const expanded = nouns.map((noun) => ofType(reading, intent, noun))
  const kinds = expanded.flatMap(({ records }) => records)
  if (intent !== 'move_money') return recordsFrom([...named, ...kinds], expanded)
  const all = distinct([...named, ...issued(reading, clause, found), ...kinds])
  if (isForSomebodyElse(reading, found, all)) return { named: [], missing: RECORD }
  return all.length > 1 ? { named: all, missing: RECORD } : recordsFrom(all, expanded)
}

/** A look at something opens what it names; where that is somebody else's it opens nothing of the subject's. */
function lookedRecords(
  reading: Reading,
  clause: Clause,
  intent: IntentClass,
  found: Arguments,
  { named: all, nouns }: Objects,
): Records {
  const { named, foreign } = lookedAt(reading, clause, found, all)
  if (foreign || isNamedElsewhere(reading, clause, intent, found, nouns)) {
    return { named, missing: named.length === 0 ? NOBODYS : RECORD }
  }
  const expanded = openNouns(reading, clause, found, named).map((noun) => ofType(reading, intent, noun))
  return recordsFrom([...named, ...expanded.flatMap(({ records }) => records)], expanded)
}

const RECORD: readonly ArgumentRole[] = ['record']
const NOBODYS: readonly ArgumentRole[] = ['record', 'choice']
const recordsFrom = (records: readonly NamedRecord[], expanded: readonly Expanded[]): Records => ({
  named: distinct(records),
  missing: expanded.some(({ open }) => open) ? RECORD : [],
})

interface Objects {
  readonly named: readonly NamedRecord[]
  readonly nouns: readonly TypeNoun[]
}

function objectsOf(
  reading: Reading,
  clause: Clause,
  intent: IntentClass,
  found: Arguments,
  before: Step | undefined,
): Objects {
  const literal = namesAll(intent) ? mentionedRecords(reading, found) : found.records.map(namedRecord)
  const earlier = found.cues.has('it') ? (before?.records ?? []) : []
  const isCarried = !isReading(intent) && earlier.length > 0
  return {
    named: distinct([...literal, ...earlier]),
    nouns: isCarried ? [] : openNouns(reading, clause, found, literal),
  }
}

/** "Pay Nordlys Kraft (640 kr)" is about the one record of that sender that holds this amount. */
function issued(reading: Reading, clause: Clause, found: Arguments): readonly NamedRecord[] {
  const [at, other] = found.issuers
  const money = found.amounts.length === 1 ? found.amounts[0]?.value.money : undefined
  if (at === undefined || other !== undefined || money === undefined) return []
  const isOpen = leavesOpen(found) || isPartial(reading, clause) || givesBack(clause)
  const record = isOpen ? undefined : issuedFor(reading, at, money)
  return record === undefined ? [] : [ownRecord(record)]
}

const leavesOpen = ({ payees, unresolved, cues }: Arguments): boolean =>
  payees.length > 0 || unresolved.has('payee') || unresolved.has('record') || cues.has('vague')

/** What is left of the objects when they may not be the subject's, or when only a part of them is meant. */
function foreignOf(
  reading: Reading,
  clause: Clause,
  intent: IntentClass,
  found: Arguments,
  { named, nouns }: Objects,
): Records | undefined {
  if (!isWrite(intent)) return undefined
  const objects = [...named, ...nouns]
  const isShare = intent === 'move_money' && objects.length > 0 && isPartial(reading, clause)
  if (isShare) return { named: [], missing: RECORD }
  if (!isForeign(reading, clause, intent, found, objects)) return undefined
  return { named: named.filter(({ origin }) => origin.kind === 'user'), missing: FOREIGN[intent] ?? RECORD }
}

const FOREIGN: Partial<Record<IntentClass, readonly ArgumentRole[]>> = {
  create: ['record', 'choice'],
  update: ['record', 'choice'],
}

/** Nouns that no name beside them settles. What is set up does not exist yet, so its noun names nothing. */
const openNouns = (
  { words }: Reading,
  clause: Clause,
  { nouns }: Arguments,
  literal: readonly NamedRecord[],
): readonly TypeNoun[] => {
  // "All my accounts, and acc-1" is about all of them whatever is named beside them.
  const isAll = (at: number): boolean =>
    words.slice(Math.max(0, at - 2), at).some((word) => /^(?:all|alle)$/.test(word))
  return isPlan(clause)
    ? []
    : nouns.filter(({ type, plural, at }) => (plural && isAll(at)) || !coversNoun(type, literal))
}

/** Something that is not known was named, so a noun beside it stands for nothing of the subject's. */
const isNamedElsewhere = (
  reading: Reading,
  clause: Clause,
  intent: IntentClass,
  found: Arguments,
  nouns: readonly TypeNoun[],
): boolean => found.unresolved.has('id') || isAboutSomebodyElse(reading, clause, intent, found, nouns)

/**
 * Whether a write is about a record that may not be the subject's. Then nothing that they have stands in for it: an id
 * that is not theirs, "Carol's invoice", "the water bill", "from her account".
 */
function isForeign(
  reading: Reading,
  clause: Clause,
  intent: IntentClass,
  found: Arguments,
  objects: readonly (NamedRecord | TypeNoun)[],
): boolean {
  const movesMoney = intent === 'move_money'
  if (objects.some((each) => 'value' in each && isUnknownId(reading.facts, found, each))) return true
  if (movesMoney && (found.unresolved.has('source') || givesBackInvoice(clause, objects))) return true
  const isByName = objects.some((each) => !('value' in each) || each.origin.kind !== 'user')
  const strange = ['noun', 'record', ...(movesMoney ? (['payee'] as const) : [])] as const
  return isByName && (strange.some((role) => found.unresolved.has(role)) || !isOfIssuer(reading, found, objects))
}

/** "Pay Nordlys Kraft for my invoice": who is named beside it is who sent it, or nobody is. */
function isOfIssuer(reading: Reading, { issuers }: Arguments, objects: readonly (NamedRecord | TypeNoun)[]): boolean {
  const [at, other] = issuers
  if (at === undefined) return true
  const sent = issuedBy(reading, at)
  return other === undefined && objects.every((each) => 'value' in each && sent.some(({ id }) => id === each.value))
}

/** Files are asked about by their name, whether the bank's data tells of them or not. */
const isUnknownId = ({ records }: Reading['facts'], { payees }: Arguments, { type, value }: NamedRecord): boolean =>
  type !== 'File' && !records.some(({ id }) => id === value) && !payees.some((payee) => payee.value === value)

/** What was never received cannot be given back. */
const givesBackInvoice = (clause: Clause, objects: readonly (NamedRecord | TypeNoun)[]): boolean =>
  givesBack(clause) && objects.some(({ type }) => type.toLowerCase() === 'invoice')

/** "Pay the invoice to Bob": none of the records is one that Bob is to be paid for, and no amount is said. */
function isForSomebodyElse({ facts }: Reading, { payees, amounts }: Arguments, named: readonly NamedRecord[]): boolean {
  const held = facts.records.filter(({ id, holds }) => holds !== undefined && named.some(({ value }) => value === id))
  if (held.length === 0 || payees.length === 0 || amounts.length > 0) return false
  return !held.some(({ holds }) => payees.some(({ value }) => holds?.payees.includes(value) === true))
}

/** Classes whose object is whatever record is named, wherever it stands. */
const namesAll = (intent: IntentClass): boolean => isReading(intent) || intent === 'delegate'
/** A look at something, and nothing that leaves the bank. */
const isLooked = (intent: IntentClass): boolean => isReading(intent) && intent !== 'export'
/** True for a class whose object is looked at, wherever it goes then. */
export const isReading = (intent: IntentClass): boolean =>
  intent === 'read' || intent === 'summarize' || intent === 'transform' || intent === 'export'
const namedRecord = ({ type, id, origin }: Arguments['records'][number]): NamedRecord => ({ type, value: id, origin })
const distinct = (records: readonly NamedRecord[]): readonly NamedRecord[] =>
  records.filter(
    ({ type, value }, at) => records.findIndex((each) => each.type === type && each.value === value) === at,
  )

/** A record that is named outright is what the noun beside it means: "the bill 'june.txt'". */
const coversNoun = (type: string, literal: readonly NamedRecord[]): boolean =>
  literal.some((record) => record.type.toLowerCase() === type || (record.type === 'File' && type === 'invoice'))

function mentionedRecords({ index }: Reading, found: Arguments): readonly NamedRecord[] {
  return found.mentioned.flatMap((reference) => {
    if (reference.kind === 'record') return [namedRecord(reference)]
    const { id, origin } = reference
    // A stranger's account by its id is asked about as it is; whether it may be read is the PDP's to say.
    return origin.kind === 'user'
      ? [{ type: index.prefixes.get(id.slice(0, id.indexOf('-'))) ?? 'Account', value: id, origin }]
      : []
  })
}

/** "Bob's balance", "the account of Carol": not the subject's own, so no noun stands for their own records. */
function isAboutSomebodyElse(
  { facts, words }: Reading,
  { from, to }: Clause,
  intent: IntentClass,
  found: Arguments,
  nouns: readonly TypeNoun[],
): boolean {
  if (!isReading(intent) || intent === 'export') return false
  const isStranger = (reference: Arguments['mentioned'][number]): boolean =>
    reference.kind === 'payee' && reference.origin.kind === 'record'
  // "Would paying Bob overdraw my account?" names whom a payment would go to.
  const isPaid = words.slice(from, to).some((_, offset) => verbAt(words, from + offset)?.class === 'move_money')
  const isNamed = !isPaid && found.mentioned.some(isStranger)
  if (!isNamed && !STRANGE.some((role) => found.unresolved.has(role))) return false
  return nouns.some(({ type }) => facts.records.some((record) => record.type.toLowerCase() === type))
}
const STRANGE = ['record', 'source', 'payee'] as const

interface Expanded {
  readonly records: readonly NamedRecord[]
  /** The noun means one of several, or one that is not there. */
  readonly open: boolean
}

function ofType({ facts }: Reading, intent: IntentClass, { type, plural, forAll }: TypeNoun): Expanded {
  // An account noun of a payment only says what kind of thing stands beside it.
  if (type === 'account' && !isReading(intent)) return { records: [], open: false }
  const own = facts.records.filter((record) => record.type.toLowerCase() === type)
  const isAll = isReading(intent) && (plural || forAll)
  if (own.length === 1 || isAll) return { records: own.map(ownRecord), open: false }
  return { records: [], open: intent !== 'create' && (own.length > 1 || !isReading(intent)) }
}
const ownRecord = ({ type, id }: OwnRecord): NamedRecord => ({ type, value: id, origin: { kind: 'record', type, id } })
