import type { Reading } from './grammar.ts'
import { GIT_GRAMMARS } from './grammars-git.ts'
import { readWords } from './read-words.ts'

const PAGING = new Set(['-p', '--paginate'])

/** Where a git command line's subcommand stands, behind the two global options that are understood. */
export function subcommandAt(words: readonly string[]): number {
  let at = 0
  while (PAGING.has(words[at] ?? '') || words[at] === '--no-pager' || words[at] === '-P') at++
  return at
}

/**
 * Reads the words after `git`: a fixed subcommand and its closed options. Other global options change the configuration,
 * the repository or the program that runs, so there is none but those about the pager, and asking for one asks a person.
 */
export function readGit(words: readonly string[]): Reading {
  if (words.length === 1 && words[0] === '--version') return readWords([], { operands: 'none' })
  const at = subcommandAt(words)
  const name = words[at] ?? ''
  const grammar = Object.hasOwn(GIT_GRAMMARS, name) ? GIT_GRAMMARS[name] : undefined
  if (grammar === undefined) {
    const reading = readWords(words.slice(at), { operands: 'paths', ownParser: true })
    return { ...reading, fault: 'no subcommand that only reads' }
  }
  const reading = readWords(words.slice(at + 1), grammar)
  if (reading.options.has('--help')) return { ...reading, fault: '--help, which opens a manual in another program' }
  const pages = words.slice(0, at).some((word) => PAGING.has(word))
  return pages ? { ...reading, asks: 'the output goes through a configured pager' } : reading
}
