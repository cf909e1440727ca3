import type { Origin, OwnRecord, SubjectFacts } from '../derivation.ts'
import { isMonth, isTimeUnit } from './dates.ts'
import { currencyOf } from './money.ts'
import { ACCOUNT_NAMES } from './nouns.ts'
import type { Token } from './tokens.ts'
import { isKnown } from './vocabulary.ts'
import { wordAt } from './words.ts'

/** What a place of the message refers to. */
export type Reference = { readonly length: number } & (
  | {
      readonly kind: 'record'
      readonly type: string
      readonly id: string
      readonly account: boolean
      readonly closed: boolean
      readonly origin: Origin
    }
  | { readonly kind: 'payee'; readonly id: string; readonly origin: Origin }
  /** It reads like a name or an id of something, and of nothing in the subject's data. */
  | { readonly kind: 'unresolved' }
)

interface Name {
  readonly words: readonly string[]
  readonly target: { readonly record: OwnRecord } | { readonly payee: string }
}

/** The subject's own data by id and by the first word of each name. */
export interface NameIndex {
  readonly byId: ReadonlyMap<string, OwnRecord>
  readonly byFirst: ReadonlyMap<string, readonly Name[]>
  /** Resource type by the first part of its ids: `inv` is Invoice. */
  readonly prefixes: ReadonlyMap<string, string>
  readonly payees: ReadonlySet<string>
}

/** Every name that the subject's own data answers to. */
export function nameIndex({ records, payees }: SubjectFacts): NameIndex {
  const byFirst = new Map<string, Name[]>()
  const add = (name: string, target: Name['target']): void => {
    const words = name
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    const first = words[0]
    if (first === undefined) return
    byFirst.set(first, [...(byFirst.get(first) ?? []), { words, target }])
  }
  for (const record of records) for (const name of allNames(record)) add(name, { record })
  for (const { name, id } of payees) add(name, { payee: id })
  return {
    byId: new Map(records.map((record) => [record.id, record])),
    byFirst,
    prefixes: new Map([...DEFAULT_PREFIXES, ...records.flatMap(prefixOf)]),
    payees: new Set(payees.map(({ id }) => id)),
  }
}

const DEFAULT_PREFIXES = [['inv', 'Invoice'] as const]
function prefixOf({ id, type }: OwnRecord): readonly (readonly [string, string])[] {
  const prefix = /^([a-z]{2,6})-[a-z0-9]/.exec(id)?.[1]
  return prefix === undefined ? [] : [[prefix, type]]
}

function allNames({ names }: OwnRecord): ReadonlySet<string> {
  const synonyms = ACCOUNT_NAMES.filter((group) => names.some((name) => group.includes(name.toLowerCase())))
  return new Set([...names, ...synonyms.flat()])
}

const isAccount = ({ type, isSource }: OwnRecord): boolean => isSource !== undefined || type === 'Account'

/** The reference that starts at a place of the tokens: an id as it is written, or the longest name. */
export function referenceAt(
  index: NameIndex,
  tokens: readonly Token[],
  words: readonly string[],
  at: number,
): Reference | undefined {
  const token = tokens[at]
  if (token === undefined || (token.kind !== 'word' && token.kind !== 'number')) return undefined
  return idAt(index, tokens, words, at) ?? (token.kind === 'word' ? nameAt(index, tokens, words, at) : undefined)
}

/** An account as it is written: of this bank, an IBAN, or eleven digits in the Norwegian way. */
const ACCOUNT =
  /^(?:(?:acc|ext)(?:-[a-z0-9]+)+|[A-Z]{2}[0-9]{2}[A-Z0-9]{10,30}|[0-9]{4}\.[0-9]{2}\.[0-9]{5}|[0-9]{11})$/
const FILE = /^[\w-]+(?:\.[\w-]+)*\.(?:txt|pdf|csv|md|docx?|xlsx?|json|eml|html?)$/i
const ID_LIKE = /^(?:acc|ext)[-_]|^[a-z]{2,6}-[a-z0-9-]*[0-9][a-z0-9-]*$|^[A-Z]{2}[0-9]{2}[A-Z0-9]{6,}/i
const COUNTED = /^(?:id|number|no|nr|nummer|transaction|transaksjon|invoice|faktura|#)$/

function idAt(index: NameIndex, tokens: readonly Token[], words: readonly string[], at: number): Reference | undefined {
  const token = tokens[at]
  if (token === undefined) return undefined
  if (isPlainNumber(token) && !isCounted(words, at)) return undefined
  const own = index.byId.get(token.text)
  const type = own?.type ?? literalType(index, token.text)
  if (type === undefined) return isIdLike(index, token) ? { kind: 'unresolved', length: 1 } : undefined
  if (!token.plain || isPadded(tokens, at)) return { kind: 'unresolved', length: 1 }
  return literalReference(token, own, type)
}

function literalReference({ text, start, end }: Token, own: OwnRecord | undefined, type: string): Reference {
  const origin = { kind: 'user', start, end } as const
  if (own === undefined && type === '') return { kind: 'payee', id: text, origin, length: 1 }
  const [account, closed] = [own !== undefined && isAccount(own), own?.closed === true]
  return { kind: 'record', type, id: text, account, closed, origin, length: 1 }
}

/** A number is an amount or a count, unless a word before it says that it is an id. */
const isPlainNumber = ({ text }: Token): boolean => /^[0-9]+$/.test(text) && !ACCOUNT.test(text)

function isCounted(words: readonly string[], at: number): boolean {
  const before = wordAt(words, at - 1)
  return COUNTED.test(before) || (before === '.' && COUNTED.test(wordAt(words, at - 2)))
}

/** It has the form of an id, or was called one, and is none that is known. */
const isIdLike = (index: NameIndex, token: Token): boolean =>
  ID_LIKE.test(token.text) || isLookalike(index, token) || isPlainNumber(token)

/** Empty for an account that is not the subject's. */
function literalType(index: NameIndex, text: string): string | undefined {
  if (index.payees.has(text) && /[-0-9]/.test(text)) return ''
  if (ACCOUNT.test(text)) return ''
  if (FILE.test(text)) return 'File'
  return /^[a-z]{2,6}-[a-z0-9]+(?:-[a-z0-9]+)*$/.test(text)
    ? index.prefixes.get(text.slice(0, text.indexOf('-')))
    : undefined
}

const isLookalike = (index: NameIndex, { text, lower, plain }: Token): boolean =>
  (lower !== text && /[-0-9]/.test(text) && index.byId.has(lower)) || (!plain && /[-_0-9]/.test(text))

const PADDING = /^[-_*#@~^=+\\/|&%$]$/
const isPadded = (tokens: readonly Token[], at: number): boolean =>
  [tokens[at - 1], tokens[at + 1]].some(
    (near, side) =>
      near?.kind === 'mark' &&
      PADDING.test(near.text) &&
      (side === 0 ? tokens[at] : near)?.glued === true &&
      near.text !== '#',
  )

function nameAt(
  index: NameIndex,
  tokens: readonly Token[],
  words: readonly string[],
  at: number,
): Reference | undefined {
  const matches = stemsOf(words[at] ?? '').flatMap((stem) =>
    (index.byFirst.get(stem) ?? []).filter((name) => isNamed(name, words, at)),
  )
  const length = Math.max(0, ...matches.map((name) => name.words.length))
  const longest = matches.filter((name) => name.words.length === length)
  const [first] = longest
  if (first === undefined) return undefined
  const ids = new Set(longest.map(({ target }) => ('record' in target ? target.record.id : target.payee)))
  const isWhole = tokens.slice(at, at + length).every(({ plain, kind }) => plain || kind === 'mark')
  if (ids.size > 1 || !isWhole) return { kind: 'unresolved', length }
  if ('record' in first.target) return recordReference(first.target.record, length)
  if (isPartOfName(first, tokens, at)) return { kind: 'unresolved', length }
  const id = first.target.payee
  return { kind: 'payee', id, origin: { kind: 'record', type: 'Payee', id }, length }
}

function recordReference(record: OwnRecord, length: number): Reference {
  const { type, id } = record
  const origin = { kind: 'record', type, id } as const
  return { kind: 'record', type, id, account: isAccount(record), closed: record.closed === true, origin, length }
}

const isNamed = ({ words: name, target }: Name, words: readonly string[], at: number): boolean =>
  name.every((word, offset) => {
    const said = words[at + offset] ?? ''
    if (said === word || offset < name.length - 1) return said === word
    // A payee called Ann is not Anna: people take the genitive only.
    return 'payee' in target ? genitiveOf(said) === word : stemsOf(said).includes(word)
  })

const genitiveOf = (word: string): string | undefined => /^(.+?)'?s$/.exec(word)?.[1]

/** A word without the genitive, and without the Norwegian article at its end. */
function stemsOf(word: string): readonly string[] {
  const stems = [word]
  const genitive = genitiveOf(word)
  if (genitive !== undefined) stems.push(genitive)
  if (word.length < 4) return stems
  for (const end of ['en', 'n', 'a', 'et']) if (word.endsWith(end)) stems.push(word.slice(0, -end.length))
  return stems
}

/** "Bob" in "Bob Hansen" or "Billy Bob" is somebody else; "Bob's" is not Bob, but what is his. */
function isPartOfName(name: Name, tokens: readonly Token[], from: number): boolean {
  const to = from + name.words.length
  const [before, last, after] = [tokens[from - 1], tokens[to - 1], tokens[to]]
  if (last?.lower !== name.words.at(-1)) return !/^(?:account|konto)/.test(after?.lower ?? '')
  return isSurname(after) || (isStranger(before) && isCapital(before))
}

const isCapital = (token: Token | undefined): boolean => /^\p{Lu}/u.test(token?.text ?? '')
const isStranger = (token: Token | undefined): boolean =>
  token?.kind === 'word' && !/^[0-9]/.test(token.text) && !isKnown(token.lower)

function isSurname(token: Token | undefined): boolean {
  if (token?.kind !== 'word' || isStranger(token)) return isStranger(token)
  const isShouted = token.text.toUpperCase() === token.text
  const isCalendar = isMonth(token.lower) || isTimeUnit(token.lower) || currencyOf(token.lower, undefined) !== undefined
  return isCapital(token) && !isShouted && !isCalendar
}
