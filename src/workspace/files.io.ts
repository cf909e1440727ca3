import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ToolRefusal } from '../core/tool.ts'
import { inFolder, openFolder, openJudged, refusal, replaceable, type IsOpen } from './open-file.io.ts'

/** Bytes of one file that a tool reads. */
const MAX_READ = 1024 * 1024
/** Bytes of one file that are looked through for the lines that a tool reads. */
const MAX_SCANNED = 64 * 1024 * 1024
const CHUNK = 64 * 1024

/**
 * The whole bytes of a file.
 * @param path physical, as the firewall found it.
 * @throws ToolRefusal for anything but a regular file of at most 1 MiB.
 */
function readBytes(path: string, isOpen: IsOpen): Buffer {
  const handle = openJudged(path, 'read', isOpen)
  try {
    const { size } = fstatSync(handle)
    if (size > MAX_READ) {
      throw new ToolRefusal('workspace.too_large', 'The file is over 1 MiB; name the lines in view_range.')
    }
    const bytes = Buffer.alloc(size)
    let length = 0
    for (let got = -1; got !== 0 && length < size; length += got) {
      got = readSync(handle, bytes, length, size - length, null)
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(handle)
  }
}

/**
 * The whole text of a file; bytes that are not UTF-8 are replaced.
 * @param path physical, as the firewall found it.
 * @throws ToolRefusal for anything but a regular file of at most 1 MiB.
 */
export const readText = (path: string, isOpen: IsOpen): string => readBytes(path, isOpen).toString('utf8')

/**
 * The whole text of a file that will be written back, so that no byte of it may be lost.
 * @param path physical, as the firewall found it.
 * @throws ToolRefusal for anything but a regular file of at most 1 MiB of UTF-8.
 */
export function readExactText(path: string): string {
  const bytes = readBytes(path, () => false)
  const text = bytes.toString('utf8')
  if (Buffer.from(text).equals(bytes)) return text
  throw new ToolRefusal('workspace.not_text', 'The file is not UTF-8 text, so no part of it can be replaced.')
}

/**
 * The names in a folder, folders with a slash; undefined when the path is no folder.
 * @param path physical, as the firewall found it.
 * @throws ToolRefusal when the path leads somewhere else now, or the disk refuses.
 */
export function listFolder(path: string): readonly string[] | undefined {
  let folder: number | undefined
  try {
    folder = openFolder(path)
    return readdirSync(process.platform === 'linux' ? `/proc/self/fd/${folder}` : path, { withFileTypes: true })
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .toSorted()
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOTDIR') return undefined
    throw cause instanceof ToolRefusal ? cause : refusal(cause)
  } finally {
    if (folder !== undefined) closeSync(folder)
  }
}

/**
 * Some lines of a file of any size; bytes that are not UTF-8 are replaced.
 * @param path physical, as the firewall found it.
 * @param first from 1.
 * @throws ToolRefusal when the lines are over 1 MiB, or lie behind the first 64 MiB.
 */
export function readLines(path: string, isOpen: IsOpen, first: number, count: number): readonly string[] {
  const handle = openJudged(path, 'read', isOpen)
  try {
    const kept = keepLines(handle, first, first + count)
    if (kept.line < first || count <= 0) return []
    const lines = Buffer.concat(kept.pieces).toString('utf8').split('\n')
    return lines.slice(0, count)
  } finally {
    closeSync(handle)
  }
}

interface KeptLines {
  readonly pieces: Buffer[]
  /** The number of the line that the reading ended in. */
  line: number
}

/** The bytes of the lines from `first` up to, but without, `end`. */
function keepLines(handle: number, first: number, end: number): KeptLines {
  const kept: KeptLines = { pieces: [], line: 1 }
  const chunk = Buffer.alloc(CHUNK)
  let [scanned, size] = [0, 0]
  for (let got = -1; got !== 0 && kept.line < end; scanned += got) {
    got = readSync(handle, chunk, 0, chunk.length, null)
    if (scanned > MAX_SCANNED) throw new ToolRefusal('workspace.too_large', 'The lines lie behind the first 64 MiB.')
    for (let start = 0; start < got && kept.line < end;) {
      const newline = chunk.subarray(0, got).indexOf(10, start)
      const stop = newline === -1 ? got : newline + 1
      if (kept.line >= first) {
        size += stop - start
        kept.pieces.push(Buffer.from(chunk.subarray(start, stop)))
      }
      if (size > MAX_READ) throw new ToolRefusal('workspace.too_large', 'The lines are over 1 MiB; name fewer of them.')
      if (newline !== -1) kept.line += 1
      start = stop
    }
  }
  return kept
}

/**
 * Makes the missing folders of a path, each through its open parent, so that no swap makes them elsewhere.
 * @param path physical, as the firewall found it.
 * @param mayMake asked for each folder just before it is made.
 * @throws ToolRefusal when a folder may not be made, or the disk refuses.
 */
export function makeFolders(path: string, mayMake: (folder: string) => boolean): void {
  for (const folder of missingAbove(path)) {
    if (!mayMake(folder)) {
      throw new ToolRefusal('workspace.disk', 'There is no such folder, and no file tool may make it there.')
    }
    inFolder(folder, (via) => {
      mkdirSync(via, 0o755)
    })
  }
}

/** The folders that are not there, the outermost first. */
function missingAbove(path: string): readonly string[] {
  const missing: string[] = []
  try {
    for (let at = dirname(path); lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) {
      missing.unshift(at)
    }
  } catch (cause) {
    throw refusal(cause)
  }
  return missing
}

/**
 * Writes a file as a whole or not at all: beside it first, then in its place, with the permissions that it had.
 * @param path physical, as the firewall found it; its folder must exist.
 * @throws ToolRefusal when the path leads somewhere else now, or the disk refuses; the old content is then intact.
 */
export function writeWhole(path: string, text: string): void {
  inFolder(path, (via) => {
    const mode = replaceable(via)
    const name = `.${basename(path).slice(0, 60)}.${randomBytes(6).toString('hex')}.next`
    const next = join(via, '..', name)
    try {
      writeNew(next, Buffer.from(text), mode)
      renameSync(next, via)
    } catch (cause) {
      removeQuietly(next)
      throw cause
    }
  })
}

function writeNew(path: string, bytes: Buffer, mode: number | undefined): void {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  const handle = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644)
  try {
    // A nearly full disk takes a part and says nothing.
    for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at)
    if (mode !== undefined) fchmodSync(handle, mode)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Never made, or only a nuisance; the reason of the failure is what matters.
  }
}
