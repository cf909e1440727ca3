import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import { basename, dirname } from 'node:path'
import { ToolRefusal } from '../core/tool.ts'

const { O_APPEND, O_CREAT, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants

/** How a file is opened. `replace` empties it only once it is known to be the right one. */
export type Access = 'read' | 'replace' | 'append'

/** True when the firewall, asked now, would let this physical path be read although the file has a second name. */
export type IsOpen = (path: string) => boolean

const FLAGS: Readonly<Record<Access, number>> = {
  read: O_RDONLY | O_NONBLOCK,
  replace: O_WRONLY | O_CREAT | O_NONBLOCK,
  append: O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK,
}

/**
 * Opens exactly the file that was judged: a regular file at this physical path, through no link. What was swapped in
 * between the decision and now is refused, and nothing is made in another folder. A file with a second name is only read,
 * and only where `isOpen` says so: what is written through it would change a file elsewhere.
 * @param path physical, as the firewall found it.
 * @returns a file descriptor, which the caller closes.
 * @throws ToolRefusal that names the fault and not the content.
 */
export function openJudged(path: string, access: Access, isOpen: IsOpen): number {
  return inFolder(path, (via) => {
    const handle = openSync(via, FLAGS[access] | O_NOFOLLOW, 0o644)
    try {
      const stats = fstatSync(handle)
      check(stats, access === 'read' && stats.nlink > 1 && isOpen(path))
      return access === 'replace' ? emptied(handle, path) : handle
    } catch (cause) {
      closeSync(handle)
      throw cause
    }
  })
}

/**
 * Does something with a name in a folder that is held open, so that no swap of a folder leads it elsewhere; `via` is the
 * path of that name through the open folder.
 * @param path physical, as the firewall found it.
 * @throws ToolRefusal when the path leads somewhere else now, or the disk refuses.
 */
export function inFolder<T>(path: string, use: (via: string) => T): T {
  try {
    const folder = openFolder(dirname(path))
    try {
      return use(process.platform === 'linux' ? `/proc/self/fd/${folder}/${basename(path)}` : path)
    } finally {
      closeSync(folder)
    }
  } catch (cause) {
    throw cause instanceof ToolRefusal ? cause : refusal(cause)
  }
}

/**
 * Opens a folder that is where the firewall found it; the caller closes it.
 * @throws ToolRefusal when the path leads somewhere else now; what the disk refuses is thrown as it is.
 */
export function openFolder(path: string): number {
  const handle = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  const place = process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${handle}`) : realpathSync.native(path)
  if (place === path) return handle
  closeSync(handle)
  throw new ToolRefusal('workspace.moved', 'The path leads somewhere else now.')
}

/**
 * Refuses what must not be replaced by name: anything but a regular file with one name.
 * @returns the file's permission bits; undefined when there is none.
 */
export function replaceable(via: string): number | undefined {
  const stats = lstatSync(via, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  check(stats, false)
  return stats.mode & 0o777
}

function check(stats: Stats, mayHaveSecondName: boolean): void {
  if (!stats.isFile()) throw new ToolRefusal('workspace.not_a_file', 'It is no regular file.')
  if (stats.nlink > 1 && !mayHaveSecondName) {
    throw new ToolRefusal('workspace.second_name', 'The file has a second name somewhere.')
  }
}

function emptied(handle: number, path: string): number {
  // Through the open file itself, not through its name.
  const again = process.platform === 'linux' ? `/proc/self/fd/${handle}` : path
  const fresh = openSync(again, O_WRONLY | O_TRUNC | O_NONBLOCK)
  closeSync(handle)
  return fresh
}

/** A fault of the disk in words of ours: a system's message names paths. */
export function refusal(cause: unknown): ToolRefusal {
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'unknown'
  return new ToolRefusal('workspace.disk', SAYS[code] ?? `The disk refused it (${code}).`)
}

const SAYS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file or folder.',
  ENOTDIR: 'A part of the path is no folder.',
  EISDIR: 'It is a folder.',
  ELOOP: 'It is a link.',
  ENXIO: 'It is no regular file.',
  ENOSPC: 'The disk is full.',
  EROFS: 'The disk cannot be written.',
  EACCES: 'The system does not allow it.',
}
