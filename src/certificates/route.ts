import type { Obligation } from '../core/decision.ts'
import { CLASSES, isConflict, type Tier } from './classes.ts'
import type { IntentClass } from './derivation.ts'
import type { CertificateSettings } from './settings.ts'

/** How far a reading is trusted: `low` is asked about, `medium` is reviewed, `high` may run where its class may. */
export type Band = 'low' | 'medium' | 'high'
type RouteObligation = Obligation | 'step_up'

/** Where a proposal may go. `none` carries an outcome; the others carry what must happen first. */
export interface Route {
  readonly effect: 'none' | 'artifact' | 'execute'
  readonly obligations: ReadonlySet<RouteObligation>
  /** Only with `none`. */
  readonly outcome?: 'deny' | 'clarify' | 'split'
}

/** A confidence of any value in its band; what is no number from 0 to 1 counts as the nearest end, NaN as 0. */
export function bandOf(confidence: number, { medium, high }: CertificateSettings['bands']): Band {
  if (confidence >= high) return 'high'
  return confidence >= medium ? 'medium' : 'low'
}

const route = (effect: Route['effect'], ...obligations: readonly RouteObligation[]): Route => ({
  effect,
  obligations: new Set(obligations),
})
const none = (outcome: NonNullable<Route['outcome']>): Route => ({ effect: 'none', obligations: new Set(), outcome })

const CLARIFY = none('clarify')
const DENY = none('deny')
const SPLIT = none('split')
const REVIEWED = route('artifact', 'confirm', 'preflight', 'draft')

/** What a row of the route table is about. `compound` and `conflicting` come before the class. */
type RouteRow = Tier | 'conflicting' | 'compound' | 'not_permitted'

/** Which row by which band (intent-certificate model, routing). */
export const ROUTES: Record<RouteRow, Record<Band, Route>> = {
  none: { low: CLARIFY, medium: CLARIFY, high: CLARIFY },
  low: { low: CLARIFY, medium: route('execute', 'preflight'), high: route('execute') },
  medium: { low: CLARIFY, medium: route('artifact', 'preflight', 'draft'), high: route('artifact', 'draft') },
  high: { low: CLARIFY, medium: REVIEWED, high: REVIEWED },
  conflicting: { low: DENY, medium: DENY, high: DENY },
  compound: { low: SPLIT, medium: SPLIT, high: SPLIT },
  not_permitted: { low: DENY, medium: DENY, high: DENY },
}

/** What the route table is asked. */
interface RouteQuestion {
  /** The classes of each step, in order. */
  readonly steps: readonly (readonly IntentClass[])[]
  readonly confidence: number
  /** What static policy says. */
  readonly permitted: boolean
}

/** The cell of the route table for a request, before anything is known about where it runs. */
export function routeFor({ steps, confidence, permitted }: RouteQuestion, bands: CertificateSettings['bands']): Route {
  return ROUTES[rowOf(steps, permitted)][bandOf(confidence, bands)]
}

function rowOf(steps: RouteQuestion['steps'], permitted: boolean): RouteRow {
  const [first] = steps
  if (!permitted) return 'not_permitted'
  const kind = first?.[0]
  if (kind === undefined) return 'none'
  if (steps.some(isConflict)) return 'conflicting'
  return steps.length > 1 ? 'compound' : CLASSES[kind].tier
}

const EFFECT_RANK: Record<Route['effect'], number> = { none: 0, artifact: 1, execute: 2 }
const OUTCOME_RANK: Record<NonNullable<Route['outcome']>, number> = { clarify: 0, split: 1, deny: 2 }

/** The smaller effect, all obligations; among refusals the sterner. Commutative, associative, idempotent. */
export function mergeRoutes(one: Route, other: Route): Route {
  const effect = EFFECT_RANK[one.effect] <= EFFECT_RANK[other.effect] ? one.effect : other.effect
  const obligations = new Set([...one.obligations, ...other.obligations])
  const outcomes = [one.outcome, other.outcome].filter((outcome) => outcome !== undefined)
  const [first] = outcomes.sort((left, right) => OUTCOME_RANK[right] - OUTCOME_RANK[left])
  return first === undefined ? { effect, obligations } : { effect, obligations, outcome: first }
}

/**
 * What a permit must still meet here. An obligation that nothing can discharge becomes a person's yes; a read's preflight
 * is its row cap (intent-certificate model, what ours decides).
 */
export function gateObligations({ obligations }: Route, tier: Tier, discharges: readonly Obligation[]): Obligation[] {
  const wanted = [...obligations].filter((each): each is Obligation => each !== 'step_up')
  if (tier === 'low' || wanted.length === 0) return wanted.filter((each) => each === 'confirm')
  const met = wanted.filter((each) => discharges.includes(each))
  return met.length === wanted.length || met.includes('confirm') ? met : [...met, 'confirm']
}
