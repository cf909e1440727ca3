import { posix } from 'node:path'
import type { Entry, Glance } from '../disk.ts'
import { fold } from '../fold.ts'
import { isAtOrBelow } from '../paths.ts'
import type { Places } from '../places.ts'
import type { WalkEntry, WalkView } from './grammar.ts'

/** More entries than this are not looked through. Spec: section 2.3, walk check. */
const MAX_ENTRIES = 20_000
/** Hooks and the like are few. */
const MAX_SETTINGS = 200
/** Two changes of a folder within one tick of the system's clock leave one time stamp; the slowest usual tick is 10 ms. */
const TICK_MS = 50

/** What a walk would come across first. */
export type WalkFinding =
  | { readonly kind: 'clear' }
  | {
      readonly kind: 'protected'
      readonly path: string
      /** True when nothing but settings of tools and of the firewall itself is reached: no secret. */
      readonly configures: boolean
      /** What the walk would have to leave out, as far as it was looked through. */
      readonly reached: readonly Pick<WalkEntry, 'name' | 'isFolder'>[]
    }
  | { readonly kind: 'outside'; readonly path: string }
  /** Something on the way cannot be judged, or there is too much of it. */
  | { readonly kind: 'refused'; readonly detail: string }

/** Looks below folders before a program does. */
export interface Walker {
  /**
   * `root` is a physical path. Follows links, as the widest program would; `depth` 0 is the root itself. `walked`: what the
   * program leaves out, and how it spells the root.
   */
  look(root: string, depth: number, places: Places, walked?: Walked): WalkFinding
}

/** How a program walks. */
interface Walked {
  readonly view: WalkView
  /** The root as the program spells it. */
  readonly shown: string
}

const EVERYTHING: Walked = { view: { names: false, skips: () => false }, shown: '' }

/** What a walker is made with. */
interface WalkerOptions {
  /** The policy's patterns for names. */
  readonly protectedNames: readonly string[]
  /** Files and folders of the firewall itself, absolute; what lies in them is no secret. @defaultValue none */
  readonly own?: readonly string[]
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
export function createWalker({ protectedNames, own = [], nowMs }: WalkerOptions): Walker {
  const patterns = protectedNames.map(looseTest)
  let known = new Map<string, Listing>()
  let guarded = ''
  return {
    look: (root, depth, places, walked = EVERYTHING) => {
      const names = new Set(places.protectedBelow(places.root).map((path) => fold(posix.basename(path))))
      const fingerprint = [...names].sort().join('/')
      if (fingerprint !== guarded) known = new Map()
      guarded = fingerprint
      const isSuspect = (name: string): boolean => {
        const folded = fold(name)
        return names.has(folded) || patterns.some((pattern) => pattern.test(folded))
      }
      const configures = configuration(places, own, patterns)
      const list: List = (path, version) => listing(path, version, places, { known, isSuspect, nowMs })
      return walkBelow(root, depth, { places, list, view: walked.view, configures }, walked.shown)
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

/** Settings that name programs or rules. They are kept from the agent, but a walk that comes near them is after no secret. */
const SETTINGS = /(?:^|\/)(?:\.git\/(?:config|hooks)|\.github\/hooks|\.claude|\.codex)(?:\/|$)/

/** True for a protected path that is a setting and has no name of a secret. */
function configuration(places: Places, own: readonly string[], patterns: readonly RegExp[]): (path: string) => boolean {
  return (path) => {
    const within = isAtOrBelow(path, places.root) ? path.slice(places.root.length + 1) : path
    if (within.split('/').some((name) => patterns.some((pattern) => pattern.test(fold(name))))) return false
    if (SETTINGS.test(fold(within))) return true
    return own.some((each) => {
      const place = places.trace(each, places.root)
      return place.kind !== 'refused' && isAtOrBelow(path, place.path)
    })
  }
}

interface Ground {
  readonly places: Places
  readonly list: List
  readonly view: WalkView
  readonly configures: (path: string) => boolean
}

interface Ahead {
  readonly path: string
  readonly shown: string | undefined
}

function walkBelow(root: string, depth: number, ground: Ground, shown: string): WalkFinding {
  const seen = new Set([root])
  const settings: Protected[] = []
  let ahead: readonly Ahead[] = [{ path: root, shown }]
  let left = MAX_ENTRIES
  for (let level = 0; level < depth && ahead.length > 0; level++) {
    const next: Ahead[] = []
    for (const folder of ahead) {
      const reached = step(folder, ground)
      if (reached.kind !== 'reached') {
        return reached.kind === 'protected' ? together(reached, settings) : reached
      }
      settings.push(...reached.settings)
      left -= reached.count
      if (left < 0) return { kind: 'refused', detail: `too large: more than ${MAX_ENTRIES} entries` }
      next.push(...reached.ahead.filter(({ path }) => !seen.has(path)))
      for (const { path } of reached.ahead) seen.add(path)
    }
    ahead = next
  }
  const [first] = settings
  return first === undefined ? CLEAR : together(first, settings)
}

type Protected = Extract<WalkFinding, { kind: 'protected' }>

const together = (found: Protected, settings: readonly Protected[]): Protected => ({
  ...found,
  reached: [...new Set([...settings, found])].flatMap(({ reached }) => reached),
})

type List = (path: string, version: string) => Listing | undefined
interface Reached {
  readonly kind: 'reached'
  readonly ahead: readonly Ahead[]
  readonly settings: readonly Protected[]
  readonly count: number
}

/** What lies in one folder: where to go on, or what ends the walk. What is no folder leads nowhere. */
function step(folder: Ahead, ground: Ground): Reached | Exclude<WalkFinding, { kind: 'clear' }> {
  const { places, list, view } = ground
  const entry = places.disk.lstat(folder.path)
  if (entry?.kind !== 'directory') return { kind: 'reached', ahead: [], settings: [], count: 0 }
  const found = list(folder.path, entry.version)
  if (found === undefined) return { kind: 'refused', detail: `${folder.path} cannot be read` }
  const shownBelow = (name: string): string | undefined =>
    folder.shown === undefined ? undefined : below(folder.shown, name)
  const ahead = found.folders
    .map((name) => ({ name, isFolder: true, shown: shownBelow(name) }))
    .filter((each) => !view.skips(each) && !isInnards(each, view))
    .map(({ name, shown }) => ({ path: below(folder.path, name), shown }))
  const settings: Protected[] = []
  for (const name of found.suspects) {
    const suspect = suspectAt(below(folder.path, name), { name, shown: shownBelow(name) }, ground)
    if (suspect === 'skipped') continue
    if (suspect.kind === 'protected' && suspect.configures) settings.push(suspect)
    else if (suspect.kind !== 'ahead') return suspect
    ahead.push({ path: suspect.path, shown: suspect.kind === 'ahead' ? suspect.shown : shownBelow(name) })
  }
  return { kind: 'reached', ahead, settings, count: found.count }
}

/** What a repository keeps for itself has no names worth a look. */
const isInnards = ({ name }: WalkEntry, { names }: WalkView): boolean => names && name === '.git'

type Suspect = 'skipped' | ({ readonly kind: 'ahead' } & Ahead) | Exclude<WalkFinding, { kind: 'clear' }>

/** A name that needs a look: left out, harmless, or what it leads to. */
function suspectAt(path: string, named: Pick<WalkEntry, 'name' | 'shown'>, ground: Ground): Suspect {
  const { places, view, configures } = ground
  const kind = places.disk.lstat(path)?.kind
  const entry: WalkEntry = { ...named, isFolder: kind === 'directory' }
  const isPlain = isFileOrFolder(kind)
  if (isPlain && view.skips(entry)) return 'skipped'
  const place = places.locate(path, places.root)
  if (place.kind === 'open') return { kind: 'ahead', path: place.path, shown: isPlain ? named.shown : undefined }
  if (place.kind !== 'protected') return place
  const isSetting = configures(place.path)
  if (isSetting && isLeftEmpty(path, ground, MAX_SETTINGS)) return 'skipped'
  return {
    kind: 'protected',
    path: place.path,
    configures: isSetting,
    reached: isPlain ? [leftOutAs(entry, path)] : [],
  }
}

const isFileOrFolder = (kind: Entry['kind'] | undefined): boolean => kind === 'file' || kind === 'directory'

/** True for a folder of settings in which the program leaves out every file, as grep does that is after other names. */
function isLeftEmpty(folder: string, { places, view }: Ground, most: number): boolean {
  const names = places.disk.readdir(folder)
  if (names === undefined || names.length > most) return false
  return names.every((name) => {
    const isFile = places.disk.lstat(below(folder, name))?.kind === 'file'
    return isFile && view.skips({ name, isFolder: false, shown: undefined })
  })
}

/** What to leave out so that this is not reached: for what a repository keeps for itself, all of that. */
const leftOutAs = ({ name, isFolder }: WalkEntry, path: string): Pick<WalkEntry, 'name' | 'isFolder'> =>
  path.includes('/.git/') ? { name: '.git', isFolder: true } : { name, isFolder }

const below = (folder: string, name: string): string =>
  folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`

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
    const kind = kindOf(name, places.disk.glance(below(path, name)), shelf)
    if (kind !== 'plain') (kind === 'folder' ? folders : suspects).push(name)
  }
  const made = { version, since, settled: now - since > TICK_MS, folders, suspects, count: names.length }
  shelf.known.set(path, made)
  return made
}

function kindOf(name: string, entry: Glance | undefined, { isSuspect }: Shelf): 'plain' | 'folder' | 'suspect' {
  if (entry === undefined) return 'plain'
  const isStrange = entry.kind === 'link' || entry.kind === 'unreadable' || (entry.kind === 'file' && entry.links > 1)
  if (isStrange || isSuspect(name)) return 'suspect'
  return entry.kind === 'directory' ? 'folder' : 'plain'
}
