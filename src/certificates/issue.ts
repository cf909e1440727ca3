import type { EffectClass } from '../core/effect.ts'
import { sealed, type Certificate, type PayloadPins, type SubjectBinding, type VersionBinding } from './certificate.ts'
import { CLASSES, isWrite, stagesOf, type ReviewMode } from './classes.ts'
import type { Derivation, IntentClass, Step, SubjectFacts } from './derivation.ts'
import type { EffectBounds } from './effect-order.ts'
import type { CanonicalMessage } from './grammar/canonical-message.ts'
import { grounded } from './ground.ts'
import { bandOf, type Band } from './route.ts'
import type { CertificateSettings } from './settings.ts'
import { hashedWords } from './words.ts'

/** All that a certificate is made of: the reading of one message, whose it is, and what static policy offers. */
export interface IssueInput {
  readonly derivation: Derivation
  readonly message: Pick<CanonicalMessage, 'text' | 'hidden'>
  readonly binding: SubjectBinding
  readonly requestHash: string
  readonly facts: SubjectFacts
  /** Classes of the tools that static policy offers. */
  readonly offered: ReadonlySet<EffectClass>
  readonly versions: VersionBinding
  readonly classifierSource: string
  readonly settings: CertificateSettings
  readonly nowMs: number
  readonly newId: () => string
  /** Secret of the process: for the hashes of given texts. */
  readonly salt: string
}

/** One stage of a request: its certificate, and the grounded step that it was made from. */
export interface Stage {
  readonly certificate: Certificate
  readonly step: Step
}

/** More wishes than this in one message are left for the next one. */
const MAX_STAGES = 4

/** What a message asks for that names nothing. */
const NOTHING: Step = { class: 'unknown', records: [], texts: [], missing: [] }

/**
 * The certificates of one message, one a stage and the first one active: clipped to what static policy offers, bound to
 * this login, session and message. Pure: the same input gives the same authority, and never more than the derivation.
 */
export function issueCertificates(input: IssueInput): readonly [Stage, ...Stage[]] {
  const { derivation, message, facts } = input
  const steps = derivation.steps.map((step) => grounded(step, message.text, facts))
  const stages = derivation.affirmsOnly ? [] : stagesOf(steps).slice(0, MAX_STAGES)
  const [first = NOTHING, ...later] = stages
  const conflict = derivation.conflict || steps.some((step) => derivation.denied.has(step.class))
  const root = certificateOf(input, first, { conflict, index: 0, parentId: null })
  if (conflict) return [{ certificate: root, step: first }]
  return [
    { certificate: root, step: first },
    ...later.map((step, position) => ({
      certificate: certificateOf(input, step, { conflict, index: position + 1, parentId: root.id }),
      step,
    })),
  ]
}

/** A number from 0 to 1; NaN is 0. */
const fraction = (value: number): number => (value > 0 ? Math.min(value, 1) : 0)

/** The stage's own, and never above the message's. Characters that a person cannot see keep it below the high band. */
function confidenceOf({ derivation, message, settings }: IssueInput, step: Step): number {
  const stated = Math.min(fraction(derivation.confidence), fraction(step.confidence ?? 1))
  const below = (settings.bands.medium + settings.bands.high) / 2
  return message.hidden ? Math.min(stated, below) : stated
}

interface Place {
  readonly conflict: boolean
  readonly index: number
  readonly parentId: string | null
}

function certificateOf(input: IssueInput, step: Step, { conflict, index, parentId }: Place): Certificate {
  const { binding, requestHash, versions, settings, nowMs, derivation, salt, classifierSource } = input
  const isOffered = CLASSES[step.class].reach.some((kind) => input.offered.has(kind))
  const allowed: readonly IntentClass[] = !conflict && isOffered ? [step.class] : []
  const confidence = confidenceOf(input, step)
  const band = bandOf(confidence, settings.bands)
  const { lifetimeMs, turnLimit, effectBudget } = limitsOf(step, settings)
  return sealed({
    id: `crt_${`${input.newId()}${input.newId()}`.replaceAll('-', '')}`,
    requestHash,
    subjectBinding: binding,
    versionBinding: versions,
    intentClasses: { allowed, denied: [...derivation.denied].sort() },
    resourceBounds: { records: recordsByType(step), workspace: binding.workspaceId, window: null },
    effectBounds: boundsOf(step, settings, band, input.facts),
    payloadPins: pinsOf(step, salt),
    missing: step.missing,
    confidence,
    reviewMode: reviewOf(step, band, conflict, index > 0 && settings.laterSteps !== 'proceed'),
    issuedAt: new Date(nowMs).toISOString(),
    expiresAt: new Date(nowMs + lifetimeMs).toISOString(),
    turnLimit,
    effectBudget,
    classifierSource,
    parentId,
    stepIndex: index,
  })
}

/** How long and for how much: a write lives its own turn, for one mutation of the amount that was said. */
function limitsOf(
  step: Step,
  { writeTtlMs, readTtlMs, turnLimit, callsPerMessage: calls }: CertificateSettings,
): Pick<Certificate, 'turnLimit' | 'effectBudget'> & { readonly lifetimeMs: number } {
  const amountMinor = step.amount?.value.minor ?? null
  return isWrite(step.class)
    ? { lifetimeMs: writeTtlMs, turnLimit: 1, effectBudget: { mutations: 1, amountMinor, calls } }
    : { lifetimeMs: readTtlMs, turnLimit, effectBudget: { mutations: 0, amountMinor, calls } }
}

const pinsOf = ({ source, payee, amount, date, texts }: Step, salt: string): PayloadPins => ({
  source: source?.value ?? null,
  payee: payee?.value ?? null,
  amount: amount?.value ?? null,
  date: date?.value ?? null,
  texts: texts.map(({ value }) => hashedWords(salt, value)),
})

function recordsByType(step: Step): Record<string, string[]> {
  const types = [...new Set(step.records.map(({ type }) => type))].sort()
  const idsOf = (type: string): string[] => step.records.filter((each) => each.type === type).map(({ value }) => value)
  return Object.fromEntries(types.map((type) => [type, [...new Set(idsOf(type))].sort()]))
}

function boundsOf(step: Step, { maxRows }: CertificateSettings, band: Band, facts: SubjectFacts): EffectBounds {
  const { tier } = CLASSES[step.class]
  const write = isWrite(step.class)
  return {
    mutations: mutationsOf(step.class),
    resources: write ? resourcesOf(step, facts) : null,
    maxRows: band === 'high' ? maxRows.high : maxRows.medium,
    maxMutations: write ? 1 : 0,
    maxAmount: write ? (step.amount?.value ?? null) : null,
    destinations: write && step.payee !== undefined ? [step.payee.value] : [],
    egress: tier === 'high' ? 'third_party' : 'user',
    irreversible: tier === 'high',
  }
}

/** A payment is also a record of itself; every other class changes things in its own way alone. */
const mutationsOf = (kind: IntentClass): readonly string[] =>
  kind === 'move_money' ? [kind, 'create'] : isWrite(kind) ? [kind] : []

/** What a write may touch: what the message names, and where it names no source, the subject's own. */
function resourcesOf(step: Step, facts: SubjectFacts): readonly string[] | null {
  const named = [...step.records, ...(step.source === undefined ? [] : [step.source])].map(({ value }) => value)
  if (step.source === undefined && step.class === 'move_money') named.push(...ownSources(facts))
  return named.length === 0 ? null : [...new Set(named)].sort()
}

/** Accounts of the subject that money can leave. */
export const ownSources = (facts: SubjectFacts): readonly string[] =>
  facts.records.filter(({ isSource, closed }) => isSource === true && closed !== true).map(({ id }) => id)

/**
 * Whether it is to happen at all is the user's to say, what is not understood, and what a high-risk step is about when it is not theirs or
 * not one thing: no card settles that for them.
 */
const isForTheUser = ({ class: kind, missing }: Step): boolean =>
  CLASSES[kind].tier === 'none' ||
  (isWrite(kind) && missing.includes('choice')) ||
  (CLASSES[kind].tier === 'high' && missing.includes('record'))

function reviewOf(step: Step, band: Band, conflict: boolean, mustConfirm: boolean): ReviewMode {
  if (conflict) return 'deny'
  const { tier } = CLASSES[step.class]
  if (band === 'low' || isForTheUser(step)) return 'clarify'
  // A change that the message settles by itself needs no second word for coming second.
  if (tier === 'high' || (mustConfirm && step.missing.length > 0)) return 'confirm'
  if (band === 'medium') return 'preflight'
  return tier === 'medium' && step.missing.length > 0 ? 'draft' : 'allow'
}
