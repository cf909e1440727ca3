import { wordAt } from './words.ts'

/** Decimal digits as the user wrote them, without grouping. */
export interface Digits {
  readonly whole: string
  readonly decimals: string
}

/** Whole digits, at most two decimals, grouped in threes by a sign that the decimals do not use. */
const SPELLINGS: readonly RegExp[] = [
  /^(0|[1-9][0-9]{0,11})$/,
  /^(0|[1-9][0-9]{0,11})[.,]([0-9]{1,2})$/,
  /^([1-9][0-9]{0,2}(?:\.[0-9]{3}){1,3}),([0-9]{2})$/,
  /^([1-9][0-9]{0,2}(?:,[0-9]{3}){1,3})\.([0-9]{2})$/,
  /^([1-9][0-9]{0,2}(?:[ \u00a0\u2009\u202f][0-9]{3}){1,3})(?:[.,]([0-9]{2}))?$/,
  /^([1-9][0-9]{0,2}(?:\.[0-9]{3}){2,3})$/,
  /^([1-9][0-9]{0,2}(?:,[0-9]{3}){2,3})$/,
]

/** Reads a number in English or Norwegian spelling. `1.500` and `1,500` mean two things, so they mean nothing here. */
export function readDigits(text: string): Digits | undefined {
  for (const spelling of SPELLINGS) {
    const found = spelling.exec(text)
    if (found !== null) return { whole: (found[1] ?? '').replace(/[^0-9]/g, ''), decimals: found[2] ?? '' }
  }
  return undefined
}

/** True for the second and later groups of `1 500 000,00`. */
export const isThousands = (text: string): boolean => /^[0-9]{3}(?:[.,][0-9]{2})?$/.test(text)

const VALUES: Readonly<Record<string, number>> = {
  ...numbered(
    'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    1,
    1,
  ),
  ...numbered('twenty thirty forty fifty sixty seventy eighty ninety', 20, 10),
  ...numbered(
    'ett to tre fire fem seks syv åtte ni ti elleve tolv tretten fjorten femten seksten sytten atten nitten',
    1,
    1,
  ),
  ...numbered('tjue tretti førti femti seksti sytti åtti nitti', 20, 10),
  ...{ en: 1, ein: 1, eit: 1, et: 1, a: 1, sju: 7, tyve: 20, tredve: 30 },
  ...{ hundred: 100, hundre: 100, thousand: 1000, tusen: 1000 },
}
/** Words that are articles or prepositions far more often than numbers. */
const WEAK: ReadonlySet<string> = new Set(['en', 'ein', 'eit', 'et', 'ett', 'a', 'to', 'one'])
/** Larger than what is read, or no number: what stands before it is not the whole amount. */
const MAGNITUDES: ReadonlySet<string> = new Set(
  'k hundred hundre hundreds hundrevis thousand tusen thousands tusenvis million millions millioner millionar mill m billion milliarder milliard mrd dozen dusin'.split(
    ' ',
  ),
)

function numbered(words: string, first: number, by: number): Readonly<Record<string, number>> {
  return Object.fromEntries(words.split(' ').map((word, index) => [word, first + index * by]))
}

/** True for a word that makes the number before it larger: `thousand`, `mill`. */
export const isMagnitude = (word: string): boolean => MAGNITUDES.has(word)
const valueOf = (word: string): number | undefined => (Object.hasOwn(VALUES, word) ? VALUES[word] : undefined)

interface SpokenNumber {
  /** Absent: number words that make no number. */
  readonly value?: number
  /** How many words it takes. */
  readonly length: number
}

/** Reads "five hundred and fifty", "fem hundre", "tohundreogfemti" from a place of a list of lower-case words. */
export function readSpoken(words: readonly string[], at: number): SpokenNumber | undefined {
  const parts: number[] = []
  let length = 0
  while (length < MAX_WORDS) {
    const values = spokenAt(words, at + length, parts.at(-1))
    if (values === undefined) break
    parts.push(...values)
    length += 1
  }
  const [, second = 0] = parts
  if (length === 0 || (WEAK.has(wordAt(words, at)) && second < 100)) return undefined
  const value = compose(parts)
  return value === undefined ? { length } : { length, value }
}

/** The number of one word; nothing to add for the "and" behind a hundred. */
function spokenAt(words: readonly string[], at: number, before: number | undefined): readonly number[] | undefined {
  const [last, word] = [wordAt(words, at - 1), wordAt(words, at)]
  const isJoint = before !== undefined && before >= 100 && isJoining(word)
  if (isJoint) return partsOfWord(wordAt(words, at + 1)) === undefined ? undefined : []
  // "Five hundred to Bob" is not 502: such a word goes on with a number only before a hundred or behind an "og".
  const isArticle = before !== undefined && WEAK.has(word) && word !== 'one'
  if (isArticle && !isJoining(last) && !isMagnitude(wordAt(words, at + 1))) return undefined
  return partsOfWord(word)
}

const isJoining = (word: string): boolean => word === 'and' || word === 'og'

/** "nine hundred and ninety-nine thousand nine hundred and ninety-nine" has ten. */
const MAX_WORDS = 12
/** Number words never get longer; longer words are not taken apart. */
const MAX_WORD = 48

function partsOfWord(word: string): readonly number[] | undefined {
  const whole = valueOf(word)
  if (whole !== undefined) return [whole]
  if (word.length > MAX_WORD || !COMPOUND.test(word)) return undefined
  const parts: number[] = []
  let rest = word.replaceAll('-', '')
  while (rest !== '') {
    const next = longestNumber(rest)
    if (next === undefined) return undefined
    parts.push(...(next === 'og' ? [] : [VALUES[next] ?? 0]))
    rest = rest.slice(next.length)
  }
  return parts.length > 1 ? parts : undefined
}

const INSIDE = [...Object.keys(VALUES).filter((word) => word !== 'a' && word !== 'et'), 'og'].sort(
  (a, b) => b.length - a.length,
)
const COMPOUND = new RegExp(`^(?:${INSIDE.join('|')}|-)+$`)
const longestNumber = (text: string): string | undefined => INSIDE.find((word) => text.startsWith(word))

/** Adds up in descending order: thousands, hundreds, tens, ones. Another order is no number. */
function compose(parts: readonly number[]): number | undefined {
  const at = parts.indexOf(1000)
  if (at < 0) return belowThousand(parts)
  const thousands = at === 0 ? 1 : belowThousand(parts.slice(0, at))
  const rest = belowThousand(parts.slice(at + 1))
  return thousands === undefined || rest === undefined ? undefined : thousands * 1000 + rest
}

function belowThousand(parts: readonly number[]): number | undefined {
  const at = parts.indexOf(100)
  if (at < 0) return belowHundred(parts)
  const hundreds = at === 0 ? 1 : belowHundred(parts.slice(0, at))
  const rest = belowHundred(parts.slice(at + 1))
  if (hundreds === undefined || hundreds > 9 || rest === undefined) return undefined
  return hundreds * 100 + rest
}

function belowHundred([first = 0, second, ...rest]: readonly number[]): number | undefined {
  if (first >= 100 || rest.length > 0) return undefined
  if (second === undefined) return first
  return first >= 20 && second < 10 ? first + second : undefined
}
