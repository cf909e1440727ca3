import { fold } from '../fold.ts'
import type { LeavesOut, WalkEntry } from './grammar.ts'
import { matchesWildcards } from './wildcards.ts'

/** The patterns of a command's own options that leave something out of a walk. */
export type LeftOut = Readonly<Record<LeavesOut, readonly string[]>>

const MAX_PATTERNS = 64
const MAX_LENGTH = 256

/**
 * True for what every version of a program leaves out of its walk by these patterns, by the last part of its name. Doubt
 * counts against: only `*` is a wildcard, it stands for no leading dot, case matters, and a file that is asked for by one
 * option and left out by another is looked at, because programs differ on which one counts.
 */
export function isLeftOut({ name, isFolder }: Pick<WalkEntry, 'name' | 'isFolder'>, left: LeftOut): boolean {
  const { files, folders, both, others } = left
  if (files.length + folders.length + both.length + others.length > MAX_PATTERNS) return false
  const isOut = (patterns: readonly string[]): boolean => patterns.some((pattern) => surelyMatches(pattern, name))
  if (isOut(both)) return true
  if (isFolder) return isOut(folders)
  if (others.some((pattern) => mayMatch(pattern, name))) return false
  return isOut(files) || (others.length > 0 && files.length === 0)
}

/** True when every program takes the name for one that matches. */
export function surelyMatches(pattern: string, name: string): boolean {
  if (pattern.length > MAX_LENGTH || /[?[\]\\/(]/.test(pattern)) return false
  return !(pattern.startsWith('*') && name.startsWith('.')) && matchesWildcards(pattern, name)
}

/** False when no program takes the name for one that matches. */
export function mayMatch(pattern: string, name: string): boolean {
  if (pattern.length > MAX_LENGTH || /[[\]\\/(]/.test(pattern)) return true
  return matchesWildcards(fold(pattern), fold(name))
}
