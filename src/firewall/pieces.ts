import type { Needle } from './encodings.ts'

/** Which characters of which values a session has carried out so far. */
export type Carried = Map<Needle, Set<number>>

/** A part of a value is looked for from this length on; a shorter one stands in harmless texts. */
const GRAM = 8
const SHORT_GRAM = 6
/** A shorter value has no two parts that could be told from chance. */
const MIN_VALUE = 12
/** More characters than this of one call are not looked through for parts. */
const MAX_CHARACTERS = 64 * 1024
/** A value counts as whole when no more than this is missing. */
const SPARE = 2
const SLOTS = 4096

/**
 * Finds values that leave in parts: over several arguments, in another order, or over the calls of a session. The returned
 * function marks the parts in `carried` and names the values of which a call completes the last one.
 */
export function pieceFinder(
  values: readonly Needle[],
): (texts: readonly string[], carried: Carried) => readonly Needle[] {
  let made: readonly Index[] | undefined
  return (texts, carried) => {
    const indexes = (made ??= [GRAM, SHORT_GRAM].map((length) => indexOf(values, length)))
    const touched = new Set<Needle>()
    let left = MAX_CHARACTERS
    for (const text of texts) {
      const part = text.slice(0, Math.max(left, 0))
      left -= part.length
      for (const index of indexes) mark(part, index, carried, touched)
    }
    return [...touched].filter((value) => value.text.length - (carried.get(value)?.size ?? 0) <= SPARE)
  }
}

interface Index {
  readonly length: number
  readonly places: ReadonlyMap<string, readonly (readonly [value: Needle, at: number])[]>
  /** Set where a part may start: most characters of a text are passed over by it. */
  readonly slots: Uint8Array
}

const gramOf = ({ text }: Needle): number => (text.length >= 2 * GRAM ? GRAM : SHORT_GRAM)

function indexOf(values: readonly Needle[], length: number): Index {
  const places = new Map<string, [Needle, number][]>()
  const slots = new Uint8Array(SLOTS)
  for (const value of values) {
    if (value.text.length < MIN_VALUE || gramOf(value) !== length) continue
    for (let at = 0; at + length <= value.text.length; at++) {
      const gram = value.text.slice(at, at + length)
      slots[slotOf(gram, 0, length)] = 1
      const others = places.get(gram)
      if (others === undefined) places.set(gram, [[value, at]])
      else others.push([value, at])
    }
  }
  return { length, places, slots }
}

const slotOf = (text: string, at: number, length: number): number =>
  (text.charCodeAt(at) * 31 + text.charCodeAt(at + length - 1) * 7 + text.charCodeAt(at + 2)) % SLOTS

function mark(text: string, { length, places, slots }: Index, carried: Carried, touched: Set<Needle>): void {
  for (let start = 0; start + length <= text.length; start++) {
    if (slots[slotOf(text, start, length)] === 0) continue
    for (const [value, at] of places.get(text.slice(start, start + length)) ?? []) {
      const seen = carried.get(value) ?? new Set<number>()
      carried.set(value, seen)
      touched.add(value)
      for (let offset = 0; offset < length; offset++) seen.add(at + offset)
    }
  }
}

/** More sessions than this are not remembered; the oldest goes first. */
const MAX_SESSIONS = 1000

/** Keeps what sessions have carried out; a call without a session starts with nothing. */
export function rememberingParts(): (session: string) => Carried {
  const kept = new Map<string, Carried>()
  return (session) => {
    const carried: Carried = kept.get(session) ?? new Map<Needle, Set<number>>()
    if (session === '') return carried
    kept.delete(session)
    kept.set(session, carried)
    for (const [oldest] of kept) {
      if (kept.size <= MAX_SESSIONS) break
      kept.delete(oldest)
    }
    return carried
  }
}
