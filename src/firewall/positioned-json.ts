import { strictJson, StrictJsonError } from '../core/strict-json.ts'

/** A place in a text; both count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Where a member's key and its value start. */
export interface Spot {
  readonly key: Position
  readonly value: Position
}

/** A JSON value and where its parts are, or what is wrong and where. Spots are keyed by the JSON text of their path. */
type PositionedJson =
  | { readonly ok: true; readonly value: unknown; readonly spots: ReadonlyMap<string, Spot> }
  | { readonly ok: false; readonly says: string; readonly at: Position }

class JsonFault extends Error {
  override readonly name = 'JsonFault'
  readonly at: number
  constructor(says: string, at: number) {
    super(says)
    this.at = at
  }
}

interface Reader {
  readonly text: string
  /** Where the keys and values start, as offsets. */
  readonly found: Map<string, { readonly key: number; readonly value: number }>
  at: number
}

const BLANK = /[ \t\n\r]*/y
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const SCALAR = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null)(?![-+.\w])/y
const MAX_DEPTH = 100
/** Keys that could reach a prototype; strictJson refuses them too, without a place. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Reads strict JSON (as `strictJson` does) for a person who must find a fault in a file: it names the line and column of
 * a syntax error or a key that is there twice, and where each part of a good text is.
 */
export function readJson(text: string): PositionedJson {
  const position = positions(text)
  const reader: Reader = { text, found: new Map(), at: 0 }
  try {
    if (text.startsWith('\ufeff')) throw new JsonFault('the text starts with a byte-order mark', 0)
    readValue(reader, [], 0)
    skip(reader)
    if (reader.at < text.length) throw new JsonFault('there is something behind the value', reader.at)
    // What only the whole text shows: lone surrogates, prototype keys, numbers beyond a double.
    const value = strictJson(text)
    const spots = [...reader.found].map(([path, { key, value: start }]): [string, Spot] => [
      path,
      { key: position(key), value: position(start) },
    ])
    return { ok: true, value, spots: new Map(spots) }
  } catch (cause) {
    if (cause instanceof JsonFault) return { ok: false, says: cause.message, at: position(cause.at) }
    if (cause instanceof StrictJsonError) return { ok: false, says: cause.message, at: position(0) }
    throw cause
  }
}

function positions(text: string): (offset: number) => Position {
  return (offset) => {
    const before = text.slice(0, offset).split('\n')
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
  }
}

function skip(reader: Reader): void {
  BLANK.lastIndex = reader.at
  reader.at += BLANK.exec(reader.text)?.[0].length ?? 0
}

function readValue(reader: Reader, path: readonly (string | number)[], keyAt: number): void {
  skip(reader)
  const start = reader.at
  reader.found.set(JSON.stringify(path), { key: path.length === 0 ? start : keyAt, value: start })
  if (path.length > MAX_DEPTH) throw new JsonFault('it is nested too deeply', start)
  switch (reader.text.charAt(start)) {
    case '{':
      readMembers(reader, '}', objectMember(path))
      return
    case '[':
      readMembers(reader, ']', (inner, index) => {
        readValue(inner, [...path, index], inner.at)
      })
      return
    case '"':
      token(reader, STRING, 'a text is not well formed')
      return
    default:
      token(reader, SCALAR, start >= reader.text.length ? 'the text ends too early' : 'this is no JSON value')
  }
}

function token(reader: Reader, pattern: RegExp, says: string): string {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.text)?.[0]
  if (found === undefined) throw new JsonFault(says, reader.at)
  reader.at += found.length
  return found
}

function objectMember(path: readonly (string | number)[]): (reader: Reader) => void {
  const keys = new Set<string>()
  return (reader) => {
    const start = reader.at
    const key = JSON.parse(token(reader, STRING, 'a key in double quotes is expected')) as string
    if (FORBIDDEN.has(key)) throw new JsonFault(`the key ${key} is not allowed`, start)
    if (keys.has(key)) throw new JsonFault(`the key ${JSON.stringify(key)} is there twice`, start)
    keys.add(key)
    skip(reader)
    if (reader.text[reader.at] !== ':') throw new JsonFault('a colon is expected', reader.at)
    reader.at++
    readValue(reader, [...path, key], start)
  }
}

/** The members between a bracket and its end, separated by single commas. */
function readMembers(reader: Reader, end: '}' | ']', member: (reader: Reader, index: number) => void): void {
  reader.at++
  skip(reader)
  if (reader.text[reader.at] === end) {
    reader.at++
    return
  }
  for (let index = 0; ; index++) {
    skip(reader)
    member(reader, index)
    skip(reader)
    const next = reader.text[reader.at]
    if (next !== ',' && next !== end) throw new JsonFault(`a comma or ${end} is expected`, reader.at)
    reader.at++
    if (next === end) return
  }
}
