import type { Clause } from './clauses.ts'
import { noArguments, type Arguments, type Cue, type Cursor, type Reading } from './found.ts'
import { compoundNoun, nounOf, type TypeNoun } from './nouns.ts'
import { isOthers, isOwnKind, issuerAt } from './own-noun.ts'
import { literalPayee } from './pronouns.ts'
import type { Token } from './tokens.ts'
import { addValue } from './values.ts'
import { verbAt } from './verbs.ts'
import { isKnown } from './vocabulary.ts'
import * as lexicon from './words.ts'
import { wordAt, type Slot } from './words.ts'

const CUE_WORDS: readonly (readonly [Cue, ReadonlySet<string>])[] = [
  ['vague', lexicon.VAGUE_AMOUNTS],
  ['repeated', lexicon.REPEATED],
  ['money', lexicon.MONEY_WORDS],
  ['document', lexicon.DOCUMENTS],
  ['payment', lexicon.PAYMENT_WORDS],
  ['access', lexicon.ACCESS_WORDS],
]

/** Walks over a clause once, token by token; each step consumes at least one. */
export function argumentsOf(reading: Reading, clause: Clause): Arguments {
  const found = noArguments()
  const { lead } = clause
  if (lead !== undefined) walk(reading, { ...clause, from: lead.from, to: lead.to }, lead.slot, found)
  walk(reading, clause, undefined, found)
  return found
}

function walk(reading: Reading, clause: Clause, slot: Slot | undefined, found: Arguments): void {
  // A new address or name stands behind "to" or a colon, as free text.
  const takesText = clause.verb?.class === 'update' || clause.verb?.rule === 'put'
  const cursor: Cursor = { at: clause.from, slot, last: undefined }
  while (cursor.at < clause.to) {
    if (takesText && startsText(reading, cursor, clause)) {
      addText(reading, cursor, clause, found)
      break
    }
    const length = addValue(reading, cursor, clause, found) ?? addWord(reading, cursor, clause, found)
    cursor.at += Math.max(1, length)
  }
}

function addWord(reading: Reading, cursor: Cursor, clause: Clause, found: Arguments): number {
  const token = reading.tokens[cursor.at]
  if (token === undefined || token.kind === 'mark') return addMark(token, cursor)
  const word = token.lower
  if (cursor.slot !== 'for') addCues(word, found)
  const kind = addKind(reading, word, cursor, clause, found)
  if (kind !== undefined) return kind
  const pronoun = pronounOf(word, wordAt(reading.words, cursor.at + 1))
  if (pronoun !== undefined) return addPronoun(pronoun, cursor, found)
  return (
    addLink(reading, word, cursor, clause) ??
    addIssuer(reading, cursor, clause, found) ??
    addLiteral(reading, cursor, found) ??
    addOther(reading, token, cursor, clause, found)
  )
}

/** A noun for a kind of record, alone or at the end of a compound. */
function addKind(reading: Reading, word: string, cursor: Cursor, clause: Clause, found: Arguments): number | undefined {
  const compound = compoundNoun(word)
  const noun = nounOf(word) ?? compound?.noun
  if (noun === undefined) return undefined
  const { type } = noun
  const isOfOthers = compound !== undefined && !isOwnKind(reading, type, compound.kind)
  if (isOfOthers || (type !== 'account' && isOthers(reading, clause, cursor.at, 1, type))) found.unresolved.add('noun')
  return addNoun(asList({ ...noun, at: cursor.at }, reading.words), cursor, found)
}

function addCues(word: string, found: Arguments): void {
  for (const [cue, set] of CUE_WORDS) if (set.has(word)) found.cues.add(cue)
}

/** Words that move from slot to slot: prepositions, "and", articles. */
function addLink(reading: Reading, word: string, cursor: Cursor, clause: Clause): number | undefined {
  if (Object.hasOwn(lexicon.PREPOSITIONS, word)) return addPreposition(reading, cursor)
  if (lexicon.JOINING.has(word)) {
    // "To Bob and Carol" goes on with the slot; "and then show" begins something else.
    const next = wordAt(reading.words, cursor.at + 1)
    const isEnd = cursor.at + 1 >= clause.to || lexicon.FILLERS.has(next) || lexicon.CONNECTORS.has(next)
    cursor.slot = isEnd ? undefined : cursor.last
    return 1
  }
  return lexicon.TRANSPARENT.has(word) ? 1 : undefined
}

function addMark(token: Token | undefined, cursor: Cursor): number {
  if (token?.text === ',') {
    cursor.slot = undefined
    cursor.last = undefined
  }
  return 1
}

/** "Transaction history" is about all of them. */
const asList = <T extends TypeNoun & { readonly at: number }>(noun: T, words: readonly string[]): T =>
  /^(?:history|list|overview|log|historikk|liste|oversikt)$/.test(wordAt(words, noun.at + 1))
    ? { ...noun, forAll: true }
    : noun

function addNoun(noun: TypeNoun & { readonly at: number }, cursor: Cursor, found: Arguments): number {
  found.nouns.push(noun)
  // "To the account acc-1", "from my savings account": the value stands beside it.
  if (noun.type !== 'account') cursor.slot = cursor.slot === 'for' ? 'for' : undefined
  return 1
}

type Pronoun = 'me' | 'them' | 'it'
/** "That 10.00" is an amount. */
const DEMONSTRATIVES = /^(?:that|this|these|those|den|det|denne|dette|disse|desse)$/
function pronounOf(word: string, next: string): Pronoun | undefined {
  if (lexicon.ME.has(word)) return 'me'
  if (lexicon.THEM.has(word)) return isSentOn(word, next) ? 'it' : 'them'
  if (!lexicon.ANAPHORA.has(word) || (DEMONSTRATIVES.test(word) && /^[0-9]/.test(next))) return undefined
  // "Betal den" is about it; "betal den siste" is an article.
  const isArticle = lexicon.TRANSPARENT.has(word) && !Object.hasOwn(lexicon.PREPOSITIONS, next) && /^\p{L}/u.test(next)
  return isArticle ? undefined : 'it'
}

/** "Send them to Bob": what is sent, and not who gets it. */
const isSentOn = (word: string, next: string): boolean =>
  /^(?:them|dem|dei) (?:to|til|into|in|på|inn)$/.test(`${word} ${next}`)

function addPronoun(pronoun: Pronoun, cursor: Cursor, found: Arguments): number {
  if (cursor.slot !== 'for') found.cues.add(pronoun)
  if (cursor.slot === 'from') found.unresolved.add('source')
  if (cursor.slot === 'to' && pronoun !== 'them') found.unresolved.add('payee')
  if (cursor.slot !== 'for') cursor.slot = undefined
  return 1
}

const RECEIVED = /^(?:got|get|received|came|fikk|fekk|mottok|kom)$/

function addPreposition({ words }: Reading, cursor: Cursor): number {
  const slot = lexicon.PREPOSITIONS[words[cursor.at] ?? '']
  const isPurpose =
    slot === 'to' &&
    verbAt(words, cursor.at + 1)?.form === 'base' &&
    !/^(?:savings|checking)$/.test(words[cursor.at + 1] ?? '')
  // "That I got from my friend" says where it came from, not where it is to leave.
  const isPast = slot === 'from' && RECEIVED.test(wordAt(words, cursor.at - 1))
  cursor.slot = isPurpose || isPast ? 'for' : slot
  cursor.last = cursor.slot
  return 1
}

/** "The invoice from Nordlys Kraft", "640 kr to Nordlys Kraft": who sent one of the subject's records. */
function addIssuer(reading: Reading, cursor: Cursor, clause: Clause, found: Arguments): number | undefined {
  const { at } = cursor
  const isObject = isObjectPlace(cursor, clause)
  const length = isObject || isSenderPlace(reading, cursor) ? issuerAt(reading, at) : 0
  if (length === 0 || goesOn(reading, at + length)) return undefined
  if (isObject) found.issuers.push(at)
  cursor.slot = undefined
  return length
}

const isSenderPlace = ({ words }: Reading, { at, slot }: Cursor): boolean =>
  slot === 'from' &&
  [2, OWN.test(wordAt(words, at - 2)) ? 3 : 2].some((back) => nounOf(wordAt(words, at - back)) !== undefined)
const OWN = /^(?:min|mi|mine|vår|våre)$/
const isObjectPlace = ({ at, slot }: Cursor, { verb, from }: Clause): boolean =>
  verb?.class === 'move_money' && (slot === 'to' || (slot === undefined && at === from))

/** "Nordlys Kraft Norge" is somebody else. */
const goesOn = ({ tokens }: Reading, at: number): boolean => {
  const { kind, text, lower } = tokens[at] ?? { kind: 'break', text: '', lower: '' }
  return kind === 'word' && /^\p{Lu}/u.test(text) && !isKnown(lower)
}

/** "To Acme": a payee as it is written, where the bank takes one. */
function addLiteral(reading: Reading, cursor: Cursor, found: Arguments): number | undefined {
  if (cursor.slot !== 'to') return undefined
  const payee = literalPayee(reading, cursor.at)
  if (payee === undefined) return undefined
  found.payees.push(payee)
  cursor.last = 'to'
  cursor.slot = undefined
  return 1
}

/** Any other word: known ones pass, others may be a name that is nobody of the subject's. */
function addOther(reading: Reading, token: Token, cursor: Cursor, clause: Clause, found: Arguments): number {
  const { slot } = cursor
  const isNew = !isKnown(token.lower)
  if (isNew && slot !== 'for') found.unknown += 1
  if ((slot === 'to' || slot === 'from') && !isLanguage(token, clause)) {
    found.unresolved.add(slot === 'to' ? 'payee' : 'source')
    cursor.last = slot
    cursor.slot = undefined
  } else if (paysBy(reading.words, cursor, clause)) found.unresolved.add('source')
  else if (isNew && slot === undefined) addStranger(token, cursor, clause, found)
  return 1
}

/** "Translate it to English": nobody is named. */
const isLanguage = ({ lower }: Token, { verb }: Clause): boolean =>
  verb?.class === 'transform' && lexicon.LANGUAGES.has(lower)

/** "With Carol's card", "by credit card". */
const paysBy = (words: readonly string[], { at, slot }: Cursor, { from, verb }: Clause): boolean =>
  verb?.class === 'move_money' &&
  ((slot === 'with' && isMeans(words, at)) || (slot === undefined && at > from && CARD.test(wordAt(words, at))))
const CARD = /^(?:cards?|kort|kortet|kredittkort|kredittkortet|visa|mastercard|paypal)$/

/** "With Carol's card": what pays, and none of the subject's accounts. */
const isMeans = (words: readonly string[], at: number): boolean =>
  [0, 1, 2].some((behind) => MEANS.test(wordAt(words, at + behind)))
const MEANS = /^(?:cards?|accounts?|kort|kortet|kredittkort|kredittkortet|konto|kontoen|kontoa|paypal|cash|kontanter)$/

function addStranger({ text }: Token, cursor: Cursor, clause: Clause, found: Arguments): void {
  const isName = /^\p{Lu}|'s$/u.test(text)
  const isObject = cursor.at === clause.from && clause.verb?.class === 'move_money'
  if (isName) found.unresolved.add('record')
  if (isName || isObject) found.unresolved.add('payee')
}

function startsText({ words, tokens }: Reading, { at, slot }: Cursor, clause: Clause): boolean {
  const before = words[at - 1]
  const isIntroduced = at > clause.from && (before === ':' || ((before === 'to' || before === 'til') && slot === 'to'))
  return isIntroduced && tokens[at]?.kind !== 'quote'
}

/** The rest of the clause as one literal, unless all of it is a value of its own: "to 600 kr". */
function addText(reading: Reading, cursor: Cursor, clause: Clause, found: Arguments): void {
  const { tokens, text } = reading
  const [from, to] = [cursor.at, trimmedEnd(tokens, cursor.at, clause.to)]
  const whole = noArguments()
  while (cursor.at < to) {
    const length = addValue(reading, cursor, clause, whole)
    if (length === undefined) break
    cursor.at += length
  }
  if (cursor.at >= to && whole.amounts.length + whole.dates.length + whole.payees.length > 0) {
    found.amounts.push(...whole.amounts)
    found.dates.push(...whole.dates)
    found.payees.push(...whole.payees)
    return
  }
  const [start, end] = [tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0]
  if (end > start) found.texts.push({ value: text.slice(start, end), origin: { kind: 'user', start, end } })
}

function trimmedEnd(tokens: readonly Token[], from: number, to: number): number {
  let end = to
  while (
    end > from &&
    (tokens[end - 1]?.text === ',' ||
      lexicon.CONNECTORS.has(tokens[end - 1]?.lower ?? '') ||
      lexicon.FILLERS.has(tokens[end - 1]?.lower ?? ''))
  ) {
    end -= 1
  }
  return end
}
