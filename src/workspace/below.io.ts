import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Entries of a folder tree that one search looks at. */
const MAX_ENTRIES = 20_000

/** The files below a folder. */
export interface Below {
  /** Paths from the folder, sorted. */
  readonly files: readonly string[]
  /** Names that were not to be looked at. */
  readonly leftOut: number
  /** True when there were more than 20,000 entries. */
  readonly isCut: boolean
}

/** What becomes of a name; what is refused is neither listed nor gone into. */
type Judge = (path: string) => boolean

/**
 * Every file below a folder. No link is followed; `.git` is left out unless it is the folder itself, and `node_modules`
 * comes last, so that a limit cuts there first. A path to a file gives that file alone, under an empty name.
 */
export function filesBelow(folder: string, mayLook: Judge = () => true): Below {
  if (!isFolder(folder)) return { files: [''], leftOut: 0, isCut: false }
  const walk: Walk = { folder, mayLook, files: [], waiting: [''], last: [], left: MAX_ENTRIES, leftOut: 0 }
  for (let at = next(walk); at !== undefined && walk.left > 0; at = next(walk)) {
    for (const entry of entriesOf(join(folder, at))) {
      walk.left -= 1
      if (walk.left < 0) break
      take(entry, join(at, entry.name), walk)
    }
  }
  const isCut = walk.left < 0 || walk.waiting.length + walk.last.length > 0
  return { files: walk.files.toSorted(), leftOut: walk.leftOut, isCut }
}

interface Walk {
  readonly folder: string
  readonly mayLook: Judge
  readonly files: string[]
  /** Folders still to be looked at. */
  readonly waiting: string[]
  /** Those that come when no other is left. */
  readonly last: string[]
  left: number
  leftOut: number
}

const next = ({ waiting, last }: Walk): string | undefined => waiting.pop() ?? last.pop()

/** Links, pipes and devices are neither files nor folders. */
function take(entry: Listed, path: string, walk: Walk): void {
  const isDirectory = entry.isDirectory()
  if (isDirectory ? entry.name === '.git' : !entry.isFile()) return
  if (!walk.mayLook(join(walk.folder, path))) walk.leftOut += 1
  else if (!isDirectory) walk.files.push(path)
  else if (entry.name === 'node_modules') walk.last.push(path)
  else walk.waiting.push(path)
}

/** What a list that a limit cut says about itself. */
export const CUT = `[cut: there are more than ${MAX_ENTRIES} entries; name a smaller folder]`

interface Listed {
  readonly name: string
  isDirectory(): boolean
  isFile(): boolean
}

function entriesOf(folder: string): readonly Listed[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // Not ours to read: what is in it is not found.
    return []
  }
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory()
  } catch {
    // Gone meanwhile: whoever opens it says so.
    return false
  }
}
