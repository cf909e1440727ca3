import type { SealedLine } from './sealed-line.ts'
import { shownCall, type CallRow } from './show.ts'

/** A call that was permitted and has no outcome: look at what it did before trying it again. */
export interface OpenDecision extends CallRow {
  /** The decision's id. */
  readonly id: string
}

/** Finds open decisions in the lines of a log; memory grows with the open ones only. */
export interface OpenDecisionFinder {
  readonly see: (line: Pick<SealedLine, 'line' | 'value'>) => void
  readonly found: () => readonly OpenDecision[]
}

/** One pass over the lines of one log, in order. */
export function findOpenDecisions(): OpenDecisionFinder {
  const open = new Map<unknown, Pick<SealedLine, 'line' | 'value'>>()
  return {
    see: (line) => {
      const { type, decision, id } = line.value
      if (type === 'outcome') open.delete(decision)
      else if (type === 'decision' && decision === 'permit') open.set(id, line)
    },
    found: () => [...open.values()].map((line) => ({ ...shownCall(line), id: String(line.value['id']) })),
  }
}
