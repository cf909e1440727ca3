import type { BreachRecord } from '../audit/record.ts'
import { beyond, type PredictedEffect } from '../certificates/effect-order.ts'
import { predicted, reported } from '../certificates/predicted.ts'
import type { NormalizedCall } from '../core/call.ts'

/**
 * How a run broke its tool's effect contract (intent-certificate model, effect soundness): its receipt is not within the
 * predicted effect, moves another amount, or cannot be read. Undefined when it kept it, or gives no receipts.
 */
export function breachOf({ definition, args }: NormalizedCall, result: unknown): BreachRecord | undefined {
  if (definition.effect.realized === undefined) return undefined
  const bound = predicted(definition, args) ?? NOTHING
  const did = reported(definition, result)
  if (did === undefined) return { component: 'receipt', predicted: bound }
  const component = beyond(did, bound) ?? otherAmount(definition.effect.class, did, bound)
  return component === undefined ? undefined : { component, predicted: bound, realized: did }
}

/** Money that moved is the money that was agreed on: less is another payment, too. */
const otherAmount = (
  does: NormalizedCall['definition']['effect']['class'],
  did: PredictedEffect,
  bound: PredictedEffect,
): 'amount' | undefined =>
  does === 'move_money' &&
  (did.amount?.minor !== bound.amount?.minor || did.amount?.currency !== bound.amount?.currency)
    ? 'amount'
    : undefined

/** What a contract without a prediction has promised. */
const NOTHING: PredictedEffect = {
  ...{ mutations: [], resources: [], rows: 0, destinations: [], egress: 'none' },
  reversible: true,
}
