/** What stands in braces behind `@` or `^` and is a number, a day or a type of object: no text with a colon in it. */
const BRACES = /@\{[\w.+ -]{0,40}\}|\^\{(?:tree|commit|blob|tag|object)?\}/g
const MAX_COLONS = 16

interface Revision {
  /** What may be a path behind a revision: all that follows any colon. */
  readonly behind: readonly string[]
  readonly fault: string | undefined
}

/**
 * What a word for git may hold beside a revision. Every colon counts: which one ends the revision depends on what is in
 * braces before it. Spec: section 2.3; git's own page on revisions.
 */
export function readRevision(word: string): Revision {
  const parts = word.split(/(?<=[^/])\.{2,3}(?=[^/.]|$)/)
  const behind = parts.flatMap(tails).slice(0, 2 * MAX_COLONS)
  return { behind, fault: parts.length > 2 ? 'more than one range in one word' : parts.map(problem).find(isText) }
}

const isText = (text: string | undefined): text is string => text !== undefined

function tails(part: string): readonly string[] {
  const found: string[] = []
  for (let at = part.indexOf(':'); at >= 0 && found.length < MAX_COLONS; at = part.indexOf(':', at + 1)) {
    found.push(part.slice(at + 1))
  }
  return found
}

function problem(part: string): string | undefined {
  const colon = part.indexOf(':')
  const revision = colon < 0 ? part : part.slice(0, colon)
  if (/[{}]/.test(revision.replace(BRACES, ''))) return 'a search or a time in braces'
  return tails(part).length >= MAX_COLONS ? 'too many colons' : undefined
}
