import { isDeferred, isRepeated, namesTime, opensLater } from './deferred.ts'
import type { Ahead, Lead } from './found.ts'
import { headAt, isConditionalStart, skipFillers, type Head } from './heads.ts'
import { forbiddenIn, isWrite, type Denial } from './negation.ts'
import { isOblique } from './oblique.ts'
import { retractionIn, takesBack } from './retractions.ts'
import type { Range, Token } from './tokens.ts'
import { verbAt, type Verb } from './verbs.ts'
import * as lexicon from './words.ts'
import { wordAt } from './words.ts'

/** One wish: a verb that orders, or a question, with the tokens that belong to it. */
export interface Clause {
  /** Absent for a question. */
  readonly verb?: Verb
  /** First token behind the verb. */
  readonly from: number
  readonly to: number
  /** Words before the order that belong to it: "from savings, …". */
  readonly lead?: Lead
  /** Depends on something, or is only thought of: "if …", "maybe". */
  readonly conditional: boolean
  /** A negation or a reading that the grammar cannot settle touches it. */
  readonly unclear: boolean
  /** Put off, tied to something or repeated: nothing that was looked at first settles that. */
  readonly deferred?: boolean
}

/** A message by its wishes, and what is no wish. */
export interface Clauses {
  readonly clauses: readonly Clause[]
  /** Sentences that order and ask nothing. */
  readonly statements: readonly Range[]
  readonly denials: readonly Denial[]
  /** Places of a "no, wait": what was ordered before is forbidden. */
  readonly stops: readonly number[]
}

type Mode = 'start' | 'order' | 'ask' | 'statement' | 'conditional'

/** More wishes than a person has in one message; a longer list is asked about. */
export const MAX_CLAUSES = 8

/**
 * Splits a message into wishes. Linear: each token opens at most one of them.
 * @param ahead What stands before the first wish of a sentence, where one begins with something else than a wish.
 */
export function clausesOf(
  tokens: readonly Token[],
  words: readonly string[],
  ahead: (at: number) => Ahead | undefined,
): Clauses {
  const clauses: Clause[] = []
  const statements: Range[] = []
  const denials: Denial[] = []
  const stops: number[] = []
  for (const { from, to } of sentencesOf(tokens)) {
    const forbidden = forbiddenIn(words, from, to)
    denials.push(...forbidden.denials)
    const { found, start } = wishesIn(words, { from, to }, forbidden.places, ahead)
    const touching = [...forbidden.loose, ...forbidden.places]
    const retraction = clauses.some(isChange) ? retractionIn(words, { from, to }) : undefined
    if (retraction !== undefined) stops.push(retraction)
    else if (found.length === 0 && opensLater(words.slice(from, to))) deferAll(clauses)
    clauses.push(...touchedAll(found, words, { from: start, to }, touching))
    if (found.length > 0) continue
    if (isStop(words, from, forbidden.loose)) stops.push(from)
    else statements.push({ from, to })
  }
  return { clauses, statements, denials, stops }
}

interface Wishes {
  readonly found: readonly Clause[]
  /** Where the first of them may begin. */
  readonly start: number
}

function wishesIn(
  words: readonly string[],
  { from, to }: Range,
  forbidden: ReadonlySet<number>,
  ahead: (at: number) => Ahead | undefined,
): Wishes {
  const before = ahead(skipFillers(words, from).at)
  const start = before === undefined || before.next >= to ? from : before.next
  const found = clausesIn(words, start, to, forbidden)
  const lead = start === from ? undefined : before?.lead
  return { start, found: lead === undefined ? found : found.map((clause) => ({ ...clause, lead })) }
}

function sentencesOf(tokens: readonly Token[]): readonly Range[] {
  const ranges: Range[] = []
  let from = 0
  for (const [index, { kind }] of tokens.entries()) {
    if (kind !== 'break' && kind !== 'block') continue
    if (index > from) ranges.push({ from, to: index })
    from = index + 1
  }
  return from < tokens.length ? [...ranges, { from, to: tokens.length }] : ranges
}

/** "No, wait", "not that one": a sentence that opens with a refusal and wishes nothing. */
const isStop = (words: readonly string[], from: number, loose: readonly number[]): boolean =>
  lexicon.STOPS.has(wordAt(words, from)) || loose.some((at) => at < from + 3)

const isChange = ({ verb }: Clause): boolean => verb !== undefined && isWrite(verb.class)

/** "Pay Bob 500 kr. But only after payday": what was ordered before is not for now. */
function deferAll(clauses: Clause[]): void {
  for (const [at, clause] of clauses.entries()) clauses.splice(at, 1, { ...clause, deferred: true })
}

/** What else the words of one sentence say of each wish in it. */
function touchedAll(
  found: readonly Clause[],
  words: readonly string[],
  { from, to }: Range,
  negations: readonly number[],
): readonly Clause[] {
  const first = found[0]
  const lead = first === undefined ? from : first.from - (first.verb?.words.length ?? 1)
  const isLater = namesTime(words.slice(from, lead))
  const [change, ...changes] = found.filter(isChange)
  const isTakenBack = change !== undefined && takesBack(words.slice(change.from, to), changes.length > 0)
  return found.map((clause) => {
    const { unclear, ...base } = touched(clause, words, negations)
    if (!isChange(clause)) return { ...base, unclear }
    const deferred = isLater || isTied(clause, words, to)
    return { ...base, unclear: unclear || isTakenBack || isAside(clause, words), deferred }
  })
}

const isAside = ({ verb, from, to }: Clause, words: readonly string[]): boolean =>
  verb !== undefined && isOblique(verb, words.slice(from, to))

/** For another time, for a case, or many times; a plan and a change of one may last. */
function isTied({ verb, from, to }: Clause, words: readonly string[], end: number): boolean {
  const mayLast = verb?.class === 'create' || verb?.class === 'update'
  return isDeferred(words.slice(from, Math.min(end, to + 2))) || (!mayLast && isRepeated(words.slice(from, to)))
}

function touched(clause: Clause, words: readonly string[], negations: readonly number[]): Clause {
  const inside = words.slice(clause.from, clause.to)
  const conditional = clause.conditional || inside.some((word, index) => isCondition(inside, word, index))
  const unclear =
    clause.unclear ||
    negations.some((at) => at >= clause.from && at < clause.to) ||
    inside.some((word, index) => word === ',' && lexicon.STOPS.has(inside[index + 1] ?? ''))
  return { ...clause, conditional, unclear }
}

const isCondition = (words: readonly string[], word: string, index: number): boolean =>
  (lexicon.CONDITIONALS.has(word) && !(word === 'once' && words[index + 1] === 'more')) ||
  lexicon.HYPOTHETICALS.has(word) ||
  (word === 'soon' && words[index + 1] === 'as' && words[index + 2] !== 'possible') ||
  (word === 'snart' && words[index - 1] === 'så' && words[index + 1] !== 'som')

/** What is open while a sentence is read from left to right. */
interface Progress {
  readonly words: readonly string[]
  readonly from: number
  /** The first place that is forbidden: what follows it is what is wanted instead. */
  readonly forbidden: number
  readonly clauses: Clause[]
  mode: Mode
  /** A modal stands in the open clause: what an "and" adds may still depend on it. */
  modal: boolean
  /** A polite opening stood before: infinitives order as well. */
  opened: boolean
  open: { readonly head: Head; readonly conditional: boolean; unclear: boolean } | undefined
}

function clausesIn(
  words: readonly string[],
  from: number,
  to: number,
  forbidden: ReadonlySet<number>,
): readonly Clause[] {
  const progress: Progress = {
    ...{ words, from, forbidden: Math.min(...forbidden), clauses: [] },
    ...{ mode: 'start', modal: false, opened: false, open: undefined },
  }
  for (let at = from; at < to; at += 1) {
    const starts = at === from || isBoundary(wordAt(words, at - 1))
    if (starts && wordAt(words, at - 1) === ':' && progress.mode === 'statement') progress.mode = 'start'
    const head: Head | undefined = starts ? headAt(words, at, to, forbidden, progress.opened) : undefined
    if (head !== undefined && opens(progress, head, at)) {
      begin(progress, head, at)
      at = head.from - 1
    } else {
      goOn(progress, head, starts, at)
    }
  }
  close(progress, to)
  return progress.clauses
}

function begin(progress: Progress, head: Head, at: number): void {
  const conditional = progress.mode === 'conditional'
  close(progress, at)
  progress.open = { head, conditional, unclear: false }
  if (!conditional) progress.mode = head.kind
  progress.opened ||= head.polite
  progress.modal = false
}

function close(progress: Progress, to: number): void {
  if (progress.open === undefined) return
  const { head, conditional, unclear } = progress.open
  const verb = head.verb === undefined ? {} : { verb: head.verb }
  progress.clauses.push({ ...verb, from: head.from, to, conditional, unclear })
  progress.open = undefined
}

function goOn(progress: Progress, head: Head | undefined, starts: boolean, at: number): void {
  const { words, mode } = progress
  // An order that the grammar cannot place makes the wish around it unclear.
  if (head?.kind === 'order' && progress.open !== undefined) progress.open.unclear = true
  if (starts && isConditionalStart(words, skipFillers(words, at).at)) progress.mode = 'conditional'
  else if (starts && mode === 'start' && !leadsIn(words, at)) progress.mode = 'statement'
  progress.modal ||= isModal(words, at)
}

/** "And pay Bob" goes on; "- Pay Bob" begins a message with a dash. */
const leadsIn = (words: readonly string[], at: number): boolean =>
  /^(?:and|og|samt)$/.test(wordAt(words, at)) || (at === 0 && /^[-–•*·]$/.test(wordAt(words, at)))

const isModal = (words: readonly string[], at: number): boolean => {
  const word = wordAt(words, at)
  return lexicon.MODALS.has(word) && (word !== 'to' || verbAt(words, at + 1)?.form === 'base')
}

const isBoundary = (word: string): boolean => /^[,:()\-–—•*·&/]$/.test(word) || lexicon.CONNECTORS.has(word)

/** Somebody else's words follow: "Carol says, please pay". */
const REPORTING =
  /^(?:says?|said|saying|asks?|asked|tells?|told|wrote|writes?|wants?|wanted|sier|sa|seier|skrev|skreiv|ba|bad|spurte|spurde|ønsker|vil)$/
const RELATIVE = /^(?:which|who|whose|where|when|når|hvor|hvilket)$/

type Opens = (progress: Progress, head: Head, at: number) => boolean

// "Ask whether I should go and pay" orders no payment.
const unlessModal: Opens = ({ modal }, { polite }) => polite || !modal

/** Whether a wish may begin after what the sentence has been so far. */
const OPENS: Record<Mode, Opens> = {
  start: () => true,
  order: unlessModal,
  ask: unlessModal,
  conditional: ({ words }, { kind }, at) => kind === 'order' && !lexicon.JOINING.has(wordAt(words, at - 1)),
  statement: ({ words, from, forbidden }, { polite }, at) =>
    (polite || forbidden < at) && !words.slice(from, at).some((word) => REPORTING.test(word)),
}

function opens(progress: Progress, head: Head, at: number): boolean {
  const { words, mode } = progress
  // "…, which was too little" tells, it does not ask.
  if (head.kind === 'ask' && wordAt(words, at - 1) === ',' && RELATIVE.test(wordAt(words, at))) return false
  return OPENS[mode](progress, head, at)
}
