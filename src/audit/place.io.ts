import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { SettingError } from '../core/setting-error.ts'
import { parseHead, type ChainEnd } from './chain.ts'
import { errnoOf, fileError, readText } from './file-error.io.ts'

const NO_FOLLOW = constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * The one spelling of a log's path; makes its folder (0700) when there is none.
 * @throws SettingError when something else than a file is there.
 */
export function placeOf(path: string): string {
  if (path === '') throw new SettingError('the audit file', 'its name is empty', 'Name a file')
  try {
    const folder = dirname(resolve(path))
    makeFolder(folder)
    const place = join(realpathSync(folder), basename(resolve(path)))
    const found = lstatSync(place, { throwIfNoEntry: false })
    if (found === undefined) return place
    if (found.isSymbolicLink()) throw new SettingError(path, 'it is a symbolic link', 'Name the file itself')
    if (found.isDirectory()) throw new SettingError(path, 'it is a folder', 'Name a file')
    if (!found.isFile()) throw new SettingError(path, 'it is not a regular file', 'Name a file')
    // On a file system that ignores case, the spelling that the folder has.
    return realpathSync.native(place)
  } catch (cause) {
    throw fileError(path, cause)
  }
}

/** One folder at a time, because `recursive` never ends where a parent is there and takes no child, as in /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, 0o700)
  } catch (cause) {
    if (errnoOf(cause) !== 'EEXIST') throw cause
  }
}

/** Whether a log is there already. */
export const exists = (place: string): boolean => lstatSync(place, { throwIfNoEntry: false }) !== undefined

/**
 * Opens a log for reading and appending, 0600; creates it when there is none.
 * @throws SettingError when it is no regular file of one name.
 */
export function openLog(place: string): number {
  let fd: number | undefined
  try {
    fd = openSync(place, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_FOLLOW, 0o600)
    const found = fstatSync(fd)
    if (!found.isFile()) throw new SettingError(place, 'it is not a regular file', 'Name a file')
    // A second name would have a lock and a head of its own.
    if (found.nlink !== 1) throw new SettingError(place, 'it has a second name (hard link)', 'Choose another file')
    return fd
  } catch (cause) {
    if (fd !== undefined) closeSync(fd)
    throw fileError(place, cause)
  }
}

/** `damaged`: there is something, but no head that this program wrote. */
export type FoundHead = ChainEnd | 'missing' | 'damaged'

/**
 * Reads `FILE.head`.
 * @throws SettingError when it cannot be read.
 */
export function readHead(place: string): FoundHead {
  const path = `${place}.head`
  try {
    return parseHead(readText(path, 'latin1')) ?? 'damaged'
  } catch (cause) {
    const code = errnoOf(cause)
    if (code === 'ENOENT') return 'missing'
    if (code === 'ELOOP' || code === 'EISDIR' || code === 'ENXIO') return 'damaged'
    throw fileError(path, cause)
  }
}
