import type { Money, SubjectFacts } from '../derivation.ts'
import { sameMoney } from '../money.ts'
import { moneyAt } from './money.ts'
import { referenceAt, type NameIndex } from './names.ts'
import { GIVES_BACK } from './past-payments.ts'
import type { Token } from './tokens.ts'
import { isKnown } from './vocabulary.ts'
import { wordAt } from './words.ts'

interface Place {
  readonly tokens: readonly Token[]
  readonly words: readonly string[]
  readonly facts: SubjectFacts
  readonly index: NameIndex
}

/**
 * The tokens without what only says that a value is whole, or which one is not meant: "all of 500 kr", "500, not 5000", "to Bob, not Carol", "and nothing to
 * Carol". The value that is meant stands whole right before it, and is another one.
 */
export function withoutContrasts(tokens: readonly Token[], facts: SubjectFacts, index: NameIndex): readonly Token[] {
  const words = tokens.map(({ kind, lower }) => (kind === 'quote' || kind === 'block' ? '' : lower))
  // What is given back is looked up by its amount: beside two of them it is asked about.
  if (words.some((word) => GIVES_BACK.test(word))) return tokens
  const kept: Token[] = []
  const place = { tokens, words, facts, index }
  let at = 0
  while (at < tokens.length) {
    const length = Math.max(contrastAt(place, at), wholeAt(place, at))
    if (length === 0) kept.push(...tokens.slice(at, at + 1))
    at += Math.max(1, length)
  }
  return kept
}

/** How many tokens a contrast takes at a place; 0: none stands there. */
function contrastAt(place: Place, at: number): number {
  const { words } = place
  const start = /^(?:,|and|og)$/.test(wordAt(words, at)) ? at + 1 : at
  const said = `${wordAt(words, start)} ${wordAt(words, start + 1)}`
  if (start > at && NOTHING_TO.test(said)) return lengthTo(place, at, otherPartyAt(place, start + 2, at))
  if (!NOT.test(wordAt(words, start))) return 0
  return lengthTo(place, at, otherMoneyAt(place, start + 1, at) ?? otherPartyAt(place, start + 1, at))
}

/** "All of 500 kr", "a total of 500 kr": the words before a whole amount that leave it as it is. */
function wholeAt({ tokens, words, facts }: Place, at: number): number {
  const [said = ''] = WHOLE.exec(words.slice(at, at + 3).join(' ')) ?? []
  if (said === '' || SHORT_OF.test(wordAt(words, at - 1))) return 0
  const length = said.split(' ').length
  return moneyAt(tokens, words, at + length, facts.currency)?.money === undefined ? 0 : length
}
const WHOLE = /^(?:all of|a total of|the total of|the sum of|the amount of|a sum of)(?= |$)/
const SHORT_OF =
  /^(?:not|but|nearly|almost|about|around|over|under|than|minus|less|plus|and|except|without|half|most|practically|of|with|for|by)$/

const NOT = /^(?:not|ikke|ikkje)$/
const NOTHING_TO = /^(?:nothing to|ingenting til)$/

/** Up to the end of the value that is not meant, where nothing goes on with it. */
const lengthTo = ({ tokens, words }: Place, at: number, end: number | undefined): number =>
  end !== undefined && (isEdge(tokens[end]) || GOES_ON.test(wordAt(words, end))) ? end - at : 0
const isEdge = (token: Token | undefined): boolean =>
  token === undefined || token.kind === 'break' || token.text === ',' || token.text === ')'
const GOES_ON = /^(?:to|til|from|fra|frå|please|pls|takk|thanks)$/

function otherMoneyAt(place: Place, at: number, end: number): number | undefined {
  const { tokens, words, facts } = place
  const other = moneyAt(tokens, words, at, facts.currency)
  if (other?.money === undefined) return undefined
  const [meant, another] = amountsBefore(place, end)
  if (meant === undefined || another !== undefined || sameMoney(meant.money, other.money)) return undefined
  return meant.end === end || payeeBefore(place, end).length > 0 ? at + other.length : undefined
}

interface Meant {
  readonly money: Money
  readonly end: number
}

/** Every amount of the sentence up to a place; one that nothing settles makes none of them sure. */
function amountsBefore({ tokens, words, facts }: Place, end: number): readonly Meant[] {
  const found: Meant[] = []
  let at = sentenceStart(tokens, end)
  while (at < end) {
    const said = moneyAt(tokens, words, at, facts.currency)
    at += said?.length ?? 1
    if (said?.money !== undefined) found.push({ money: said.money, end: at })
    else if (said !== undefined) return []
  }
  return found
}

/** How far back an amount is looked for; it also bounds the work. */
const FAR = 40

function sentenceStart(tokens: readonly Token[], end: number): number {
  let at = end
  while (at > Math.max(0, end - FAR) && !/^(?:break|block)$/.test(tokens[at - 1]?.kind ?? '')) at -= 1
  return at
}

/** The most tokens that the name of a payee takes. */
const LONGEST = 6

function otherPartyAt({ tokens, words, index }: Place, at: number, end: number): number | undefined {
  const other = referenceAt(index, tokens, words, at)
  if (other === undefined ? !isSingleName(tokens, at) : other.kind !== 'payee') return undefined
  const isOther = payeeBefore({ tokens, words, index }, end).some(
    (id) => other === undefined || (other.kind === 'payee' && other.id !== id),
  )
  return isOther ? at + (other?.length ?? 1) : undefined
}

/** The payee whose name ends at a place. */
function payeeBefore({ tokens, words, index }: Omit<Place, 'facts'>, end: number): readonly string[] {
  for (let start = Math.max(0, end - LONGEST); start < end; start += 1) {
    const named = referenceAt(index, tokens, words, start)
    if (named?.kind === 'payee' && start + named.length === end) return [named.id]
  }
  return []
}

const isSingleName = (tokens: readonly Token[], at: number): boolean => {
  const [name, next] = [tokens[at], tokens[at + 1]]
  const isName = name?.kind === 'word' && name.plain && /^\p{Lu}\p{Ll}+$/u.test(name.text) && !isKnown(name.lower)
  return isName && (next?.kind !== 'word' || GOES_ON.test(next.lower))
}
