import { hash } from 'node:crypto'
import { SettingError } from '../core/setting-error.ts'
import type { Mode } from './record.ts'
import type { Scenario } from './scenario.ts'

/** One run that is due. */
export interface PlannedRun {
  /** Unique in the plan; what the journal names. */
  readonly key: string
  readonly scenario: Scenario
  readonly mode: Mode
  /** Counts from 1. */
  readonly repeat: number
}

/** What is to be run. */
export interface Plan {
  readonly scenarios: readonly Scenario[]
  readonly modes: readonly Mode[]
  readonly repeats: number
}

/** How many runs that is. */
export const sizeOf = ({ scenarios, modes, repeats }: Plan): number => scenarios.length * modes.length * repeats

/** Every scenario in every mode, one after the other, so that memory is the same for any number of repeats. */
export function* runsOf({ scenarios, modes, repeats }: Plan): Generator<PlannedRun> {
  for (let repeat = 1; repeat <= repeats; repeat++) {
    for (const mode of modes) {
      for (const scenario of scenarios) yield { key: `${mode}/${scenario.id}/${repeat}`, scenario, mode, repeat }
    }
  }
}

/** Lower-case hex SHA-256 of what the runs of a plan depend on: another digest is another batch. */
export function planDigest({ scenarios, modes, repeats }: Plan, choices: Readonly<Record<string, unknown>>): string {
  // Where a file lies changes nothing.
  const facts = scenarios.map((scenario) => ({ ...scenario, file: '' }))
  return hash('sha256', JSON.stringify([choices, facts, modes, repeats]), 'hex')
}

/**
 * The scenarios that one of the terms names, by id, family, kind, bank or caller; a star stands for any letters.
 * @param filter terms between commas. @defaultValue all of them
 * @throws SettingError when a term names nothing.
 */
export function filtered(scenarios: readonly Scenario[], filter: string | undefined): readonly Scenario[] {
  if (filter === undefined) return scenarios
  const terms = filter
    .split(',')
    .map((term) => term.trim())
    .filter((term) => term !== '')
  const matched = terms.map((term) => scenarios.filter(matcher(term)))
  const idle = terms.find((_, index) => matched[index]?.length === 0)
  if (terms.length === 0 || idle !== undefined) {
    const fix = 'Name ids such as A1 or A*, a family such as bank, or attack, limitation or control'
    throw new SettingError('--filter', `"${idle ?? filter}" names no scenario`, fix)
  }
  const chosen = new Set(matched.flat())
  return scenarios.filter((each) => chosen.has(each))
}

function matcher(term: string): (scenario: Scenario) => boolean {
  const pieces = term.split('*').map((piece) => piece.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
  const pattern = new RegExp(`^${pieces.join('.*')}$`, 'i')
  return ({ id, family, kind, bank, caller }) => [id, family, kind, bank, caller].some((each) => pattern.test(each))
}
