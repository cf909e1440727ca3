import { posix } from 'node:path'
import { isAtOrBelow } from '../paths.ts'
import type { Places } from '../places.ts'

/** What git would find from a folder on. */
export interface Repository {
  /** The folder that paths behind a revision start from; undefined when there is no repository. */
  readonly top: string | undefined
  /** Why its files may not all be in the sandbox. */
  readonly fault: string | undefined
  /** True when an address in its configuration holds a login, or nobody knows. */
  readonly hasLogins: boolean
  /** True when its configuration or a hook names a program that a reading command would start. */
  readonly startsPrograms: boolean
}

const MAX_CONFIG = 256 * 1024
const MAX_POINTER = 4096
const WORKTREE = /\bworktree[ \t]*=[ \t]*([^\n;#]*)/i
/** Settings whose value is a program, unless it is a plain yes or no; `git lfs` is the one that everybody has. */
const PROGRAMS =
  /^(?:fsmonitor|hookspath|alternaterefscommand|pager|external|command|textconv|clean|smudge|process|program)\s*=\s*(?!\s|(?:true|false|yes|no|on|off|\d+|"?git-lfs [a-z %-]+"?)?\s*$)/i
const SECTIONS = /^\[\s*(?:include|includeif|pager)\b/i
const SWITCHES = /^showsignature\b(?!\s*=\s*(?:false|no|off|0)\s*$)/i
/** git starts it whenever it writes its index, as for a status. */
const INDEX_HOOK = 'hooks/post-index-change'
/** git reads a second file of settings where this one says so. */
const WORKTREE_CONFIG = /\bworktreeconfig\b/i
const LOGIN = /https?:\/\/[^/\s"@]{1,1024}@/i

/**
 * Looks for the repository as git does, upwards from a physical folder: past what only looks like one, so that all of these
 * are judged. A repository may reach further than the sandbox.
 */
export function repositoryAt(cwd: string, places: Places): Repository {
  const candidates = ancestors(cwd).filter((folder) => places.disk.lstat(posix.join(folder, '.git')) !== undefined)
  const valid = candidates.findIndex((folder) => isComplete(folder, places))
  const tried = valid < 0 ? candidates : candidates.slice(0, valid + 1)
  const found = tried.map((folder) => repositoryIn(folder, places))
  return {
    top: found.at(-1)?.top,
    fault: found.find(({ fault }) => fault !== undefined)?.fault,
    hasLogins: found.some(({ hasLogins }) => hasLogins),
    startsPrograms: found.some(({ startsPrograms }) => startsPrograms),
  }
}

/** True for what git takes for a repository and looks no further; a file there is taken or is an error. */
function isComplete(folder: string, { disk }: Places): boolean {
  const git = posix.join(folder, '.git')
  const parts = ['HEAD', 'objects', 'refs'].map((name) => disk.lstat(posix.join(git, name)))
  return disk.lstat(git)?.kind === 'file' || parts.every((entry) => entry !== undefined)
}

function repositoryIn(folder: string, places: Places): Repository {
  if (!isAtOrBelow(folder, places.root)) {
    return { top: undefined, fault: 'the repository starts above the sandbox', ...UNKNOWN }
  }
  const config = configOf(posix.join(folder, '.git'), places)
  if (typeof config !== 'object') return { top: folder, fault: config, ...UNKNOWN }
  const hasLogins = config.text === undefined || LOGIN.test(config.text)
  return { top: folder, fault: elsewhere(config, places), hasLogins, startsPrograms: startsPrograms(config, places) }
}

const UNKNOWN = { hasLogins: true, startsPrograms: true } as const

/** A setting may stand in the line of its section. */
function startsPrograms({ folder, text }: Config, { disk }: Places): boolean {
  if (text === undefined || disk.lstat(posix.join(folder, INDEX_HOOK)) !== undefined) return true
  const lines = text.split('\n').map((line) => line.trim())
  return lines.some((line) => {
    const setting = line.replace(/^\[[^\]]*\]\s*/, '')
    return SECTIONS.test(line) || PROGRAMS.test(setting) || SWITCHES.test(setting)
  })
}

function ancestors(folder: string): readonly string[] {
  const found = [folder]
  for (let at = folder; at !== '/' && at !== '.';) found.push((at = posix.dirname(at)))
  return found
}

interface Config {
  /** The folder that holds it. */
  readonly folder: string
  readonly text: string | undefined
}

/** The configuration of a repository; a text says why it cannot be found. A file there names another folder. */
function configOf(git: string, places: Places): Config | string {
  const { disk } = places
  const place = places.trace(git, places.root)
  if (place.kind === 'outside' || place.kind === 'refused') return 'the repository is kept outside the sandbox'
  const pointer = disk.lstat(place.path)?.kind === 'file' ? textOf(disk.read(place.path, MAX_POINTER)) : ''
  if (pointer === undefined) return 'the repository cannot be found'
  const named = /^gitdir:[ \t]*(.*?)[ \t\r\n]*$/s.exec(pointer.slice(0, MAX_POINTER))?.[1]
  const folder = named === undefined ? place.path : posix.resolve(posix.dirname(git), named)
  return { folder, text: configText(folder, places) }
}

function configText(folder: string, { disk }: Places): string | undefined {
  const read = (name: string): string | undefined => textOf(disk.read(posix.join(folder, name), MAX_CONFIG))
  const text = read('config')
  if (text === undefined || !WORKTREE_CONFIG.test(text)) return text
  const more = read('config.worktree')
  return more === undefined ? text : `${text}\n${more}`
}

const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : new TextDecoder().decode(bytes)

/** A repository may have its files in another folder. */
function elsewhere({ folder, text = '' }: Config, places: Places): string | undefined {
  const given = WORKTREE.exec(text)?.[1]
    ?.trim()
    .replace(/^"(.*)"$/, '$1')
  if (given === undefined) return undefined
  const place = places.trace(given, folder)
  const isInside = place.kind === 'open' || (place.kind === 'protected' && isAtOrBelow(place.path, places.root))
  return isInside && !/["\\]/.test(given) ? undefined : 'core.worktree leads out of the sandbox'
}
