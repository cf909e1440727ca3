import { candidates, hasTooManyParts, looksRecursive } from './candidates.ts'
import { readFind } from './find.ts'
import { readGit } from './git.ts'
import type { Reading } from './grammar.ts'
import { SEARCH_GRAMMARS } from './grammars-search.ts'
import { TEXT_GRAMMARS } from './grammars-text.ts'
import { readWords } from './read-words.ts'

type Read = (words: readonly string[]) => Reading

/** More parts than any real command has; each costs a look at the disk. */
const MAX_GUESSES = 4096

const prose: Read = () => readWords([], { operands: 'text' })

const READERS: ReadonlyMap<string, Read> = new Map<string, Read>([
  ...Object.entries({ ...TEXT_GRAMMARS, ...SEARCH_GRAMMARS }).map(
    ([name, grammar]) => [name, (words: readonly string[]) => readWords(words, grammar)] as const,
  ),
  ['find', readFind],
  ['git', readGit],
  ['echo', prose],
  ['true', prose],
  ['false', prose],
])

/** The programs with a grammar: the only ones that can run without a person. */
export const hasGrammar = (program: string): boolean => READERS.has(program)

/** What a command's words are by the grammar of its program; undefined when there is none. */
export const readArgv = ([program = '', ...words]: readonly string[]): Reading | undefined =>
  READERS.get(program)?.(words)

/** What the words of a program without a grammar may be: each part of each word may be a file. */
export function guessArgv([, ...words]: readonly string[]): Reading {
  const operands = words.filter((word) => !word.startsWith('-'))
  const recursive = words.some(looksRecursive)
  const starts = recursive && operands.length === 0 ? ['.'] : operands
  const guesses = words.flatMap(candidates)
  const tooMany = guesses.length > MAX_GUESSES || words.some(hasTooManyParts)
  return {
    files: [],
    doubtful: guesses.slice(0, MAX_GUESSES),
    globs: [],
    behind: [],
    roots: recursive ? starts.map((path) => ({ path, depth: Infinity })) : [],
    options: new Set(words.filter((word) => word.startsWith('-')).map((word) => word.split('=', 1)[0] ?? '')),
    fault: tooMany ? 'words with too many parts that may be files' : undefined,
    asks: undefined,
  }
}
