import type { Ahead, Reading } from './found.ts'
import { moneyAt } from './money.ts'
import { referenceAt } from './names.ts'
import { isWanted, WANTS } from './wanted.ts'
import { isOfSomebody } from './own-noun.ts'
import { isOfOtherUnit } from './units.ts'
import { phraseAt } from './phrases.ts'
import type { Token } from './tokens.ts'
import { verbAt } from './verbs.ts'
import { POLITE, TRANSPARENT, wordAt } from './words.ts'

/** A lead at a place. It is one of the subject's own accounts as a whole, or it is none. */
export function leadAt(reading: Reading, at: number): Ahead | undefined {
  const word = wordAt(reading.words, at)
  if (FROM.test(word)) return sourceLead(reading, at)
  if (USE.test(word)) return meansLead(reading, at)
  return TAKE.test(word) ? takenLead(reading, at) : wantedLead(reading, at)
}

const FROM = /^(?:from|fra|frå|using)$/
const USE = /^(?:use|bruk)$/
const TAKE = /^(?:take|withdraw|ta)$/

/** "From savings, send", "from my savings account please send". */
function sourceLead(reading: Reading, at: number): Ahead | undefined {
  const { words } = reading
  const end = ownAccountAt(reading, at + 1)
  if (end === undefined) return undefined
  // "From checking to savings, move".
  const to = (TO.test(wordAt(words, end)) ? ownAccountAt(reading, end + 1) : undefined) ?? end
  const lead = { from: at, to, slot: undefined }
  if (/^[,:]$/.test(wordAt(words, to))) return { lead, next: to + 1 }
  return opensOrder(words, to) ? { lead, next: to } : undefined
}
const TO = /^(?:to|til)$/

/** "Use my savings to pay". */
function meansLead(reading: Reading, at: number): Ahead | undefined {
  const { words } = reading
  const end = ownAccountAt(reading, at + 1)
  if (end === undefined) return undefined
  const lead = { from: at + 1, to: end, slot: 'from' } as const
  const link = `${wordAt(words, end)} ${wordAt(words, end + 1)}`
  if (link.startsWith('to ') || link.startsWith('and ')) return { lead, next: end + 1 }
  return link === 'til å' ? { lead, next: end + 2 } : undefined
}

/** "Take 500 kr from savings and send it to Bob": what is taken is what is sent. */
function takenLead(reading: Reading, at: number): Ahead | undefined {
  const { tokens, words, facts } = reading
  const money = moneyAt(tokens, words, at + 1, facts.currency)
  if (money?.money === undefined || isOfOtherUnit(reading, at + 1, money)) return undefined
  const from = behindFrom(words, at + 1 + money.length)
  const end = from === undefined ? undefined : ownAccountAt(reading, from)
  if (end === undefined || !/^(?:and|og)$/.test(wordAt(words, end)) || !sendsIt(words, end + 1)) return undefined
  return { lead: { from: at + 1, to: end, slot: undefined }, next: end + 1 }
}

function behindFrom(words: readonly string[], at: number): number | undefined {
  if (OUT.test(`${wordAt(words, at)} ${wordAt(words, at + 1)}`)) return at + 2
  return FROM.test(wordAt(words, at)) ? at + 1 : undefined
}
const OUT = /^(?:out of|ut fra|ut frå|ut av)$/

function sendsIt(words: readonly string[], at: number): boolean {
  const verb = verbAt(words, at)
  return verb?.class === 'move_money' && IT.test(wordAt(words, at + verb.words.length))
}
/** "I want 500 kr sent to Bob": the amount stands before the form of the verb that orders. */
function wantedLead({ tokens, words, facts }: Reading, at: number): Ahead | undefined {
  const from = at + phraseAt(WANTS, words, at)
  const money = from === at ? undefined : moneyAt(tokens, words, from, facts.currency)
  if (money?.money === undefined) return undefined
  const next = from + money.length
  return isWanted(words, next) && !isOfThePast(tokens, words, next + 1)
    ? { lead: { from, to: next, slot: undefined }, next }
    : undefined
}

/** "I want 500 kr paid to Bob last week refunded": what was done is spoken of, and something else is wanted. */
function isOfThePast(tokens: readonly Token[], words: readonly string[], from: number): boolean {
  for (let at = from; at < tokens.length && tokens[at]?.kind !== 'break'; at += 1) {
    const isVerb = verbAt(words, at) !== undefined && !ACCOUNTS.test(wordAt(words, at))
    if (isVerb || PAST.test(wordAt(words, at))) return true
  }
  return false
}
/** Names of accounts that are spelled like forms of verbs. */
const ACCOUNTS = /^(?:checking|savings|saving)$/
const PAST =
  /^(?:last|yesterday|earlier|before|ago|back|was|were|that|which|i|sist|siste|går|tidligere|tilbake|som|var)$/
const IT = /^(?:it|them|that|this|den|det|dem|dei)$/

const opensOrder = (words: readonly string[], at: number): boolean =>
  POLITE.has(wordAt(words, at)) || verbAt(words, at)?.form === 'base'

/** Articles and the like before a name. */
const MAX_ARTICLES = 3

/** Where the name of an own account ends that begins at a place. */
function ownAccountAt(reading: Reading, start: number): number | undefined {
  const { tokens, words, index } = reading
  let at = start
  while (at < start + MAX_ARTICLES && TRANSPARENT.has(wordAt(words, at))) at += 1
  const reference = referenceAt(index, tokens, words, at)
  if (reference?.kind !== 'record' || !reference.account || reference.closed) return undefined
  const end = at + reference.length
  if (isOfSomebody(reading, end)) return undefined
  return ACCOUNT.test(wordAt(words, end)) ? end + 1 : end
}
const ACCOUNT = /^(?:account|konto|kontoen|kontoa|min|mi)$/
