import { fstatSync, ftruncateSync, statSync, writeSync } from 'node:fs'
import { AuditError } from './audit-error.ts'
import { HEAD_BYTES, headText, type ChainEnd } from './chain.ts'

/** An open log and its open head, which nobody else writes. */
export interface WritableLog {
  readonly place: string
  readonly fd: number
  readonly headFd: number
  /** In bytes, all of them part of the chain. */
  readonly size: number
  readonly end: ChainEnd
}

/** A log whose last bytes may not be acknowledged yet. */
export interface GrowingFile {
  /** @throws AuditError when the file is not as this program left it; else what the system throws. */
  readonly write: (text: string) => void
  /** Moves the head. @throws what the system throws. */
  readonly moveHead: (end: ChainEnd) => void
  /** What was written before belongs to the log from here on. */
  readonly acknowledge: (end: ChainEnd) => void
  /** Removes what was written and not acknowledged, as far as that is possible. Never throws. */
  readonly takeBack: () => void
  /** True when the head may be behind, or bytes may be left in the file that were never acknowledged. */
  readonly isDirty: () => boolean
}

/** Looks at the file before each write: a log that somebody else touched is not written again. */
export function growingFile({ place, fd, headFd, size, end }: WritableLog): GrowingFile {
  const opened = fstatSync(fd)
  let acknowledged = { size, end }
  let written = 0
  let dirty = false
  // Bytes that are not ours may lie behind ours, so this also keeps a failure from cutting them off.
  const assertOurs = () => {
    const now = statSync(place, { throwIfNoEntry: false })
    if (now === undefined) throw new AuditError(`${place}: somebody deleted the audit file`)
    if (now.ino !== opened.ino || now.dev !== opened.dev) {
      throw new AuditError(`${place}: somebody replaced the audit file`)
    }
    if (now.size !== acknowledged.size + written) {
      throw new AuditError(`${place}: somebody else wrote to the audit file or cut it`)
    }
  }
  return {
    write: (text) => {
      assertOurs()
      written = writeSync(fd, text)
      const size = Buffer.byteLength(text)
      if (written === size) return
      const bytes = Buffer.from(text)
      while (written < size) written += writeSync(fd, bytes, written)
    },
    moveHead: (newEnd) => {
      dirty = true
      writeHead(headFd, newEnd)
      dirty = false
    },
    acknowledge: (newEnd) => {
      acknowledged = { size: acknowledged.size + written, end: newEnd }
      written = 0
    },
    takeBack: () => {
      if (written === 0) return
      try {
        assertOurs()
        ftruncateSync(fd, acknowledged.size)
        written = 0
        writeHead(headFd, acknowledged.end)
        dirty = false
      } catch {
        // The failure that led here is the one to report. The next owner is told to expect these lines.
        dirty = true
      }
    },
    isDirty: () => dirty,
  }
}

/** Replaces the head in place. @throws what the system throws. */
export function writeHead(headFd: number, end: ChainEnd): void {
  const written = writeSync(headFd, Buffer.from(headText(end)), 0, HEAD_BYTES, 0)
  if (written !== HEAD_BYTES) throw new AuditError('the head of the audit was written only in part')
}
