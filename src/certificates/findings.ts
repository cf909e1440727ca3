import type { ReasonCode } from '../core/reasons.ts'
import type { ArgumentRole, ToolDefinition } from '../core/tool.ts'
import type { ReadArgument } from './arguments.ts'
import type { PredictedEffect } from './effect-order.ts'

/** What the checks know of one call, and what they note on the way: noting only ever adds an obligation. */
export interface Findings {
  readonly tool: ToolDefinition
  readonly effect: PredictedEffect
  readonly args: readonly ReadArgument[]
  readonly writes: boolean
  /** Minor units that the message still allows; null: it said no amount. */
  readonly amountLeft: number | null
  readonly unbound: string[]
  readonly fromRecord: string[]
  readonly notes: { readonly check: 'K6' | 'K14'; readonly detail: string }[]
}

/** What a check finds wrong. */
export interface Fault {
  readonly kind: 'deny' | 'clarify'
  readonly code: ReasonCode
  /** For the audit. */
  readonly detail: string
  readonly ask: readonly ArgumentRole[]
}
