import { isMagnitude, isThousands, readDigits, readSpoken, type Digits } from './numbers.ts'
import type { Token } from './tokens.ts'
import { APPROXIMATE, wordAt } from './words.ts'
import type { Money } from '../derivation.ts'

/** An amount that the words settle, or a quantity that they leave open (`money` absent). */
export interface MoneyMention {
  readonly money?: Money
  /** A number without a currency, whose currency nothing else settles. */
  readonly currencyMissing?: boolean
  /** It could be a count as well: no currency stands beside it. */
  readonly bare: boolean
  /** How many tokens it takes. */
  readonly length: number
}

/** Currencies by code, sign and name. `kr` and `$` are used by several, so the subject's own decides. */
const CURRENCIES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  nok: ['NOK'],
  sek: ['SEK'],
  dkk: ['DKK'],
  eur: ['EUR'],
  usd: ['USD'],
  gbp: ['GBP'],
  chf: ['CHF'],
  jpy: ['JPY'],
  pln: ['PLN'],
  cad: ['CAD'],
  aud: ['AUD'],
  ...same(['NOK', 'SEK', 'DKK'], 'kr krone kroner kronar kronene kronane'),
  ...same(['USD', 'CAD', 'AUD', 'NZD'], '$ dollar dollars bucks'),
  ...same(['EUR'], '€ euro euros'),
  ...same(['GBP'], '£ pound pounds pund quid'),
  ...same(['JPY'], '¥ yen'),
}
/** Have no smaller unit. */
const WHOLE_ONLY: ReadonlySet<string> = new Set(['JPY'])

function same(
  codes: readonly [string, ...string[]],
  words: string,
): Readonly<Record<string, readonly [string, ...string[]]>> {
  return Object.fromEntries(words.split(' ').map((word) => [word, codes]))
}

/** The code that a word means for a subject, or undefined when it names no currency. */
export function currencyOf(word: string, own: string | undefined): string | undefined {
  const codes = Object.hasOwn(CURRENCIES, word) ? CURRENCIES[word] : undefined
  return codes?.find((code) => code === own) ?? codes?.[0]
}

interface Quantity {
  readonly digits?: Digits
  readonly length: number
}

/** An amount by its parts, before they are weighed. */
interface Found {
  readonly digits: Digits | undefined
  /** Codes on either side; both count. */
  readonly codes: readonly string[]
  readonly negative: boolean
  /** It ends in a dash for the decimals: `500,-`. */
  readonly dashed: boolean
  readonly length: number
}

/** Reads an amount at a place of the tokens, with the currency on either side of it. */
export function moneyAt(
  tokens: readonly Token[],
  words: readonly string[],
  at: number,
  own: string | undefined,
): MoneyMention | undefined {
  const found = findAt(tokens, words, at, own)
  if (found === undefined) return undefined
  const { digits, codes, negative, dashed, length } = found
  const open = { length, bare: codes.length === 0 && !dashed }
  const [currency = own, other = currency] = codes
  if (negative || currency !== other || isOpenEnded(tokens, words, at, at + length)) return open
  if (currency === undefined) return { ...open, currencyMissing: digits !== undefined }
  const minor = minorOf(digits, currency)
  return minor === undefined ? open : { ...open, money: { minor, currency } }
}

function findAt(
  tokens: readonly Token[],
  words: readonly string[],
  at: number,
  own: string | undefined,
): Found | undefined {
  const before = currencyAt(tokens, at, own)
  const start = at + before.length
  const sign = isMinus(tokens, start) ? 1 : 0
  const quantity = quantityAt(tokens, words, start + sign)
  if (quantity === undefined) return undefined
  const next = start + sign + quantity.length
  const dash = isDash(tokens, words, next) ? 2 : 0
  const after = currencyAt(tokens, next + dash, own)
  return {
    digits: quantity.digits,
    codes: [...before.codes, ...after.codes],
    negative: sign === 1,
    dashed: dash > 0,
    length: next + dash + after.length - at,
  }
}

const isDash = (tokens: readonly Token[], words: readonly string[], at: number): boolean =>
  wordAt(words, at) === ',' && /^[-–—]$/.test(wordAt(words, at + 1)) && isGlued(tokens, at + 1)
const isGlued = (tokens: readonly Token[], at: number): boolean => tokens[at]?.glued === true
const kindAt = (tokens: readonly Token[], at: number): Token['kind'] | undefined => tokens[at]?.kind

interface Currency {
  readonly codes: readonly string[]
  readonly length: number
}

function currencyAt(tokens: readonly Token[], at: number, own: string | undefined): Currency {
  const token = tokens[at]
  if (token === undefined || token.kind === 'quote' || token.kind === 'block') return { codes: [], length: 0 }
  const code = currencyOf(token.lower.replace(/\.$/, ''), own)
  if (code === undefined) return { codes: [], length: 0 }
  // The dot of "kr." belongs to it when the amount follows.
  const isDotted = token.lower === 'kr' && tokens[at + 1]?.text === '.' && kindAt(tokens, at + 2) === 'number'
  return { codes: [code], length: isDotted ? 2 : 1 }
}

const isMinus = (tokens: readonly Token[], at: number): boolean =>
  /^[-−–]$/.test(tokens[at]?.text ?? '') && kindAt(tokens, at + 1) === 'number' && isGlued(tokens, at + 1)

/** Looks like an amount and cannot be read as one: 1k, 500-600. */
const NUMBER_LIKE = /^(?:[0-9][0-9.,]*(?:k|m|mill|mrd|x)|[0-9][0-9.,]*[-/'+][0-9.,'+/-]*)$/i
/** Digits of other scripts or widths. */
const OTHER_DIGITS = /^[\p{N}.,]*\p{N}[\p{N}.,]*$/u

function quantityAt(tokens: readonly Token[], words: readonly string[], at: number): Quantity | undefined {
  const token = tokens[at]
  if (token?.kind === 'number') return groupedAt(tokens, at)
  if (token?.kind !== 'word') return undefined
  if (!token.plain) return OTHER_DIGITS.test(token.text) ? { length: 1 } : undefined
  if (NUMBER_LIKE.test(token.text)) return { length: 1 }
  const spoken = readSpoken(words, at)
  if (spoken?.value === undefined) return spoken
  return { length: spoken.length, digits: { whole: String(spoken.value), decimals: '' } }
}

/** `1 500 000,00` is three tokens and one number. */
function groupedAt(tokens: readonly Token[], at: number): Quantity {
  let length = 1
  while (continuesGroup(tokens, at, at + length)) length += 1
  const parts = tokens.slice(at, at + length)
  const digits = readDigits(
    parts
      .map(({ text }) => text)
      .join(' ')
      .replace(/[.,]$/, ''),
  )
  return digits === undefined || parts.some(({ plain }) => !plain) ? { length } : { length, digits }
}

function continuesGroup(tokens: readonly Token[], first: number, at: number): boolean {
  const [start, last, next] = [tokens[first], tokens[at - 1], tokens[at]]
  if (start === undefined || last === undefined || next?.kind !== 'number') return false
  const isOpen = /^[1-9][0-9]{0,2}$/.test(start.text) && /^[0-9]{1,3}$/.test(last.text)
  return isOpen && next.start - last.end === 1 && isThousands(next.text)
}

/** Part of a larger number, a percentage, a bound, or several of them. */
function isOpenEnded(tokens: readonly Token[], words: readonly string[], from: number, to: number): boolean {
  const after = wordAt(words, to)
  return (
    isBounded(words, from) ||
    /^(?:[%‰xX*/]|percent|prosent)$/.test(after) ||
    isMagnitude(after) ||
    isRange(tokens, words, from, to) ||
    (isWeakNumber(after) && currencyOf(wordAt(words, to + 1), undefined) !== undefined) ||
    (kindAt(tokens, from) === 'number' && !isWeakNumber(after) && readSpoken(words, to) !== undefined)
  )
}

/** "About 500", "up to 500"; but the "over" of "før over" belongs to the verb. */
function isBounded(words: readonly string[], from: number): boolean {
  const isDotted = wordAt(words, from - 1) === '.'
  const [second, before] = isDotted ? ['', wordAt(words, from - 2)] : [wordAt(words, from - 2), wordAt(words, from - 1)]
  if (before === 'over' && /^(?:før|føre|føra|send|sende)$/.test(second)) return false
  if (SOME.test(before) || (before === 'of' && SOME.test(second))) return true
  return APPROXIMATE.has(before) || (before === 'to' && APPROXIMATE.has(second))
}

/** "Et par hundre", "a couple of hundred"; "minus 100" is a change. */
const SOME =
  /^(?:par|noen|nokre|nokon|flere|fleire|mange|few|couple|several|some|many|dozen|minus|plus|pluss|another|ytterligere)$/

const isWeakNumber = (word: string): boolean => /^(?:to|a|en|one)$/.test(word)

/** A sign of arithmetic or of a range between two numbers: `500 - 600`, `10% + 5`. */
const isRange = (tokens: readonly Token[], words: readonly string[], from: number, to: number): boolean =>
  (/^[-–—+*/~<>]$/.test(wordAt(words, to)) && /^[0-9]/.test(wordAt(words, to + 1))) ||
  (/^[~<>≤≥≈+*/]$/.test(wordAt(words, from - 1)) && kindAt(tokens, from - 1) === 'mark')

function minorOf(digits: Digits | undefined, currency: string): number | undefined {
  if (digits === undefined || (WHOLE_ONLY.has(currency) && digits.decimals !== '')) return undefined
  const minor = Number(digits.whole + (WHOLE_ONLY.has(currency) ? '' : digits.decimals.padEnd(2, '0')))
  return minor > 0 && Number.isSafeInteger(minor) ? minor : undefined
}
