import type { Effect } from '../core/effect.ts'
import type { ToolDefinition } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import type { PredictedEffect } from './effect-order.ts'

/** The upper bound of what a call would do; undefined when its contract gives none. */
export function predicted({ effect: contract }: ToolDefinition, args: ToolArguments): PredictedEffect | undefined {
  try {
    const effect = contract.predict(args)
    return isWhole(effect) ? { ...effect, reversible: contract.reversible } : undefined
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
