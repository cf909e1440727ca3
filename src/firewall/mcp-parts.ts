import { posix } from 'node:path'
import { fold } from './fold.ts'
import { pathGlob } from './path-glob.ts'
import type { Places } from './places.ts'

/** What one text may hold beside itself. */
export interface TextParts {
  /** Further texts, each with the name that it stands under; a server may take the text apart. */
  readonly parts: readonly { readonly name: string; readonly text: string }[]
  /** True when there is more in it than can be looked at. */
  readonly isTooMuch: boolean
}

const NONE: TextParts = { parts: [], isTooMuch: false }
/** More parts than this cannot be looked at in the time of one decision. */
const MAX_PARTS = 5000
const MAX_DEPTH = 64
const MAX_PATTERN = 1000
const SEPARATORS = /[,;|\r\n]+/

/**
 * Takes a text apart as a server may: JSON in a text, and a list in one text. Prose is no list; under a name that always
 * holds a path, blanks separate as well. Design: firewall requests.
 */
export function textParts(name: string, text: string, isPath: boolean): TextParts {
  const json = /^\s*[[{"]/.test(text) ? jsonIn(text) : undefined
  const parts = json === undefined ? listIn(name, text, isPath) : leaves(name, json)
  if (parts === undefined || parts.length > MAX_PARTS) return { parts: [], isTooMuch: true }
  return parts.length === 0 ? NONE : { parts, isTooMuch: false }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/** Every key and text of a JSON value; undefined when it is too deep or has too many. */
function leaves(name: string, value: unknown): TextParts['parts'] | undefined {
  const found: { readonly name: string; readonly text: string }[] = []
  const ahead: (readonly [name: string, value: unknown, depth: number])[] = [[name, value, 0]]
  for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
    const [at, each, depth] = next
    if (depth > MAX_DEPTH || found.length + ahead.length > MAX_PARTS) return undefined
    if (typeof each === 'string') found.push({ name: at, text: each })
    if (typeof each !== 'object' || each === null) continue
    for (const [key, member] of Object.entries(each)) {
      if (!Array.isArray(each)) found.push({ name: at, text: key })
      ahead.push([Array.isArray(each) ? at : key, member, depth + 1])
    }
  }
  return found
}

function listIn(name: string, text: string, isPath: boolean): TextParts['parts'] {
  const words = isPath ? text.split(/[\s,;|]+/) : text.split(SEPARATORS).map((word) => word.trim())
  const isList = words.length > 1 && (isPath || words.every((word) => !/\s/.test(word)))
  if (!isList) return []
  return [...new Set(words)].filter((word) => word !== '').map((word) => ({ name, text: word }))
}

/**
 * The protected paths that a pattern in a text could stand for, or why it cannot be read. One whose last name starts with
 * a star is a search and names no file, unless the text is a path; then it stands for no hidden name.
 */
export function protectedByPattern(
  text: string,
  cwd: string,
  places: Places,
  isPath: boolean,
): readonly string[] | string {
  if (text.length > MAX_PATTERN || !/[*?[{]/.test(text) || /\s/.test(text)) return []
  const cut = text.lastIndexOf('/') + 1
  const isSearch = text.startsWith('*', cut)
  if (isSearch && !isPath) return []
  const fits = pathGlob(fold(posix.resolve(cwd, text)), { dot: !isSearch })
  if (typeof fits === 'string') return fits
  const named = places.protectedBelow(places.root).filter((path) => fits(fold(path)))
  const folder = text.slice(0, cut)
  const listed = /[*?[{]/.test(folder) ? [] : protectedIn(folder, text.slice(cut), cwd, { places, dot: !isSearch })
  return typeof listed === 'string' ? listed : [...named, ...listed]
}

interface Hidden {
  readonly places: Places
  /** True for a pattern that hidden names fit, too. */
  readonly dot: boolean
}

function protectedIn(
  folder: string,
  pattern: string,
  cwd: string,
  { places, dot }: Hidden,
): readonly string[] | string {
  const place = places.trace(folder === '' ? '.' : folder, cwd)
  const fits = pathGlob(fold(pattern), { dot })
  if (typeof fits === 'string') return fits
  const names = place.kind === 'open' ? (places.disk.readdir(place.path) ?? []) : []
  if (names.length > MAX_PARTS) return 'the pattern stands for names of a folder that holds too many'
  return names
    .filter((name) => fits(fold(name)))
    .map((name) => places.trace(`./${name}`, 'path' in place ? place.path : cwd))
    .flatMap((found) => (found.kind === 'protected' ? [found.path] : []))
}
