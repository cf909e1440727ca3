import { createHash } from 'node:crypto'
import type { ChainState, SealedLine } from './sealed-line.ts'

/** What a crash left behind the last intact line: not a record, and not yet closed by a marker. */
export interface TornTail {
  readonly lines: number
  readonly bytes: number
  /** Of the exact bytes, without a newline at their end. */
  readonly hash: string
}

/** Collects lines that follow nothing; memory does not grow with their length. */
export interface TornLines {
  readonly lines: readonly SealedLine[]
  readonly add: (line: SealedLine, bytes: Uint8Array) => void
  readonly tail: () => TornTail
}

/** A crash leaves one torn line, a crash while that is being marked one more. More than these are no crash. */
export const MAX_TORN_LINES = 16

/** No line yet. */
export function tornLines(): TornLines {
  const lines: SealedLine[] = []
  const hash = createHash('sha256')
  let bytes = 0
  return {
    lines,
    add: (line, content) => {
      const gap = lines.length > 0 ? '\n' : ''
      hash.update(gap).update(content)
      bytes += gap.length + content.length
      lines.push(line)
    },
    tail: () => ({ lines: lines.length, bytes, hash: hash.copy().digest('hex') }),
  }
}

/** The record that closes a torn tail; chained to the exact bytes of the tail and to the last intact line before it. */
export const tornMarker = (tail: TornTail, after: string, at: string): object => ({
  type: 'recovered',
  at,
  reason: 'torn_line',
  lines: tail.lines,
  bytes: tail.bytes,
  after,
})

/** The record that says how many intact lines were found beyond the head. */
export const beyondMarker = (lines: number, at: string): object => ({
  type: 'recovered',
  at,
  reason: 'head_behind',
  lines,
})

/** True when the line is the marker that closes exactly this torn tail. */
export function isTornMarker(line: SealedLine, torn: TornTail, after: ChainState): boolean {
  const { type, reason, lines, bytes, after: named } = line.value
  return (
    line.valid &&
    line.seq === after.count + torn.lines + 1 &&
    line.prev === torn.hash &&
    type === 'recovered' &&
    reason === 'torn_line' &&
    lines === torn.lines &&
    bytes === torn.bytes &&
    named === after.hash
  )
}
