import type { Effect, EffectContract } from '../core/effect.ts'
import type { ToolDefinition } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import type { PredictedEffect } from './effect-order.ts'

/** The upper bound of what a call would do; undefined when its contract gives none. */
export const predicted = ({ effect: contract }: ToolDefinition, args: ToolArguments): PredictedEffect | undefined =>
  wholeOf(contract, () => contract.predict(args))

/** What a run did by its own receipt; undefined for a result that does not say. */
export const reported = ({ effect: contract }: ToolDefinition, result: unknown): PredictedEffect | undefined =>
  wholeOf(contract, () => contract.realized?.(result))

function wholeOf({ reversible }: EffectContract, effectOf: () => Effect | undefined): PredictedEffect | undefined {
  try {
    const effect = effectOf()
    return effect !== undefined && isWhole(effect) ? { ...effect, reversible } : undefined
  } catch (cause) {
    // A contract is an app's own code and must be total; one that throws has promised nothing.
    if (cause instanceof Error) return undefined
    throw cause
  }
}

const isWhole = ({ mutations, resources, rows, destinations, amount }: Effect): boolean =>
  Array.isArray(mutations) &&
  Array.isArray(resources) &&
  Array.isArray(destinations) &&
  typeof rows === 'number' &&
  (amount === undefined || typeof amount.minor === 'number')
