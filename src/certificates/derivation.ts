import type { EffectClass } from '../core/effect.ts'
import type { Money, OwnRecord, SubjectFacts } from '../core/facts.ts'
import type { ArgumentRole } from '../core/tool.ts'

export type { Money, OwnRecord, SubjectFacts }

/** What a message can ask for: an effect class of the tools, or nothing that is recognised. */
export type IntentClass = EffectClass | 'unknown'

/** Where a value came from. Only `user` and `record` can bound a certificate; `card` is what a person confirmed. */
export type Origin =
  /** A span of the canonical message, in UTF-16 units. */
  | {
      readonly kind: 'user'
      readonly start: number
      readonly end: number
      /** In the provenance of a call, of a payee: whether the subject's own data knows it. */
      readonly payee?: 'saved' | 'own' | 'new'
      /** In the provenance of a call: the subject's own name for a payee. */
      readonly called?: string
    }
  /** The subject's own data that the message names: a saved payee, an own account, an invoice of theirs. */
  | {
      readonly kind: 'record'
      readonly type: string
      readonly id: string
      /** In the provenance of a call: true when the message itself names the value. */
      readonly named?: true
      /** In the provenance of a call: the subject's own name for a payee. */
      readonly called?: string
    }
  | { readonly kind: 'login' }
  | { readonly kind: 'card' }
  | { readonly kind: 'tool'; readonly tool: string }
  | { readonly kind: 'model' }

/** A value with the place that it stands in. */
export interface Grounded<T> {
  readonly value: T
  readonly origin: Origin
}

/** One thing that the message asks for. What it leaves out is absent, and nothing else may fill it in. */
export interface Step {
  readonly class: IntentClass
  /** Ids of the subject's own records that the message names for this step, by resource type; empty: none named. */
  readonly records: readonly (Grounded<string> & { readonly type: string })[]
  readonly source?: Grounded<string>
  readonly payee?: Grounded<string>
  readonly amount?: Grounded<Money>
  /** ISO 8601 date. */
  readonly date?: Grounded<string>
  /** Literal texts that the message gives for free fields (a new address, a password), in order. */
  readonly texts: readonly Grounded<string>[]
  /** Roles that a step of this class needs and the message does not settle: unnamed, or named ambiguously. */
  readonly missing: readonly ArgumentRole[]
  /** From 0 to 1: how sure this step's own words are. Absent, the message's; it never raises that. */
  readonly confidence?: number
}

/** What one message asks for, as a deriver read it. Routes and bounds only ever narrow from here. */
export interface Derivation {
  /** In the order of the message; one for most messages. Each becomes authority only after the one before it. */
  readonly steps: readonly Step[]
  /** Classes that the message forbids ("don't pay anything"). */
  readonly denied: ReadonlySet<IntentClass>
  /** From 0 to 1; routes only, proves nothing. 0.9: parsed whole with every bound literal in it (2.6). */
  readonly confidence: number
  /** Two wishes that contradict each other, or a class asked for and forbidden. */
  readonly conflict: boolean
  readonly language: 'en' | 'nb' | 'nn' | 'unknown'
  /** "Yes, do that": an answer to something that the assistant said; it carries no bounds. */
  readonly affirmsOnly: boolean
}

/** Reads a message. Pure, total over any string, never wider than a plain reading; it sees no tool output. */
export interface Deriver {
  /** Part of a certificate's `classifierSource`. */
  readonly id: string
  derive(message: string, facts: SubjectFacts): Derivation
}
