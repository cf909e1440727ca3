import { PDP_SETTINGS, type PdpSetting } from '../adapters/pdp/settings.ts'

/** Settings of the PDP for one tenant alone, by their whole names: `OPENFGA_STORE_ID__FJORDBANK`. */
export type TenantSettings = Readonly<Record<string, string>>
type PdpValues = Readonly<Partial<Record<PdpSetting, string | undefined>>>

/** What follows the name of a setting for one tenant alone. */
export const tenantSuffix = (tenant: string): string => `__${tenant.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`

/** Those of all settings that are for one tenant alone. */
export const tenantSettingsIn = (all: Readonly<Record<string, string>>): TenantSettings =>
  Object.fromEntries(Object.entries(all).filter(([name]) => PDP_SETTINGS.some((each) => name.startsWith(`${each}__`))))

/** The first of them that is for none of these tenants. */
export function strayIn(settings: TenantSettings, tenants: readonly string[]): string | undefined {
  const known = new Set(tenants.flatMap((tenant) => PDP_SETTINGS.map((name) => `${name}${tenantSuffix(tenant)}`)))
  return Object.keys(settings).find((name) => !known.has(name))
}

/** True when the tenant has a value of its own. */
export const isOwn = (name: string, tenant: string, settings: TenantSettings): boolean =>
  settings[`${name}${tenantSuffix(tenant)}`] !== undefined

/**
 * The settings of one tenant's PDP: its own, else the shared ones. What is shared belongs to the shared server and
 * store: nothing of it goes to a URL of the tenant's own, and no model id to a store of its own.
 */
export function pdpSettingsOf(tenant: string, shared: PdpValues, settings: TenantSettings): PdpValues {
  const has = (name: PdpSetting): boolean => isOwn(name, tenant, settings)
  const apart = (name: PdpSetting): boolean =>
    (name.startsWith('AUTHZEN_') && has('AUTHZEN_PDP_URL')) ||
    (name.startsWith('OPENFGA_') && has('OPENFGA_API_URL')) ||
    (name === 'OPENFGA_AUTHORIZATION_MODEL_ID' && has('OPENFGA_STORE_ID'))
  const values: Partial<Record<PdpSetting, string | undefined>> = {}
  for (const name of PDP_SETTINGS) {
    values[name] = settings[`${name}${tenantSuffix(tenant)}`] ?? (apart(name) ? undefined : shared[name])
  }
  return values
}
