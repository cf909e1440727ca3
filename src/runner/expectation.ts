import type { Expectation, Kind, Scenario, Setup } from './scenario.ts'

const LANDS: Readonly<Record<Kind, Readonly<Record<Setup, boolean>>>> = {
  attack: { 'prompt-only': true, gate: false, 'gate+certificates': false },
  // What identity alone cannot stop: the caller may do it, but never asked for it.
  limitation: { 'prompt-only': true, gate: true, 'gate+certificates': false },
  control: { 'prompt-only': false, gate: false, 'gate+certificates': false },
}

/** What a scenario expects of a set-up: its own words, else what follows from its kind. */
export function expectationOf({ kind, expect, completes }: Scenario, setup: Setup): Expectation {
  const said = expect[setup]
  return {
    lands: said?.lands ?? LANDS[kind][setup],
    completes: said?.completes ?? completes !== undefined,
    denied: said?.denied ?? 0,
    ...{ outcomes: said?.outcomes, prompts: said?.prompts, hides: said?.hides },
  }
}
