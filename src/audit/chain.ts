import { hash } from 'node:crypto'
import { strictRecord } from './strict-record.ts'

/** Where a chain ends: how many lines it has and the hash of the last one. */
export interface ChainEnd {
  readonly count: number
  /** Lower-case hex SHA-256. */
  readonly hash: string
}

/** The chain without a line; its hash is the `prev` of the first line. */
export const EMPTY_CHAIN: ChainEnd = { count: 0, hash: '0'.repeat(64) }

/** Lower-case hex SHA-256 of the bytes; a string is taken as UTF-8. */
export const hashOf = (bytes: string | Uint8Array): string => hash('sha256', bytes, 'hex')

/** Turns records into the lines of one chain. */
export interface Sealer {
  /**
   * The record's line, without a newline; the chain then ends with it.
   * @throws TypeError when the record has no JSON form.
   */
  readonly seal: (record: object) => string
  readonly end: () => ChainEnd
}

/** Continues the chain that ends at `from`. */
export function sealer(from: ChainEnd): Sealer {
  let { count, hash: prev } = from
  return {
    seal: (record) => {
      // Spelled by hand because spreading costs as much as hashing; the bytes are those of {v, seq, prev, ...record}.
      const line = `{"v":1,"seq":${count + 1},"prev":"${prev}",${JSON.stringify(strictRecord(record)).slice(1)}`
      prev = hashOf(line)
      count++
      return line
    },
    end: () => ({ count, hash: prev }),
  }
}

/** The length of every head in bytes, so that one write in place replaces it. */
export const HEAD_BYTES = 112

/**
 * The most lines that a file may have beyond its head after a crash: the head is written after the lines, and reaches
 * the disk later still.
 */
export const HEAD_LAG = 1000

/** The text of `FILE.head`: one line of JSON, padded to `HEAD_BYTES`. */
export const headText = ({ count, hash }: ChainEnd): string =>
  `${`{"v":1,"count":${count},"hash":"${hash}"}`.padEnd(HEAD_BYTES - 1)}\n`

/** Reads a head; undefined unless it is, to the byte, what `headText` writes. */
export function parseHead(text: string): ChainEnd | undefined {
  const [, count, hash] = /^\{"v":1,"count":(\d{1,16}),"hash":"([0-9a-f]{64})"\}/.exec(text) ?? []
  if (count === undefined || hash === undefined) return undefined
  const head = { count: Number(count), hash }
  return headText(head) === text ? head : undefined
}
