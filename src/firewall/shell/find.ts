import { findView } from './find-view.ts'
import { BARE } from './find-words.ts'
import type { Reading, WalkRoot } from './grammar.ts'

const WITH_VALUE = new Set([
  ...['-name', '-iname', '-path', '-ipath', '-wholename', '-iwholename', '-regex', '-iregex', '-lname', '-ilname'],
  ...['-type', '-xtype', '-size', '-mtime', '-mmin', '-atime', '-amin', '-ctime', '-cmin', '-used', '-perm', '-user'],
  ...['-group', '-uid', '-gid', '-links', '-inum', '-fstype', '-regextype', '-mindepth', '-printf'],
])
const WITH_FILE = new Set(['-newer', '-anewer', '-cnewer', '-samefile'])
const NEWER = /^-newer[aBcm]([aBcmt])$/
const DEPTH = /^\d{1,6}$/

/** Reads the words after `find`: links, start points, then predicates of a closed list. Spec: section 2.3. */
export function readFind(words: readonly string[]): Reading {
  const files: string[] = []
  const options = new Set<string>()
  let at = 0
  for (; /^-[HLP]$/.test(words[at] ?? ''); at++) options.add(words[at] ?? '')
  const starts: string[] = []
  for (; at < words.length && !startsExpression(words[at] ?? ''); at++) starts.push(words[at] ?? '')
  const { depth, fault } = readExpression(words.slice(at), files, options)
  const view = findView(words.slice(at), options)
  const roots: WalkRoot[] = (starts.length === 0 ? ['.'] : starts).map((path) => ({ path, depth, view }))
  return { files: [...starts, ...files], doubtful: [], globs: [], behind: [], roots, options, fault, asks: undefined }
}

const startsExpression = (word: string): boolean => word.startsWith('-') || ['(', ')', ',', '!'].includes(word)

/** Of several depths the largest counts here: programs differ on which one they take. */
function readExpression(
  words: readonly string[],
  files: string[],
  options: Set<string>,
): { readonly depth: number; readonly fault: string | undefined } {
  const depths: number[] = []
  let fault: string | undefined
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    options.add(word)
    if (BARE.has(word)) continue
    const value = words[++at]
    const problem = value === undefined ? 'a predicate without its value, or one that is not in the grammar' : undefined
    const taken = problem ?? take(word, value ?? '', files, depths)
    if (taken === undefined) continue
    fault ??= taken
    // What follows an unknown predicate may be one of its own: look at it again.
    at--
  }
  return { depth: depths.length === 0 ? Infinity : Math.max(...depths), fault }
}

/** Takes a predicate that has a value; a text says what is wrong. */
function take(word: string, value: string, files: string[], depths: number[]): string | undefined {
  if (WITH_VALUE.has(word)) return undefined
  const newer = NEWER.exec(word)
  if (WITH_FILE.has(word) || (newer !== null && newer[1] !== 't')) {
    files.push(value)
    return undefined
  }
  if (newer !== null) return undefined
  if (word !== '-maxdepth') return `the predicate ${word} is not in the grammar`
  if (!DEPTH.test(value)) return 'a depth that is no number'
  depths.push(Number(value))
  return undefined
}
