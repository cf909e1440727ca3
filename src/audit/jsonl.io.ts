import { randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname } from 'node:path'
import { SettingError } from '../core/setting-error.ts'
import type { World } from '../core/world.ts'
import type { AuditLog } from './audit-log.ts'
import { EMPTY_CHAIN, HEAD_BYTES, headText } from './chain.ts'
import { checkChain } from './check-chain.ts'
import { fileError } from './file-error.io.ts'
import { acquireLock } from './lock.io.ts'
import { findOpenDecisions, type OpenDecision } from './open-decisions.ts'
import { exists, openLog, placeOf, readHead } from './place.io.ts'
import { readLines } from './read-lines.io.ts'
import { recover } from './recovery.ts'
import { writeHead, type WritableLog } from './growing-file.io.ts'
import { logWriter } from './writer.io.ts'

/** How to open an audit file. */
export interface AuditFileOptions {
  /** The clock of the markers. @defaultValue the system's */
  readonly world?: Pick<World, 'now'>
  /**
   * Sync each append to the disk before it resolves; without it, lines survive the process but not the machine.
   * @defaultValue true
   */
  readonly durable?: boolean
}

/** An audit file that this process alone writes. */
export interface AuditFile extends AuditLog {
  /** Lets appends under way end, refuses later ones, and releases the file. Never rejects; may be called again. */
  readonly close: () => Promise<void>
  /** Decisions that permitted a call and had no outcome when the file was opened. */
  readonly openDecisions: readonly OpenDecision[]
  /** Sentences for the operator about what was found at opening; empty after a clean close. */
  readonly notices: readonly string[]
}

/**
 * Opens or creates the audit file at `path`, with its head in `FILE.head` and its lock in `FILE.lock`, all 0600. The
 * whole chain is checked first, and what a crash left is marked.
 * @throws SettingError when it cannot be written, another process owns it, or it was changed.
 */
export async function openAuditFile(path: string, options: AuditFileOptions = {}): Promise<AuditFile> {
  const { world = { now: () => new Date() }, durable = true } = options
  const place = placeOf(path)
  const lock = acquireLock(place)
  const cleanup: (() => void)[] = []
  const state = { dirty: lock.tookOver }
  const closeAll = () => {
    for (const close of cleanup.splice(0)) close()
  }
  try {
    const { log, openDecisions, notices } = await openOwned(place, state, world.now().toISOString(), cleanup)
    const writer = logWriter(log, durable)
    const finish = async () => {
      await writer.stop()
      const synced = !durable || isSynced(log.headFd)
      closeAll()
      lock.release(writer.isDirty() || !synced)
    }
    let finished: Promise<void> | undefined
    return { append: (record) => writer.append(record), close: () => (finished ??= finish()), openDecisions, notices }
  } catch (cause) {
    closeAll()
    lock.release(state.dirty)
    throw fileError(place, cause)
  }
}

interface Opened {
  readonly log: WritableLog
  readonly openDecisions: readonly OpenDecision[]
  readonly notices: readonly string[]
}

async function openOwned(
  place: string,
  state: { dirty: boolean },
  at: string,
  cleanup: (() => void)[],
): Promise<Opened> {
  const opened = (fd: number): number => {
    cleanup.push(() => {
      fs.closeSync(fd)
    })
    return fd
  }
  const wasThere = exists(place)
  const head = readHead(place)
  if (head === 'damaged') throw changed(place, 'its head is not one that this program wrote')
  if (!wasThere && head !== 'missing' && head.count > 0) {
    throw changed(place, `its head counts ${head.count} lines, and the file is gone`)
  }
  const fd = opened(openLog(place))
  if (head === 'missing' && fs.fstatSync(fd).size > 0) throw changed(place, 'its head is missing')
  const found = findOpenDecisions()
  const chain = checkChain(head === 'missing' ? EMPTY_CHAIN : head, found.see)
  await readLines(fd, chain.line)
  const recovery = recover(chain.end(), state.dirty, at)
  if (recovery.kind === 'refuse') throw changed(place, recovery.says)
  fs.fchmodSync(fd, 0o600)
  const headFd = opened(openHead(place, head === 'missing'))
  if (recovery.text !== '') {
    state.dirty = true
    writeAll(fd, recovery.text)
  }
  fs.fdatasyncSync(fd)
  writeHead(headFd, recovery.end)
  fs.fdatasyncSync(headFd)
  syncFolder(place)
  const log = { place, fd, headFd, size: fs.fstatSync(fd).size, end: recovery.end }
  return { log, openDecisions: found.found(), notices: recovery.notices }
}

const changed = (place: string, problem: string): SettingError =>
  new SettingError(
    place,
    `${problem}; it was changed or cut off since it was written`,
    'Keep the file as it is for whoever looks into it, and start with another one',
  )

/** A head is made whole or not at all, so one that is damaged was damaged by somebody. */
function openHead(place: string, create: boolean): number {
  const path = `${place}.head`
  if (create) replaceWhole(path, headText(EMPTY_CHAIN))
  const fd = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_NOFOLLOW)
  const { nlink, size } = fs.fstatSync(fd)
  if (nlink !== 1 || size !== HEAD_BYTES) {
    fs.closeSync(fd)
    throw changed(place, 'its head has a second name or another length')
  }
  fs.fchmodSync(fd, 0o600)
  return fd
}

function replaceWhole(path: string, text: string): void {
  const made = `${path}.${randomUUID()}.new`
  try {
    fs.writeFileSync(made, text, { mode: 0o600, flag: 'wx', flush: true })
    fs.renameSync(made, path)
  } finally {
    fs.rmSync(made, { force: true })
  }
}

function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length;) at += fs.writeSync(fd, bytes, at)
}

/** Makes the names of new files durable. */
function syncFolder(place: string): void {
  const fd = fs.openSync(dirname(place), 'r')
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

function isSynced(fd: number): boolean {
  try {
    fs.fdatasyncSync(fd)
    return true
  } catch {
    // The lines themselves are durable; the next owner is told that the head may be behind.
    return false
  }
}
