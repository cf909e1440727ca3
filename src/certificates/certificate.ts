import type { ArgumentRole } from '../core/tool.ts'
import type { ReviewMode } from './classes.ts'
import type { IntentClass, Money } from './derivation.ts'
import { digestOf, keyedDigestOf } from './digest.ts'
import type { EffectBounds } from './effect-order.ts'

/** Which rules made a canonical message; part of a certificate's version. */
export const CANON = 'canon-1'

/** Whose certificate it is: from the login and the session, never from a prompt. */
export interface SubjectBinding {
  readonly actorId: string
  readonly appId: string
  /** Who vouches for the actor: the issuer of the login. */
  readonly keyId: string
  readonly tenantId: string
  readonly workspaceId: string | null
  readonly sessionId: string
  readonly messageId: string
}

/** What a certificate was made under; any difference at use makes it stale. */
export interface VersionBinding {
  readonly canon: string
  readonly policy: string
  readonly registry: string
  readonly effects: string
}

/** Values that a call must have exactly. They are apart from the upper bounds: equality is not downward closed. */
export interface PayloadPins {
  readonly source: string | null
  readonly payee: string | null
  readonly amount: Money | null
  readonly date: string | null
  /** Texts that the message gives, as keyed hashes of their words in order. */
  readonly texts: readonly (readonly string[])[]
}

interface EffectBudget {
  readonly mutations: number
  /** Null: no amount was said; a person sees it before anything moves. */
  readonly amountMinor: number | null
  readonly calls: number
}

/** One request of one message, as authority: it can only narrow what the subject may do anyway. No text is in it. */
export interface Certificate {
  readonly id: string
  /** Keyed, so that a log of hashes is no log of wishes. */
  readonly requestHash: string
  readonly subjectBinding: SubjectBinding
  readonly versionBinding: VersionBinding
  readonly intentClasses: { readonly allowed: readonly IntentClass[]; readonly denied: readonly IntentClass[] }
  readonly resourceBounds: {
    /** Ids that the message names, by resource type; a type that is not here was not named. */
    readonly records: Readonly<Record<string, readonly string[]>>
    readonly workspace: string | null
    /** ISO 8601 dates, inclusive. */
    readonly window: { readonly from: string; readonly to: string } | null
  }
  readonly effectBounds: EffectBounds
  readonly payloadPins: PayloadPins
  /** What the step needs and the message does not settle. */
  readonly missing: readonly ArgumentRole[]
  readonly confidence: number
  readonly reviewMode: ReviewMode
  /** ISO 8601 instants. */
  readonly issuedAt: string
  readonly expiresAt: string
  readonly turnLimit: number
  readonly effectBudget: EffectBudget
  readonly classifierSource: string
  readonly parentId: string | null
  readonly stepIndex: number
  /** Over every field but itself. What happens to a certificate later is kept beside it, not in it. */
  readonly auditDigest: string
}

interface HashedRequest {
  readonly canon: string
  readonly binding: SubjectBinding
  readonly text: string
}

/** The hash of one message of one actor in one session (intent-certificate model, fields). */
export const requestHashOf = (key: string, { canon, binding, text }: HashedRequest): string => {
  const { messageId, sessionId, tenantId, actorId } = binding
  return keyedDigestOf(key, { canon, messageId, sessionId, tenantId, actorId, text })
}

/** The digest that a certificate must have; what it says of itself is left out. */
export const auditDigestOf = (certificate: Omit<Certificate, 'auditDigest'>): string =>
  digestOf({ ...certificate, auditDigest: undefined })

/** Closes a certificate: with its digest, and unchangeable. */
export const sealed = (fields: Omit<Certificate, 'auditDigest'>): Certificate =>
  frozen({ ...fields, auditDigest: auditDigestOf(fields) })

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) frozen(member)
    Object.freeze(value)
  }
  return value
}
