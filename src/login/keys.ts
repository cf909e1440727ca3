import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import { TransportError } from '../core/transport-error.ts'
import type { World } from '../core/world.ts'
import { discover } from './discovery.ts'
import { exchange, read } from './exchange.ts'

/** An unknown key is looked up again, but not more often than this. */
const COOLDOWN_MS = 10_000
/** Keys that are older are fetched again, so that one that the issuer has withdrawn is not good for long. */
const MAX_AGE_MS = 10 * 60_000

// Loose on purpose: a key holds what its type needs (RFC 7517, 4 and 5).
const Keys = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) })
const MEDIA_TYPES = ['application/json', 'application/jwk-set+json']

interface KeySet {
  readonly find: JWTVerifyGetKey
  readonly atMs: number
}

/** An issuer's keys: fetched on first use, when a token names an unknown one, and every ten minutes. */
export function rotatingKeys(issuer: string, world: World): JWTVerifyGetKey {
  let current: KeySet | undefined
  let underWay: Promise<KeySet> | undefined
  let triedAtMs = -Infinity
  const fetchOnce = (): Promise<KeySet> => {
    triedAtMs = world.monotonicMs()
    underWay ??= fetchKeys(issuer, world).finally(() => {
      underWay = undefined
    })
    return underWay
  }
  const isFresh = ({ atMs }: KeySet): boolean => world.monotonicMs() - atMs < MAX_AGE_MS
  return async (header, token) => {
    const held = current !== undefined && isFresh(current) ? current : (current = await fetchOnce())
    try {
      return await held.find(header, token)
    } catch (cause) {
      const unknownKey = cause instanceof errors.JWKSNoMatchingKey
      if (!unknownKey || world.monotonicMs() - triedAtMs < COOLDOWN_MS) throw cause
      current = await fetchOnce()
      return current.find(header, token)
    }
  }
}

async function fetchKeys(issuer: string, world: World): Promise<KeySet> {
  const { jwks_uri: uri } = await discover(issuer, world)
  if (uri === undefined) throw new TransportError('answer', 'the issuer publishes no keys')
  const { keys } = read(Keys, await exchange(world, uri, { accepts: MEDIA_TYPES }))
  return { find: createLocalJWKSet({ keys }), atMs: world.monotonicMs() }
}
