import type { OpenDoctor } from '../compose/doctor.io.ts'
import type { Settings } from '../config.io.ts'
import type { Service } from './doctor-services.ts'
import type { Check } from './doctor.ts'

type Place = Pick<Service, 'name' | 'speaks' | 'setting'>

/** Where each kind of PDP is. A kind that is not listed decides in this process. */
const PDPS: Readonly<Record<string, Place>> = {
  standin: { name: 'PDP', speaks: 'authzen', setting: 'AUTHZEN_PDP_URL' },
  authzen: { name: 'PDP', speaks: 'authzen', setting: 'AUTHZEN_PDP_URL' },
  indykite: { name: 'PDP', speaks: 'authzen', setting: 'AUTHZEN_PDP_URL' },
  openfga: { name: 'PDP', speaks: 'any', setting: 'OPENFGA_API_URL' },
}
const AGENT: Place = { name: 'intent-agent', speaks: 'a2a', setting: 'INTENT_AGENT_URL' }
const INTENT_MODEL: Place = { name: 'intent model', speaks: 'openai', setting: 'INTENT_MODEL_BASE_URL' }
const ISSUER: Place = { name: 'issuer', speaks: 'openid', setting: 'OIDC_ISSUER' }
const INTROSPECTION: Place = { name: 'introspection', speaks: 'any', setting: 'INTROSPECT_URL' }
const MODEL: Place = { name: 'model', speaks: 'openai', setting: 'MODEL_BASE_URL' }

/** Every service that these settings use and that can be asked, with the stand-ins of those that are not set. */
export function servicesOf(settings: Settings, standins: OpenDoctor['standins']): readonly Service[] {
  const { INTENT_MODEL_API_KEY, INTENT_MODEL_NAME, MODEL_API_KEY, MODEL_NAME } = settings
  const given = { ...settings }
  const introspects = usesIntrospection(settings)
  const agent = settings.INTENT_SOURCE === 'agent'
  const ownAgent = agent && settings.INTENT_AGENT_URL === undefined
  const pdp = PDPS[settings.PDP_KIND]
  return [
    ...(pdp === undefined ? [] : at(pdp, given, pdp === PDPS['standin'] ? standins.pdp : undefined)),
    ...(pdp === undefined ? [] : ofTenants(pdp, settings.ofTenants)),
    ...(agent ? at(AGENT, given, standins.agent) : []),
    ...(ownAgent ? at(INTENT_MODEL, given, undefined, { key: INTENT_MODEL_API_KEY, model: INTENT_MODEL_NAME }) : []),
    ...at(ISSUER, given, standins.issuer, { needsKeys: !introspects }),
    ...(introspects ? at(INTROSPECTION, given, undefined) : []),
    ...at(MODEL, given, standins.model, { key: MODEL_API_KEY, model: MODEL_NAME }),
  ]
}

const usesIntrospection = ({ OIDC_ISSUER, OIDC_TOKEN_CHECK }: Settings): boolean =>
  OIDC_ISSUER !== undefined && OIDC_TOKEN_CHECK === 'introspect'

/** The PDPs that single banks have of their own: `OPENFGA_API_URL__FJORDBANK`. */
const ofTenants = (pdp: Place, own: Readonly<Record<string, unknown>>): readonly Service[] =>
  Object.keys(own)
    .filter((name) => name.startsWith(`${pdp.setting}__`))
    .flatMap((setting) => {
      const bank = setting.slice(pdp.setting.length + 2).toLowerCase()
      return at({ ...pdp, name: `${pdp.name} of ${bank}`, setting }, own, undefined)
    })

/** The real service where it is set, else the stand-in, else none. A stand-in gets no key. */
function at(
  place: Place,
  settings: Readonly<Record<string, unknown>>,
  standin: string | undefined,
  more: Partial<Service> = {},
): readonly Service[] {
  const real = settings[place.setting]
  if (typeof real === 'string') return [{ ...place, ...more, url: real, isStandin: false }]
  return standin === undefined ? [] : [{ ...place, url: standin, isStandin: true }]
}

/** Services that these settings do not use, or that nobody can ask. */
export function unasked(settings: Settings): readonly Check[] {
  const { PDP_KIND, INTENT_SOURCE, MODEL_PROVIDER } = settings
  const not = (name: string, says: string): Check => ({ section: 'services', name, state: 'ok', says })
  return [
    ...(PDPS[PDP_KIND] === undefined ? [not('PDP', `${PDP_KIND}, in this process`)] : []),
    ...(INTENT_SOURCE === 'agent' ? [] : [not('intent-agent', 'not used (INTENT_SOURCE=definition)')]),
    ...(MODEL_PROVIDER === 'openai' ? [] : [not('model', 'GitHub, with the Copilot sign-in; not asked')]),
  ]
}
