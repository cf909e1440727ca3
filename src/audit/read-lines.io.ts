import { fstatSync, read } from 'node:fs'
import { promisify } from 'node:util'

const CHUNK_BYTES = 1 << 18
/** A longer line is handed on in pieces, each of which is then no line of a log. */
const MAX_LINE_BYTES = 1 << 26
const NEWLINE = 10

const readAt = promisify(read)

/**
 * Hands over each line of an open file, without its newline, up to the size that the file has now or to `endByte`.
 * @returns the offset behind the last newline.
 */
export async function readLines(
  fd: number,
  onLine: (bytes: Uint8Array, terminated: boolean) => void,
  startByte = 0,
  endByte = fstatSync(fd).size,
): Promise<number> {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let kept: Buffer[] = []
  let keptBytes = 0
  let at = startByte
  const flush = (last: Buffer, terminated: boolean) => {
    onLine(kept.length === 0 ? last : Buffer.concat([...kept, last]), terminated)
    kept = []
    keptBytes = 0
  }
  while (at < endByte) {
    const { bytesRead } = await readAt(fd, chunk, 0, Math.min(CHUNK_BYTES, endByte - at), at)
    if (bytesRead === 0) break
    at += bytesRead
    let from = 0
    for (let to = chunk.indexOf(NEWLINE); to !== -1 && to < bytesRead; to = chunk.indexOf(NEWLINE, from)) {
      flush(chunk.subarray(from, to), true)
      from = to + 1
    }
    if (from === bytesRead) continue
    kept.push(Buffer.from(chunk.subarray(from, bytesRead)))
    keptBytes += bytesRead - from
    if (keptBytes > MAX_LINE_BYTES) flush(Buffer.alloc(0), false)
  }
  const rest = keptBytes
  if (rest > 0) flush(Buffer.alloc(0), false)
  return at - rest
}
