import { posix } from 'node:path'
import { fold, isAscii } from '../fold.ts'
import type { Places } from '../places.ts'
import type { SpelledStage, Stage } from './stage.ts'
import { matchesWildcards } from './wildcards.ts'

/** More names than a person would look through. */
const MAX_MATCHES = 400
/** Each name costs a look. */
const MAX_NAMES = 4000
/** Their operands are not all read: the second one of uniq is written. */
const COUNTED = new Set(['uniq'])

/** A command with names of files in the place of its patterns; `matches` are these names. A text says why there is none. */
type Expanded = { readonly stage: Stage; readonly matches: readonly string[] } | { readonly detail: string }

/**
 * Replaces the patterns of a command as bash does: the names in the folder that match, sorted, none that starts with a dot;
 * the pattern itself when there are none. Refused where a protected file might match for a shell with other settings.
 */
export function expandStage(stage: SpelledStage, cwd: string, places: Places): Expanded {
  const { joint, redirects, expands } = stage
  if (expands.length === 0) return { stage: { joint, argv: stage.argv, redirects }, matches: [] }
  if (COUNTED.has(stage.argv[0] ?? '')) return { detail: 'a pattern for a program that writes its second file' }
  const argv: string[] = []
  const matches: string[] = []
  for (const [at, word] of stage.argv.entries()) {
    const found = expands.includes(at) ? namesFor(word, cwd, places) : [word]
    if (found === undefined) return { detail: `the pattern ${word} might match what is protected, or too much` }
    if (expands.includes(at)) matches.push(...found)
    argv.push(...found)
  }
  return matches.length > MAX_MATCHES
    ? { detail: `patterns that match more than ${MAX_MATCHES} files` }
    : { stage: { joint, argv, redirects }, matches }
}

function namesFor(word: string, cwd: string, places: Places): readonly string[] | undefined {
  const cut = word.lastIndexOf('/') + 1
  const [folder, pattern] = [word.slice(0, cut), word.slice(cut)]
  const place = folder === '' ? places.locate('.', cwd) : places.locate(folder, cwd)
  if (place.kind !== 'open') return undefined
  const names = places.disk.readdir(place.path)
  // A folder that is not there matches nothing, and the program gets the pattern.
  if (names === undefined) return place.exists ? undefined : [word]
  if (names.length > MAX_NAMES || names.some((name) => isUnclear(name, pattern))) return undefined
  const mayMatch = (name: string): boolean => matchesWildcards(fold(pattern), fold(name))
  if (names.some((name) => mayMatch(name) && isKept(posix.join(place.path, name), places))) return undefined
  const found = names.filter((name) => !name.startsWith('.') && matchesWildcards(pattern, name)).sort()
  return found.length === 0 ? [word] : found.map((name) => folder + name)
}

/** A name whose bytes are no text, or of which shells count the letters differently. */
const isUnclear = (name: string, pattern: string): boolean =>
  name.includes('\uFFFD') || (pattern.includes('?') && !isAscii(name))

/** True for what is protected or outside, and for what cannot be judged. */
const isKept = (path: string, places: Places): boolean => places.locate(path, places.root).kind !== 'open'
