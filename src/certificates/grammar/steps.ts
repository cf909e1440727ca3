import type { ArgumentRole } from '../../core/tool.ts'
import type { Grounded, IntentClass, Money, Step } from '../derivation.ts'
import { argumentsOf } from './arguments.ts'
import { owedIn } from './debts.ts'
import type { Arguments, Reading } from './found.ts'
import type { Clause } from './clauses.ts'
import { isAboutThings } from './conditions.ts'
import { isWrite } from './negation.ts'
import { pastPayment } from './past-payments.ts'
import { pronounPayee } from './pronouns.ts'
import { classIn, isPlan } from './step-class.ts'
import { isReading, recordsOf } from './step-records.ts'
import { ME, wordAt } from './words.ts'

/** A step and how well its words were understood. */
export interface ReadStep {
  readonly step: Step
  readonly conditional: boolean
  readonly unclear: boolean
  readonly unknownWords: boolean
  /** It names something of the subject's: a record, its kind, a payment. */
  readonly anchored: boolean
  /** Where its words begin. */
  readonly at: number
}

/** Settles one wish. What its words leave open, or name in two ways, ends in `missing`. */
export function stepOf(reading: Reading, clause: Clause, before: readonly ReadStep[]): ReadStep {
  const found = argumentsOf(reading, clause)
  if (found.records.length === 0 && !isCarriedOn(found, before)) found.amounts.push(...owedIn(reading, clause, found))
  const intent = classIn(clause, found, reading.words.slice(clause.from, clause.to))
  const records = recordsOf(reading, clause, intent, found, before.at(-1)?.step)
  // What stands around a stray "not" may be the very thing that is not wanted.
  const settled = clause.unclear ? {} : settle(reading, clause, intent, found, records.named)
  const past = records.named.length > 0 ? undefined : pastPayment(reading, clause, intent, found, settled)
  const { conditional, missing } = opennessOf(reading, clause, intent, found, before)
  return {
    step: {
      class: intent,
      records: past === undefined ? records.named : [past],
      ...settled,
      texts: textsOf(intent, found),
      missing: [
        ...new Set([
          ...(intent === 'unknown' ? [] : records.missing),
          ...missingOf(intent, found, settled),
          ...missingDay(clause, intent, settled),
          ...missing,
        ]),
      ],
    },
    conditional,
    unclear: clause.unclear,
    unknownWords: found.unknown > 0,
    anchored: isAnchored(found, reading.words.slice(clause.from, clause.to)),
    at: clause.from,
  }
}

/** "Send it to him" behind a look at an invoice: "it" is the invoice. */
const isCarriedOn = ({ cues }: Arguments, before: readonly ReadStep[]): boolean =>
  cues.has('it') && before.some(({ step }) => step.records.length > 0)

/** What makes a write something to choose: a condition, several times, a stray "not". */
function opennessOf(
  reading: Reading,
  clause: Clause,
  intent: IntentClass,
  found: Arguments,
  before: readonly ReadStep[],
): Pick<ReadStep, 'conditional'> & Pick<Step, 'missing'> {
  if (!isWrite(intent)) return { conditional: false, missing: [] }
  const repeated = !isPlan(clause) && found.cues.has('repeated')
  const isSettled = isLookedAt(intent, before) && isAboutThings(reading, clause)
  const isTied = repeated || clause.deferred === true || (clause.conditional && !isSettled)
  const isOpen = isTied || clause.unclear || followsStrangeText(reading, clause, before)
  return { conditional: isTied, missing: isOpen ? ['choice'] : [] }
}

/** "What is this about? Please pay …": what an earlier sentence asks about is nothing of the subject's, so it may be a paste. */
const followsStrangeText = ({ tokens }: Reading, clause: Clause, before: readonly ReadStep[]): boolean =>
  before.some(
    ({ step, anchored, at }) =>
      isReading(step.class) &&
      !isWrite(step.class) &&
      !anchored &&
      tokens.slice(at, clause.from).some(({ kind }) => kind === 'break'),
  )

const isAnchored = ({ records, nouns, mentioned, loose, cues }: Arguments, words: readonly string[]): boolean =>
  records.length + nouns.length + mentioned.length + loose.length > 0 ||
  ANCHORS.some((cue) => cues.has(cue)) ||
  words.some((word) => SPENDING.test(word)) ||
  PLEASANTRY.test(words.join(' '))
/** "How are you?" is about no text. */
const PLEASANTRY = /^(?:are you(?: doing)?(?: today)?|is it going|går det|har du det|har du de)$/
const SPENDING = /^(?:spend|spent|spending|owe|earn|earned|brukt|brukte|forbruk|skylder|tjent)$/
const ANCHORS = ['document', 'payment', 'money'] as const

/** A payment that is set up for later needs its day. */
const missingDay = (clause: Clause, intent: IntentClass, { date }: Settled): readonly ArgumentRole[] =>
  intent === 'move_money' && isPlan(clause) && date === undefined ? ['date'] : []

/** "Check …, and if it is wrong, change it to …": what was looked at decides whether, the words decide what. */
const isLookedAt = (intent: IntentClass, before: readonly ReadStep[]): boolean =>
  intent === 'update' && before.length > 0 && before.every(({ step }) => isReading(step.class) && !isWrite(step.class))

/** What is quoted is a value where the step is about a text; beside money only where it is called a message. */
function textsOf(intent: IntentClass, found: Arguments): Step['texts'] {
  if (intent === 'move_money' || intent === 'create') return needsMoney(intent, found) ? found.messages : found.texts
  return intent === 'update' || intent === 'admin' ? found.texts : []
}

type Settled = Pick<Step, 'source' | 'payee' | 'amount' | 'date'>

/** Own accounts that somebody is let into are what is given, not who gets it. */
const strangers = ({ payees }: Arguments, { index }: Reading): Arguments['payees'] =>
  payees.filter(({ value }) => !index.byId.has(value))

function settle(
  reading: Reading,
  clause: Clause,
  intent: IntentClass,
  found: Arguments,
  records: Step['records'],
): Settled {
  return isWrite(intent) ? { ...partiesOf(reading, clause, intent, found, records), ...termsOf(clause, found) } : {}
}

function partiesOf(
  reading: Reading,
  clause: Clause,
  intent: IntentClass,
  found: Arguments,
  records: Step['records'],
): Pick<Step, 'source' | 'payee'> {
  const payee = intent === 'delegate' ? only(strangers(found, reading)) : payeeOf(reading, clause, found)
  const source = intent === 'move_money' || intent === 'create' ? sourceOf(reading, found) : undefined
  // From an account to itself, or from what is to be paid, is a slip: neither end is believed.
  if (source === undefined || records.some(({ value }) => value === source.value)) {
    return payee === undefined ? {} : { payee }
  }
  if (payee === undefined) return { source }
  return payee.value === source.value ? {} : { source, payee }
}

function termsOf(clause: Clause, found: Arguments): Pick<Step, 'amount' | 'date'> {
  const amount = amountOf(found, clause.verb?.class === 'create')
  // "Today" beside another day leaves open which of them is meant.
  const date = found.dates.length === 1 && !found.cues.has('today') ? found.dates[0] : undefined
  return { ...(amount === undefined ? {} : { amount }), ...(date === undefined ? {} : { date }) }
}

/** The one value that all candidates agree on. */
function only(candidates: readonly Grounded<string>[]): Grounded<string> | undefined {
  const [first, ...rest] = candidates
  return rest.every(({ value }) => value === first?.value) ? first : undefined
}

function payeeOf(reading: Reading, clause: Clause, found: Arguments): Grounded<string> | undefined {
  // Whom a sender wants paid is the record's to say.
  if (found.unresolved.has('payee') || found.issuers.length > 0) return undefined
  // "Refund me what I sent to Bob": the money comes to the subject, so whoever else is named is no payee.
  if (ME.has(wordAt(reading.words, clause.from))) {
    return only(found.payees.filter(({ value }) => reading.index.byId.has(value)))
  }
  if (found.payees.length > 0) return found.cues.has('them') ? undefined : only(found.payees)
  return found.cues.has('them') ? pronounPayee(reading, clause) : undefined
}

function sourceOf({ facts }: Reading, found: Arguments): Grounded<string> | undefined {
  if (found.unresolved.has('source') || found.loose.length > 0) return undefined
  if (found.sources.length > 0) return only(found.sources)
  const [first, second] = facts.records.filter(({ isSource, closed }) => isSource === true && closed !== true)
  if (first === undefined || second !== undefined) return undefined
  return { value: first.id, origin: { kind: 'record', type: first.type, id: first.id } }
}

function amountOf({ amounts, cues }: Arguments, mayRepeat: boolean): Grounded<Money> | undefined {
  if (cues.has('vague') || (cues.has('repeated') && !mayRepeat)) return undefined
  const [first, second] = amounts
  if (first === undefined || second !== undefined || first.value.money === undefined) return undefined
  return { value: first.value.money, origin: first.origin }
}

function missingOf(intent: IntentClass, found: Arguments, settled: Settled): readonly ArgumentRole[] {
  const own = NEEDS[intent](found, settled, intent)
  const roles: readonly (readonly [ArgumentRole, boolean])[] = [
    ['date', isWrite(intent) && found.dates.length > 0 && settled.date === undefined],
    ['source', intent === 'move_money' && settled.source === undefined],
    ...(needsMoney(intent, found) ? missingMoney(intent, found, settled) : []),
  ]
  const missing = roles.filter(([, isMissing]) => isMissing).map(([role]) => role)
  return own === undefined ? missing : [...missing, own]
}

const missingMoney = (
  intent: IntentClass,
  { amounts }: Arguments,
  { payee, amount }: Settled,
): readonly (readonly [ArgumentRole, boolean])[] => [
  ['payee', payee === undefined && intent !== 'update'],
  ['amount', amount === undefined],
  ['currency', amounts.some(({ value }) => value.currencyMissing === true)],
]

const needsMoney = (intent: IntentClass, found: Arguments): boolean =>
  intent === 'move_money' ||
  ((intent === 'create' || intent === 'update') && (found.cues.has('payment') || found.amounts.length > 0))

type Needs = (found: Arguments, settled: Settled, intent: IntentClass) => ArgumentRole | undefined

const nothingMore: Needs = () => undefined
const aValue: Needs = (found, { payee }, intent) =>
  needsMoney(intent, found) || found.texts.length > 0 || payee !== undefined ? undefined : 'text'

/** What a step of each class needs beside money, source and date. */
const NEEDS: Record<IntentClass, Needs> = {
  create: aValue,
  update: aValue,
  delete: (found) => (hasObject(found) ? undefined : 'record'),
  export: (found, { payee }) => (payee === undefined && namesPayee(found) ? 'payee' : undefined),
  delegate: (_, { payee }) => (payee === undefined ? 'payee' : undefined),
  move_money: nothingMore,
  read: nothingMore,
  summarize: nothingMore,
  transform: nothingMore,
  admin: nothingMore,
  unknown: nothingMore,
}

const hasObject = ({ records, nouns, mentioned, cues }: Arguments): boolean =>
  records.length + nouns.length + mentioned.length > 0 || cues.has('it')
const namesPayee = ({ payees, unresolved }: Arguments): boolean => payees.length > 0 || unresolved.has('payee')
