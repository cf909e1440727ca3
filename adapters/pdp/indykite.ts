import { z } from 'zod'
import { SettingError } from '../../src/core/setting-error.ts'
import type { HttpAnswer, World } from '../../src/core/world.ts'
import { createAuthzenPdp } from '../../src/pdp/client.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { bearer, evaluationsUrl, headerSecret } from './endpoint.ts'
import type { PdpSettings } from './settings.ts'

/**
 * IndyKite's regional API at `AUTHZEN_PDP_URL`, with `AUTHZEN_PDP_CLIENT_KEY` and the token of each session, or
 * `AUTHZEN_PDP_TOKEN` where logins are the embedded issuer's. As documented; not tried against a tenant.
 * @throws SettingError when a setting is missing or malformed.
 */
export function indykite(settings: PdpSettings, world: World): Pdp {
  const { AUTHZEN_PDP_URL, AUTHZEN_PDP_CLIENT_KEY: key, AUTHZEN_PDP_TOKEN: token, realLogins } = settings
  if (key === undefined) {
    const fix = 'Set it to the token of your AppAgent, or choose another PDP_KIND.'
    throw new SettingError('AUTHZEN_PDP_CLIENT_KEY', 'is not set, and PDP_KIND=indykite needs it', fix)
  }
  const clientKey = headerSecret('AUTHZEN_PDP_CLIENT_KEY', key)
  if (AUTHZEN_PDP_URL === undefined) {
    const fix = 'Set it to the API of your region, like https://eu.api.indykite.com, or set PDP_KIND=standin.'
    throw new SettingError('AUTHZEN_PDP_URL', 'is not set, and PDP_KIND=indykite needs it', fix)
  }
  // IndyKite decides for whoever the token names, so one user's token must not answer for another's session.
  if (token !== undefined && realLogins === true) {
    const problem = 'would answer for every session, and PDP_KIND=indykite sends the token of each'
    throw new SettingError('AUTHZEN_PDP_TOKEN', problem, 'Leave it out.')
  }
  const profile = {
    evaluationsUrl: evaluationsUrl('AUTHZEN_PDP_URL', AUTHZEN_PDP_URL),
    headers: { 'x-ik-clientkey': clientKey, ...bearer('AUTHZEN_PDP_TOKEN', settings) },
    forwardsLogin: token === undefined,
    // Whether it echoes the id is not documented.
    echoesRequestId: false,
  }
  const send: World['send'] = async (url, request) => inAuthzenWords(await world.send(url, request))
  return createAuthzenPdp(profile, { ...world, send })
}

const Answer = z.looseObject({ evaluations: z.array(z.unknown()) })
// IndyKite says a missing parameter as a reason beside `false`, where AuthZEN has `context.error`.
const Fault = z.looseObject({ context: z.looseObject({ reason: z.string().startsWith('invalid_argument') }) })

function inAuthzenWords(answer: HttpAnswer): HttpAnswer {
  const { success, data } = Answer.safeParse(answer.body)
  return success ? { ...answer, body: { ...data, evaluations: data.evaluations.map(withError) } } : answer
}

function withError(item: unknown): unknown {
  const { success, data } = Fault.safeParse(item)
  return success ? { ...data, context: { ...data.context, error: { status: 422 } } } : item
}
