import { z } from 'zod'
import type { Evaluation, NonEmpty } from '../../src/core/authzen.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import { TransportError } from '../../src/core/transport-error.ts'
import type { HttpAnswer, World } from '../../src/core/world.ts'
import { readAnswer } from '../../src/pdp/answer.ts'
import { boxcar } from '../../src/pdp/question.ts'
import { openfgaProfile } from './openfga.ts'
import type { PdpSettings } from './settings.ts'

type Fault = readonly [setting: string, problem: string, fix: string]

const SET_UP = 'Run `npm run openfga:setup` and use what it prints.'
const NO_MODEL: Fault = ['OPENFGA_STORE_ID', 'is not a store of this server, or one without a model', SET_UP]
/** What the server says in the body of a 4xx, and which setting that blames. */
const REFUSALS: Readonly<Record<string, Fault>> = {
  unimplemented: [
    'OPENFGA_API_URL',
    'is a server whose AuthZEN endpoints are off',
    'Start it with --experimentals=authzen.',
  ],
  bearer_token_missing: ['OPENFGA_API_TOKEN', 'is not set, and the server asks for a token', 'Set it to its key.'],
  unauthenticated: ['OPENFGA_API_TOKEN', 'is not accepted by the server', 'Copy the key of the server again.'],
  store_id_not_found: NO_MODEL,
  latest_authorization_model_not_found: NO_MODEL,
  authorization_model_not_found: [
    'OPENFGA_AUTHORIZATION_MODEL_ID',
    'is not a model of this store',
    'Copy the id of the model again, or leave it out for the latest.',
  ],
}

/**
 * Asks the server what must be denied, before anybody relies on it. One that cannot be reached now is no wrong setting:
 * until it can, every call is denied.
 * @throws SettingError when it permits any of it (the store of another bank, or a version with known faults), when its
 *   model does not know a type or an action, or when its answer blames a setting.
 */
export async function checkOpenfga(
  settings: PdpSettings,
  mustDeny: NonEmpty<Evaluation>,
  world: World,
  signal: AbortSignal,
): Promise<void> {
  const { evaluationsUrl, headers } = openfgaProfile(settings)
  const request = { method: 'POST', headers, body: boxcar(mustDeny), readsRefusals: true, signal } as const
  try {
    const fault = faultIn(await world.send(evaluationsUrl, request), mustDeny)
    if (fault !== undefined) throw new SettingError(...fault)
  } catch (cause) {
    if (!(cause instanceof TransportError)) throw cause
  }
}

const Refusal = z.looseObject({ code: z.string() })

function faultIn(answer: HttpAnswer, mustDeny: NonEmpty<Evaluation>): Fault | undefined {
  const { success, data } = Refusal.safeParse(answer.body)
  if (answer.status !== 200) return success && Object.hasOwn(REFUSALS, data.code) ? REFUSALS[data.code] : undefined
  const verdict = readAnswer(answer, mustDeny.length)
  if (verdict.ok) {
    const wrong = mustDeny.find((_, index) => verdict.value[index] === true)
    return wrong === undefined ? undefined : ['OPENFGA_STORE_ID', permits(wrong), SET_UP]
  }
  return verdict.reason === 'pdp.error'
    ? ['OPENFGA_STORE_ID', "is a store whose model does not know the bank's types and actions", SET_UP]
    : undefined
}

const permits = ({ subject, action, resource }: Evaluation): string =>
  `permits ${subject.type} ${subject.id} ${action.name} on ${resource.type} ${resource.id}, which this bank must deny`
