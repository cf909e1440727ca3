import { SettingError } from '../core/setting-error.ts'
import type { Disk, Entry } from './disk.ts'
import { exactFilesOf } from './exact-files.ts'
import { fold } from './fold.ts'
import { isAtOrBelow, walk, type Walk } from './paths.ts'
import type { Policy } from './policy.ts'
import { guardOf, ownSettings, type Guard } from './protect.ts'
import { runsLater } from './runs-later.ts'
import { hidden, unopenable } from './spelling.ts'

/** Where a spelled path leads. */
export type Place =
  /** Inside the sandbox and unprotected. `asks`: a file that runs later, configures an agent or is in `shell_exact`. */
  | {
      readonly kind: 'open'
      /** The physical path. */
      readonly path: string
      /** Below a writable folder. */
      readonly writable: boolean
      readonly exists: boolean
      readonly asks: boolean
    }
  | { readonly kind: 'protected'; readonly path: string }
  | { readonly kind: 'outside'; readonly path: string }
  /** No file could be judged. `malformed`: by its spelling alone; else a loop, `/proc`, a second name of a file, a pipe. */
  | { readonly kind: 'refused'; readonly detail: string; readonly malformed: boolean }

/** The disk as one request sees it: made anew for each, by `Sandbox.look`. */
export interface Places {
  /** The physical root of the sandbox. */
  readonly root: string
  /** `spelled` is relative to `cwd` (absolute). Never throws. Refuses spellings that hide what they name. */
  locate(spelled: string, cwd: string): Place
  /** The same for any text that a server might open: only what no system could open is refused. */
  trace(spelled: string, cwd: string): Place
  /** The protected physical paths at or below this physical folder, by path, not by name (for walks). */
  protectedBelow(directory: string): readonly string[]
  readonly disk: Disk
}

/** A policy's folder and what it protects. */
export interface Sandbox {
  readonly root: string
  /** One consistent view for one request: where the protected paths lead is found out again each time. */
  look(): Places
}

/** What a sandbox needs beside its policy. */
export interface SandboxGround {
  readonly disk: Disk
  /** The folder that holds the policy file; absolute. */
  readonly folder: string
  /** The home folder of the user; absolute. */
  readonly home: string
  /** Further protected paths: the policy file, the audit, the taint store. Absolute. */
  readonly protect: readonly string[]
}

/**
 * Opens the sandbox of a policy. Relative paths of the policy start at its root.
 * @throws SettingError when the root is no folder, or is the whole disk or the home folder.
 */
export function openSandbox(policy: Policy, ground: SandboxGround): Sandbox {
  const { disk, home } = ground
  const root = rootOf(policy, ground)
  const paths = [...policy.protected_paths, ...policy.secret_files, ...ground.protect, ...ownSettings(home)]
  const guardFor = guardOf({ root, paths, names: policy.protected_names }, disk)
  const folders = (spelled: readonly string[]): readonly string[] =>
    spelled
      .map((each) => walk(each, root, { disk, root }))
      .flatMap((found) => (found.kind === 'found' ? found.path : []))
  // Both are pinned now: a link put in their place later must not make another folder writable.
  const writable = folders(policy.writable_dirs)
  const linked = folders(policy.known_hard_links)
  const exactFiles = exactFilesOf(policy.shell_exact, root)
  return {
    root,
    look: () => {
      const fresh = remembering(disk)
      const guard = guardFor(fresh)
      const judge = judgeOf({ root, guard, writable, linked, isExact: exactFiles(fresh) })
      const follow = (spelled: string, cwd: string): Place => judge(walk(spelled, cwd, { disk: fresh, root }))
      return {
        root,
        disk: fresh,
        locate: (spelled, cwd) => misspelled(hidden(spelled)) ?? follow(spelled, cwd),
        trace: (spelled, cwd) => misspelled(unopenable(spelled)) ?? follow(spelled, cwd),
        protectedBelow: (directory) => guard.below(directory),
      }
    },
  }
}

function rootOf(policy: Policy, { disk, folder, home }: SandboxGround): string {
  const found = walk(policy.sandbox_root, folder, { disk, root: '' })
  if (found.kind === 'refused') throw new SettingError('sandbox_root', found.detail, 'Name a folder.')
  if (found.entry?.kind !== 'directory') {
    throw new SettingError('sandbox_root', 'there is no such folder', 'Create it, or name another.')
  }
  if (found.path === '/' || isAtOrBelow(home, found.path)) {
    throw new SettingError('sandbox_root', 'it holds the home folder', 'Name one project folder.')
  }
  return found.path
}

const misspelled = (problem: string | undefined): Place | undefined =>
  problem === undefined ? undefined : { kind: 'refused', detail: problem, malformed: true }

interface Rules {
  readonly root: string
  readonly guard: Guard
  readonly writable: readonly string[]
  readonly linked: readonly string[]
  readonly isExact: (path: string) => boolean
}

function judgeOf({ root, guard, writable, linked, isExact }: Rules): (found: Walk) => Place {
  return (found) => {
    if (found.kind === 'refused') return { kind: 'refused', detail: found.detail, malformed: false }
    const { path, entry } = found
    if (guard.covers(found)) return { kind: 'protected', path }
    if (!isAtOrBelow(path, root)) return { kind: 'outside', path }
    const problem = entry === undefined ? undefined : unfit(entry, () => linked.some((each) => isAtOrBelow(path, each)))
    if (problem !== undefined) return { kind: 'refused', detail: problem, malformed: false }
    return {
      kind: 'open',
      path,
      writable: writable.some((each) => isAtOrBelow(path, each)),
      exists: entry !== undefined,
      asks: runsLater(fold(path.slice(root.length + 1)).split('/')) || isExact(path),
    }
  }
}

/** Why a thing that exists is no file or folder to work with, or undefined. */
function unfit(entry: Entry, isKnown: () => boolean): string | undefined {
  if (entry.kind === 'other') return 'it is a device, a pipe or a socket'
  // A second name may be the name of a protected file, or of one outside; nothing says where it is.
  if (entry.kind === 'file' && entry.links > 1 && !isKnown()) return 'the file has a second name elsewhere'
  return undefined
}

/** Asks the disk once for each name, so that one request sees one state. */
function remembering(disk: Disk): Disk {
  const seen = new Map<string, Entry | undefined>()
  return {
    ...disk,
    lstat: (path) => {
      const known = seen.get(path)
      if (known !== undefined || seen.has(path)) return known
      const entry = disk.lstat(path)
      seen.set(path, entry)
      return entry
    },
  }
}
