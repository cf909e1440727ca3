import type { Grounded, Origin, SubjectFacts } from '../derivation.ts'
import type { MoneyMention } from './money.ts'
import type { NameIndex, Reference } from './names.ts'
import type { TypeNoun } from './nouns.ts'
import type { Token } from './tokens.ts'
import type { Slot } from './words.ts'

/** The message, its facts, and what both share. */
export interface Reading {
  readonly text: string
  readonly tokens: readonly Token[]
  readonly words: readonly string[]
  readonly facts: SubjectFacts
  readonly index: NameIndex
}

export type RecordReference = Extract<Reference, { kind: 'record' }>

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
  readonly texts: Grounded<string>[]
  /** Those that are called a message or a reference. */
  readonly messages: Grounded<string>[]
  /** Every record and payee, wherever it stands: what a question is about. */
  readonly mentioned: Exclude<Reference, { kind: 'unresolved' }>[]
  /** A word stands where the role's value should be, and it is nothing of the subject's. */
  readonly unresolved: Set<Unresolved>
  /** Cues: `me`, `them`, `it`, `vague`, `repeated`, `money`, `document`, `payment`, `access`, `in`. */
  readonly cues: Set<Cue>
  /** Words that the grammar has never met. */
  unknown: number
}

/** `id`: it looks like an id. The others: a word in the place of one. */
type Unresolved = 'payee' | 'source' | 'record' | 'id'
export type Cue = 'me' | 'them' | 'it' | 'vague' | 'repeated' | 'money' | 'document' | 'payment' | 'access' | 'in'

/** Where a walk over a clause stands. */
export interface Cursor {
  at: number
  slot: Slot | undefined
  /** What an "and" goes on with. */
  last: Slot | undefined
}

export const noArguments = (): Arguments => ({
  ...{
    payees: [],
    sources: [],
    amounts: [],
    dates: [],
    records: [],
    loose: [],
    nouns: [],
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
