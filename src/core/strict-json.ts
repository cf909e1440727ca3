/** The text is not JSON as the gate accepts it. The message names the fault and quotes nothing of the text. */
export class StrictJsonError extends Error {
  override readonly name = 'StrictJsonError'
}

const MAX_DEPTH = 100
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])
const [QUOTE, BACKSLASH, MINUS, COMMA, COLON] = [34, 92, 45, 44, 58]
const [DIGIT_0, DIGIT_9] = [48, 57]
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [123, 125, 91, 93]

/**
 * Parses I-JSON (RFC 7493): no duplicate keys, no lone surrogates, no number beyond a double, at most 100 levels; and no
 * key that could reach a prototype. Two readers of an accepted text see the same value.
 * @throws StrictJsonError for everything else.
 */
export function strictJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new StrictJsonError('not JSON')
    throw cause
  }
  if (!text.isWellFormed()) throw new StrictJsonError('a lone surrogate')
  checkKeys(text)
  return value
}

/** Open objects with their keys, open arrays as undefined, innermost last. */
interface Place {
  readonly levels: (Set<string> | undefined)[]
  expectKey: boolean
}

/** Walks text that `JSON.parse` has accepted, so only keys, depth, escapes and numbers are left to look at. */
function checkKeys(text: string): void {
  const place: Place = { levels: [], expectKey: false }
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === QUOTE) {
      const end = endOfString(text, at)
      const string = readString(text.slice(at, end + 1))
      if (place.expectKey) addKey(place.levels.at(-1), string)
      at = end
    } else if (char === MINUS || (char >= DIGIT_0 && char <= DIGIT_9)) at = endOfNumber(text, at) - 1
    else move(place, char)
  }
}

function move(place: Place, char: number): void {
  switch (char) {
    case OBJECT:
    case ARRAY:
      if (place.levels.length === MAX_DEPTH) throw new StrictJsonError('nested too deeply')
      place.levels.push(char === OBJECT ? new Set() : undefined)
      place.expectKey = char === OBJECT
      return
    case OBJECT_END:
    case ARRAY_END:
      place.levels.pop()
      place.expectKey = false
      return
    case COMMA:
      place.expectKey = place.levels.at(-1) !== undefined
      return
    case COLON:
      place.expectKey = false
  }
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

function readString(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  const value = JSON.parse(quoted) as string
  if (!value.isWellFormed()) throw new StrictJsonError('a lone surrogate')
  return value
}

function addKey(keys: Set<string> | undefined, key: string): void {
  if (FORBIDDEN.has(key)) throw new StrictJsonError('a key that could reach a prototype')
  if (keys?.has(key) === true) throw new StrictJsonError('a duplicate key')
  keys?.add(key)
}

function endOfNumber(text: string, start: number): number {
  const token = /[-+.eE0-9]+/y
  token.lastIndex = start
  const number = token.exec(text)?.[0] ?? ''
  if (!Number.isFinite(Number(number))) throw new StrictJsonError('a number beyond a double')
  return start + number.length
}
