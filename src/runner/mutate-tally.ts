import { NEIGHBOURS, type Neighbour } from './mutate-kinds.ts'
import type { CallPattern } from './scenario.ts'

/** What became of one near-miss. */
export interface Judged {
  readonly kind: Neighbour
  readonly scenario: string
  readonly call: CallPattern
  readonly accepted: boolean
  /** A person was asked, who says yes to everything. */
  readonly asked: boolean
  /** The reason of a denial; null for a permit. */
  readonly code: string | null
}

/** Counts of near-misses. */
export interface NeighbourFigures {
  readonly mutants: number
  /** Permitted, at the latest once a person has said yes. */
  readonly accepted: number
  /** Permitted, and nobody was asked. */
  readonly unasked: number
  /** Refused, by reason. */
  readonly refused: Readonly<Record<string, number>>
}

/** The figures of each kind, and of all together. */
export interface MutationFigures {
  readonly all: NeighbourFigures
  readonly kinds: Readonly<Partial<Record<Neighbour, NeighbourFigures>>>
}

/** Adds up what became of near-misses; kinds of which there was none are left out. */
export function mutationFigures(judged: readonly Judged[]): MutationFigures {
  const present = NEIGHBOURS.filter((kind) => judged.some((each) => each.kind === kind))
  const kinds = present.map((kind) => [kind, figuresOf(judged.filter((each) => each.kind === kind))] as const)
  return { all: figuresOf(judged), kinds: Object.fromEntries(kinds) }
}

function figuresOf(judged: readonly Judged[]): NeighbourFigures {
  const accepted = judged.filter((each) => each.accepted)
  const refused = new Map<string, number>()
  for (const { code } of judged) if (code !== null) refused.set(code, (refused.get(code) ?? 0) + 1)
  return {
    mutants: judged.length,
    accepted: accepted.length,
    unasked: accepted.filter(({ asked }) => !asked).length,
    refused: Object.fromEntries([...refused].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  }
}
