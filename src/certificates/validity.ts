import type { ReasonCode } from '../core/reasons.ts'
import { auditDigestOf, type Certificate, type SubjectBinding, type VersionBinding } from './certificate.ts'

/** What became of a certificate. All but `active` are final and leave a tombstone. */
export type CertificateState =
  'active' | 'expired_time' | 'expired_turn' | 'expired_context' | 'consumed' | 'superseded' | 'revoked'

/** What a use is checked against: the facts of the session, never of the model. */
export interface UseContext {
  /** Whose call it is; `messageId` is left out, because older messages may still grant reads. */
  readonly subject: Omit<SubjectBinding, 'messageId'>
  /** The hash held for each trusted message of the session. */
  readonly requestHashes: ReadonlyMap<string, string>
  readonly state: CertificateState
  readonly nowMs: number
  readonly versions: VersionBinding
  /** True when the digest of this very object was verified before. @defaultValue false */
  readonly intact?: boolean
}

interface Invalid {
  readonly code: ReasonCode
  readonly detail: string
}

type Check = (certificate: Certificate, use: UseContext) => Invalid | undefined

const fails = (failed: boolean, code: ReasonCode, detail: string): Invalid | undefined =>
  failed ? { code, detail } : undefined

/** Another actor, app, key or tenant gets the answer of an unknown id; the audit gets the truth. */
const ownerFields = ['actorId', 'appId', 'keyId', 'tenantId'] as const
const placeFields = ['workspaceId', 'sessionId'] as const
const versionFields = ['canon', 'policy', 'registry', 'effects'] as const

const owner: Check = ({ subjectBinding }, { subject }) => {
  const wrong = ownerFields.find((field) => subjectBinding[field] !== subject[field])
  return fails(wrong !== undefined, 'agent.intent_not_found', `binding:${wrong ?? ''}`)
}

const place: Check = ({ subjectBinding }, { subject, requestHashes }) => {
  const wrong = placeFields.find((field) => subjectBinding[field] !== subject[field])
  if (wrong !== undefined) return { code: 'agent.intent_binding_mismatch', detail: `binding:${wrong}` }
  const isKnown = requestHashes.has(subjectBinding.messageId)
  return fails(!isKnown, 'agent.intent_binding_mismatch', 'binding:messageId')
}

const integrity: Check = (certificate, { intact }) =>
  fails(intact !== true && !digestHolds(certificate), 'agent.intent_invalid', 'digest')

/** A certificate of any shape: what canonical JSON cannot say has no digest. */
function digestHolds(certificate: Certificate): boolean {
  try {
    return auditDigestOf(certificate) === certificate.auditDigest
  } catch (cause) {
    if (cause instanceof Error) return false
    throw cause
  }
}

const request: Check = ({ requestHash, subjectBinding }, { requestHashes }) =>
  fails(requestHashes.get(subjectBinding.messageId) !== requestHash, 'agent.intent_invalid', 'request_hash')

const revoked: Check = (_certificate, { state }) => fails(state === 'revoked', 'agent.intent_revoked', 'revoked')

const EXPIRED: Partial<Record<CertificateState, string>> = {
  expired_time: 'time',
  expired_turn: 'turn',
  expired_context: 'context',
}

const expired: Check = ({ expiresAt }, { state, nowMs }) => {
  // A date that does not parse is past.
  if (!(nowMs < Date.parse(expiresAt))) return { code: 'agent.intent_expired', detail: 'time' }
  const cause = EXPIRED[state]
  return fails(cause !== undefined, 'agent.intent_expired', cause ?? '')
}

const spent: Check = (_certificate, { state }) =>
  fails(state === 'superseded' || state === 'consumed', 'agent.intent_revoked', state)

const version: Check = ({ versionBinding }, { versions }) => {
  const wrong = versionFields.find((field) => versionBinding[field] !== versions[field])
  return fails(wrong !== undefined, 'agent.intent_version_stale', `version:${wrong ?? ''}`)
}

/** The order of the intent-certificate model, validation: the first failure is the one that is told. */
const CHECKS: readonly Check[] = [owner, place, integrity, request, revoked, expired, spent, version]

/** Why a certificate cannot be used here and now; undefined when it can. Confidence is no part of it. */
export function invalidity(certificate: Certificate | undefined, use: UseContext): Invalid | undefined {
  if (certificate === undefined) return { code: 'agent.intent_not_found', detail: 'none' }
  for (const check of CHECKS) {
    const failure = check(certificate, use)
    if (failure !== undefined) return failure
  }
  return undefined
}
