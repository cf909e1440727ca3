import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { strictJson } from '../core/strict-json.ts'
import { taintKey, TaintStoreError, withReasons, type TaintStore } from './taint.ts'

const Reasons = z.strictObject({ reasons: z.array(z.string()) })
const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
const MAX_BYTES = 64 * 1024

/**
 * A store of tainted sessions in a folder: one file for each, named by a hash, so that its mere existence is the mark and
 * survives any crash. Mode 0600, created exclusively, synced before a call is answered. Spec: section 4.
 * @throws TaintStoreError when the folder cannot be made or used.
 */
export function taintStore(folder: string): TaintStore {
  usable(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  })
  const fileOf = (tenant: string, session: string): string => join(folder, taintKey(tenant, session))
  return {
    reasons: (tenant, session) =>
      usable(() => {
        requireFolder(folder)
        return read(fileOf(tenant, session)) ?? []
      }),
    add: (tenant, session, reasons) => {
      if (reasons.length === 0) return
      usable(() => {
        requireFolder(folder)
        mark(folder, fileOf(tenant, session), reasons)
      })
    },
    reset: (tenant, session) => {
      usable(() => {
        requireFolder(folder)
        remove(fileOf(tenant, session))
        syncFolder(folder)
      })
    },
  }
}

/** Whatever the disk says, the caller learns one thing: the store does not work. */
function usable<T>(use: () => T): T {
  try {
    return use()
  } catch (cause) {
    throw new TaintStoreError('the store of tainted sessions cannot be used', { cause })
  }
}

/** A folder that is gone, or is a link to another one, would make every session look clean. */
function requireFolder(folder: string): void {
  if (!lstatSync(folder).isDirectory()) throw new Error('it is no folder')
}

/** The reasons on file; undefined when the session is clean. A mark that cannot be read is a mark all the same. */
function read(file: string): readonly string[] | undefined {
  let handle: number
  try {
    handle = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw cause
  }
  try {
    const stats = fstatSync(handle)
    if (!stats.isFile()) throw new Error('it is no file')
    return stats.size > MAX_BYTES ? ['unreadable mark'] : reasonsIn(readFileSync(handle, 'utf8'))
  } finally {
    closeSync(handle)
  }
}

function reasonsIn(text: string): readonly string[] {
  try {
    const { reasons } = Reasons.parse(strictJson(text))
    return reasons.length > 0 ? reasons : ['unreadable mark']
  } catch {
    // A torn or changed file: the session stays tainted, only why is lost.
    return ['unreadable mark']
  }
}

function mark(folder: string, file: string, reasons: readonly string[]): void {
  const earlier = read(file)
  const all = withReasons(earlier ?? [], reasons)
  if (all.length === earlier?.length) return
  if (earlier === undefined) create(file, all)
  else {
    // The old mark stays until the new one is whole.
    const next = `${file}.${process.pid}.next`
    remove(next)
    create(next, all)
    renameSync(next, file)
  }
  syncFolder(folder)
}

function create(file: string, reasons: readonly string[]): void {
  let handle: number
  try {
    handle = openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  } catch (cause) {
    // Another process marked the session in the meantime: it is marked, which is what counts.
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return
    throw cause
  }
  try {
    writeSync(handle, JSON.stringify({ reasons }))
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function remove(file: string): void {
  try {
    unlinkSync(file)
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, O_RDONLY)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
