import { randomUUID } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Tells one written version of a file from every other; undefined while there is no file. */
export type FileVersion = string | undefined

/** A file as it was at one moment, and the version that a writer must name to replace it. */
export interface WholeFile {
  readonly text: string
  readonly version: FileVersion
}

/** Leftovers this old are nobody's: a write takes milliseconds. */
const STALE_MS = 60_000
const LOCK_ATTEMPTS = 20
const LOCK_PAUSE_MS = 5

/** Names this process, also apart from an earlier one with its id: in a container the next one often has the same. */
const ourselves = `${process.pid}-${Math.round(performance.timeOrigin)}`

/**
 * Undefined when there is no file.
 * @throws with `code` when it cannot be read or is no regular file (`EINVAL`).
 */
export function readWhole(path: string): WholeFile | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'EINVAL' })
  const descriptor = openSync(path, 'r')
  try {
    return { version: versionOf(fstatSync(descriptor, { bigint: true })), text: readFileSync(descriptor, 'utf8') }
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Replaces a file in one step, private to its owner and durable: whoever reads it, and whatever is killed meanwhile,
 * finds the old text or the new one. Rejects, leaving the old text and no leftover, when the file is no longer at the
 * version given. Only when the very last step fails, syncing the folder, may the new text be there all the same.
 *
 * @returns the version that was written.
 */
export async function replaceWhole(path: string, expected: FileVersion, text: string): Promise<FileVersion> {
  const temporary = `${path}.${ourselves}.${randomUUID()}.tmp`
  try {
    const version = await writeNew(temporary, text)
    await swap(temporary, path, expected)
    await syncFolder(dirname(path))
    return version
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw cause
  }
}

/** Removes what processes that are gone have left beside the file. */
export function sweep(path: string): void {
  const start = `${basename(path)}.`
  for (const name of readdirSync(dirname(path))) {
    const writer = name.startsWith(start) && /^(\d+-\d+)\.[0-9a-f-]{36}\.tmp$/.exec(name.slice(start.length))?.[1]
    if (typeof writer === 'string') removeStale(join(dirname(path), name), writer)
  }
  if (lstatSync(lockOf(path), { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    removeStale(lockOf(path), readlinkSync(lockOf(path)))
  }
}

function removeStale(path: string, writer: string): void {
  const age = Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  if (age > STALE_MS || !isAlive(writer)) rmSync(path, { force: true })
}

function isAlive(writer: string): boolean {
  const pid = Number(writer.split('-')[0])
  if (pid === process.pid) return writer === ourselves
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    // Another user's process may not be signaled, but it is there.
    return hasCode(cause, 'EPERM')
  }
}

async function writeNew(path: string, text: string): Promise<FileVersion> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
    return versionOf(await file.stat({ bigint: true }))
  } finally {
    await file.close()
  }
}

/** Another process holds the lock for microseconds, or was killed while it did. */
async function swap(temporary: string, path: string, expected: FileVersion): Promise<void> {
  for (let attempt = 1; !swapped(temporary, path, expected); attempt++) {
    if (attempt === LOCK_ATTEMPTS) throw new Error('another process holds the lock of the file')
    await pause(LOCK_PAUSE_MS)
  }
}

/**
 * Compare and rename, under a lock that is a symbolic link to the holder's name: made and signed in one step. False
 * when another holds it.
 */
function swapped(temporary: string, path: string, expected: FileVersion): boolean {
  const lock = lockOf(path)
  try {
    symlinkSync(ourselves, lock)
  } catch (cause) {
    if (hasCode(cause, 'EEXIST')) return false
    throw cause
  }
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    if ((found && versionOf(found)) !== expected) throw new Error('the file was written by another process')
    renameSync(temporary, path)
    return true
  } finally {
    rmSync(lock, { force: true })
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const hasCode = (cause: unknown, code: string): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === code

const lockOf = (path: string): string => `${path}.lock`

/** A rename keeps all three. Inodes and coarse clocks repeat, but a ledger grows with every write. */
const versionOf = (stats: BigIntStats): FileVersion => `${stats.ino} ${stats.mtimeNs} ${stats.size}`
