import type { Evaluation } from '../../src/core/authzen.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import { refuse, type Refusal } from '../../src/core/verdict.ts'
import type { World } from '../../src/core/world.ts'
import { createAuthzenPdp } from '../../src/pdp/client.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import type { PdpProfile } from '../../src/pdp/profile.ts'
import { baseUrl, bearer, below } from './endpoint.ts'
import { carriedByOpenfga, uncarriedPart } from './openfga-words.ts'
import type { PdpSettings } from './settings.ts'

/**
 * A store of an OpenFGA server: `OPENFGA_API_URL`, `OPENFGA_STORE_ID`, `OPENFGA_API_TOKEN` and
 * `OPENFGA_AUTHORIZATION_MODEL_ID`. What OpenFGA cannot carry, or would read as something else, is never sent.
 * @throws SettingError when a setting is missing or malformed.
 */
export function openfga(settings: PdpSettings, world: World): Pdp {
  const client = createAuthzenPdp(openfgaProfile(settings), world)
  return {
    decide: async ({ evaluations: [first, ...others], login }, signal) => {
      const problem = unsupported([first, ...others])
      if (problem !== undefined) return problem
      const evaluations = [carriedByOpenfga(first), ...others.map(carriedByOpenfga)] as const
      const verdict = await client.decide({ evaluations, login }, signal)
      return verdict.ok ? verdict : explained(verdict)
    },
  }
}

/** @throws SettingError when a setting is missing or malformed. */
export function openfgaProfile(settings: PdpSettings): PdpProfile {
  const { OPENFGA_API_URL, OPENFGA_STORE_ID, OPENFGA_AUTHORIZATION_MODEL_ID: model } = settings
  const base = baseUrl('OPENFGA_API_URL', OPENFGA_API_URL)
  const store = ulid('OPENFGA_STORE_ID', OPENFGA_STORE_ID, 'Set it to what `npm run openfga:setup` prints.')
  return {
    evaluationsUrl: below(base, `/stores/${store}/access/v1/evaluations`),
    headers: {
      ...bearer('OPENFGA_API_TOKEN', settings),
      ...(model === undefined ? {} : { 'openfga-authorization-model-id': modelId(model) }),
    },
    // The server puts an id of its own into each answer.
    echoesRequestId: false,
  }
}

// A malformed id would be ignored without a word, and the latest model used.
const modelId = (model: string): string =>
  ulid('OPENFGA_AUTHORIZATION_MODEL_ID', model, 'Copy the id of the model again, or leave it out for the latest.')

function ulid(setting: string, value: string | undefined, fix: string): string {
  if (value === undefined) throw new SettingError(setting, 'is not set', fix)
  if (/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(value)) return value
  throw new SettingError(setting, 'is not a ULID (26 digits and capital letters)', fix)
}

function unsupported(evaluations: readonly Evaluation[]): Refusal | undefined {
  for (const [index, evaluation] of evaluations.entries()) {
    const part = uncarriedPart(evaluation)
    if (part !== undefined) return refuse('pdp.id_unsupported', `the ${part} of evaluation ${index + 1}`)
  }
  return undefined
}

const HINTS: Readonly<Record<string, string>> = {
  'status 400': 'the store, its model or the model that is named is not there',
  'status 404': 'start the server with --experimentals=authzen',
}

function explained(refusal: Refusal): Refusal {
  const hint = HINTS[refusal.detail.slice(0, 'status 400'.length)]
  return hint === undefined ? refusal : refuse(refusal.reason, `${refusal.detail}: ${hint}`)
}
