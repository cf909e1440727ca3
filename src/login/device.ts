import { z } from 'zod'
import type { ReasonCode } from '../core/reasons.ts'
import { TransportError } from '../core/transport-error.ts'
import { pass, refuse, type Refusal, type Verdict } from '../core/verdict.ts'
import type { HttpAnswer, World } from '../core/world.ts'
import { discover } from './discovery.ts'
import { exchange, form, read, readToken } from './exchange.ts'

/** What a person needs to sign in on a device of their own. */
export interface DevicePrompt {
  readonly verificationUri: string
  /** The same with the code in it. */
  readonly verificationUriComplete?: string
  readonly userCode: string
  readonly expiresInSeconds: number
}

/** One sign-in by device code (RFC 8628, 3.1). */
export interface DeviceOptions {
  /** The public client that the issuer knows us by. */
  readonly clientId: string
  /** Separated by spaces. */
  readonly scope: string
  /** The resource that the token is for (RFC 8707). @defaultValue not sent */
  readonly resource?: string | undefined
  /** Called once, with what to show. */
  readonly show: (prompt: DevicePrompt) => void
  /** Ends the sign-in. */
  readonly signal: AbortSignal
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
/** Seconds between two questions when the issuer names none, and what `slow_down` adds (RFC 8628, 3.2 and 3.5). */
const STEP_SECONDS = 5
/** Seconds that a code is waited for at most, whatever the issuer says. */
const MAX_WAIT_SECONDS = 30 * 60
/** Questions in a row that may fail on the way. */
const MAX_LOST = 3

/**
 * The access token of whoever signs in with the code that is shown (RFC 8628). Asks no more often than the issuer wants,
 * and ends when the code expires, the person says no, or the signal aborts; each end has its own code.
 */
export async function deviceToken(issuer: string, options: DeviceOptions, world: World): Promise<Verdict<string>> {
  try {
    const begun = await begin(issuer, options, world)
    if (!begun.ok) return begun
    options.show(begun.value.prompt)
    return await waitForToken(begun.value, options, world)
  } catch (cause) {
    if (!(cause instanceof TransportError)) throw cause
    return options.signal.aborted ? cancelled : refuse('login.unavailable', cause.message)
  }
}

const cancelled = refuse('login.cancelled', 'the sign-in was given up here')

interface Begun {
  readonly prompt: DevicePrompt
  readonly tokenEndpoint: string
  readonly deviceCode: string
  readonly intervalSeconds: number
}

async function begin(issuer: string, options: DeviceOptions, world: World): Promise<Verdict<Begun>> {
  const { clientId: client_id, scope, resource, signal } = options
  const { device_authorization_endpoint: endpoint, token_endpoint } = await discover(issuer, world, signal)
  if (endpoint === undefined || token_endpoint === undefined) {
    return refuse('login.no_device_flow', 'the issuer publishes no device authorization endpoint')
  }
  const ask = { ...form({ client_id, scope, resource }), readsRefusals: true, signal }
  const answer = await exchange(world, endpoint, ask)
  if (isRefusal(answer)) return refusalOf(answer)
  const code = read(DeviceCode, answer)
  const prompt = {
    verificationUri: shown(code.verification_uri, issuer),
    ...(code.verification_uri_complete === undefined
      ? {}
      : { verificationUriComplete: shown(code.verification_uri_complete, issuer) }),
    userCode: code.user_code,
    expiresInSeconds: Math.min(code.expires_in, MAX_WAIT_SECONDS),
  }
  const intervalSeconds = Math.max(1, code.interval ?? STEP_SECONDS)
  return pass({ prompt, tokenEndpoint: token_endpoint, deviceCode: code.device_code, intervalSeconds })
}

// Loose on purpose: the answer may hold more (RFC 8628, 3.2).
const DeviceCode = z.looseObject({
  device_code: z.string().regex(/^[\x21-\x7e]{1,4096}$/),
  user_code: z.string().regex(/^[\x20-\x7e]{1,64}$/),
  verification_uri: z.url({ protocol: /^https?$/ }),
  verification_uri_complete: z.url({ protocol: /^https?$/ }).optional(),
  expires_in: z.number().positive(),
  interval: z.number().nonnegative().optional(),
})

/** A person is sent to https only, or to where the issuer itself is. */
function shown(uri: string, issuer: string): string {
  const { protocol, origin, href } = new URL(uri)
  if (protocol === 'https:' || origin === new URL(issuer).origin) return href
  throw new TransportError('answer', 'the issuer sends the person to plain http elsewhere')
}

async function waitForToken(begun: Begun, options: DeviceOptions, world: World): Promise<Verdict<string>> {
  const endsAtMs = world.monotonicMs() + begun.prompt.expiresInSeconds * 1_000
  let { intervalSeconds } = begun
  let lost = 0
  for (;;) {
    await world.pause(Math.min(intervalSeconds * 1_000, endsAtMs - world.monotonicMs()), options.signal)
    if (options.signal.aborted) return cancelled
    if (world.monotonicMs() >= endsAtMs) return refuse('login.timeout', 'the code has expired')
    const step = await askForToken(begun, options, world)
    if (step === 'slow_down') intervalSeconds += STEP_SECONDS
    else if (step === 'lost') intervalSeconds *= 2
    else if (step !== 'authorization_pending') return step
    lost = step === 'lost' ? lost + 1 : 0
    if (lost === MAX_LOST) return refuse('login.unavailable', `${MAX_LOST} questions in a row got no answer`)
  }
}

type Step = 'authorization_pending' | 'slow_down' | 'lost' | Verdict<string>

async function askForToken(
  { tokenEndpoint, deviceCode }: Begun,
  { clientId, resource, signal }: DeviceOptions,
  world: World,
): Promise<Step> {
  const fields = { grant_type: GRANT, device_code: deviceCode, client_id: clientId, resource }
  try {
    const answer = await exchange(world, tokenEndpoint, { ...form(fields), readsRefusals: true, signal })
    if (answer.status >= 500) return 'lost'
    if (!isRefusal(answer)) return pass(readToken(answer))
    const error = errorOf(answer)
    return error === 'authorization_pending' || error === 'slow_down' ? error : refusalOf(answer)
  } catch (cause) {
    // Ask less often when the way is bad (RFC 8628, 3.5); an answer that makes no sense will not get better.
    if (cause instanceof TransportError && cause.kind !== 'answer' && !signal.aborted) return 'lost'
    throw cause
  }
}

const isRefusal = ({ status }: HttpAnswer): boolean => status >= 400 && status < 500

// Loose on purpose: an error may hold a description, which is free text and read by nobody (RFC 6749, 5.2).
const Refused = z.looseObject({ error: z.string() })

const errorOf = ({ body }: HttpAnswer): string => Refused.safeParse(body).data?.error ?? 'no error'

const CODES: ReadonlyMap<string, ReasonCode> = new Map<string, ReasonCode>([
  ['access_denied', 'login.denied'],
  ['invalid_grant', 'login.denied'],
  ['expired_token', 'login.timeout'],
  ['invalid_client', 'login.client_refused'],
  ['unauthorized_client', 'login.client_refused'],
  ['unsupported_grant_type', 'login.client_refused'],
  ['invalid_request', 'login.client_refused'],
  ['invalid_scope', 'login.client_refused'],
  ['invalid_target', 'login.client_refused'],
])

function refusalOf(answer: HttpAnswer): Refusal {
  const error = errorOf(answer)
  const code = CODES.get(error)
  return code === undefined
    ? refuse('login.unavailable', `the issuer answered ${answer.status} with an error that is not of RFC 8628`)
    : refuse(code, `the issuer answered ${error}`)
}
