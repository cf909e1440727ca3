import type { ToolArguments } from './tool-arguments.ts'

/** IGAC classes (intent-certificate model, classes), with the bank's own subtype for money. */
export type EffectClass =
  'read' | 'summarize' | 'transform' | 'create' | 'update' | 'delete' | 'export' | 'delegate' | 'admin' | 'move_money'

/** An upper bound of what one call would do. Sets grow, numbers grow, egress grows: `⪯` is component-wise. */
export interface Effect {
  readonly mutations: readonly string[]
  readonly resources: readonly string[]
  readonly rows: number
  /** Integer minor units of `currency`. Absent: moves no money. */
  readonly amount?: { readonly minor: number; readonly currency: string }
  readonly destinations: readonly string[]
  readonly egress: 'none' | 'user' | 'third_party'
}

/** What a tool promises about its effect. A tool that does more than `predict` says breaks its contract. */
export interface EffectContract {
  readonly class: EffectClass
  readonly tier: 'low' | 'medium' | 'high'
  readonly reversible: boolean
  /** True when the result may hold text that a stranger wrote. */
  readonly untrustedOutput: boolean
  readonly version: string
  /** Pure and total over valid arguments. */
  readonly predict: (args: ToolArguments) => Effect
  /**
   * The receipt of a run: what it did, read from its result alone and never from the arguments. What it says must lie
   * within `predict`, and money of `move_money` must be the very amount; else the tool broke its contract. Undefined for a
   * result that does not say, which breaks it too. Pure.
   * @defaultValue no receipt: the run is taken at its word
   */
  readonly realized?: (result: unknown) => Effect | undefined
}

/** The contract of a tool that only reads: `argument` names the resource that it reads, `user` is who sees the result. */
export const readEffect = (argument: string, { untrustedOutput = false } = {}): EffectContract => ({
  class: 'read',
  tier: 'low',
  reversible: true,
  untrustedOutput,
  version: '1',
  predict: (args) => ({
    mutations: [],
    resources: [String(args[argument])],
    rows: 1,
    destinations: [],
    egress: 'user',
  }),
})
