import { readCedar } from '../../adapters/pdp/cedar-files.io.ts'
import { PDP_CHECKS, PDP_KINDS, type PdpKind } from '../../adapters/pdp/kinds.ts'
import type { PdpSetting, PdpSettings } from '../../adapters/pdp/settings.ts'
import type { BankData } from '../canbank/bank.ts'
import { ownRecords } from '../canbank/own-records.ts'
import { isOwn, pdpSettingsOf, strayIn, tenantSuffix } from '../config-pdp.ts'
import type { Settings } from '../config.io.ts'
import type { Evaluation } from '../core/authzen.ts'
import { SettingError } from '../core/setting-error.ts'
import type { ToolDefinition } from '../core/tool.ts'
import type { World } from '../core/world.ts'
import { withBreaker } from '../pdp/breaker.ts'
import type { Pdp } from '../pdp/pdp.ts'
import { urlProblem } from '../world.io.ts'

const CHECK_MS = 2_000
/** OpenFGA's own limit. */
const MOST_ASKED = 50

interface PdpOptions {
  readonly bank: BankData
  readonly tools: Iterable<ToolDefinition>
  readonly settings: Settings
  readonly standinUrl: string
}

/**
 * The PDP of one bank, by the bank's own settings where it has some and the shared ones elsewhere.
 * @throws SettingError naming the setting that is wrong, with the bank's suffix when it is the bank's own.
 */
export async function openPdp({ bank, tools, settings, standinUrl }: PdpOptions, world: World): Promise<Pdp> {
  const { tenant } = bank
  const values = pdpSettingsOf(tenant, settings, settings.ofTenants)
  const inProcess = settings.PDP_KIND === 'cedar'
  try {
    const cedar = inProcess ? readCedar(values, bank) : undefined
    const chosen: PdpSettings = { ...values, standinUrl, cedar, realLogins: settings.OIDC_ISSUER !== undefined }
    checkUrls(chosen, settings.ALLOW_PLAIN_HTTP)
    const pdp = await PDP_KINDS[settings.PDP_KIND](chosen, world)
    await checkAtStart(chosen, mustDeny(bank, tools), settings, world)
    return inProcess ? pdp : withBreaker(pdp, world)
  } catch (cause) {
    if (!(cause instanceof SettingError) || !isOwn(cause.what, tenant, settings.ofTenants)) throw cause
    throw new SettingError(`${cause.what}${tenantSuffix(tenant)}`, cause.problem, cause.fix)
  }
}

/** A URL that nothing would ever be sent to is a wrong setting, not an outage. */
function checkUrls(chosen: PdpSettings, allowPlainHttp: readonly string[]): void {
  for (const name of ['AUTHZEN_PDP_URL', 'OPENFGA_API_URL'] as const) {
    const url = chosen[name]
    const problem = url === undefined || !URL.canParse(url) ? undefined : urlProblem(new URL(url), allowPlainHttp)
    if (problem !== undefined) {
      throw new SettingError(name, problem, 'Use https without credentials, or name the host in ALLOW_PLAIN_HTTP')
    }
  }
}

async function checkAtStart(
  chosen: PdpSettings,
  denied: readonly Evaluation[],
  { PDP_KIND, GATE_DEADLINE_MS }: Settings,
  world: World,
): Promise<void> {
  const check = PDP_CHECKS[PDP_KIND]
  const [first, ...others] = denied.slice(0, MOST_ASKED)
  if (check === undefined || first === undefined) return
  const deadline = world.deadline(Math.min(CHECK_MS, GATE_DEADLINE_MS))
  try {
    await check(chosen, [first, ...others], world, deadline.signal)
  } finally {
    deadline.clear()
  }
}

/** For each customer and each action of a tool, the records of the others: no policy of the bank permits those. */
function mustDeny(bank: BankData, tools: Iterable<ToolDefinition>): readonly Evaluation[] {
  const asked = [...tools].flatMap(({ resources }) => resources)
  const ids = bank.customers.map(({ id }) => id)
  return ids.flatMap((id) =>
    asked.flatMap(({ type, actions }) => {
      const own = new Set(ownRecords(bank, id, type))
      const foreign = new Set(ids.flatMap((other) => ownRecords(bank, other, type)).filter((each) => !own.has(each)))
      return [...foreign].flatMap((record) =>
        actions.map((name) => ({
          subject: { type: 'Customer', id },
          action: { name },
          resource: { type, id: record },
        })),
      )
    }),
  )
}

/**
 * Refuses settings for a tenant that is not there, and a decision point that two banks would share: their customers and
 * accounts have the same ids, so the one would decide with the other's data.
 * @throws SettingError naming the setting.
 */
export function checkTenants(settings: Settings, tenants: readonly string[], served: readonly string[]): void {
  const stray = strayIn(settings.ofTenants, tenants)
  if (stray !== undefined) {
    throw new SettingError(stray, 'names no bank', `End it with ${tenants.map(tenantSuffix).join(' or ')}`)
  }
  const places = new Map<string, string>()
  for (const tenant of served) {
    const place = placeOf(pdpSettingsOf(tenant, settings, settings.ofTenants), settings.PDP_KIND)
    if (place === undefined) continue
    const where = JSON.stringify(place.where)
    const other = places.get(where)
    if (other !== undefined) {
      const fix = `Set ${place.setting}${tenantSuffix(tenant)} to the one of ${tenant}`
      throw new SettingError(place.setting, `would serve both ${other} and ${tenant}`, fix)
    }
    places.set(where, tenant)
  }
}

interface Place {
  /** What keeps two banks apart there. */
  readonly setting: PdpSetting
  readonly where: readonly (string | undefined)[]
}

/** Undefined for a decision point that this process starts for each bank. */
function placeOf(chosen: PdpSettings, kind: PdpKind): Place | undefined {
  const { AUTHZEN_PDP_URL: url } = chosen
  switch (kind) {
    case 'standin':
      return url === undefined ? undefined : { setting: 'AUTHZEN_PDP_URL', where: [url] }
    case 'authzen': {
      const { AUTHZEN_PDP_TOKEN, AUTHZEN_PDP_HEADER_VALUE } = chosen
      return { setting: 'AUTHZEN_PDP_URL', where: [url, AUTHZEN_PDP_TOKEN, AUTHZEN_PDP_HEADER_VALUE] }
    }
    case 'indykite':
      return { setting: 'AUTHZEN_PDP_CLIENT_KEY', where: [url, chosen.AUTHZEN_PDP_CLIENT_KEY] }
    case 'openfga':
      return { setting: 'OPENFGA_STORE_ID', where: [chosen.OPENFGA_API_URL, chosen.OPENFGA_STORE_ID] }
    case 'cedar': {
      const { CEDAR_ENTITIES_FILE: file } = chosen
      return file === undefined ? undefined : { setting: 'CEDAR_ENTITIES_FILE', where: [file] }
    }
  }
}
