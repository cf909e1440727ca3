import type { IntentClass } from '../derivation.ts'
import type { Clause } from './clauses.ts'
import type { Arguments } from './found.ts'
import type { ObjectRule, Verb } from './verbs.ts'
import { wordAt } from './words.ts'

const isSetUp = (verb: Verb | undefined): boolean => verb?.class === 'create' && verb.rule === undefined

/** What is set up now and happens later. */
export const isPlan = ({ verb }: Clause): boolean => isSetUp(verb)

/** Near a stray "not", the object says nothing sure about its verb. */
export const classIn = (clause: Clause, found: Arguments, words: readonly string[]): IntentClass =>
  clause.unclear && clause.verb?.rule !== undefined ? 'unknown' : classOf(clause.verb, found, words)

const SUMMARY = /^(?:summary|sammendrag|samandrag|oppsummering)$/

function classOf(verb: Verb | undefined, found: Arguments, words: readonly string[]): IntentClass {
  if (verb === undefined || verb.class === 'read') {
    return words.some((word) => SUMMARY.test(word)) ? 'summarize' : 'read'
  }
  if (verb.class !== 'delete' && found.cues.has('access')) return 'delegate'
  if (isSetUp(verb) && isPlannedPayment(found, words)) return 'move_money'
  return ruledClass(verb, found, words)
}

function ruledClass(verb: Verb, found: Arguments, words: readonly string[]): IntentClass {
  if (verb.rule === 'send' && isForMyEyes(words)) return 'read'
  return verb.rule === undefined ? verb.class : RULED[verb.rule](found, wordAt(verb.words, 0))
}

/** "Give me an overview of all my accounts": nothing of it moves. */
const isForMyEyes = ([first = '', ...rest]: readonly string[]): boolean =>
  /^(?:me|us|meg|oss)$/.test(first) && rest.slice(0, 4).some((word) => TO_SEE.test(word))
const TO_SEE =
  /^(?:overview|list|details|info|information|history|statement|report|oversikt|liste|detaljer|historikk|kontoutskrift|rapport|opplysninger)$/

/** Money that is set up to move later moves all the same. A list or a report of payments is a new text. */
const isPlannedPayment = ({ amounts, payees, cues }: Arguments, words: readonly string[]): boolean =>
  (cues.has('payment') || (amounts.length > 0 && payees.length > 0)) && !words.some((word) => ABOUT_PAYMENTS.test(word))
const ABOUT_PAYMENTS =
  /^(?:list|report|summary|overview|statement|copy|category|categories|liste|rapport|oversikt|kopi|sammendrag|kategori|kategorier)$/

/** What the object makes of a verb that alone says too little. */
const RULED: Record<ObjectRule, (found: Arguments, word: string) => IntentClass> = {
  send: sentClass,
  move: (found) => (isAboutMoney(found) || found.loose.length + found.sources.length > 0 ? 'move_money' : 'unknown'),
  put: (found) => (isDeposit(found) ? 'move_money' : 'update'),
  make: madeClass,
  stop: (found) => (isAboutRecord(found) ? 'delete' : 'unknown'),
}

const isDeposit = ({ amounts, cues, loose }: Arguments): boolean =>
  amounts.length > 0 && (cues.has('in') || loose.length > 0)
const isAboutRecord = ({ records, nouns, cues }: Arguments): boolean =>
  records.length + nouns.length > 0 || cues.has('payment')
const isAboutMoney = ({ amounts, cues }: Arguments): boolean =>
  amounts.length > 0 || cues.has('vague') || cues.has('money')

/** Documents go out or come to me; money moves; anything else that is sent is no business of a bank. */
function sentClass(found: Arguments): IntentClass {
  const isDocument = found.cues.has('document') || found.records.length > 0
  if (found.amounts.length === 0 && isDocument && !found.cues.has('vague')) return isForMe(found) ? 'read' : 'export'
  return isAboutMoney(found) ? 'move_money' : 'unknown'
}
const isForMe = ({ cues, payees, unresolved }: Arguments): boolean =>
  cues.has('me') && payees.length === 0 && !unresolved.has('record') && !cues.has('them')

function madeClass(found: Arguments, word: string): IntentClass {
  if (found.amounts.length > 0 || found.cues.has('payment')) return 'move_money'
  return /^(?:do|gjøre?|gjer[ea]?)$/.test(word) ? 'unknown' : 'create'
}
