import { deny, permit, type Decision } from '../core/decision.ts'
import type { ReasonCode } from '../core/reasons.ts'

/**
 * How much certificates count (intent-certificate model, rollout modes). `off`: nothing is computed. `shadow`: computed,
 * not enforced. `compat`: what is not certified becomes a review. `enforce`: no certificate, no call. `conformance`: as
 * enforce, and a broken invariant throws.
 */
export type CertificateMode = 'off' | 'shadow' | 'compat' | 'enforce' | 'conformance'

/** What a caller from before certificates could not have; everything else is refused in `compat` too. */
const REVIEWED: ReadonlySet<ReasonCode> = new Set([
  'agent.intent_not_found',
  'agent.intent_expired',
  'agent.intent_low_confidence',
  'agent.intent_tool_mismatch',
  'agent.intent_payload_exceeds_bound',
  'agent.intent_review_required',
])

/** The one place where the modes differ: what counts of what `enforce` would say. */
export function inMode(
  mode: CertificateMode,
  wouldBe: Decision,
  call: { readonly writes: boolean; readonly forbidden: boolean },
): Decision {
  switch (mode) {
    case 'off':
    case 'shadow':
      return permit()
    case 'compat':
      if (wouldBe.kind === 'permit') return wouldBe
      if (call.forbidden || !REVIEWED.has(wouldBe.reason)) return deny(wouldBe.reason)
      return call.writes ? permit('confirm') : permit()
    case 'enforce':
    case 'conformance':
      return wouldBe
  }
}
