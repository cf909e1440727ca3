import { posix } from 'node:path'
import { fold } from '../fold.ts'
import { matchesWildcards } from './wildcards.ts'

/** More wildcards than anybody needs: a pattern with more of them is refused by its reader. */
const MAX_WILDCARDS = 32

/** True for a pattern that is not worth matching. */
export const hasTooManyWildcards = (glob: string): boolean =>
  Array.from(glob).filter((sign) => '*?[\\'.includes(sign)).length > MAX_WILDCARDS

/**
 * The protected paths that a repository's pattern could match, read as loosely as any git reads it: `*` crosses folders, a
 * bracket is any text, case is ignored. A protected name stands for itself without its own wildcards.
 */
export function globMeets(
  glob: string,
  cwd: string,
  root: string,
  paths: readonly string[],
  names: readonly string[],
): readonly string[] {
  if (hasTooManyWildcards(glob)) return []
  const pattern = loose(glob)
  const bases = ancestors(cwd, root)
  const named = names.flatMap((name) => [name.replace(/[*?]|\[.*\]/g, ''), name.replace(/[*?]|\[.*\]/g, 'x')])
  const meets = (relative: string): boolean => {
    const parts = fold(relative).split('/')
    return parts.some((_, at) => matchesWildcards(pattern, parts.slice(0, at + 1).join('/')))
  }
  return [
    ...paths.filter((path) => bases.some((base) => meets(posix.relative(base, path)))),
    ...named.filter((name) => name !== '' && meets(name)).map((name) => posix.join(cwd, name)),
  ]
}

/** Only `*` and `?` are left; a bracket is any text up to the last one that ends it. */
function loose(glob: string): string {
  const plain = fold(glob)
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\\(?=.)/gs, '')
  const [from, to] = [plain.indexOf('['), plain.lastIndexOf(']')]
  return from >= 0 && to > from ? `${plain.slice(0, from)}*${plain.slice(to + 1)}` : plain
}

function ancestors(cwd: string, root: string): readonly string[] {
  const found = [cwd]
  for (let at = cwd; at !== root && at !== '/';) {
    at = posix.dirname(at)
    found.push(at)
  }
  return found
}
