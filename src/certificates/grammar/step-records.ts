import type { IntentClass, OwnRecord, Step } from '../derivation.ts'
import type { Clause } from './clauses.ts'
import type { Arguments, Reading } from './found.ts'
import type { TypeNoun } from './nouns.ts'
import { isPlan } from './step-class.ts'

type NamedRecord = Step['records'][number]

/** The records that a step names. */
interface Records {
  readonly named: readonly NamedRecord[]
  readonly missing: boolean
}

/** What the wish names: literally, as "it" of the step before, or by the noun for its type. */
export function recordsOf(
  reading: Reading,
  clause: Clause,
  intent: IntentClass,
  found: Arguments,
  before: Step | undefined,
): Records {
  const literal = namesAll(intent) ? mentionedRecords(reading, found) : found.records.map(namedRecord)
  const earlier = found.cues.has('it') ? (before?.records ?? []) : []
  const named = distinct([...literal, ...earlier])
  const isCarried = !isReading(intent) && earlier.length > 0
  const nouns = isCarried ? [] : openNouns(clause, found, literal)
  if (isNamedElsewhere(reading, intent, found, nouns)) return { named, missing: true }
  const expanded = nouns.map((noun) => ofType(reading, intent, noun))
  const all = distinct([...named, ...expanded.flatMap(({ records }) => records)])
  const isSeveral = intent === 'move_money' && all.length > 1
  return { named: all, missing: isSeveral || expanded.some(({ open }) => open) }
}

/** Nouns that no name beside them settles. What is set up does not exist yet, so its noun names nothing. */
const openNouns = (clause: Clause, { nouns }: Arguments, literal: readonly NamedRecord[]): readonly TypeNoun[] =>
  isPlan(clause) ? [] : nouns.filter(({ type }) => !coversNoun(type, literal))

/** Something that is not known was named, so a noun beside it stands for nothing of the subject's. */
const isNamedElsewhere = (
  reading: Reading,
  intent: IntentClass,
  found: Arguments,
  nouns: readonly TypeNoun[],
): boolean => found.unresolved.has('id') || isAboutSomebodyElse(reading, intent, found, nouns)

/** Classes whose object is whatever record is named, wherever it stands. */
const namesAll = (intent: IntentClass): boolean => isReading(intent) || intent === 'delegate'
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
  { facts }: Reading,
  intent: IntentClass,
  found: Arguments,
  nouns: readonly TypeNoun[],
): boolean {
  if (!isReading(intent) || intent === 'export') return false
  const isStranger = (reference: Arguments['mentioned'][number]): boolean =>
    reference.kind === 'payee' && reference.origin.kind === 'record'
  if (!STRANGE.some((role) => found.unresolved.has(role)) && !found.mentioned.some(isStranger)) return false
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
