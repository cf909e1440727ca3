import { posix } from 'node:path'
import type { Entry } from '../disk.ts'
import { fold } from '../fold.ts'
import type { Places } from '../places.ts'

/** More entries than this are not looked through. Spec: section 2.3, walk check. */
const MAX_ENTRIES = 20_000
/** Two changes of a folder within one tick of the system's clock leave one time stamp; the slowest usual tick is 10 ms. */
const TICK_MS = 50

/** What a walk would come across first. */
export type WalkFinding =
  | { readonly kind: 'clear' }
  | { readonly kind: 'protected'; readonly path: string }
  | { readonly kind: 'outside'; readonly path: string }
  /** Something on the way cannot be judged, or there is too much of it. */
  | { readonly kind: 'refused'; readonly detail: string }

/** Looks below folders before a program does. */
export interface Walker {
  /** `root` is a physical path. Follows links, as the widest program would; `depth` 0 is the root itself. */
  look(root: string, depth: number, places: Places): WalkFinding
}

/** What a walker is made with. */
interface WalkerOptions {
  /** The policy's patterns for names. */
  readonly protectedNames: readonly string[]
  /** Milliseconds of any clock that does not go back; a listing is kept only when it is older than a tick of the disk. */
  readonly nowMs: () => number
}

/** What is known of one folder while its version stays the same. */
interface Listing {
  readonly version: string
  /** When this version was first seen. */
  readonly since: number
  /** True when the names were read so long after that a later change must have another version. */
  readonly settled: boolean
  readonly folders: readonly string[]
  /** Names that need a look each time: links, files with a second name, names that may be protected. */
  readonly suspects: readonly string[]
  readonly count: number
}

const CLEAR: WalkFinding = { kind: 'clear' }

/** Makes a walker that remembers the listings of folders that have not changed. */
export function createWalker({ protectedNames, nowMs }: WalkerOptions): Walker {
  const patterns = protectedNames.map(looseTest)
  let known = new Map<string, Listing>()
  let guarded = ''
  return {
    look: (root, depth, places) => {
      const names = new Set(places.protectedBelow(places.root).map((path) => fold(posix.basename(path))))
      const fingerprint = [...names].sort().join('/')
      if (fingerprint !== guarded) known = new Map()
      guarded = fingerprint
      const isSuspect = (name: string): boolean => {
        const folded = fold(name)
        return names.has(folded) || patterns.some((pattern) => pattern.test(folded))
      }
      return walkBelow(root, depth, places, (path, version) =>
        listing(path, version, places, { known, isSuspect, nowMs }),
      )
    },
  }
}

/** A superset of what the pattern matches: the place decides, this only says where to look. */
function looseTest(glob: string): RegExp {
  const source = fold(glob)
    .replace(/\[.*\]/g, '*')
    .replace(/[.+^${}()|\\[\]]/g, (sign) => (sign === '\\' ? '' : `\\${sign}`))
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 'su')
}

function walkBelow(root: string, depth: number, places: Places, list: List): WalkFinding {
  const seen = new Set([root])
  let ahead: readonly string[] = [root]
  let left = MAX_ENTRIES
  for (let level = 0; level < depth && ahead.length > 0; level++) {
    const next: string[] = []
    for (const folder of ahead) {
      const reached = step(folder, places, list)
      if (reached.kind !== 'reached') return reached
      left -= reached.count
      if (left < 0) return { kind: 'refused', detail: `too large: more than ${MAX_ENTRIES} entries` }
      next.push(...reached.paths.filter((path) => !seen.has(path)))
      for (const path of reached.paths) seen.add(path)
    }
    ahead = next
  }
  return CLEAR
}

type List = (path: string, version: string) => Listing | undefined
interface Reached {
  readonly kind: 'reached'
  readonly paths: readonly string[]
  readonly count: number
}

/** What lies in one folder: where to go on, or what ends the walk. What is no folder leads nowhere. */
function step(folder: string, places: Places, list: List): Reached | Exclude<WalkFinding, { kind: 'clear' }> {
  const entry = places.disk.lstat(folder)
  if (entry?.kind !== 'directory') return { kind: 'reached', paths: [], count: 0 }
  const found = list(folder, entry.version)
  if (found === undefined) return { kind: 'refused', detail: `${folder} cannot be read` }
  const paths = found.folders.map((name) => below(folder, name))
  for (const name of found.suspects) {
    const place = places.locate(below(folder, name), folder)
    if (place.kind !== 'open') return place
    paths.push(place.path)
  }
  return { kind: 'reached', paths, count: found.count }
}

const below = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`)

interface Shelf {
  readonly known: Map<string, Listing>
  readonly isSuspect: (name: string) => boolean
  readonly nowMs: () => number
}

/** A folder's listing, from memory when its version is the same and the memory is settled. */
function listing(path: string, version: string, places: Places, shelf: Shelf): Listing | undefined {
  const before = shelf.known.get(path)
  const isSame = before?.version === version
  if (isSame && before.settled) return before
  const now = shelf.nowMs()
  const since = isSame ? before.since : now
  const names = places.disk.readdir(path)
  if (names === undefined) return undefined
  const folders: string[] = []
  const suspects: string[] = []
  for (const name of names) {
    const kind = kindOf(name, places.disk.lstat(below(path, name)), shelf)
    if (kind !== 'plain') (kind === 'folder' ? folders : suspects).push(name)
  }
  const made = { version, since, settled: now - since > TICK_MS, folders, suspects, count: names.length }
  shelf.known.set(path, made)
  return made
}

function kindOf(name: string, entry: Entry | undefined, { isSuspect }: Shelf): 'plain' | 'folder' | 'suspect' {
  if (entry === undefined) return 'plain'
  const isStrange = entry.kind === 'link' || entry.kind === 'unreadable' || (entry.kind === 'file' && entry.links > 1)
  if (isStrange || isSuspect(name)) return 'suspect'
  return entry.kind === 'directory' ? 'folder' : 'plain'
}
