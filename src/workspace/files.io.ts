import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { ToolRefusal } from '../core/tool.ts'
import { inFolder, openFolder, openJudged, refusal, replaceable, type IsOpen } from './open-file.io.ts'

/** Bytes of one file that a tool reads. */
const MAX_READ = 1024 * 1024
/** Entries of a folder tree that a search by name looks at. */
const MAX_ENTRIES = 20_000

/**
 * The whole bytes of a file.
 * @param path physical, as the firewall found it.
 * @throws ToolRefusal for anything but a regular file of at most 1 MiB.
 */
function readBytes(path: string, isOpen: IsOpen): Buffer {
  const handle = openJudged(path, 'read', isOpen)
  try {
    const { size } = fstatSync(handle)
    if (size > MAX_READ) throw new ToolRefusal('workspace.too_large', 'The file is over 1 MiB; read a part of it.')
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

/** Every file below a folder, by its path from there; no link is followed, and at most 20,000 entries are looked at. */
export function filesBelow(folder: string): readonly string[] {
  const found: string[] = []
  const waiting = ['']
  let left = MAX_ENTRIES
  for (let at = waiting.pop(); at !== undefined && left > 0; at = waiting.pop()) {
    for (const entry of entriesOf(join(folder, at))) {
      left -= 1
      const path = join(at, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      else if (entry.isFile()) found.push(path)
    }
  }
  return found.toSorted()
}

function entriesOf(folder: string): readonly { name: string; isDirectory(): boolean; isFile(): boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // Not ours to read: what is in it is not found.
    return []
  }
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
