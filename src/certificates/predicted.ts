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
    // An effect that comes later is none; nobody waits for it, so its failure must not end the process either.
    if (effect instanceof Promise) effect.catch(() => undefined)
    return effect === undefined ? undefined : copyOf(effect, reversible)
  } catch {
    // A contract is an app's own code and must be total; one that throws, whatever it throws, has promised nothing.
    return undefined
  }
}

/** Each part is read once, so that what was looked at is what is compared and kept; undefined when a part has no sense. */
function copyOf(effect: Effect, reversible: boolean): PredictedEffect | undefined {
  const [mutations, resources, destinations] = [effect.mutations, effect.resources, effect.destinations].map(textsOf)
  const { rows, egress, amount } = effect
  const money = amount === undefined ? undefined : { minor: amount.minor, currency: amount.currency }
  if (mutations === undefined || resources === undefined || destinations === undefined) return undefined
  if (typeof rows !== 'number' || !EGRESSES.includes(egress)) return undefined
  const parts = { mutations, resources, rows, destinations, egress, reversible }
  if (money === undefined) return parts
  return typeof money.minor === 'number' && typeof money.currency === 'string' ? { ...parts, amount: money } : undefined
}

const EGRESSES: readonly Effect['egress'][] = ['none', 'user', 'third_party']

function textsOf(list: readonly string[]): readonly string[] | undefined {
  const copy = Array.isArray(list) ? Array.from<unknown>(list) : [undefined]
  return copy.every((each) => typeof each === 'string') ? copy : undefined
}
