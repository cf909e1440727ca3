import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs'
import type { Disk, Entry, Glance } from './disk.ts'

const UNREADABLE: Entry = { kind: 'unreadable', identity: '', links: 0, size: 0, version: '' }
/** Neither wait for a pipe's other end nor follow a link that was put in place after the look. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

const NO_THROW = { throwIfNoEntry: false } as const
const ONE_FILE: Glance = { kind: 'file', links: 1 }

/** The real disk. */
export const realDisk: Disk = {
  lstat: (path) => {
    try {
      const stats = lstatSync(path, NO_THROW)
      return stats === undefined ? undefined : entryOf(stats)
    } catch (cause) {
      // Nothing has a name that is too long, and nothing lies below a file; about anything else nothing can be said.
      return isNoName(cause) ? undefined : UNREADABLE
    }
  },
  glance: (path) => {
    try {
      const stats = lstatSync(path, NO_THROW)
      if (stats === undefined) return undefined
      // Files with one name are nearly all that there is.
      return stats.nlink === 1 && stats.isFile() ? ONE_FILE : { kind: kindOf(stats), links: stats.nlink }
    } catch (cause) {
      return isNoName(cause) ? undefined : UNREADABLE
    }
  },
  readlink: (path) => attempt(() => readlinkSync(path)),
  readdir: (path) => attempt(() => readdirSync(path)),
  read: (path, maxBytes) => attempt(() => readWhole(path, maxBytes)),
}

const isNoName = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && (cause.code === 'ENAMETOOLONG' || cause.code === 'ENOTDIR')

/** Undefined for whatever the system refuses: each caller treats that as something it cannot vouch for. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

function entryOf(stats: Stats): Entry {
  const identity = `${stats.dev}:${stats.ino}`
  return {
    kind: kindOf(stats),
    identity,
    links: stats.nlink,
    size: stats.size,
    version: `${identity}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}`,
  }
}

function kindOf(stats: Stats): Entry['kind'] {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'link' : 'other'
}

function readWhole(path: string, maxBytes: number): Uint8Array | undefined {
  const file = openSync(path, READ_FLAGS)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile() || stats.size > maxBytes) return undefined
    // One byte more than allowed: a file that grows while it is read is noticed.
    const bytes = new Uint8Array(maxBytes + 1)
    let length = 0
    for (let got = -1; got !== 0 && length < bytes.length; length += got) {
      got = readSync(file, bytes, length, bytes.length - length, null)
    }
    return length > maxBytes ? undefined : bytes.slice(0, length)
  } finally {
    closeSync(file)
  }
}
