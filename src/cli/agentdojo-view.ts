import type { Figures, Outcome, Ratio } from '../agentdojo/score.ts'
import { figures } from '../agentdojo/score.ts'

/** The runs of one set-up. */
export interface Played {
  /** `prompt only`, or the gate and how it was set. */
  readonly setup: string
  readonly outcomes: readonly Outcome[]
}

export const AGENTDOJO_HEAD: readonly string[] = [
  'set-up',
  'attack',
  'benign utility',
  'utility under attack',
  'attack success',
  'own calls denied',
  'prompts per task',
  'prompts under attack',
]

/** One row for all runs of a set-up, then one for each order of the attack. */
export function agentdojoRows({ setup, outcomes }: Played): readonly (readonly string[])[] {
  const orders = [...new Set(outcomes.flatMap(({ order }) => (order === null ? [] : [order])))]
  const all = orders.length > 1 ? [row(setup, 'both', figures(outcomes))] : []
  const each = orders.map((order) =>
    row(setup, order, figures(outcomes.filter((outcome) => outcome.order === null || outcome.order === order))),
  )
  const rows = [...all, ...each]
  return rows.length > 0 ? rows : [row(setup, '–', figures(outcomes))]
}

const row = (setup: string, attack: string, found: Figures): readonly string[] => [
  setup,
  attack,
  ratio(found.benignUtility),
  ratio(found.utilityUnderAttack),
  ratio(found.attackSuccess),
  ratio(found.ownCallsDenied),
  ratio(found.prompts),
  ratio(found.promptsUnderAttack),
]

const ratio = ({ count, of }: Ratio): string => `${count}/${of}`

/** So many of them, spread evenly over the list; all of them when there are fewer. */
export function sampled<T>(list: readonly T[], count: number): readonly T[] {
  if (count >= list.length) return list
  return Array.from({ length: count }, (_, index) => list[Math.floor((index * list.length) / count)]).filter(
    (each) => each !== undefined,
  )
}
