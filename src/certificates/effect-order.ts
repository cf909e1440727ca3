import type { Effect } from '../core/effect.ts'
import type { Money } from './derivation.ts'

/** An effect with what its contract says about undoing it. */
export interface PredictedEffect extends Effect {
  readonly reversible: boolean
}

/** Upper bounds on an effect, one a component. Equality has no place here: it is not downward closed (see pins). */
export interface EffectBounds {
  /** Kinds of change: what stands before the colon of an effect's mutation. */
  readonly mutations: readonly string[]
  /** Null: bounded by what may be reached at all (reads). */
  readonly resources: readonly string[] | null
  readonly maxRows: number
  readonly maxMutations: number
  /** Null: money may not move. */
  readonly maxAmount: Money | null
  readonly destinations: readonly string[]
  readonly egress: Effect['egress']
  /** True admits what cannot be undone. */
  readonly irreversible: boolean
}

/** A part of an effect that has a bound of its own. */
export type EffectComponent =
  'mutations' | 'resources' | 'rows' | 'count' | 'amount' | 'destinations' | 'egress' | 'reversible'

const EGRESS_RANK: Record<Effect['egress'], number> = { none: 0, user: 1, third_party: 2 }

const subset = (some: readonly string[], all: readonly string[]): boolean => some.every((each) => all.includes(each))

const kindOf = (mutation: string): string => mutation.slice(0, (mutation + ':').indexOf(':'))

/** A number that bounds something: NaN and Infinity do not. */
const atMost = (value: number, limit: number): boolean => Number.isFinite(value) && value <= limit

const admits: Record<EffectComponent, (effect: PredictedEffect, bounds: EffectBounds) => boolean> = {
  mutations: (effect, bounds) => subset(effect.mutations.map(kindOf), bounds.mutations),
  resources: (effect, bounds) => bounds.resources === null || subset(effect.resources, bounds.resources),
  rows: (effect, bounds) => atMost(effect.rows, bounds.maxRows),
  count: (effect, bounds) => effect.mutations.length <= bounds.maxMutations,
  amount: ({ amount }, { maxAmount }) => amount === undefined || admitsAmount(amount, maxAmount),
  destinations: (effect, bounds) => subset(effect.destinations, bounds.destinations),
  egress: (effect, bounds) => EGRESS_RANK[effect.egress] <= EGRESS_RANK[bounds.egress],
  reversible: (effect, bounds) => effect.reversible || bounds.irreversible,
}

/** Integer minor units of the same currency, at most the bound. */
export const admitsAmount = (amount: Money, bound: Money | null): boolean =>
  bound !== null &&
  Number.isSafeInteger(amount.minor) &&
  Math.abs(amount.minor) <= bound.minor &&
  amount.currency === bound.currency

const COMPONENTS = Object.keys(admits) as readonly EffectComponent[]

/** The first component in which the effect is over its bound; undefined when it lies within. */
export const exceeded = (effect: PredictedEffect, bounds: EffectBounds): EffectComponent | undefined =>
  COMPONENTS.find((component) => !admits[component](effect, bounds))

/** `one ⪯ other`: in no component more. Reflexive and transitive; what bounds `other` bounds `one`. */
export const precedes = (one: PredictedEffect, other: PredictedEffect): boolean => beyond(one, other) === undefined

/** The first component in which `one` is more than `other`; undefined when it precedes it. */
export function beyond(one: PredictedEffect, other: PredictedEffect): EffectComponent | undefined {
  const bounds: EffectBounds = {
    mutations: other.mutations,
    resources: other.resources,
    maxRows: other.rows,
    maxMutations: other.mutations.length,
    maxAmount: other.amount ?? null,
    destinations: other.destinations,
    egress: other.egress,
    irreversible: !other.reversible,
  }
  if (!subset(one.mutations, other.mutations)) return 'mutations'
  return COMPONENTS.find((component) => component !== 'mutations' && !admits[component](one, bounds))
}
