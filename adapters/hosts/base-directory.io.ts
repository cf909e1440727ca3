import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, type Stats } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { SettingError } from '../../src/core/setting-error.ts'
import { mayLive, ownMark } from './process-mark.io.ts'

/** The private folders of one runtime. */
export interface BaseDirectory {
  /** What the runtime keeps its state in. Everything in it is trusted by the runtime, so nobody else may write there. */
  readonly home: string
  /** The runtime's working directory, always empty. */
  readonly work: string
  /** The runtime's folder for temporary files. */
  readonly temporary: string
  /** @throws SettingError when something lies there that the runtime would run or believe. */
  readonly assertClean: () => void
  /** Removes everything. May be called twice. */
  readonly remove: () => void
}

// In the home folder of a runtime each of these runs a program, starts a server or approves calls, in empty mode too.
const TRUSTED = new Set([
  'hooks',
  'config.json',
  'settings.json',
  'mcp-config.json',
  'permissions-config.json',
  'agents',
  'extensions',
  'skills',
  'instructions',
  'copilot-instructions.md',
])
// Made by the runtime itself; anything in it would be loaded.
const EMPTY = 'installed-plugins'
const FIX = 'Remove it, or set TMPDIR to a folder that only you can write to'

/**
 * Makes a fresh private folder for this process, below `<temporary folder>/intent-gate-<uid>`, and removes those of dead
 * processes. The name of a folder is its owner's mark, so it is never without one.
 * @param parent @defaultValue the system's folder for temporary files
 * @throws SettingError when the folder cannot be made private.
 */
export function createBaseDirectory(parent = tmpdir()): BaseDirectory {
  try {
    return freshDirectory(privateRoot(parent))
  } catch (cause) {
    if (cause instanceof SettingError || !(cause instanceof Error) || !('code' in cause)) throw cause
    throw new SettingError(`the folder ${parent}`, `no private folder can be made in it (${String(cause.code)})`, FIX)
  }
}

function freshDirectory(root: string): BaseDirectory {
  sweepRoot(root)
  const { pid, birth } = ownMark()
  const own = join(root, `${pid}-${birth}-${randomBytes(8).toString('hex')}`)
  const [home, work, temporary] = [join(own, 'home'), join(own, 'work'), join(own, 'tmp')]
  // Without `recursive`, so that a folder of somebody else's making is an error and not ours.
  for (const folder of [own, home, work, temporary]) mkdirSync(folder, { mode: 0o700 })
  return {
    home,
    work,
    temporary,
    assertClean: () => {
      assertClean(own, home, work)
    },
    remove: () => {
      rmSync(own, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Removes what processes of this user left behind when they died. Folders of living ones are not touched. */
export function sweep(parent = tmpdir()): void {
  sweepRoot(privateRoot(parent))
}

function privateRoot(parent: string): string {
  const root = join(realpathSync(parent), `intent-gate-${uid()}`)
  mkdirSync(root, { recursive: true, mode: 0o700 })
  assertPrivate(root)
  return root
}

const uid = (): number => process.getuid?.() ?? userInfo().uid

function assertPrivate(folder: string): void {
  const fault = faultOf(lstatSync(folder))
  if (fault !== undefined) throw new SettingError(`the folder ${folder}`, fault, FIX)
}

function faultOf(stats: Stats): string | undefined {
  if (stats.isSymbolicLink()) return 'it is a symbolic link'
  if (!stats.isDirectory()) return 'it is not a folder'
  if (stats.uid !== uid()) return 'it belongs to another user'
  return (stats.mode & 0o077) === 0 ? undefined : 'others may read or write it'
}

function sweepRoot(root: string): void {
  for (const name of readdirSync(root)) {
    const owner = /^(\d{1,10})-([0-9a-z]+-[0-9a-z]+)-[0-9a-f]{16}$/.exec(name)
    if (owner?.[1] === undefined || owner[2] === undefined) continue
    if (!mayLive({ pid: Number(owner[1]), birth: owner[2] })) rmSync(join(root, name), { recursive: true, force: true })
  }
}

function assertClean(own: string, home: string, work: string): void {
  for (const folder of [own, home, work]) assertPrivate(folder)
  const planted = readdirSync(home).find((name) => TRUSTED.has(name.toLowerCase()))
  if (planted !== undefined) throw plantedError(join(home, planted))
  const inWork = readdirSync(work)[0]
  if (inWork !== undefined) throw plantedError(join(work, inWork))
  const plugin = readdirSync(home).includes(EMPTY) ? readdirSync(join(home, EMPTY))[0] : undefined
  if (plugin !== undefined) throw plantedError(join(home, EMPTY, plugin))
}

const plantedError = (path: string): SettingError =>
  new SettingError(
    path,
    'somebody put it into the private folder of the runtime, which would run or believe it',
    'Find out which program of yours did; then start again',
  )
