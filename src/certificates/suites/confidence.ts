import type { IntentClass } from '../derivation.ts'
import { routeFor, type Route } from '../route.ts'
import { certificateSettings } from '../settings.ts'

/** What a route is called in results. */
type Label = 'execute' | 'draft+preflight' | 'confirm+preflight' | 'clarify' | 'deny/split'

interface State {
  readonly id: string
  readonly steps: readonly (readonly IntentClass[])[]
  readonly confidence: number
  readonly permitted: boolean
  readonly want: Label
}

const state = (id: string, steps: State['steps'], confidence: number, want: Label, permitted = true): State => ({
  id,
  steps,
  confidence,
  permitted,
  want,
})

/** Twelve certificates in their bands, and where each must be routed (intent-certificate model, confidence suite). */
const CONFIDENCE_STATES: readonly State[] = [
  state('high read', [['read']], 0.9, 'execute'),
  state('high summarize', [['summarize']], 0.85, 'execute'),
  state('medium create', [['create']], 0.65, 'draft+preflight'),
  state('medium update', [['update']], 0.5, 'draft+preflight'),
  state('low ambiguous', [['unknown']], 0.3, 'clarify'),
  state('low ambiguous create', [['create']], 0.49, 'clarify'),
  state('read and delete at once', [['read', 'delete']], 0.9, 'deny/split'),
  state('high-risk delete', [['delete']], 0.9, 'confirm+preflight'),
  state('high-risk export', [['export']], 0.95, 'confirm+preflight'),
  state('read, then delete', [['read'], ['delete']], 0.9, 'deny/split'),
  state('high read, not permitted', [['read']], 0.95, 'deny/split', false),
  state('high delete, not permitted', [['delete']], 0.95, 'deny/split', false),
]

interface ConfidenceResult {
  readonly id: string
  readonly want: Label
  readonly got: Label | 'other'
}

/** Routes every state by the default bands. */
export function runConfidence(): readonly ConfidenceResult[] {
  const { bands } = certificateSettings()
  return CONFIDENCE_STATES.map(({ id, want, ...question }) => ({ id, want, got: labelOf(routeFor(question, bands)) }))
}

function labelOf({ effect, obligations, outcome }: Route): ConfidenceResult['got'] {
  if (outcome !== undefined) return outcome === 'clarify' ? 'clarify' : 'deny/split'
  if (effect === 'execute') return obligations.size === 0 ? 'execute' : 'other'
  if (!obligations.has('preflight')) return 'other'
  if (obligations.has('confirm')) return 'confirm+preflight'
  return obligations.has('draft') ? 'draft+preflight' : 'other'
}
