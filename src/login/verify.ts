import { errors, jwtVerify, type JWTVerifyGetKey } from 'jose'
import { subjectId, tenantId, type TenantId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import type { ReasonCode } from '../core/reasons.ts'
import { TransportError } from '../core/transport-error.ts'
import { pass, refuse, type Refusal, type Verdict } from '../core/verdict.ts'
import type { World } from '../core/world.ts'

/** Signature algorithms that a token may use. Symmetric ones and `none` are not among them. */
const ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'RS256', 'PS256']

/** Seconds that the issuer's clock may be ahead of or behind ours when a token is checked (RFC 7519, 4.1.4). */
const CLOCK_SKEW_SECONDS = 30

/** What a signed token may say it is; another kind, like a logout token, is not a login (RFC 8725, 3.11; RFC 9068, 2.1). */
const TYPES = new Set(['jwt', 'at+jwt', 'application/at+jwt'])

/** The form of a subject and of a tenant: plain ids, because they become AuthZEN ids. */
const ID = /^[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,126}[A-Za-z0-9])?$/

/** Every login that was made here: an object that only looks like one is none. */
const verified = new WeakSet<Login>()

/** True for a login of this file, and for nothing else. */
export const isVerified = (login: Login): boolean => verified.has(login)

/** What a token must say to be a login here (RFC 8725, 3.8 and 3.9). */
export interface LoginPolicy {
  readonly issuer: string
  readonly audience: string
  /** The claim that names the subject. @defaultValue `sub` */
  readonly subjectClaim?: string
  /** The claim that names the tenant. @defaultValue `tenant` */
  readonly tenantClaim?: string
  /** AuthZEN `subject.type` of everyone who signs in here. */
  readonly subjectType: string
  /** The tenants that this process serves; the token's tenant claim must name one of them. */
  readonly tenants: ReadonlySet<TenantId>
}

/**
 * Who a token says is signed in (RFC 7519, RFC 8725): issuer, audience, algorithm, signature, expiry and not-before hold,
 * and the tenant is one of ours. Nothing but the token is looked at.
 */
export async function verifyLogin(
  token: string,
  policy: LoginPolicy,
  key: JWTVerifyGetKey,
  world: Pick<World, 'now'>,
): Promise<Verdict<Login>> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, key, {
      issuer: policy.issuer,
      audience: policy.audience,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: world.now(),
      requiredClaims: ['exp'],
    })
    if (!TYPES.has((protectedHeader.typ ?? 'jwt').toLowerCase())) {
      return refuse('login.invalid', 'the token is of another kind')
    }
    return loginFrom(token, payload, policy)
  } catch (cause) {
    return refuse(codeOf(cause), cause instanceof errors.JOSEError ? cause.code : 'the key could not be had')
  }
}

/** What somebody who is trusted says about a token: the payload of a JWT, or an answer of RFC 7662. */
export type Claims = Readonly<Record<string, unknown>>

/** Why claims that no signature check has looked at do not hold; undefined when they do. The rules are those of a JWT. */
export function checkClaims(claims: Claims, policy: LoginPolicy, world: Pick<World, 'now'>): Refusal | undefined {
  const { iss, aud, exp, nbf = 0 } = claims
  const nowSeconds = Math.floor(world.now().getTime() / 1000)
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (iss !== policy.issuer) return refuse('login.invalid', 'the token is of another issuer')
  if (!audiences.includes(policy.audience)) return refuse('login.invalid', 'the token is for another audience')
  if (typeof exp !== 'number') return refuse('login.invalid', 'the token has no expiry')
  if (exp <= nowSeconds - CLOCK_SKEW_SECONDS) return refuse('login.expired', 'the token is past its exp')
  if (typeof nbf === 'number' && nbf <= nowSeconds + CLOCK_SKEW_SECONDS) return undefined
  return refuse('login.invalid', 'the token is not valid yet')
}

/** The login of claims that hold. Call only after `checkClaims`, or after the signature check of a JWT. */
export function loginFrom(token: string, claims: Claims, policy: LoginPolicy): Verdict<Login> {
  const subject = claim(claims, policy.subjectClaim ?? 'sub')
  const tenant = claim(claims, policy.tenantClaim ?? 'tenant')
  // A token that is bound to a key proves nothing without the key, which we do not ask for (RFC 7800; RFC 9449, 7.1).
  if (claims['cnf'] !== undefined) return refuse('login.invalid', 'the token is bound to a key of its owner')
  if (subject === undefined) return refuse('login.invalid', 'no usable subject claim')
  if (tenant === undefined) return refuse('login.invalid', 'no usable tenant claim')
  const known = tenantId(tenant)
  if (!policy.tenants.has(known)) return refuse('login.tenant_unknown', 'the token is of another tenant')
  const login = Object.freeze({
    issuer: policy.issuer,
    tenant: known,
    subject: Object.freeze({ type: policy.subjectType, id: subjectId(subject) }),
    token,
    expiresAtMs: (typeof claims['exp'] === 'number' ? claims['exp'] : 0) * 1000,
  }) as Login
  verified.add(login)
  return pass(login)
}

function claim(claims: Claims, name: string): string | undefined {
  const value = claims[name]
  return typeof value === 'string' && ID.test(value) ? value : undefined
}

function codeOf(cause: unknown): ReasonCode {
  if (cause instanceof errors.JWTExpired) return 'login.expired'
  if (cause instanceof TransportError) return 'login.unavailable'
  return 'login.invalid'
}
