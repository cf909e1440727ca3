import { leaveAt, openingAt } from './openings.ts'
import { phraseAt } from './phrases.ts'
import { verbAt, type Verb } from './verbs.ts'
import { isWanted, WANTS } from './wanted.ts'
import * as lexicon from './words.ts'
import { wordAt } from './words.ts'

/** Where a wish begins. */
export interface Head {
  readonly kind: 'order' | 'ask'
  /** Absent for a question. */
  readonly verb?: Verb
  /** First token behind the verb or the question word. */
  readonly from: number
  /** "Please", "can you", "I would like to" stood before it. */
  readonly polite: boolean
}

/** "When is it due" asks; "when my salary comes" makes a condition. */
export function isConditionalStart(words: readonly string[], at: number): boolean {
  const word = wordAt(words, at)
  if (lexicon.HYPOTHETICALS.has(word)) return true
  if (!lexicon.CONDITIONALS.has(word)) return false
  return !(lexicon.QUESTIONS.has(word) && isQuestionVerb(wordAt(words, at + 1)))
}
const isQuestionVerb = (word: string): boolean =>
  lexicon.QUESTIONS.has(word) || /^(?:will|kommer|kjem|forfaller|forfell|forfall)$/.test(word)

/** Greetings and commas before an order; the limit also keeps the work linear. */
const MAX_FILLERS = 12

/** Skips what may stand before an order and adds nothing to it. */
export function skipFillers(words: readonly string[], from: number): { readonly at: number; readonly polite: boolean } {
  let at = from
  let polite = false
  while (at < from + MAX_FILLERS) {
    const length = fillerAt(words, at, at > from)
    if (length === 0) break
    polite ||= lexicon.POLITE.has(wordAt(words, at))
    at += length
  }
  return { at, polite }
}

/** "For testing, show …"; but "for example" only thinks of it. */
const PURPOSES = /^(?:testing|test|now|info|reference|clarity)$/

function fillerAt(words: readonly string[], at: number, inside: boolean): number {
  const [word, next] = [wordAt(words, at), wordAt(words, at + 1)]
  if (/^(?:after|etter) (?:that|this|det|dette)$/.test(`${word} ${next}`)) return 2
  if (word === 'for' && PURPOSES.test(next) && wordAt(words, at + 2) === ',') return 3
  if (lexicon.FILLERS.has(word) || (inside && /^[,:-]$/.test(word))) return 1
  return lexicon.NO_THEN.has(word) && next === ',' ? 1 : 0
}

/** The order or question that opens at a place, behind greetings and polite openings. */
export function headAt(
  words: readonly string[],
  start: number,
  end: number,
  forbidden: ReadonlySet<number>,
  opened: boolean,
): Head | undefined {
  const skipped = skipFillers(words, start)
  const asked = openingAt(words, skipped.at)
  const mayAsk = skipped.polite || isPleaded(words, start, end)
  const opening = asked === 0 && mayAsk ? leaveAt(words, skipped.at) : asked
  const inner = opening === 0 ? skipped : behindOpening(words, skipped.at + opening)
  const { at } = inner
  if (at >= end || forbidden.has(at)) return undefined
  const isOpened = opening > 0
  return wishAt(words, at, { isOpened, opened: opened || isOpened, polite: skipped.polite || inner.polite || isOpened })
}

/** "Can I send Bob 500 please": a whole sentence that ends in a "please" and asks for one thing only. */
function isPleaded(words: readonly string[], start: number, end: number): boolean {
  if (start > 0 && !ENDS.test(wordAt(words, start - 1))) return false
  const said = words.slice(start, end)
  return PLEA.test(` ${said.join(' ')}`) && !said.some((word) => ANOTHER.test(word))
}
const ENDS = /^[\n.!?;…]?$/
const PLEA = / (?:please|pls|plz|vennligst|vennlegst|takk|er du snill|vær så snill|ver så snill)$/
/** A second question, or a case. */
const ANOTHER = /^(?:or|eller|if|hvis|dersom|viss|om|but|men|without|uten|utan|what|why|how|hva|kva|when|når)$/

/** "Would you please be so kind as to": one opening may stand behind another one. */
function behindOpening(words: readonly string[], at: number): ReturnType<typeof skipFillers> {
  const skipped = skipFillers(words, at)
  const second = openingAt(words, skipped.at)
  return second === 0 ? skipped : skipFillers(words, skipped.at + second)
}

interface Opened {
  readonly isOpened: boolean
  readonly opened: boolean
  readonly polite: boolean
}

function wishAt(words: readonly string[], at: number, { isOpened, opened, polite }: Opened): Head | undefined {
  const verb = verbAt(words, at)
  if (!isOpened && isThought(words, at)) return { kind: 'ask', from: at + 1, polite: false }
  if (!isOpened && isQuestionStart(words, at, verb)) return { kind: 'ask', from: at + 1, polite }
  if (verb === undefined || !canOrder(verb, words, at, opened)) return undefined
  return { kind: 'order', verb, from: at + verb.words.length, polite }
}

/** "Would paying Bob overdraw my account?": what a payment would come to is asked, and nothing is to be done. */
const isThought = (words: readonly string[], at: number): boolean =>
  (/^(?:would|will|could|might)$/.test(wordAt(words, at)) && isGerund(verbAt(words, at + 1))) ||
  (/^(?:vil|ville) det å$/.test(words.slice(at, at + 3).join(' ')) && verbAt(words, at + 3) !== undefined)
const isGerund = (verb: Verb | undefined): boolean => verb?.words[0]?.endsWith('ing') === true

/** "Have a look" orders although "have" asks. */
const isQuestionStart = (words: readonly string[], at: number, verb: Verb | undefined): boolean =>
  lexicon.QUESTIONS.has(wordAt(words, at)) &&
  (verb === undefined || verb.words.length < 2) &&
  !lexicon.NEGATIONS.has(wordAt(words, at + 1)) &&
  !KINDLY.test(words.slice(at, at + 3).join(' ')) &&
  !isConditionalStart(words, at)

/** "… , er du snill" is a please. */
const KINDLY = /^er du (?:snill|grei)$/

/** Verbs that are nouns as well: "transfer history" orders nothing. */
const AS_NOUN = /^(?:history|fee|fees|list|limit|limits|status|details|historikk|gebyr|grense)$/

function canOrder(verb: Verb, words: readonly string[], at: number, opened: boolean): boolean {
  const next = wordAt(words, at + verb.words.length)
  if (lexicon.NEGATIONS.has(next) || (verb.class !== 'read' && AS_NOUN.test(next))) return false
  switch (verb.form) {
    case 'base':
      return true
    case 'infinitive':
      return opened || wordAt(words, at - 1) === 'å'
    case 'other':
      return isAskedFor(wordAt(verb.words, 0), words, at)
  }
}

/** "Would you mind sending", "kunne du sendt": forms that order behind nothing else. */
function isAskedFor(form: string, words: readonly string[], at: number): boolean {
  if (form.endsWith('ing')) return wordAt(words, at - 1) === 'mind'
  if (isWanted(words, at) && wants(words, at)) return true
  return /^(?:sendt|betalt|overført|flyttet|flytta|gitt|gjeve|refundert)$/.test(form) && isModalOpening(words, at)
}

/** The words of the wish stand up to an amount away. */
const wants = (words: readonly string[], at: number): boolean =>
  Array.from({ length: 9 }, (_, back) => at - 1 - back).some((place) => phraseAt(WANTS, words, place) > 0)

const isModalOpening = (words: readonly string[], at: number): boolean => {
  const before = lexicon.POLITE.has(wordAt(words, at - 1)) || wordAt(words, at - 1) === 'gjerne' ? at - 1 : at
  return /^(?:kunne|ville) du$/.test(`${wordAt(words, before - 2)} ${wordAt(words, before - 1)}`)
}
