import { posix } from 'node:path'
import { fold } from '../fold.ts'

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
  const test = loose(glob)
  const bases = ancestors(cwd, root)
  const named = names.flatMap((name) => [name.replace(/[*?]|\[.*\]/g, ''), name.replace(/[*?]|\[.*\]/g, 'x')])
  const meets = (relative: string): boolean => {
    const parts = fold(relative).split('/')
    return parts.some((_, at) => test.test(parts.slice(0, at + 1).join('/')))
  }
  return [
    ...paths.filter((path) => bases.some((base) => meets(posix.relative(base, path)))),
    ...named.filter((name) => name !== '' && meets(name)).map((name) => posix.join(cwd, name)),
  ]
}

function loose(glob: string): RegExp {
  const source = fold(glob)
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\\(?=.)/gs, '')
    .replace(/\[.*\]/gs, '*')
    .replace(/[.+^${}()|\\[\]]/g, String.raw`\$&`)
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 'su')
}

function ancestors(cwd: string, root: string): readonly string[] {
  const found = [cwd]
  for (let at = cwd; at !== root && at !== '/';) {
    at = posix.dirname(at)
    found.push(at)
  }
  return found
}
