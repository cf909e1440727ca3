import type { ReasonCode } from './reasons.ts'

/** What the PEP must do before the effect happens. One that nothing can discharge is a deny. */
export type Obligation = 'confirm' | 'draft' | 'preflight'

/** Permit is the named case; `clarify` and `deny` never let a call run. */
export type Decision =
  | { readonly kind: 'permit'; readonly obligations: ReadonlySet<Obligation> }
  | { readonly kind: 'clarify'; readonly reason: ReasonCode }
  | { readonly kind: 'deny'; readonly reason: ReasonCode }

/** Most opinions are this one, so it is made once. */
const plainPermit: Decision = Object.freeze({ kind: 'permit', obligations: new Set<Obligation>() })

export const permit = (...obligations: readonly Obligation[]): Decision =>
  obligations.length === 0 ? plainPermit : { kind: 'permit', obligations: new Set(obligations) }
export const clarify = (reason: ReasonCode): Decision => ({ kind: 'clarify', reason })
export const deny = (reason: ReasonCode): Decision => ({ kind: 'deny', reason })
