import type { World } from '../../src/core/world.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { authzen } from './authzen.ts'
import { cedar } from './cedar.ts'
import { indykite } from './indykite.ts'
import { checkOpenfga } from './openfga-check.ts'
import { openfga } from './openfga.ts'
import type { PdpSettings } from './settings.ts'
import { standin } from './standin.ts'

/** What `PDP_KIND` may name. */
export type PdpKind = RemoteKind | 'cedar'

/** The kinds that are servers. */
type RemoteKind = 'standin' | 'openfga' | 'authzen' | 'indykite'

/** Makes the PDP of one kind. @throws SettingError when a setting that the kind needs is missing or malformed. */
export type OpenPdp = (settings: PdpSettings, world: World) => Pdp

/** Every kind that is built in; a new one does not compile until it is listed. */
export const PDP_KINDS: Readonly<Record<RemoteKind, OpenPdp>> & { readonly cedar: typeof cedar } = {
  standin,
  openfga,
  authzen,
  indykite,
  cedar,
}

/** Asks a PDP of this kind, before anybody relies on it, what must be denied. @throws SettingError when it is not. */
type CheckPdp = typeof checkOpenfga

/** The kinds whose PDP is asked at start; the others are asked when a call is decided, and not before. */
export const PDP_CHECKS: Readonly<Partial<Record<PdpKind, CheckPdp>>> = { openfga: checkOpenfga }
