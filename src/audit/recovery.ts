import { HEAD_LAG, sealer, type ChainEnd } from './chain.ts'
import type { ChainReport } from './check-chain.ts'
import { beyondMarker, tornMarker } from './torn-lines.ts'

/** What an opened file needs before the first append. */
export type Recovery =
  | { readonly kind: 'refuse'; readonly says: string }
  /** `text` goes behind the file's last byte; empty when nothing is to be marked. The chain then ends at `end`. */
  | { readonly kind: 'continue'; readonly text: string; readonly end: ChainEnd; readonly notices: readonly string[] }

/**
 * Tells a crash from tampering. A crash leaves intact lines beyond the head and one torn line, and nothing else.
 * @param crashed whether the last owner ended without closing.
 * @param at ISO 8601, UTC; goes into the markers.
 */
export function recover(report: ChainReport, crashed: boolean, at: string): Recovery {
  const says = unexplained(report, crashed)
  if (says !== undefined) return { kind: 'refuse', says }
  const { beyond, tail, end } = report
  const notices: string[] = []
  if (crashed) notices.push('The last process that wrote the audit ended without closing it.')
  const lines: string[] = []
  let chain = sealer(end)
  if (tail !== undefined) {
    chain = sealer({ count: end.count + tail.lines, hash: tail.hash })
    lines.push(chain.seal(tornMarker(tail, end.hash, at)))
    notices.push(`Line ${end.count + 1} of the audit is torn (${tail.bytes} bytes); it is kept and marked.`)
  }
  if (beyond > 0) {
    lines.push(chain.seal(beyondMarker(beyond, at)))
    notices.push(`The audit has ${beyond} intact lines beyond its head; they are kept and marked.`)
  }
  const gap = report.terminated ? '' : '\n'
  return { kind: 'continue', text: `${gap}${lines.map((line) => `${line}\n`).join('')}`, end: chain.end(), notices }
}

/** What no crash explains. */
function unexplained({ problems, beyond, tail, terminated }: ChainReport, crashed: boolean): string | undefined {
  const [problem] = problems
  if (problem !== undefined) return `line ${problem.line} ${problem.says}`
  if (beyond > HEAD_LAG) return `it has ${beyond} lines beyond its head, more than a crash leaves`
  if (crashed) return undefined
  if (beyond > 0) return `it was closed, and has ${beyond} more lines now`
  // Unfinished bytes are no record and forge none; a whole line was put there by somebody.
  const isWhole = tail !== undefined && (terminated || tail.lines > 1)
  return isWhole ? 'it was closed, and has something else at its end now' : undefined
}
