import type { Clause } from './clauses.ts'
import { noArguments, type Arguments, type Cue, type Cursor, type Reading } from './found.ts'
import { nounOf, type TypeNoun } from './nouns.ts'
import { literalPayee } from './pronouns.ts'
import type { Token } from './tokens.ts'
import { addValue } from './values.ts'
import { verbAt } from './verbs.ts'
import { isKnown } from './vocabulary.ts'
import * as lexicon from './words.ts'
import { wordAt } from './words.ts'

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
  // A new address or name stands behind "to" or a colon, as free text.
  const takesText = clause.verb?.class === 'update' || clause.verb?.rule === 'put'
  const cursor: Cursor = { at: clause.from, slot: undefined, last: undefined }
  while (cursor.at < clause.to) {
    if (takesText && startsText(reading, cursor, clause)) {
      addText(reading, cursor, clause, found)
      break
    }
    const length = addValue(reading, cursor, clause, found) ?? addWord(reading, cursor, clause, found)
    cursor.at += Math.max(1, length)
  }
  return found
}

function addWord(reading: Reading, cursor: Cursor, clause: Clause, found: Arguments): number {
  const token = reading.tokens[cursor.at]
  if (token === undefined || token.kind === 'mark') return addMark(token, cursor)
  const word = token.lower
  if (cursor.slot !== 'for') addCues(word, found)
  const noun = nounOf(word)
  if (noun !== undefined) return addNoun(asList({ ...noun, at: cursor.at }, reading.words), cursor, found)
  const pronoun = pronounOf(word, wordAt(reading.words, cursor.at + 1))
  if (pronoun !== undefined) return addPronoun(pronoun, cursor, found)
  return (
    addLink(reading, word, cursor, clause) ??
    addLiteral(reading, cursor, found) ??
    addOther(token, cursor, clause, found)
  )
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
  if (lexicon.THEM.has(word)) return 'them'
  if (!lexicon.ANAPHORA.has(word) || (DEMONSTRATIVES.test(word) && /^[0-9]/.test(next))) return undefined
  // "Betal den" is about it; "betal den siste" is an article.
  const isArticle = lexicon.TRANSPARENT.has(word) && !Object.hasOwn(lexicon.PREPOSITIONS, next) && /^\p{L}/u.test(next)
  return isArticle ? undefined : 'it'
}

function addPronoun(pronoun: Pronoun, cursor: Cursor, found: Arguments): number {
  if (cursor.slot !== 'for') found.cues.add(pronoun)
  if (cursor.slot === 'from') found.unresolved.add('source')
  if (cursor.slot === 'to' && pronoun !== 'them') found.unresolved.add('payee')
  if (cursor.slot !== 'for') cursor.slot = undefined
  return 1
}

function addPreposition({ words }: Reading, cursor: Cursor): number {
  const slot = lexicon.PREPOSITIONS[words[cursor.at] ?? '']
  const isPurpose =
    slot === 'to' &&
    verbAt(words, cursor.at + 1)?.form === 'base' &&
    !/^(?:savings|checking)$/.test(words[cursor.at + 1] ?? '')
  cursor.slot = isPurpose ? 'for' : slot
  cursor.last = cursor.slot
  return 1
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
function addOther(token: Token, cursor: Cursor, clause: Clause, found: Arguments): number {
  const { slot } = cursor
  const isNew = !isKnown(token.lower)
  if (isNew && slot !== 'for') found.unknown += 1
  if (slot === 'to' || slot === 'from') {
    found.unresolved.add(slot === 'to' ? 'payee' : 'source')
    cursor.last = slot
    cursor.slot = undefined
  } else if (isNew && slot === undefined) addStranger(token, cursor, clause, found)
  return 1
}

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
