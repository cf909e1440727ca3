import type { IntentClass } from '../derivation.ts'
import { verbAt, type ObjectRule, type Verb } from './verbs.ts'
import { CONNECTORS, JOINING, MONEY_WORDS, NEGATIONS, PAYMENT_WORDS, wordAt } from './words.ts'

/** Every class that changes something. */
const WRITES: readonly IntentClass[] = ['move_money', 'create', 'update', 'delete', 'export', 'delegate', 'admin']
/** True for a class that changes something. */
export const isWrite = (intent: IntentClass): boolean => WRITES.includes(intent)

/** One verb that is forbidden, with what it forbids and the words behind it, up to the end of the sentence. */
export interface Denial {
  readonly denied: readonly IntentClass[]
  readonly from: number
  readonly to: number
}

interface Forbidden {
  readonly denials: readonly Denial[]
  /** Places of verbs that are forbidden: none of them opens an order. */
  readonly places: ReadonlySet<number>
  /** Places of negations that no verb belongs to: "not Carol". */
  readonly loose: readonly number[]
}

/** What one sentence forbids: every verb in the scope of a negation, until a comma, a "but" or another wish. */
export function forbiddenIn(words: readonly string[], from: number, to: number): Forbidden {
  const found: Found = { denials: [], places: new Set(), loose: [], scope: undefined, to }
  for (let at = from; at < to; at += 1) {
    if (isNegation(words, at)) openScope(found, words, from, at)
    else if (found.scope !== undefined) at += inScope(found, words, at)
  }
  return found
}

interface Found {
  readonly denials: Denial[]
  readonly places: Set<number>
  readonly loose: number[]
  /** Place of the negation whose scope is open. */
  scope: number | undefined
  /** End of the sentence. */
  readonly to: number
}

function openScope(found: Found, words: readonly string[], from: number, at: number): void {
  const ordered = FOLLOWS.test(wordAt(words, at)) ? verbBefore(words, from, at) : undefined
  if (ordered === undefined) found.loose.push(at)
  else forbid(found, words, ordered)
  found.scope = at
}

/** Reads one token in a scope and says how many more belong to it. */
function inScope(found: Found, words: readonly string[], at: number): number {
  const verb = verbAt(words, at)
  if (endsScope(words, at, verb)) found.scope = undefined
  if (verb === undefined || found.scope === undefined) return 0
  if (!isReport(verb)) {
    if (found.loose.at(-1) === found.scope) found.loose.pop()
    forbid(found, words, { verb, at })
  }
  return verb.words.length - 1
}

interface PlacedVerb {
  readonly verb: Verb
  readonly at: number
}

function forbid({ denials, places, to }: Found, words: readonly string[], { verb, at }: PlacedVerb): void {
  places.add(at)
  const behind = at + verb.words.length
  denials.push({ denied: deniedBy(verb, words.slice(behind, behind + OBJECT_WORDS)), from: behind, to })
}

const PAIRS: ReadonlySet<string> = new Set([
  'do not',
  'la være',
  'lat vere',
  'la vere',
  'instead of',
  'rather than',
  'stedet for',
  'staden for',
])

function isNegation(words: readonly string[], at: number): boolean {
  const [word, next] = [wordAt(words, at), wordAt(words, at + 1)]
  if (NEGATIONS.has(word) || PAIRS.has(`${word} ${next}`)) return true
  if (/^(?:no|ingen)$/.test(word)) return verbAt(words, at + 1) !== undefined || MONEY_WORDS.has(next)
  // "Stop paying": the gerund says what is to end.
  return /^(?:stop|slutt)$/.test(word) && verbAt(words, at + 1)?.form === 'other'
}

/** Negations that stand behind the verb they deny; the others only look ahead. */
const FOLLOWS = /^(?:not|never|ikke|ikkje|aldri)$/

/** "Betal ikke", "send Bob ikke": the verb stands up to two words before. */
function verbBefore(
  words: readonly string[],
  from: number,
  at: number,
): { readonly verb: Verb; readonly at: number } | undefined {
  for (const back of [at - 1, at - 2]) {
    if (back < from || /^(?:,|do)$/.test(wordAt(words, back))) return undefined
    const verb = verbAt(words, back)
    if (verb?.form === 'base') return { verb, at: back }
  }
  return undefined
}

/** A comma, a "but", or another wish to see something. */
function endsScope(words: readonly string[], at: number, verb: Verb | undefined): boolean {
  const word = wordAt(words, at)
  if (verb !== undefined) return verb.class === 'read' && !isReport(verb) && JOINING.has(wordAt(words, at - 1))
  if (/^(?:,|:|just|only|bare|berre|instead|heller|heldan)$/.test(word)) return true
  return CONNECTORS.has(word) && !JOINING.has(word)
}

/** "Has not paid" reports; it forbids nothing. */
const isReport = ({ form, words }: Verb): boolean =>
  form === 'other' && /(?:ed|t|tt|te|paid|gave|given|made|done|seen|told|got|found|sent)$/.test(wordAt(words, 0))

/** A verb that says little forbids all that it can mean. */
const DENIES: Record<ObjectRule, readonly IntentClass[]> = {
  send: ['move_money', 'export', 'delegate'],
  move: ['move_money', 'delegate'],
  make: ['create', 'move_money'],
  put: ['move_money', 'update'],
  stop: ['delete'],
}

/** How far behind its verb the object is looked for: "set up a new recurring payment". */
const OBJECT_WORDS = 4

function deniedBy(verb: Verb, behind: readonly string[]): readonly IntentClass[] {
  const next = wordAt(behind, 0)
  const isAnything = /^(?:anything|any|something|noe|noko|mer|meir)$/.test(next)
  if (verb.rule === 'make' && (isAnything || next === '')) return WRITES
  if (verb.class === 'update' && isAnything) return WRITES
  // Money that is not to be set up to move is not to move either.
  if (verb.class === 'create' && behind.some((word) => PAYMENT_WORDS.has(word))) return ['create', 'move_money']
  return verb.rule === undefined ? [verb.class] : DENIES[verb.rule]
}
