import { endOfTransfer, idsIn, ownersIn, personOf, type Speaker, wordAt } from './assistant-people.ts'
import type { Token } from './assistant-tokens.ts'
import { type Money, moveAll, payInvoice, transfer, type Wish } from './assistant-wish.ts'
import {
  BALANCE_NOUNS,
  CURRENCIES,
  EVERYTHING,
  FROM,
  INTO,
  isInvoiceNoun,
  IT,
  MOVE_NOUNS,
  MOVE_VERBS,
  PAY_VERBS,
  PROFILE_NOUNS,
  TO,
} from './assistant-words.ts'

/** What was spoken of last: an account, an invoice, and the tool that was called. */
export interface Before {
  readonly account?: string | undefined
  readonly invoice?: string | undefined
  readonly tool?: string | undefined
}

/** What a clause about moving money comes to; `incomplete` when the amount or an account is missing. */
export type Move = { readonly kind: 'wish'; readonly wish: Wish } | { readonly kind: 'incomplete' }

/** Reads a clause as a transfer; undefined when it is about something else, or strict and lacks something. */
export function readMove(clause: readonly Token[], speaker: Speaker, strict: boolean, last: Before): Move | undefined {
  const verb = clause.findIndex(({ lower }) => MOVE_VERBS.has(lower) || (!strict && MOVE_NOUNS.has(lower)))
  if (verb === -1) return undefined
  const money = moneyOf(clause.slice(verb + 1)) ?? moneyOf(clause.slice(0, verb))
  const parts = partsOf(clause.slice(verb + 1))
  if (isPayment(clause, verb, parts, last)) return payment(clause, parts, speaker, last)
  // "Send me my balance" asks to see it.
  if (money === undefined && clause.some(({ lower }) => isViewNoun(lower))) return undefined
  const ends = strict ? strictEnds(parts, speaker) : endsOf(parts, speaker, last.account)
  const wish = ends && wishFor(ends, money, clause)
  if (wish !== undefined) return { kind: 'wish', wish }
  return strict ? undefined : { kind: 'incomplete' }
}

function wishFor(ends: Ends, money: Money | undefined, clause: readonly Token[]): Wish | undefined {
  if (money !== undefined) return { call: transfer({ ...ends, ...money }) }
  return clause.some(({ lower }) => EVERYTHING.has(lower)) ? moveAll(ends.from, ends.to) : undefined
}

const isViewNoun = (word: string): boolean => BALANCE_NOUNS.has(word) || isInvoiceNoun(word) || PROFILE_NOUNS.has(word)

interface Parts {
  /** Between the verb and the first "from" or "to". */
  readonly head: readonly Token[]
  readonly from: readonly Token[] | undefined
  readonly to: readonly Token[] | undefined
}

/** Cuts what follows the verb at "from" and "to"; "konto til Bob" is Bob's account when another "til" says where to. */
function partsOf(rest: readonly Token[]): Parts {
  const from = rest.findIndex(({ lower }) => FROM.has(lower))
  const to = destinationAt(rest, from)
  const until = (mark: number, other: number): readonly Token[] | undefined =>
    mark === -1 ? undefined : rest.slice(mark + 1, other > mark ? other : undefined)
  const first = Math.min(...[from, to, rest.length].filter((at) => at !== -1))
  return { head: rest.slice(0, first), from: until(from, to), to: until(to, from) }
}

function destinationAt(rest: readonly Token[], from: number): number {
  const marks = (set: ReadonlySet<string>): number[] => rest.flatMap(({ lower }, at) => (set.has(lower) ? [at] : []))
  const strong = marks(TO)
  const [first] = strong
  if (first === undefined) return marks(INTO)[0] ?? -1
  if (from === -1 || first < from) return first
  return strong.find((at) => personOf(rest[at + 1]) === undefined) ?? strong.at(-1) ?? first
}

interface Ends {
  readonly from: string
  readonly to: string
}

/** Explicit ids only; the speaker's checking account pays when none is named. */
function strictEnds(parts: Parts, { me }: Speaker): Ends | undefined {
  const explicit = (part: readonly Token[]): string | undefined => idsIn(part, /^(?:acc|ext)-/)[0]
  const own = me === undefined ? undefined : `acc-${me}-checking`
  const from = parts.from === undefined ? own : explicit(parts.from)
  const to = explicit([...(parts.to ?? []), ...parts.head])
  return from === undefined || to === undefined ? undefined : { from, to }
}

function endsOf(parts: Parts, speaker: Speaker, lastAccount: string | undefined): Ends | undefined {
  const end = (part: readonly Token[]): string | undefined => endOfTransfer(part, speaker, lastAccount)
  const from = parts.from && end(parts.from)
  const to = (parts.to && end(parts.to)) ?? end(parts.head)
  return from !== undefined && to !== undefined ? { from, to } : withOwn(from, to, speaker.me)
}

/** The end that was not said is an account of the speaker: checking, or savings beside checking. */
function withOwn(from: string | undefined, to: string | undefined, me: string | undefined): Ends | undefined {
  if (me === undefined) return undefined
  const checking = `acc-${me}-checking`
  if (to !== undefined) return { from: to === checking ? `acc-${me}-savings` : checking, to }
  return from === undefined || from === checking ? undefined : { from, to: checking }
}

function isPayment(clause: readonly Token[], verb: number, parts: Parts, last: Before): boolean {
  if (!PAY_VERBS.has(wordAt(clause, verb))) return false
  const elsewhere = parts.to !== undefined && idsIn(parts.to, /^(?:acc|ext)-/).length > 0
  return !elsewhere && (namesInvoice(clause) || (last.tool === 'get_invoice' && IT.has(wordAt(clause, verb + 1))))
}

const namesInvoice = (clause: readonly Token[]): boolean =>
  clause.some(({ lower }) => isInvoiceNoun(lower)) || idsIn(clause, /^inv-/).length > 0

function payment(clause: readonly Token[], parts: Parts, speaker: Speaker, last: Before): Move {
  const owner = ownersIn(clause, speaker)[0] ?? speaker.me
  const own = owner === undefined ? undefined : `inv-${owner}-1`
  const invoice = idsIn(clause, /^inv-/)[0] ?? (namesInvoice(clause) ? own : last.invoice)
  const checking = speaker.me === undefined ? undefined : `acc-${speaker.me}-checking`
  const from = (parts.from && endOfTransfer(parts.from, speaker, last.account)) ?? checking
  if (invoice === undefined || from === undefined) return { kind: 'incomplete' }
  return { kind: 'wish', wish: payInvoice(invoice, from) }
}

/** The amount beside a currency, else the first number. */
function moneyOf(tokens: readonly Token[]): Money | undefined {
  const currencyAt = (at: number): string | undefined => CURRENCIES.get(tokens[at]?.lower ?? '')
  const numbers = tokens.flatMap(({ kind, raw }, at) =>
    kind === 'number' ? [{ amount: plainDecimal(raw), currency: currencyAt(at + 1) ?? currencyAt(at - 1) }] : [],
  )
  const found = numbers.find(({ currency }) => currency !== undefined) ?? numbers[0]
  return found === undefined ? undefined : { amount: found.amount, currency: found.currency ?? 'NOK' }
}

/** `1,250.00`, `1.250,00`, `1 250` and `1250,5` as plain decimals; the digits stay as they were said. */
export function plainDecimal(said: string): string {
  const compact = said.replace(/[ \u00a0\u202f]/g, '')
  const decimals = /[.,](\d{1,2})$/.exec(compact)?.[1]
  const long = /^-?(?:\d+[.,]\d{4,}|0[.,]\d{3})$/.test(compact)
  if (long) return compact.replace(',', '.')
  const whole = (decimals === undefined ? compact : compact.slice(0, -decimals.length - 1)).replace(/[.,]/g, '')
  return decimals === undefined ? whole : `${whole}.${decimals}`
}
