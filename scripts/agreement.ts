import type { Login } from '../src/core/login.ts'
import type { ReasonCode } from '../src/core/reasons.ts'
import type { Pdp } from '../src/pdp/pdp.ts'
import type { Boxcar } from './agreement-questions.ts'

/** What one engine says to one question. */
export type Said = readonly boolean[] | ReasonCode

/** An engine to compare, or answers that were recorded. */
export interface Party {
  readonly name: string
  /** Undefined where it has nothing to say. */
  readonly ask: (boxcar: Boxcar, index: number) => Promise<Said | undefined>
}

/** Answers of one engine that another one does not share. */
export interface Disagreement {
  readonly boxcar: Boxcar
  readonly said: Readonly<Record<string, Said>>
}

export interface Tally {
  readonly questions: number
  /** By name: questions permitted as a whole, denied, and refused with a fault. */
  readonly counts: Readonly<Record<string, { permitted: number; denied: number; faults: number }>>
  /** By two names: the questions on which they differ. */
  readonly differences: ReadonlyMap<string, number>
  readonly disagreements: readonly Disagreement[]
}

/** An engine as a party. A question that it cannot understand is a no; one that cannot reach it is a breakage. */
export const engineParty = (name: string, pdp: Pdp, login: Login): Party => ({
  name,
  ask: async (evaluations) => {
    const verdict = await pdp.decide({ evaluations, login }, AbortSignal.timeout(PATIENCE_MS))
    if (verdict.ok) return verdict.value
    // Cerbos refuses a boxcar with an empty word in it as a whole.
    const refused = verdict.reason === 'pdp.answer_invalid' && verdict.detail.startsWith('status 400')
    if (refused || ABOUT_THE_QUESTION.has(verdict.reason)) return verdict.reason
    throw new Error(`${name} gave no answer: ${verdict.reason}, ${verdict.detail}`)
  },
})

const PATIENCE_MS = 10_000

/** Refusals that say something about the question; any other one means that the engine was not asked properly. */
const ABOUT_THE_QUESTION: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'pdp.error',
  'pdp.id_unsupported',
  'pdp.conflicting',
  'pdp.too_many',
])

const KEPT = 20
const AT_ONCE = 8

/** Asks every party every question, several at a time. */
export async function compare(parties: readonly Party[], questions: readonly Boxcar[]): Promise<Tally> {
  const counts = Object.fromEntries(parties.map(({ name }) => [name, { permitted: 0, denied: 0, faults: 0 }]))
  const differences = new Map(pairsOf(parties.map(({ name }) => name)).map((pair) => [pair.join(' / '), 0]))
  const disagreements: Disagreement[] = []
  const note = (boxcar: Boxcar, said: Readonly<Record<string, Said>>): void => {
    for (const [name, each] of Object.entries(said)) {
      const count = counts[name]
      if (count !== undefined) count[isPermit(each) ? 'permitted' : typeof each === 'string' ? 'faults' : 'denied']++
    }
    const apart = pairsOf(Object.keys(said)).filter(([one, other]) => !agree(said[one], said[other]))
    for (const pair of apart) differences.set(pair.join(' / '), (differences.get(pair.join(' / ')) ?? 0) + 1)
    if (apart.length > 0 && disagreements.length < KEPT) disagreements.push({ boxcar, said })
  }
  let next = 0
  const work = async (): Promise<void> => {
    for (let index = next++; index < questions.length; index = next++) {
      const boxcar = questions[index]
      if (boxcar !== undefined) note(boxcar, await askAll(parties, boxcar, index))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { questions: questions.length, counts, differences, disagreements }
}

async function askAll(
  parties: readonly Party[],
  boxcar: Boxcar,
  index: number,
): Promise<Readonly<Record<string, Said>>> {
  const said = await Promise.all(parties.map(async ({ name, ask }) => [name, await ask(boxcar, index)] as const))
  return Object.fromEntries(said.flatMap(([name, each]) => (each === undefined ? [] : [[name, each]])))
}

const isPermit = (said: Said): boolean => typeof said !== 'string' && said.every((each) => each)

/**
 * Two engines agree when both or neither would let the call run, and, where both decided, on each item. An engine that
 * has no word for something may say so, where another one says no.
 */
export function agree(one: Said | undefined, other: Said | undefined): boolean {
  if (one === undefined || other === undefined) return true
  if (isPermit(one) !== isPermit(other)) return false
  if (typeof one === 'string' || typeof other === 'string') return true
  return one.length === other.length && one.every((each, index) => each === other[index])
}

const pairsOf = (names: readonly string[]): readonly (readonly [string, string])[] =>
  names.flatMap((one, index) => names.slice(index + 1).map((other): readonly [string, string] => [one, other]))
