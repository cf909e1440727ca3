import type { Login } from '../core/login.ts'
import { TransportError } from '../core/transport-error.ts'
import { refuse, type Verdict } from '../core/verdict.ts'
import type { World } from '../core/world.ts'
import { deviceToken, type DeviceOptions } from './device.ts'
import { discover } from './discovery.ts'
import { exchange, readToken } from './exchange.ts'
import type { VerifyToken } from './introspect.ts'
import { rotatingKeys } from './keys.ts'
import { verifyLogin, type LoginPolicy } from './verify.ts'

/** Whoever says who is signed in. Every refusal has a `login.*` code; nothing here believes a name without a token. */
export interface Issuer {
  /** Who the token says is signed in; refused for anything but a valid token of this issuer. */
  verify(token: string): Promise<Verdict<Login>>
  /** Lets a person sign in on a device of their own (RFC 8628), and verifies the token that this gives. */
  signInByDevice(options: DeviceOptions): Promise<Verdict<Login>>
  /** Signs a customer in at the embedded demo issuer, which asks for no password, and verifies the token it gives. */
  signInDemo(customer: string): Promise<Verdict<Login>>
}

/**
 * An OpenID Connect issuer. Its tokens are JWTs that its own keys have signed, unless `verify` says otherwise, which is
 * then asked in place of the keys.
 */
export function createIssuer(policy: LoginPolicy, world: World, verify = byKeys(policy, world)): Issuer {
  return {
    verify,
    async signInByDevice(options) {
      const token = await deviceToken(policy.issuer, options, world)
      return token.ok ? verify(token.value) : token
    },
    async signInDemo(customer) {
      try {
        const { token_endpoint: endpoint = '' } = await discover(policy.issuer, world)
        const answer = await exchange(world, endpoint, { body: JSON.stringify({ customer }) })
        if (answer.status === 400) return refuse('login.unknown_caller', 'the issuer does not sign this customer in')
        return await verify(readToken(answer))
      } catch (cause) {
        if (cause instanceof TransportError) return refuse('login.unavailable', cause.message)
        throw cause
      }
    },
  }
}

function byKeys(policy: LoginPolicy, world: World): VerifyToken {
  const keys = rotatingKeys(policy.issuer, world)
  return (token) => verifyLogin(token, policy, keys, world)
}
