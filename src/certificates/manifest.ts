import type { EffectClass } from '../core/effect.ts'
import type { ToolDefinition } from '../core/tool.ts'
import type { Certificate } from './certificate.ts'
import { highestTier, reachOf, tierAtMost, type Tier } from './classes.ts'
import type { IntentClass } from './derivation.ts'

/** What a session may see while one certificate holds (P_C of the intent-certificate model). */
interface SessionPolicy {
  readonly reach: ReadonlySet<EffectClass>
  readonly denied: ReadonlySet<IntentClass>
  readonly maxTier: Tier
}

/** Shows nothing: the assistant can only talk with its user. */
const MINIMAL: SessionPolicy = { reach: new Set(), denied: new Set(), maxTier: 'none' }

type Classes = Certificate['intentClasses']

/** A pure function of the classes: more allowed shows no less, more denied shows no more. */
export const policyOfClasses = ({ allowed, denied }: Classes): SessionPolicy => ({
  reach: reachOf(allowed),
  denied: new Set(denied),
  maxTier: highestTier(allowed),
})

/** The policy of a certificate; of one that only asks or denies, the minimal one. */
export const sessionPolicy = (certificate: Certificate | undefined): SessionPolicy =>
  certificate === undefined || certificate.reviewMode === 'deny' || certificate.reviewMode === 'clarify'
    ? MINIMAL
    : policyOfClasses(certificate.intentClasses)

/** True when the policy shows the tool. */
const shows = ({ reach, denied, maxTier }: SessionPolicy, { effect }: ToolDefinition): boolean =>
  reach.has(effect.class) && !denied.has(effect.class) && tierAtMost(effect.tier, maxTier)

/**
 * The session's manifest: the static one, filtered. It gets that list and nothing else, so it cannot add a tool (M1);
 * order and text stay the registry's.
 */
export const visibleTools = (
  policy: SessionPolicy,
  staticTools: readonly ToolDefinition[],
): readonly ToolDefinition[] => staticTools.filter((tool) => shows(policy, tool))
