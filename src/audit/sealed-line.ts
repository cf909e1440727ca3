import { strictJson, StrictJsonError } from '../core/strict-json.ts'

/** One thing that is wrong with a file, or worth knowing. `line` counts from 1; 0 means the file or its head. */
export interface Finding {
  readonly line: number
  readonly says: string
}

/** One line as read back. `seq`, `prev` and `value` mean something only when `valid`. */
export interface SealedLine {
  /** Its place in the file, from 1. */
  readonly line: number
  readonly valid: boolean
  readonly seq: number
  readonly prev: string
  /** Of its exact bytes. */
  readonly hash: string
  readonly value: Readonly<Record<string, unknown>>
}

/** The chain so far; without a hash any line may follow, because the one before is known to be broken. */
export interface ChainState {
  readonly count: number
  readonly hash?: string
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads a line's bytes as strict JSON of this log's shape. Never throws: what is no such thing is not `valid`. */
export function readLine(bytes: Uint8Array, line: number, hash: string): SealedLine {
  const value = objectIn(bytes)
  const { seq, prev } = value
  const valid = value['v'] === 1 && Number.isSafeInteger(seq) && typeof prev === 'string'
  if (!valid || typeof seq !== 'number') return { line, valid: false, seq: 0, prev: '', hash, value }
  return { line, valid, seq, prev, hash, value }
}

function objectIn(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value = strictJson(utf8.decode(bytes))
    return isObject(value) ? value : {}
  } catch (cause) {
    // The decoder throws a TypeError for bytes that are not UTF-8.
    if (cause instanceof StrictJsonError || cause instanceof TypeError) return {}
    throw cause
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Why a line does not follow the chain; undefined when it does. */
export function diagnose({ line, valid, seq, prev }: SealedLine, after: ChainState): Finding | undefined {
  const expected = after.count + 1
  if (!valid) return { line, says: 'is not a line of this log: it was changed or damaged' }
  if (seq > expected) {
    return { line, says: `has number ${seq}, but ${expected} comes next: lines before it are missing` }
  }
  if (seq < expected) return { line, says: `repeats number ${seq}: it was copied or moved here` }
  if (after.hash === undefined || prev === after.hash) return undefined
  if (seq === 1) return { line, says: 'names a line before it, but it is the first: it was changed' }
  return { line: line - 1, says: `is not the line that line ${line} was chained to: one of them was changed` }
}
