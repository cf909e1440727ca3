import { createHmac, hash } from 'node:crypto'
import canonicalize from 'canonicalize'

/**
 * Canonical JSON (RFC 8785).
 * @throws TypeError for what JSON cannot say: undefined, NaN, a lone surrogate.
 */
export function jcs(value: unknown): string {
  const text = canonicalize(value)
  if (text?.isWellFormed() !== true) throw new TypeError('not a JSON value')
  return text
}

/** Lower-case hex SHA-256 over the canonical JSON. */
export const digestOf = (value: unknown): string => hash('sha256', jcs(value), 'hex')

/** Lower-case hex HMAC-SHA256 over the canonical JSON: without the key nobody can test a guess of the text. */
export const keyedDigestOf = (key: string, value: unknown): string =>
  createHmac('sha256', key).update(jcs(value)).digest('hex')

/** A short salted hash of one value, for comparing only. The salt is a secret of the process. */
export const fingerprint = (salt: string, value: string): string =>
  hash('sha256', salt + value, 'base64url').slice(0, 22)
