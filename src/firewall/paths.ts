import type { Disk, Entry } from './disk.ts'

/** As many links as Linux follows before it gives up. */
const MAX_LINKS = 40
/** More than any system opens; a text beyond it is not walked. */
export const MAX_PATH_CHARACTERS = 32 * 1024
/** What lies below depends on who looks: `/proc/self/cwd` of the checker is not that of the tool. */
const MAGIC = new Set(['proc', 'dev', 'sys'])

/** Where a path leads, in the order of the kernel. */
export type Walk =
  | {
      readonly kind: 'found'
      /** Physical: no link, no dot. A missing tail is kept as spelled. */
      readonly path: string
      /** What is there; undefined when nothing is. */
      readonly entry: Entry | undefined
      /** The physical place of every link on the way. */
      readonly via: readonly string[]
      /** The identities of what the walk went through, the end included. */
      readonly identities: readonly string[]
    }
  | { readonly kind: 'refused'; readonly detail: string }

/** What a walk knows beforehand. */
interface Ground {
  readonly disk: Pick<Disk, 'lstat' | 'readlink'>
  /** A physical folder whose own components need no look; `''` when there is none. */
  readonly root: string
}

interface State {
  /** Names still to go, the next one last. */
  readonly ahead: string[]
  readonly via: string[]
  readonly identities: string[]
  /** Physical so far; `''` is `/`. */
  here: string
  entry: Entry | undefined
  /** The first name that does not exist; what lies below it cannot exist either. */
  missing: string | undefined
  links: number
}

/**
 * Follows a path component by component: links first, `..` on what they lead to (never on the text), so that it names the
 * file that the kernel would open. `cwd` must be absolute. Spec: section 2.1.
 */
export function walk(spelled: string, cwd: string, ground: Ground): Walk {
  const whole = spelled.startsWith('/') ? spelled : `${cwd}/${spelled}`
  if (whole.length > MAX_PATH_CHARACTERS) return refused('the path is too long')
  const state = startOf(whole, ground.root)
  for (let name = state.ahead.pop(); name !== undefined; name = state.ahead.pop()) {
    const problem = step(state, name, ground)
    if (problem !== undefined) return refused(problem)
  }
  const path = state.here === '' ? '/' : state.here
  const entry = state.entry ?? (state.missing === undefined ? ground.disk.lstat(path) : undefined)
  return { kind: 'found', path, entry, via: state.via, identities: state.identities }
}

/** The root needs no look: it is physical and out of the agent's reach. */
function startOf(whole: string, root: string): State {
  const start = root !== '' && isAtOrBelow(whole, root) ? root : ''
  return {
    ahead: whole.slice(start.length).split('/').reverse(),
    via: [],
    identities: [],
    here: start,
    entry: undefined,
    missing: undefined,
    links: 0,
  }
}

/** True for the folder itself and what lies below it, by whole components. */
export function isAtOrBelow(path: string, folder: string): boolean {
  if (folder === '/') return path.startsWith('/')
  return path.startsWith(folder) && (path.length === folder.length || path.charCodeAt(folder.length) === SLASH)
}
const SLASH = 47

const refused = (detail: string): Walk => ({ kind: 'refused', detail })

/** One component further; a text says why that is not possible. */
function step(state: State, name: string, ground: Ground): string | undefined {
  if (name === '' || name === '.') return undefined
  if (name !== '..') return down(state, name, ground)
  up(state)
  return undefined
}

function up(state: State): void {
  state.here = state.here.slice(0, Math.max(0, state.here.lastIndexOf('/')))
  state.entry = undefined
  if (state.missing !== undefined && !isAtOrBelow(state.here, state.missing)) state.missing = undefined
}

function down(state: State, name: string, { disk }: Ground): string | undefined {
  if (state.here === '' && MAGIC.has(name.toLowerCase())) return `it leads through /${name.toLowerCase()}`
  const next = `${state.here}/${name}`
  if (state.missing !== undefined) {
    state.here = next
    return undefined
  }
  const entry = disk.lstat(next)
  if (entry === undefined) state.missing = next
  else if (entry.kind === 'unreadable') return 'it cannot be examined'
  else if (entry.kind === 'link') return follow(state, next, disk)
  else state.identities.push(entry.identity)
  state.here = next
  state.entry = entry
  return undefined
}

function follow(state: State, link: string, disk: Pick<Disk, 'readlink'>): string | undefined {
  state.links++
  if (state.links > MAX_LINKS) return 'too many links'
  const target = disk.readlink(link)
  if (target === undefined || target === '') return 'a link on the way cannot be read'
  state.via.push(link)
  state.entry = undefined
  if (target.startsWith('/')) state.here = ''
  for (const name of target.split('/').reverse()) state.ahead.push(name)
  return undefined
}
