import { z } from 'zod'
import { TransportError } from '../core/transport-error.ts'
import type { World } from '../core/world.ts'
import { exchange, read } from './exchange.ts'

// Loose on purpose: an issuer may publish more than we read (OpenID Connect Discovery 1.0, 3; RFC 8414, 2).
const Metadata = z.looseObject({
  issuer: z.string(),
  jwks_uri: z.url().optional(),
  token_endpoint: z.url().optional(),
  device_authorization_endpoint: z.url().optional(),
  introspection_endpoint: z.url().optional(),
})

/** What an issuer publishes about itself. */
export type IssuerMetadata = z.output<typeof Metadata>

/**
 * Reads an issuer's metadata where OpenID Connect Discovery puts it, else where RFC 8414 does.
 * @throws TransportError when there is none, or it is of another issuer: the two must be equal to the letter.
 */
export async function discover(issuer: string, world: World, signal?: AbortSignal): Promise<IssuerMetadata> {
  const [first, second] = wellKnown(issuer)
  let answer = await exchange(world, first, { signal })
  if (answer.status === 404) answer = await exchange(world, second, { signal })
  const metadata = read(Metadata, answer)
  if (metadata.issuer !== issuer) throw new TransportError('answer', 'the discovery document is of another issuer')
  return metadata
}

// With a path in the issuer, one appends to it and the other goes before it (RFC 8414, 3.1 and 5).
function wellKnown(issuer: string): readonly [string, string] {
  if (!URL.canParse(issuer)) throw new TransportError('answer', 'the issuer is not a URL')
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/+$/, '')
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
}
