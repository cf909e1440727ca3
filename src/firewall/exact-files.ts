import { posix } from 'node:path'
import type { Disk } from './disk.ts'
import { fold } from './fold.ts'
import { isAtOrBelow, walk } from './paths.ts'

/** True for a physical path that a command granted word by word may run or read. */
type IsExactFile = (path: string) => boolean

/** A word that is an option, or an option's value behind `=`, may name a file too. */
const valueOf = (word: string): string => (word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word)

/**
 * The files that `shell_exact` names: who writes one decides what runs without a person. A program means one file, found
 * from the root on; any other word means a file of that path below any folder, because the command may start in any.
 * The returned function is for one request. Spec: weakness 20; section 3.
 */
export function exactFilesOf(entries: readonly (readonly string[])[], root: string): (disk: Disk) => IsExactFile {
  const programs = entries.flatMap(([program = '']) => (program.includes('/') ? [program] : []))
  const words = entries.flatMap(([, ...rest]) => rest.map(valueOf))
  const tails = [...words, ...programs]
    .filter((word) => word !== '' && !word.startsWith('-') && !word.startsWith('/') && !word.includes('\0'))
    .map((word) => fold(posix.normalize(word)))
    .filter((word) => word !== '.' && !word.startsWith('..'))
  const absolute = words.filter((word) => word.startsWith('/'))
  return (disk) => {
    const named = new Set(
      [...programs, ...absolute].flatMap((spelled) => {
        const found = walk(spelled, root, { disk, root })
        return found.kind === 'found' ? [fold(found.path)] : []
      }),
    )
    return (path) => {
      const folded = fold(path)
      const within = isAtOrBelow(path, root) ? fold(path.slice(root.length)) : folded
      return named.has(folded) || tails.some((tail) => within.endsWith(`/${tail}`))
    }
  }
}
