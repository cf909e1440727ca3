import type { World } from '../../src/core/world.ts'
import { createAuthzenPdp } from '../../src/pdp/client.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { discovering } from './authzen-discovery.ts'
import { extraHeader } from './authzen-header.ts'
import { baseUrl, bearer } from './endpoint.ts'
import type { PdpSettings } from './settings.ts'

/**
 * Any AuthZEN 1.0 PDP: `AUTHZEN_PDP_URL`, `AUTHZEN_PDP_TOKEN`, and one more header by name and value. Where its boxcars
 * go is asked of the PDP itself, at the first question.
 * @throws SettingError when a setting is missing or malformed.
 */
export function authzen(settings: PdpSettings, world: World): Pdp {
  const base = baseUrl('AUTHZEN_PDP_URL', settings.AUTHZEN_PDP_URL)
  const headers = { ...extraHeader(settings), ...bearer('AUTHZEN_PDP_TOKEN', settings) }
  const open = (evaluationsUrl: URL): Pdp => createAuthzenPdp({ evaluationsUrl, headers }, world)
  return discovering({ base, headers, open }, world)
}
