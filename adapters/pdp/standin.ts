import { SettingError } from '../../src/core/setting-error.ts'
import type { World } from '../../src/core/world.ts'
import { createAuthzenPdp } from '../../src/pdp/client.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { evaluationsUrl, headerSecret } from './endpoint.ts'
import type { PdpSettings } from './settings.ts'

/**
 * The PDP at `AUTHZEN_PDP_URL`, else the embedded stand-in.
 * @throws SettingError when there is neither, or a setting is malformed.
 */
export function standin(settings: PdpSettings, world: World): Pdp {
  const { AUTHZEN_PDP_URL, AUTHZEN_PDP_CLIENT_KEY, standinUrl } = settings
  const base = AUTHZEN_PDP_URL ?? standinUrl
  if (base === undefined) {
    throw new SettingError('AUTHZEN_PDP_URL', 'is not set and no stand-in runs', 'Set the base URL of the PDP.')
  }
  const headers: Readonly<Record<string, string>> =
    AUTHZEN_PDP_CLIENT_KEY === undefined
      ? {}
      : { 'x-ik-clientkey': headerSecret('AUTHZEN_PDP_CLIENT_KEY', AUTHZEN_PDP_CLIENT_KEY) }
  return createAuthzenPdp({ evaluationsUrl: evaluationsUrl('AUTHZEN_PDP_URL', base), headers }, world)
}
