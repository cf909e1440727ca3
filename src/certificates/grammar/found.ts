import type { Grounded, Origin, SubjectFacts } from '../derivation.ts'
import type { MoneyMention } from './money.ts'
import type { NameIndex, Reference } from './names.ts'
import type { TypeNoun } from './nouns.ts'
import type { Range, Token } from './tokens.ts'
import type { Slot } from './words.ts'

/** The message, its facts, and what both share. */
export interface Reading {
  readonly text: string
  readonly tokens: readonly Token[]
  readonly words: readonly string[]
  readonly facts: SubjectFacts
  readonly index: NameIndex
}

/** A mention of a record of the subject's, or of an id of such a kind. */
export type RecordReference = Extract<Reference, { kind: 'record' }>

/** Words before an order that belong to it: "from savings, send …", "use my savings to pay …". */
export interface Lead extends Range {
  /** The slot that its first word stands in. */
  readonly slot: Slot | undefined
}

/** What stands before the first wish of a sentence, and where that may begin. */
export interface Ahead {
  readonly lead?: Lead
  readonly next: number
}

/** What the words behind a verb say, before anything is settled. */
export interface Arguments {
  readonly payees: Grounded<string>[]
  readonly sources: Grounded<string>[]
  readonly amounts: Grounded<MoneyMention>[]
  readonly dates: (Grounded<string> | undefined)[]
  readonly records: RecordReference[]
  /** Own accounts that no preposition places. */
  readonly loose: RecordReference[]
  readonly nouns: (TypeNoun & { readonly at: number })[]
  /** Places that name who sent a record of the subject's, where a payee stands. */
  readonly issuers: number[]
  readonly texts: Grounded<string>[]
  /** Those that are called a message or a reference. */
  readonly messages: Grounded<string>[]
  /** Every record and payee, wherever it stands: what a question is about. */
  readonly mentioned: Exclude<Reference, { kind: 'unresolved' }>[]
  /** A word stands where the role's value should be, and it is nothing of the subject's. */
  readonly unresolved: Set<Unresolved>
  /** Cues: `me`, `them`, `it`, `vague`, `repeated`, `money`, `document`, `payment`, `access`, `in`, `today`. */
  readonly cues: Set<Cue>
  /** Words that the grammar has never met. */
  unknown: number
}

/** `id`: it looks like an id. `noun`: a noun for a record that may be somebody else's. The others: a word in the place of one. */
type Unresolved = 'payee' | 'source' | 'record' | 'id' | 'noun'
/** A word that tells what a wish is about, without a value of its own. */
export type Cue =
  'me' | 'them' | 'it' | 'vague' | 'repeated' | 'money' | 'document' | 'payment' | 'access' | 'in' | 'today'

/** Where a walk over a clause stands. */
export interface Cursor {
  at: number
  slot: Slot | undefined
  /** What an "and" goes on with. */
  last: Slot | undefined
}

/** Nothing found yet. */
export const noArguments = (): Arguments => ({
  ...{
    payees: [],
    sources: [],
    amounts: [],
    dates: [],
    records: [],
    loose: [],
    nouns: [],
    issuers: [],
    texts: [],
    messages: [],
    mentioned: [],
  },
  ...{ unresolved: new Set<Unresolved>(), cues: new Set<Cue>(), unknown: 0 },
})

/** The words from a token up to another one, as the origin of a value. */
export const spanOf = (tokens: readonly Token[], from: number, to: number): Origin => ({
  kind: 'user',
  start: tokens[from]?.start ?? 0,
  end: tokens[to - 1]?.end ?? 0,
})
