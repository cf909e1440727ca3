import { JOINERS, MOVE_VERBS, SAME, TO, VIEW_VERBS } from './assistant-words.ts'

/** A piece of text that the assistant tells apart. `lower` is what it compares. */
export interface Token {
  readonly kind: 'id' | 'number' | 'word' | 'symbol' | 'comma' | 'break'
  readonly raw: string
  readonly lower: string
}

// A day or a clock time is one token, so that it is no amount.
const DATE = String.raw`\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}`
const ID = String.raw`(?<![\p{L}\p{N}-])(?:acc|inv|ext)-[\p{L}\p{N}-]*[\p{L}\p{N}]`
const NUMBER = String.raw`-?\d{1,3}(?:[ .,\u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?!\d)|-?\d+(?:[.,]\d+)?`
const WORD = String.raw`\p{L}[\p{L}\p{M}]*(?:['’]\p{L}+)?`
const BREAK = String.raw`[.!?](?=$|[\s"'\])}])|[;\n]`
const TOKEN = new RegExp([ID, DATE, NUMBER, WORD, '[$€£,]', BREAK].join('|'), 'giu')

/** Splits text; what is none of the kinds (quotes, brackets, colons, emoji, dates) separates and is dropped. */
export function tokenize(text: string): Token[] {
  return (text.match(TOKEN) ?? []).flatMap((raw) => {
    const kind = kindOf(raw)
    return kind === undefined ? [] : [{ kind, raw, lower: raw.toLowerCase().replace('’', "'") }]
  })
}

function kindOf(raw: string): Token['kind'] | undefined {
  if (raw === ',') return 'comma'
  if (/^[.!?;\n]/.test(raw)) return 'break'
  if (/^[$€£]/.test(raw)) return 'symbol'
  if (/^-?\d/.test(raw)) return /^(?:\d{4}-|\d+:)/.test(raw) ? undefined : 'number'
  return raw.includes('-') ? 'id' : 'word'
}

/**
 * Cuts tokens into clauses that ask for one thing each: at the end of a sentence, and at a comma or an "and" that a verb
 * follows. "Send 100 to Bob and 200 to Carol" is two clauses with one verb.
 */
export function clausesOf(tokens: readonly Token[]): Token[][] {
  const clauses: Token[][] = []
  let clause: Token[] = []
  const cut = (next: Token[]): void => {
    if (clause.length > 0) clauses.push(clause)
    clause = next
  }
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'break' || (isJoint(token) && verbFollows(tokens, at + 1))) cut([])
    else if (isJoint(token) && amountFollows(tokens, at + 1)) {
      cut(clause.filter(({ lower }) => MOVE_VERBS.has(lower)).slice(-1))
    } else clause.push(token)
  }
  cut([])
  return clauses
}

const isJoint = ({ kind, lower }: Token): boolean => kind === 'comma' || (kind === 'word' && JOINERS.has(lower))

/** A verb within the next few words: "and then please move". Anything but a word ends the search. */
function verbFollows(tokens: readonly Token[], from: number): boolean {
  for (const token of tokens.slice(from, from + 4)) {
    if (token.kind !== 'word') return false
    if (MOVE_VERBS.has(token.lower) || VIEW_VERBS.has(token.lower) || SAME.has(token.lower)) return true
  }
  return false
}

/** "200 to", "200 kr til": a further amount with a place to go. */
const amountFollows = (tokens: readonly Token[], from: number): boolean =>
  tokens[from]?.kind === 'number' && tokens.slice(from + 1, from + 3).some(({ lower }) => TO.has(lower))
