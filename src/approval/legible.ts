/** One character of a text as a card shows it. */
interface Unit {
  /** ASCII, or one of the few letters and marks beyond it that look like nothing else. */
  readonly shown: string
  readonly kind: 'plain' | 'hidden' | 'foreign'
}

/** A text as a card shows it, with what a person has to know about it. */
export interface Legible {
  readonly text: string
  /** Characters that are not shown, out of the middle. */
  readonly leftOut: number
  /** Characters of the whole text, as Unicode counts them. */
  readonly length: number
  /** Characters that a terminal would obey or not show. */
  readonly hidden: number
  /** Characters that may look like plain ones and are not. */
  readonly foreign: number
}

/** How much of a long text is shown: its end is as dangerous as its beginning. In columns. */
const HEAD = 240
const TAIL = 160

/** From this many on, equal spelled-out characters in a row are counted; spaces from two on. */
const RUN = 3

// Control, format, surrogate, private and unassigned characters, separators, and what Unicode lets every font ignore.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}]/u
// The emoji selector is in everyday text. What breaks lines is shown as such.
const HARMLESS = /\r\n|[\n\t\ufe0f]/gu

const ASCII = /^[ -~]$/
const LATIN = /^[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0130\u0132-\u0137\u0139-\u0148\u014a-\u017e«»’“”–€£§]$/
// Compared character by character by a machine, so read so by the person: no letter beyond ASCII passes unseen.
const ID_LIKE = /[0-9_\-./@:\\]/

/** True when a person would decide on something else than what the text says: nobody is asked about such a call. */
export const isUnreadable = (text: string): boolean => HIDDEN.test(text.replace(HARMLESS, ' '))

/**
 * One line of a card out of any text: nothing in it can end the line, steer the terminal or pass for something else.
 * The spelling is reversible, so two texts never look the same.
 * @param full false: of a long text, head and tail.
 */
export function legible(text: string, full = false): Legible {
  const units = unitsOf(text)
  const count = (kind: Unit['kind']): number => units.filter((unit) => unit.kind === kind).length
  return { ...shorten(units, full), length: units.length, hidden: count('hidden'), foreign: count('foreign') }
}

function unitsOf(text: string): readonly Unit[] {
  return text.split(/( )/).flatMap((token) => {
    const isId = ID_LIKE.test(token)
    return Array.from(token).map((char, index, chars) => unitOf(char, chars.slice(index + 1, index + 3).join(''), isId))
  })
}

function unitOf(char: string, next: string, isId: boolean): Unit {
  if (ASCII.test(char)) return { shown: char === '\\' && next === 'u{' ? spelled(char) : char, kind: 'plain' }
  if (!isId && LATIN.test(char)) return { shown: char, kind: 'plain' }
  return { shown: spelled(char), kind: HIDDEN.test(char) ? 'hidden' : 'foreign' }
}

const spelled = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

function shorten(units: readonly Unit[], full: boolean): Pick<Legible, 'text' | 'leftOut'> {
  const whole = joined(units)
  if (full || whole.length <= HEAD + TAIL) return { text: whole, leftOut: 0 }
  const head = fitting(units, HEAD)
  const tail = fitting(units.toReversed(), Math.min(TAIL, units.length - head))
  const leftOut = units.length - head - tail
  // The ellipsis is spelled out wherever a text holds one, so that this one is ours.
  return { text: `${joined(units.slice(0, head))} … ${joined(units.slice(units.length - tail))}`, leftOut }
}

/** How many of the units fit into so many columns. */
function fitting(units: readonly Unit[], columns: number): number {
  let used = 0
  const over = units.findIndex(({ shown }) => (used += shown.length) > columns)
  return over === -1 ? units.length : over
}

/** Counts what repeats without being seen: blank lines and spaces push nothing out of view. */
function joined(units: readonly Unit[]): string {
  let text = ''
  for (let at = 0; at < units.length;) {
    const shown = units[at]?.shown ?? ''
    let end = at + 1
    while (units[end]?.shown === shown) end += 1
    text += repeated(shown, end - at)
    at = end
  }
  return text
}

function repeated(shown: string, times: number): string {
  if (shown === ' ') return times === 1 ? shown : `${spelled(shown)}×${times}`
  return shown.startsWith('\\u{') && times >= RUN ? `${shown}×${times}` : shown.repeat(times)
}
