import { closeSync, constants, fstatSync, openSync, realpathSync } from 'node:fs'
import { SettingError } from '../core/setting-error.ts'
import { HEAD_LAG } from './chain.ts'
import { checkChain, type ChainReport } from './check-chain.ts'
import { fileError } from './file-error.io.ts'
import { lockHolder, type LockHolder } from './lock.io.ts'
import { readHead, type FoundHead } from './place.io.ts'
import { readLines } from './read-lines.io.ts'
import type { Finding } from './sealed-line.ts'

/** Whether an audit file is the one that was written. */
export interface Verification {
  /** True when there is no problem. */
  readonly ok: boolean
  /** How many lines the file has, torn ones included. */
  readonly lines: number
  readonly problems: readonly Finding[]
  /** What a crash left, marked or not yet. */
  readonly notes: readonly Finding[]
}

/**
 * Checks every line against the one before it, and the last one against `FILE.head`. Lines beyond the head and a torn
 * last line are a write under way while the owner lives, and what a kill leaves when it is dead; else they are problems.
 * @throws SettingError when the file cannot be read.
 */
export async function verifyAudit(path: string): Promise<Verification> {
  const { fd, place } = openForReading(path)
  try {
    const before = lockHolder(place)
    const head = readHead(place)
    const endByte = fstatSync(fd).size
    const marks: Finding[] = []
    const chain = checkChain(typeof head === 'string' ? undefined : head, ({ line, value }) => {
      if (value['type'] === 'recovered') marks.push({ line, says: `marks a crash (${String(value['reason'])})` })
    })
    await readLines(fd, chain.line, 0, endByte)
    return judged(chain.end(), head, holderOf(before, lockHolder(place)), marks)
  } catch (cause) {
    throw fileError(place, cause)
  } finally {
    closeSync(fd)
  }
}

/**
 * Opens an existing audit file.
 * @throws SettingError when it cannot be read or is no regular file.
 */
export function openForReading(path: string): { readonly fd: number; readonly place: string } {
  let fd: number | undefined
  try {
    const place = realpathSync(path)
    fd = openSync(place, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = fstatSync(fd)
    if (found.isDirectory()) throw new SettingError(path, 'it is a folder', 'Name a file')
    if (!found.isFile()) throw new SettingError(path, 'it is not a regular file', 'Name a file')
    return { fd, place }
  } catch (cause) {
    if (fd !== undefined) closeSync(fd)
    throw fileError(path, cause)
  }
}

/** The later look decides nothing alone: a lock that was released meanwhile was held while the file was read. */
const holderOf = (before: LockHolder, after: LockHolder): LockHolder =>
  before === 'living' || after === 'living' ? 'living' : before === 'dead' ? 'dead' : after

function judged(report: ChainReport, head: FoundHead, holder: LockHolder, marks: readonly Finding[]): Verification {
  const { lines, end, beyond, tail } = report
  const problems = [...report.problems]
  const notes = [...report.notes, ...marks]
  if (typeof head === 'string' && !(head === 'missing' && holder === 'living' && lines === 0)) {
    problems.push({ line: 0, says: `the head is ${head}, so nothing tells whether lines were cut off` })
  }
  if (beyond > 0) {
    const says = unanchored(beyond, holder)
    const place = beyond <= MOST_BEYOND[holder] ? notes : problems
    place.push({ line: end.count - beyond + 1, says })
  }
  if (tail !== undefined) {
    const finding = { line: end.count + 1, says: `is torn (${tail.bytes} bytes)` }
    if (holder !== 'nobody') notes.push(finding)
    else problems.push({ ...finding, says: `${finding.says}, and no crash explains it: it was added from outside` })
  }
  return { ok: problems.length === 0, lines, problems, notes }
}

/** Lines beyond the head that are no problem: a kill leaves what was being written, a living owner is about to move it. */
const MOST_BEYOND: Readonly<Record<LockHolder, number>> = { living: HEAD_LAG, dead: 64, nobody: 0 }

function unanchored(beyond: number, holder: LockHolder): string {
  const says = `is the first of ${beyond} beyond the head`
  if (holder === 'nobody') return `${says}: they were added from outside`
  if (holder === 'living') return beyond <= HEAD_LAG ? says : `${says}: more than a writer leaves there`
  return `${says}, and the head does not anchor them: a crash or a forgery; open the file with the program to mark them, and look at them`
}
