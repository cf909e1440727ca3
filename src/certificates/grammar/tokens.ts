import type { CanonicalMessage } from './canonical-message.ts'

/** A piece of the user's own words, or a boundary between them. */
export interface Token {
  /** `quote`: between quotation marks. `break`: end of a sentence or a line. `block`: a paste stood here. */
  readonly kind: 'word' | 'number' | 'mark' | 'quote' | 'break' | 'block'
  readonly text: string
  /** Lower case, straight apostrophes. */
  readonly lower: string
  /** In the canonical text. */
  readonly start: number
  readonly end: number
  /** Made of the letters and digits of English and Norwegian only, with nothing hidden inside. Others resolve to nothing. */
  readonly plain: boolean
  /** It touches the token before it. */
  readonly glued: boolean
}

const WORD = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:[-_.@/+'’‘ʼ´\u0060′,]+[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*`
const PIECE = new RegExp(`(${WORD})|(\\n)|([^\\s])`, 'gu')
const PLAIN = /^[A-Za-z0-9À-ÖØ-öø-žẞ_.@/+'’,-]+$/u
const NUMBER = /^[0-9][0-9.,]*$/
/** Digits with a unit right behind or before them: `500kr`, `NOK500`. */
const GLUED_UNIT = /^([0-9][0-9.,]*)(kr|nok|sek|dkk|eur|usd|gbp)$|^(kr\.?|nok|sek|dkk|eur|usd|gbp)([0-9][0-9.,]*)$/i
/** A comma or dot inside letters ends a sentence that lacks its space, unless it is an address or a file. */
const COMMA_IN_WORDS = /[^0-9],|,[^0-9]/

/** The message as tokens; what is quoted is one token, what is pasted a boundary. */
export function tokenize(message: CanonicalMessage): readonly Token[] {
  const tokens: Token[] = []
  let from = 0
  for (const { start, end, kind } of message.quoted) {
    addPieces(message, from, start, tokens)
    const [inner, outer] = kind === 'inline' ? [start + 1, end - 1] : [start, end]
    tokens.push(make(message, kind === 'inline' ? 'quote' : 'block', inner, outer, tokens))
    from = end
  }
  addPieces(message, from, message.readable.length, tokens)
  return tokens
}

function addPieces(message: CanonicalMessage, from: number, to: number, tokens: Token[]): void {
  PIECE.lastIndex = from
  const text = message.readable.slice(0, to)
  for (let found = PIECE.exec(text); found !== null; found = PIECE.exec(text)) {
    const [piece, word] = found
    if (word === undefined) addMark(message, found.index, piece, tokens)
    else addWord(message, found.index, word, tokens)
  }
}

function addMark(message: CanonicalMessage, at: number, mark: string, tokens: Token[]): void {
  const kind = ENDS.test(mark) && !(mark === '.' && abbreviates(message.readable, at, tokens)) ? 'break' : 'mark'
  tokens.push(make(message, kind, at, at + mark.length, tokens))
}

const ENDS = /[\n.!?;…。！？；]/
const ABBREVIATIONS: ReadonlySet<string> = new Set(['ca', 'nr', 'no', 'feks', 'bl', 'mr', 'mrs', 'dr'])

/** The dot of "kr. 500", "ca. 500" and "15. desember" ends nothing. */
function abbreviates(text: string, at: number, tokens: readonly Token[]): boolean {
  const before = tokens.at(-1)
  if (before === undefined) return false
  const after = text.slice(at + 1, at + 4)
  if (before.lower === 'kr') return /^ ?[0-9]/.test(after)
  if (before.kind === 'number' && before.text.length <= 2) return /^ \p{Ll}/u.test(after)
  return ABBREVIATIONS.has(before.lower) && /^ [\p{Ll}0-9]/u.test(after)
}

function addWord(message: CanonicalMessage, at: number, word: string, tokens: Token[]): void {
  for (const [offset, part] of partsOf(word)) {
    const [start, end] = [at + offset, at + offset + part.length]
    if (part === ',') addMark(message, start, part, tokens)
    else tokens.push(make(message, NUMBER.test(part) ? 'number' : 'word', start, end, tokens))
  }
}

/** A word, or the words that only lack a space between them. */
function partsOf(word: string): readonly (readonly [number, string])[] {
  const glued = GLUED_UNIT.exec(word)
  if (glued !== null) {
    const first = glued[1] ?? glued[3] ?? ''
    return [
      [0, first],
      [first.length, word.slice(first.length)],
    ]
  }
  if (!word.includes(',') || NUMBER.test(word) || !COMMA_IN_WORDS.test(word)) return [[0, word]]
  return [...word.matchAll(/[^,]+|,/g)].map(({ index, 0: part }) => [index, part])
}

function make(
  message: CanonicalMessage,
  kind: Token['kind'],
  from: number,
  to: number,
  tokens: readonly Token[],
): Token {
  const text = message.readable.slice(from, to)
  const start = message.at(from)
  const end = to > from ? message.at(to - 1) + 1 : start
  const plain = PLAIN.test(text) && end - start === text.length
  const lower = text.toLowerCase().replace(/[’‘ʼ´`′]/g, "'")
  return { kind, text, lower, start, end, plain, glued: tokens.at(-1)?.end === start }
}

/** Tokens from one place up to another one. */
export interface Range {
  readonly from: number
  readonly to: number
}
