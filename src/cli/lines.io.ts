import { MAX_LINE_BYTES } from './decide.ts'

const NEWLINE = 10

/**
 * The lines of a byte stream as they arrive, without their newline. A line that is not UTF-8, begins with a byte-order
 * mark or is over 1 MiB comes as undefined; memory stays bounded.
 */
export async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield decoded(parts, bytes, chunk.subarray(start, end))
      parts = []
      bytes = 0
      start = end + 1
    }
    const rest = chunk.subarray(start)
    bytes += rest.length
    if (bytes <= MAX_LINE_BYTES) parts.push(rest)
    else parts = []
  }
  if (bytes > 0) yield decoded(parts, bytes, Buffer.alloc(0))
}

/** The whole input as one text, under the same rules. */
export async function wholeOf(input: AsyncIterable<Buffer>): Promise<string | undefined> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const chunk of input) {
    bytes += chunk.length
    if (bytes <= MAX_LINE_BYTES) parts.push(chunk)
  }
  return decoded(parts, bytes, Buffer.alloc(0))
}

function decoded(parts: readonly Buffer[], bytes: number, last: Buffer): string | undefined {
  if (bytes + last.length > MAX_LINE_BYTES) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat([...parts, last]))
  } catch (cause) {
    if (cause instanceof TypeError) return undefined
    throw cause
  }
}
