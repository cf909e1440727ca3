import { closeSync, fstatSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { SettingError } from '../core/setting-error.ts'
import { fileError } from './file-error.io.ts'
import { findOpenDecisions, type OpenDecision } from './open-decisions.ts'
import { readLines } from './read-lines.io.ts'
import { readLine } from './sealed-line.ts'
import { joinRecords, matches, type AuditLine, type CallRow, type RowFilter } from './show.ts'
import { openForReading } from './verify.io.ts'

/** The calls of an audit file. The chain is not checked: `verifyAudit` does that. */
export interface AuditView {
  readonly rows: readonly CallRow[]
  /** How many lines were no record of a log. */
  readonly unreadable: number
  /** Where to follow from: the offset behind the last whole line. */
  readonly endByte: number
}

/**
 * Reads an audit file into one row per call.
 * @throws SettingError when the file cannot be read.
 */
export async function readAudit(path: string, filter: RowFilter = {}): Promise<AuditView> {
  const lines: AuditLine[] = []
  const { unreadable, endByte } = await eachRecord(path, (line) => lines.push(line))
  return { rows: joinRecords(lines).filter((row) => matches(row, filter)), unreadable, endByte }
}

/**
 * The permitted calls of an audit file that have no outcome.
 * @throws SettingError when the file cannot be read.
 */
export async function openDecisions(path: string): Promise<readonly OpenDecision[]> {
  const finder = findOpenDecisions()
  await eachRecord(path, finder.see)
  return finder.found()
}

/** Where to start and how often to look. */
export interface FollowOptions {
  /** @defaultValue the end that the file has now */
  readonly fromByte?: number
  /** @defaultValue 200 */
  readonly everyMs?: number
}

/**
 * Hands over each record that is appended, until the signal aborts. A record's `line` is its own number.
 * @throws SettingError when the file cannot be read or becomes shorter.
 */
export async function followAudit(
  path: string,
  onRecord: (record: AuditLine) => void,
  signal: AbortSignal,
  { fromByte, everyMs = 200 }: FollowOptions = {},
): Promise<void> {
  const { fd, place } = openForReading(path)
  try {
    let at = fromByte ?? fstatSync(fd).size
    while (!signal.aborted) {
      const size = fstatSync(fd).size
      if (size < at) throw new SettingError(place, 'it became shorter', 'Look at it with `intent-gate audit verify`')
      if (size > at) {
        at = await readLines(
          fd,
          (bytes, terminated) => {
            const record = recordIn(bytes, terminated)
            if (record !== undefined) onRecord(record)
          },
          at,
          size,
        )
      }
      // The wait ends early, and rejects, when the signal aborts.
      await wait(everyMs, undefined, { signal }).catch(() => undefined)
    }
  } catch (cause) {
    throw fileError(place, cause)
  } finally {
    closeSync(fd)
  }
}

async function eachRecord(path: string, onRecord: (record: AuditLine) => void) {
  const { fd, place } = openForReading(path)
  let line = 0
  let unreadable = 0
  try {
    const endByte = await readLines(fd, (bytes, terminated) => {
      line++
      const record = recordIn(bytes, terminated)
      if (record === undefined) unreadable++
      else onRecord({ line, value: record.value })
    })
    return { unreadable, endByte }
  } catch (cause) {
    throw fileError(place, cause)
  } finally {
    closeSync(fd)
  }
}

function recordIn(bytes: Uint8Array, terminated: boolean): AuditLine | undefined {
  const { valid, seq, value } = readLine(bytes, 0, '')
  return valid && terminated ? { line: seq, value } : undefined
}
