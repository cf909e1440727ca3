import type { Token } from './tokens.ts'
import { wordAt } from './words.ts'

/** A date that the words settle, or one that they only hint at (`iso` absent). */
export interface DateMention {
  readonly iso?: string
  /** "Today": a way to say now, more often than a day to plan for. */
  readonly isNow?: boolean
  /** How many tokens it takes. */
  readonly length: number
}

const MONTHS: readonly (readonly string[])[] = [
  ['january', 'jan', 'januar'],
  ['february', 'feb', 'februar'],
  ['march', 'mar', 'mars'],
  ['april', 'apr'],
  ['may', 'mai'],
  ['june', 'jun', 'juni'],
  ['july', 'jul', 'juli'],
  ['august', 'aug'],
  ['september', 'sep', 'sept'],
  ['october', 'oct', 'oktober', 'okt'],
  ['november', 'nov'],
  ['december', 'dec', 'desember', 'des'],
]
const MONTH_OF: ReadonlyMap<string, number> = new Map(
  MONTHS.flatMap((names, index) => names.map((name) => [name, index + 1] as const)),
)
const WEEKDAYS: ReadonlySet<string> = new Set(
  'monday tuesday wednesday thursday friday saturday sunday mandag tirsdag onsdag torsdag fredag lørdag søndag måndag tysdag laurdag sundag'.split(
    ' ',
  ),
)
/** Days from today. */
const DAYS: Readonly<Record<string, number>> = {
  today: 0,
  idag: 0,
  tomorrow: 1,
  imorgen: 1,
  imorgon: 1,
  'i dag': 0,
  'i morgen': 1,
  'i morgon': 1,
}
const UNITS: ReadonlySet<string> = new Set(
  'day days week weeks month months year years dag dager dagar uke uker uka veke veker veka måned måneder måneden månad månader månaden år året quarter weekend helg helgen helga'.split(
    ' ',
  ),
)
const RELATIVE: ReadonlySet<string> = new Set(
  'next this last coming neste denne forrige kommende førre siste om in of end'.split(' '),
)

/** True for the name of a month or its abbreviation. */
export const isMonth = (word: string): boolean => MONTH_OF.has(word)
/** True for a unit of time or a day of the week. */
export const isTimeUnit = (word: string): boolean => UNITS.has(word) || WEEKDAYS.has(word)

/** Reads a date at a place of the tokens. A day and month without a year are the next such day, today included. */
export function dateAt(tokens: readonly Token[], at: number, today: string): DateMention | undefined {
  const token = tokens[at]
  if (token?.plain !== true) return undefined
  return numericDate(token, today) ?? namedDate(tokens, at, today) ?? relativeDate(tokens, at, today)
}

function numericDate(token: Token, today: string): DateMention | undefined {
  const iso = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(token.text)
  if (iso !== null) return dated(1, today, Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const dotted = /^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})$/.exec(token.text)
  if (dotted !== null) return dated(1, today, Number(dotted[3]), Number(dotted[2]), Number(dotted[1]))
  const slashed = /^([0-9]{1,2})\/([0-9]{1,2})(?:\/([0-9]{4}))?$/.exec(token.text)
  if (slashed === null) return undefined
  const [first, second] = [Number(slashed[1]), Number(slashed[2])]
  // 5/6 is a day in May or in June, by where the reader lives.
  if (slashed[3] === undefined || (first <= 12 && second <= 12 && first !== second)) return { length: 1 }
  return first > 12
    ? dated(1, today, Number(slashed[3]), second, first)
    : dated(1, today, Number(slashed[3]), first, second)
}

/** `15. desember 2026`, `15th of December`, `December 15, 2026`. */
function namedDate(tokens: readonly Token[], at: number, today: string): DateMention | undefined {
  const words = tokens.slice(at, at + 6).map(({ lower }) => lower)
  const month = MONTH_OF.get(wordAt(words, 0))
  if (month !== undefined) return withYear(words, { month, day: dayOf(wordAt(words, 1)), length: 2 }, today)
  const day = dayOf(wordAt(words, 0))
  const skip = /^(?:\.|of)$/.test(wordAt(words, 1)) ? 2 : 1
  return withYear(words, { month: MONTH_OF.get(wordAt(words, skip)), day, length: skip + 1 }, today)
}

interface DayAndMonth {
  readonly month: number | undefined
  readonly day: number | undefined
  readonly length: number
}

function withYear(
  words: readonly string[],
  { month, day, length }: DayAndMonth,
  today: string,
): DateMention | undefined {
  if (month === undefined || day === undefined) return undefined
  const comma = wordAt(words, length) === ',' ? 1 : 0
  const year = yearOf(wordAt(words, length + comma))
  if (year === undefined) return comingDay(length, today, month, day)
  return dated(length + comma + 1, today, year, month, day)
}

const dayOf = (word: string): number | undefined => {
  const found = /^([0-9]{1,2})(?:st|nd|rd|th)?$/.exec(word)
  return found === null ? undefined : Number(found[1])
}
const yearOf = (word: string): number | undefined => (/^20[0-9]{2}$/.test(word) ? Number(word) : undefined)

function relativeDate(tokens: readonly Token[], at: number, today: string): DateMention | undefined {
  const words = tokens.slice(at, at + 3).map(({ lower }) => lower)
  const [first, second] = [wordAt(words, 0), wordAt(words, 1)]
  const days = daysOf(`${first} ${second}`)
  if (days !== undefined) return dayFrom(2, today, days)
  const day = daysOf(first)
  if (day !== undefined) return dayFrom(1, today, day)
  return hintedDate(first, second, wordAt(words, 2))
}

const dayFrom = (length: number, today: string, days: number): DateMention => ({
  ...{ length, iso: plusDays(today, days) },
  ...(days === 0 ? { isNow: true } : {}),
})

const daysOf = (words: string): number | undefined => (Object.hasOwn(DAYS, words) ? DAYS[words] : undefined)

function hintedDate(first: string, second: string, third: string): DateMention | undefined {
  if (WEEKDAYS.has(first)) return { length: 1 }
  if (!RELATIVE.has(first)) return undefined
  if (isTimeUnit(second)) return { length: 2 }
  return isTimeUnit(third) ? { length: 3 } : undefined
}

function dated(length: number, today: string, year: number, month: number, day: number): DateMention {
  const iso = isoOf(year, month, day)
  // A day that has passed is a slip of the pen: it is asked about.
  return iso === undefined || iso < today ? { length } : { length, iso }
}

function comingDay(length: number, today: string, month: number, day: number): DateMention {
  const year = Number(today.slice(0, 4))
  const iso = [isoOf(year, month, day), isoOf(year + 1, month, day)].find((each) => each !== undefined && each >= today)
  return iso === undefined ? { length } : { length, iso }
}

function isoOf(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.toISOString().slice(0, 10) : undefined
}

function plusDays(today: string, days: number): string {
  const date = new Date(`${today}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}
