import type { RefusingRule, RuleId } from './rule-ids.ts'

/** What the firewall decides about one request. `allow` is the one case that lets it run without a person. */
export type Outcome = Findings &
  (
    | { readonly decision: 'allow'; readonly rule: RuleId }
    /** `rule` is the one that decided, and the reason code. */
    | { readonly decision: 'require_approval' | 'block'; readonly rule: RefusingRule }
  )

interface Findings {
  /** All rules that fired, in order; the one that decided is among them. */
  readonly rules: readonly RuleId[]
  /** For the audit only. */
  readonly detail: string
  /** Why the session is tainted from now on, whatever the decision; empty when it is not. */
  readonly taints: readonly string[]
  /** Advice made from rules only, never from a value: how to split the work, what to name. */
  readonly hint?: string
}

/** What a refusal may add to its rule and detail. */
interface Extras {
  /** Rules that fired beside the one that decided. */
  readonly also?: readonly RuleId[]
  readonly taints?: readonly string[]
  readonly hint?: string
}

/** The request runs without a person. */
export const allow = (rule: RuleId, detail: string, taints: readonly string[] = []): Outcome => ({
  decision: 'allow',
  rule,
  rules: [rule],
  detail,
  taints,
})

/** The request runs when a person says yes. */
export const requireApproval = (rule: RefusingRule, detail: string, extras: Extras = {}): Outcome =>
  made('require_approval', rule, detail, extras)

/** The request does not run. */
export const block = (rule: RefusingRule, detail: string, extras: Extras = {}): Outcome =>
  made('block', rule, detail, extras)

function made(decision: 'require_approval' | 'block', rule: RefusingRule, detail: string, extras: Extras): Outcome {
  const { also = [], taints = [], hint } = extras
  const outcome = { decision, rule, rules: [rule, ...also], detail, taints }
  return hint === undefined ? outcome : { ...outcome, hint }
}
