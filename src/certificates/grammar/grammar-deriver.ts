import type { Derivation, Deriver, IntentClass, Money, OwnRecord, Step, SubjectFacts } from '../derivation.ts'
import { sameMoney } from '../money.ts'
import { amended, contradicted, recalculated } from './amendments.ts'
import { withoutCourtesies } from './courtesies.ts'
import { debtAhead } from './debts.ts'
import { deniedClasses } from './denials.ts'
import type { Ahead, Reading } from './found.ts'
import { splitGaps } from './gaps.ts'
import { leadAt } from './leads.ts'
import { statedIn } from './stated.ts'
import { withoutContrasts } from './contrasts.ts'
import { remarkAhead } from './remarks.ts'
import { canonicalMessage, type CanonicalMessage } from './canonical-message.ts'
import { clausesOf, MAX_CLAUSES, type Clauses } from './clauses.ts'
import { nameIndex, referenceAt } from './names.ts'
import { isWrite } from './negation.ts'
import { nounOf } from './nouns.ts'
import { stepOf, type ReadStep } from './steps.ts'
import { tokenize, type Token, type Range } from './tokens.ts'
import { aboutBank } from './topics.ts'
import { verbAt } from './verbs.ts'
import { isKnown, languageOf } from './vocabulary.ts'
import { AFFIRMATIONS, CONDITIONALS, IS, NEGATIONS, STOPS, YES } from './words.ts'

/**
 * Reads English, bokmål and nynorsk by a grammar of verbs, slots and numbers: no model, no clock, no state. What it does
 * not understand is `unknown` or `missing`, never a guess (intent-certificate model, 2.6 and 12.2).
 */
export const grammarDeriver: Deriver = { id: 'grammar@1', derive }

const UNKNOWN: Step = { class: 'unknown', records: [], texts: [], missing: [] }
const nothing = (confidence: number): Derivation => ({
  steps: [UNKNOWN],
  denied: new Set(),
  confidence,
  conflict: false,
  language: 'unknown',
  affirmsOnly: false,
})

/** How sure a reading is; the bands are the policy's. */
const SURE = { whole: 0.9, read: 0.8, open: 0.7, partly: 0.6, unclear: 0.4, none: 0.3, refused: 0 } as const

function derive(message: string, facts: SubjectFacts): Derivation {
  const canonical = canonicalMessage(message)
  return canonical.ok ? derived(canonical.message, facts) : nothing(SURE.refused)
}

function derived(message: CanonicalMessage, facts: SubjectFacts): Derivation {
  const index = nameIndex(facts)
  const tokens = withoutContrasts(withoutCourtesies(tokenize(message)), facts, index)
  const words = tokens.map(wordOf)
  const language = languageOf(words)
  if (isAffirmation(tokens, words)) return { ...nothing(SURE.none), language, affirmsOnly: true }
  const reading: Reading = { text: message.text, tokens, words, facts, index }
  const read = clausesOf(tokens, words, (at) => aheadOf(reading, at))
  const clauses = { ...read, clauses: splitGaps(reading, read.clauses) }
  const steps = aboutBank(reading, readSteps(reading, clauses))
  const denied = deniedOf(reading, clauses, steps)
  if (clauses.clauses.length > MAX_CLAUSES) return { ...nothing(SURE.none), denied, language }
  return {
    steps: steps.length === 0 ? [UNKNOWN] : steps.map((each) => withConfidence(message, tokens, each)),
    denied,
    confidence: confidenceOf(message, tokens, steps[0]),
    conflict: steps.some(({ step }) => denied.has(step.class)),
    language,
    affirmsOnly: false,
  }
}

/** A quotation takes part in no grammar: it is neither a verb nor a name until an argument looks into it. */
const wordOf = ({ kind, lower }: Token): string => (kind === 'quote' || kind === 'block' ? '' : lower)

const isAffirmation = (tokens: readonly Token[], words: readonly string[]): boolean =>
  words.some((word) => YES.has(word)) &&
  tokens.every(({ kind, lower }) => (kind === 'word' ? AFFIRMATIONS.has(lower) : kind === 'mark' || kind === 'break'))

type Placed = ReadStep

const aheadOf = (reading: Reading, at: number): Ahead | undefined =>
  leadAt(reading, at) ?? debtAhead(reading, at) ?? remarkAhead(reading, at)

function readSteps(reading: Reading, { clauses, statements, denials }: Clauses): readonly Placed[] {
  const steps: Placed[] = []
  for (const clause of clauses.slice(0, MAX_CLAUSES)) steps.push(stepOf(reading, clause, steps))
  if (steps.length === 0 && reading.tokens.every(({ kind }) => kind !== 'block')) {
    const fragment = statements.find((range) => isFragment(reading, range))
    if (fragment !== undefined) {
      const clause = { ...fragment, conditional: false, unclear: false }
      steps.push(stepOf(reading, clause, []))
    }
  }
  const said = statements.reduce<readonly Placed[]>((all, range) => {
    const more = supplied(reading, all, range)
    // What a sentence forbids is weighed by whom it names.
    return isDenial(denials, range) ? more : amended(reading, more, range)
  }, steps)
  return recalculated(reading, said, clauses)
}

/** "Don't pay Oslo Bolig": a sentence that opens with what it forbids. */
const isDenial = (denials: Clauses['denials'], range: Range): boolean =>
  denials.some(({ from, to }) => to === range.to && from <= range.from + 4)

/** "My balance?", "saldo på sparekontoen": a thing of the subject's without a verb is asked for, not acted on. */
function isFragment(reading: Reading, { from, to }: Range): boolean {
  const { words, tokens, index } = reading
  let isThing = false
  for (let at = from; at < to; at += 1) {
    const reference = referenceAt(index, tokens, words, at)
    const isRecord = reference?.kind === 'record'
    if (!isRecord && !isHarmless(reading, at)) return false
    isThing ||= isRecord || nounOf(words[at] ?? '') !== undefined
    if (isRecord) at += reference.length - 1
  }
  return isThing && to - from <= 8
}

const ORDERS: readonly ReadonlySet<string>[] = [IS, NEGATIONS, STOPS, CONDITIONALS]
const isHarmless = ({ words, tokens }: Reading, at: number): boolean =>
  verbAt(words, at) === undefined &&
  !ORDERS.some((set) => set.has(words[at] ?? '')) &&
  (isKnown(words[at] ?? '') || tokens[at]?.kind === 'mark')

/** Gives what a statement says to the step that lacks it: the nearest before the statement, else the first behind it. */
function supplied(reading: Reading, steps: readonly Placed[], range: Range): readonly Placed[] {
  for (const { role, value, record } of statedIn(reading, range)) {
    const lacking = ({ step }: Placed): boolean =>
      isWrite(step.class) &&
      step[role] === undefined &&
      (step.missing.includes(role) || (role === 'payee' && step.class === 'update'))
    const target = steps.findLast((each) => each.at < range.from && lacking(each)) ?? steps.find(lacking)
    if (target === undefined) continue
    if (value === undefined || contradicts(reading, target.step, value.value)) {
      steps = steps.map((each) => (each === target && each.step.records.length > 0 ? contradicted(each) : each))
      continue
    }
    const missing = target.step.missing.filter((each) => each !== role && !(role === 'amount' && each === 'currency'))
    const { records } = target.step
    const named = target.step.class === 'update' && record !== undefined ? [...records, record] : records
    const step = { ...target.step, [role]: value, missing, records: named }
    steps = steps.map((each) => (each === target ? { ...each, step } : each))
  }
  return steps
}

/** "Pay my invoice. The recipient is …": the invoice knows whom and how much, so other words are not sure to be the user's. */
function contradicts({ facts }: Reading, step: Step, value: string | Money): boolean {
  if (step.class !== 'move_money' || step.records.length === 0) return false
  const held = facts.records.filter(({ id }) => step.records.some((named) => named.value === id))
  return !held.some(({ holds }) => holds !== undefined && isHeld(holds, value))
}

function isHeld(holds: NonNullable<OwnRecord['holds']>, value: string | Money): boolean {
  return typeof value === 'string' ? holds.payees.includes(value) : holds.amounts.some((each) => sameMoney(each, value))
}

function deniedOf(reading: Reading, { denials, stops }: Clauses, steps: readonly Placed[]): ReadonlySet<IntentClass> {
  const stopped = steps.filter(({ at, step }) => isWrite(step.class) && stops.some((stop) => stop > at))
  const denied = deniedClasses(
    reading,
    denials,
    steps.map(({ step }) => step),
  )
  return new Set([...denied, ...stopped.map(({ step }) => step.class)])
}

const withConfidence = (message: CanonicalMessage, tokens: readonly Token[], placed: Placed): Step => ({
  ...placed.step,
  confidence: confidenceOf(message, tokens, placed),
})

/** A message is as sure as its first step, a later stage as its own; marks of a disguise cap both. */
function confidenceOf(message: CanonicalMessage, tokens: readonly Token[], first: Placed | undefined): number {
  if (first === undefined || first.step.class === 'unknown') return SURE.none
  const isDisguised =
    message.hidden || tokens.some(({ kind, plain }) => (kind === 'word' || kind === 'number') && !plain)
  const hasPaste = message.quoted.some(({ kind }) => kind === 'block') && isWrite(first.step.class)
  return Math.min(stepConfidence(first), isDisguised || hasPaste ? SURE.open : 1)
}

function stepConfidence({ step, conditional, unclear, unknownWords }: Placed): number {
  const isReading = !isWrite(step.class)
  if (conditional || (unclear && !isReading) || step.missing.includes('choice')) return SURE.unclear
  if (unknownWords) return isReading && step.missing.length === 0 ? SURE.read : SURE.partly
  return step.missing.length === 0 ? SURE.whole : SURE.open
}
