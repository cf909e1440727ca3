import type { EffectClass } from '../core/effect.ts'
import type { ToolDefinition } from '../core/tool.ts'
import type { IntentClass, Step } from './derivation.ts'

/** How much a class can do at most; a tool of a higher tier is out of its reach. */
export type Tier = 'none' | 'low' | 'medium' | 'high'

/** The stated review of a certificate (rho). */
export type ReviewMode = 'allow' | 'draft' | 'preflight' | 'confirm' | 'deny' | 'clarify'

interface ClassRow {
  readonly tier: Tier
  /** Classes of tools that a certificate of this class covers. A read goes with everything that was understood. */
  readonly reach: readonly EffectClass[]
}

/** The class table (intent-certificate model, classes). `move_money` is reached by itself alone. */
export const CLASSES: Record<IntentClass, ClassRow> = {
  read: { tier: 'low', reach: ['read'] },
  summarize: { tier: 'low', reach: ['read', 'summarize', 'transform'] },
  transform: { tier: 'low', reach: ['read', 'transform'] },
  create: { tier: 'medium', reach: ['read', 'create'] },
  update: { tier: 'medium', reach: ['read', 'update'] },
  delete: { tier: 'high', reach: ['read', 'delete'] },
  export: { tier: 'high', reach: ['read', 'export'] },
  delegate: { tier: 'high', reach: ['read', 'delegate'] },
  admin: { tier: 'high', reach: ['read', 'admin'] },
  move_money: { tier: 'high', reach: ['read', 'move_money'] },
  unknown: { tier: 'none', reach: [] },
}

const TIER_RANK: Record<Tier, number> = { none: 0, low: 1, medium: 2, high: 3 }

/** True for a tier that is no higher than another one. */
export const tierAtMost = (tier: Tier, limit: Tier): boolean => TIER_RANK[tier] <= TIER_RANK[limit]

/** True for a class that changes something. */
export const isWrite = (kind: IntentClass): boolean => TIER_RANK[CLASSES[kind].tier] >= TIER_RANK.medium

/** The classes of tools that the allowed classes cover together. */
export const reachOf = (allowed: readonly IntentClass[]): ReadonlySet<EffectClass> =>
  new Set(allowed.flatMap((kind) => CLASSES[kind].reach))

/** The risk of a tool: its class's or its own, whichever is higher. */
export const tierOf = ({ effect }: ToolDefinition): Tier =>
  tierAtMost(effect.tier, CLASSES[effect.class].tier) ? CLASSES[effect.class].tier : effect.tier

/** The highest tier of a tool that the allowed classes show: a write goes to a person when its tool is risky. */
export const highestTier = (allowed: readonly IntentClass[]): Tier => {
  if (allowed.some(isWrite)) return 'high'
  return allowed.some((kind) => CLASSES[kind].tier === 'low') ? 'low' : 'none'
}

/** Never in one certificate with a read or a summary: the user must see first, and then say which. */
const SPLIT_FROM_READS: ReadonlySet<IntentClass> = new Set(['delete', 'export', 'delegate', 'admin'])

/** True for classes that cannot stand in one step: nothing understood, see and then destroy, or two writes. */
export function isConflict(classes: readonly IntentClass[]): boolean {
  const different = new Set(classes)
  const writes = [...different].filter(isWrite)
  const sees = different.has('read') || different.has('summarize')
  const isMixedUp = different.has('unknown') && different.size > 1
  return isMixedUp || writes.length > 1 || (sees && writes.some((kind) => SPLIT_FROM_READS.has(kind)))
}

/** A message's wishes in the order in which they become authority; each stage waits for the one before it. */
export function stagesOf(steps: readonly Step[]): readonly Step[] {
  const firstUnknown = steps.findIndex((step) => step.class === 'unknown')
  const understood = firstUnknown > 0 ? steps.slice(0, firstUnknown) : steps
  const firstWrite = understood.findIndex((step) => isWrite(step.class))
  if (firstWrite === -1) return oneRead(understood)
  const writes = understood.filter((step) => isWrite(step.class))
  const leading = understood.slice(0, firstWrite)
  // What the user has yet to decide about must not hold up what they want to see before.
  const isOpen = writes[0]?.missing.includes('choice') === true
  const seesFirst = leading.length > 0 && (isOpen || writes.some((step) => SPLIT_FROM_READS.has(step.class)))
  return seesFirst ? [...oneRead(leading), ...writes] : writes
}

/** Reads are one stage: the first one's class and every record that any of them names. */
function oneRead(steps: readonly Step[]): readonly Step[] {
  const [first] = steps
  if (first === undefined) return []
  const widest = steps.find((step) => step.class === 'summarize') ?? first
  const confidence = Math.min(...steps.map((step) => step.confidence ?? 1))
  return [{ ...first, class: widest.class, records: steps.flatMap((step) => step.records), confidence }]
}
