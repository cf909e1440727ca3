import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import { PDP_KINDS, type PdpKind } from '../adapters/pdp/kinds.ts'
import { tenantSettingsIn, type TenantSettings } from './config-pdp.ts'
import { SettingError } from './core/setting-error.ts'

// The URL parser would leave out a newline without a word, and nobody is ever sent a fragment.
const shown = z.string().regex(/^[^\s\p{Cc}]*$/u, 'holds a space or a character that does not show')
const httpUrl = z.url({ protocol: /^https?$/, error: 'is not an http or https URL' }).regex(/^[^#]*$/, 'has a fragment')
const url = shown.pipe(httpUrl)
/** Paths are put behind it. */
const baseUrl = shown.pipe(httpUrl.regex(/^[^?]*$/, 'has a query, and paths are put behind it'))
const text = z.string().min(1)
/** What a header can carry; the value itself is not quoted. */
const secret = z.string().regex(/^[\x21-\x7e]+$/, 'is empty or holds a space or a character that is not ASCII')
const milliseconds = z
  .string()
  .regex(/^\d{1,9}$/, 'is not a whole number of milliseconds')
  .transform(Number)
  .refine((ms) => ms >= 100, 'is less than 100 milliseconds')

const KINDS = Object.keys(PDP_KINDS)

/** Every setting that this version reads, with its default. `.env.example` says what each means. */
const Environment = z.object({
  PDP_KIND: z
    .custom<PdpKind>((kind) => typeof kind === 'string' && Object.hasOwn(PDP_KINDS, kind), {
      error: `is not a kind of PDP that this version has (${KINDS.join(', ')})`,
    })
    .optional(),
  AUTHZEN_PDP_URL: url.optional(),
  AUTHZEN_PDP_TOKEN: text.optional(),
  AUTHZEN_PDP_HEADER_NAME: text.optional(),
  AUTHZEN_PDP_HEADER_VALUE: text.optional(),
  AUTHZEN_PDP_CLIENT_KEY: secret.optional(),
  OPENFGA_API_URL: url.optional(),
  OPENFGA_STORE_ID: text.optional(),
  OPENFGA_API_TOKEN: text.optional(),
  OPENFGA_AUTHORIZATION_MODEL_ID: text.optional(),
  CEDAR_SCHEMA_FILE: text.optional(),
  CEDAR_POLICIES_FILE: text.optional(),
  CEDAR_ENTITIES_FILE: text.optional(),
  INTENT_SOURCE: z.enum(['agent', 'definition'], { error: 'is neither agent nor definition' }).default('agent'),
  INTENT_AGENT_URL: url.optional(),
  INTENT_AGENT_TOKEN: secret.optional(),
  INTENT_AGENT_TIMEOUT_MS: milliseconds.default(15_000),
  INTENT_MEMORY: z.enum(['exact', 'off'], { error: 'is neither exact nor off' }).default('exact'),
  INTENT_MODEL_BASE_URL: baseUrl.optional(),
  INTENT_MODEL_API_KEY: secret.optional(),
  INTENT_MODEL_NAME: text.optional(),
  VALIDATION_MAX_RETRIES: z.string().regex(/^\d$/, 'is not a whole number from 0 to 9').transform(Number).default(1),
  INDYKITE_BASE_URL: baseUrl.optional(),
  IK_APP_AGENT_KEY: secret.optional(),
  INTROSPECT_URL: url.optional(),
  INTROSPECT_CLIENT_ID: text.optional(),
  INTROSPECT_CLIENT_SECRET: text.optional(),
  MODEL_PROVIDER: z.enum(['openai', 'copilot'], { error: 'is neither openai nor copilot' }).default('openai'),
  MODEL_BASE_URL: baseUrl.optional(),
  MODEL_API_KEY: secret.optional(),
  MODEL_NAME: text.optional(),
  MODEL_WIRE_API: z
    .enum(['completions', 'responses'], { error: 'is neither completions nor responses' })
    .default('completions'),
  OIDC_ISSUER: url.optional(),
  OIDC_AUDIENCE: text.optional(),
  OIDC_SUBJECT_CLAIM: text.default('sub'),
  OIDC_TENANT_CLAIM: text.default('tenant'),
  OIDC_CLIENT_ID: text.optional(),
  OIDC_SCOPE: text.default('openid'),
  OIDC_RESOURCE: text.optional(),
  OIDC_TOKEN_CHECK: z.enum(['jwt', 'introspect'], { error: 'is neither jwt nor introspect' }).default('jwt'),
  LOGIN_TOKEN_FILE: text.optional(),
  GATE_DEADLINE_MS: milliseconds.default(20_000),
  ALLOW_PLAIN_HTTP: z
    .string()
    .transform((list) => list.split(',').map((host) => host.trim().toLowerCase()))
    .pipe(z.array(z.string().regex(/^[a-z0-9.:[\]-]+$/, 'is not a list of host names')))
    .default([]),
  AUDIT_DIR: text.optional(),
  XDG_STATE_HOME: text.optional(),
})

type Given = z.output<typeof Environment>

/** Every setting, checked, with its default filled in; `.env.example` says what each means. */
export type Settings = Omit<Given, 'PDP_KIND'> & {
  readonly PDP_KIND: PdpKind
  /** Settings of the PDP for one bank alone, by their whole names: `OPENFGA_STORE_ID__FJORDBANK`. */
  readonly ofTenants: TenantSettings
}

const HOW_TO_SET: Readonly<Record<string, string>> = {
  PDP_KIND: `Set PDP_KIND to one of ${KINDS.join(', ')}, or leave it out`,
  INTENT_SOURCE: 'Set INTENT_SOURCE=agent or INTENT_SOURCE=definition',
  INTENT_MEMORY: 'Set INTENT_MEMORY=exact or INTENT_MEMORY=off',
  VALIDATION_MAX_RETRIES: 'Set VALIDATION_MAX_RETRIES to a whole number from 0 to 9, or leave it out',
  GATE_DEADLINE_MS: 'Set GATE_DEADLINE_MS to a whole number of milliseconds, at least 100',
  INTENT_AGENT_TIMEOUT_MS: 'Set INTENT_AGENT_TIMEOUT_MS to a whole number of milliseconds, at least 100',
  OIDC_TOKEN_CHECK: 'Set OIDC_TOKEN_CHECK=jwt or OIDC_TOKEN_CHECK=introspect, or leave it out',
  MODEL_PROVIDER: 'Set MODEL_PROVIDER=openai or MODEL_PROVIDER=copilot, or leave it out',
  MODEL_WIRE_API: 'Set MODEL_WIRE_API=completions or MODEL_WIRE_API=responses, or leave it out',
}

/** How to set what has no entry above. */
const howToSet = (name: string): string =>
  /_(TOKEN|KEY)$/.test(name) ? 'Copy the key again' : `Correct ${name}, see .env.example`

/** The flags that stand for a setting, and how to use them. */
const FLAGS: Readonly<Record<string, { readonly flag: string; readonly fix: string }>> = {
  PDP_KIND: { flag: '--pdp', fix: `Use --pdp with one of ${KINDS.join(', ')}` },
}

/**
 * Settings by name: the given ones first (flags), then the environment, then `.env` in the working directory. An empty
 * value counts as not set.
 * @throws SettingError naming the setting and the fix.
 */
export const readSettings = (flags: Readonly<Record<string, string | undefined>> = {}): Settings =>
  readSettingsWithSources(flags).settings

/** Where the value of a setting comes from. */
export type SettingSource = 'flag' | 'environment' | '.env' | 'default'

/**
 * The same, and where each setting comes from.
 * @throws SettingError naming the setting and the fix.
 */
export function readSettingsWithSources(flags: Readonly<Record<string, string | undefined>> = {}): {
  readonly settings: Settings
  readonly sources: Readonly<Record<string, SettingSource>>
} {
  const given = { flag: set(flags), environment: set(process.env), '.env': set(readDotEnv()) }
  const all = { ...given['.env'], ...given.environment, ...given.flag }
  const parsed = Environment.safeParse(all)
  if (!parsed.success) throw wrongSetting(parsed.error, given.flag)
  const settings = { ...parsed.data, PDP_KIND: kindOf(parsed.data), ofTenants: tenantSettingsIn(all) }
  checkRead(settings, Object.keys(all))
  checkTogether(settings)
  const sourceOf = (name: string): SettingSource =>
    (['flag', 'environment', '.env'] as const).find((source) => Object.hasOwn(given[source], name)) ?? 'default'
  const names = [...Object.keys(Environment.shape), ...Object.keys(settings.ofTenants)]
  return { settings, sources: Object.fromEntries(names.map((name) => [name, sourceOf(name)])) }
}

/** What is wrong first, by the name under which it was given. */
function wrongSetting({ issues: [issue] }: z.ZodError, flags: Readonly<Record<string, string>>): SettingError {
  const name = String(issue?.path[0] ?? 'settings')
  const problem = issue?.message ?? 'is not valid'
  const byFlag = Object.hasOwn(flags, name) ? FLAGS[name] : undefined
  if (byFlag !== undefined) return new SettingError(byFlag.flag, `"${flags[name] ?? ''}" ${problem}`, byFlag.fix)
  return new SettingError(name, problem, HOW_TO_SET[name] ?? howToSet(name))
}

const kindOf = ({ PDP_KIND, AUTHZEN_PDP_CLIENT_KEY: key }: Given): PdpKind =>
  PDP_KIND ?? (key === undefined ? 'standin' : 'indykite')

/** The names of the settings that point at a real service in place of a stand-in. */
export function realServices(settings: Settings): readonly string[] {
  const names = [
    'AUTHZEN_PDP_URL',
    'OPENFGA_API_URL',
    'INTENT_AGENT_URL',
    'INTENT_MODEL_BASE_URL',
    'INDYKITE_BASE_URL',
    'INTROSPECT_URL',
    'OIDC_ISSUER',
    'MODEL_BASE_URL',
  ] as const
  const own = Object.keys(settings.ofTenants).filter((name) => name.includes('_URL__'))
  const set = [...names.filter((name) => settings[name] !== undefined), ...own]
  return settings.MODEL_PROVIDER === 'copilot' ? [...set, 'MODEL_PROVIDER'] : set
}

/** Settings that nothing reads unless another one is set; ignoring them would leave out what somebody relies on. */
interface Need {
  readonly names: RegExp
  readonly met: (settings: Settings) => boolean
  readonly problem: string
  readonly fix: string
}

const onlyKinds = (names: RegExp, ...kinds: readonly PdpKind[]): Need => ({
  names,
  met: ({ PDP_KIND }) => kinds.includes(PDP_KIND),
  problem: `is set, and only ${kinds.map((kind) => `PDP_KIND=${kind}`).join(' and ')} would read it`,
  fix: `Set PDP_KIND=${kinds.join(' or ')}, or leave it out`,
})

const without = (names: RegExp, needed: keyof Settings, fix = `Set ${needed} too, or leave it out`): Need => ({
  names,
  met: (settings) => settings[needed] !== undefined,
  problem: `is set without ${needed}`,
  fix,
})

const EMBEDDED = 'Set OIDC_ISSUER, or use --as <customer>'

const NEEDS: readonly Need[] = [
  onlyKinds(/^OPENFGA_(API_URL|STORE_ID|API_TOKEN|AUTHORIZATION_MODEL_ID)(__|$)/, 'openfga'),
  onlyKinds(/^AUTHZEN_PDP_TOKEN(__|$)/, 'authzen', 'indykite'),
  onlyKinds(/^AUTHZEN_PDP_HEADER_(NAME|VALUE)(__|$)/, 'authzen'),
  // First what asks for a sign-in, then what only goes with one.
  without(/^(LOGIN_TOKEN_FILE|OIDC_CLIENT_ID)$/, 'OIDC_ISSUER', EMBEDDED),
  without(/^OIDC_(AUDIENCE|SUBJECT_CLAIM|TENANT_CLAIM|SCOPE|RESOURCE|TOKEN_CHECK)$/, 'OIDC_ISSUER', EMBEDDED),
  without(/^INTENT_AGENT_TOKEN$/, 'INTENT_AGENT_URL'),
  {
    names: /^INTENT_AGENT_URL$/,
    met: ({ INTENT_SOURCE }) => INTENT_SOURCE === 'agent',
    problem: 'contradicts INTENT_SOURCE=definition',
    fix: 'Leave one of the two out',
  },
  without(/^MODEL_(API_KEY|WIRE_API)$/, 'MODEL_BASE_URL'),
  {
    names: /^MODEL_NAME$/,
    met: ({ MODEL_PROVIDER, MODEL_BASE_URL }) => MODEL_PROVIDER === 'copilot' || MODEL_BASE_URL !== undefined,
    problem: 'is set without MODEL_BASE_URL',
    fix: 'Set MODEL_BASE_URL too, or leave it out',
  },
  without(/^INTENT_MODEL_(API_KEY|NAME)$/, 'INTENT_MODEL_BASE_URL'),
]

function checkRead(settings: Settings, given: readonly string[]): void {
  for (const name of given) {
    const shared = name.slice(0, Math.max(0, name.indexOf('__')))
    if (!Object.hasOwn(Environment.shape, shared) || Object.hasOwn(settings.ofTenants, name)) continue
    throw new SettingError(name, 'is for one bank alone, which only a setting of the PDP can be', `Set ${shared}`)
  }
  for (const { names, met, problem, fix } of NEEDS) {
    const name = given.find((each) => names.test(each))
    if (name !== undefined && !met(settings)) throw new SettingError(name, problem, fix)
  }
}

function checkTogether(settings: Settings): void {
  checkLogin(settings)
  const { MODEL_PROVIDER, MODEL_BASE_URL, MODEL_NAME } = settings
  if (MODEL_PROVIDER === 'copilot' && MODEL_BASE_URL !== undefined) {
    throw new SettingError('MODEL_BASE_URL', 'contradicts MODEL_PROVIDER=copilot', 'Leave one of the two out')
  }
  if (MODEL_BASE_URL !== undefined && MODEL_NAME === undefined) {
    throw new SettingError(
      'MODEL_NAME',
      'is not set while MODEL_BASE_URL is',
      'Set it to a model that the endpoint has',
    )
  }
}

function checkLogin(settings: Settings): void {
  const { OIDC_ISSUER, OIDC_AUDIENCE, OIDC_TOKEN_CHECK } = settings
  if (OIDC_ISSUER === undefined) return
  if (/[?#@]/.test(OIDC_ISSUER)) {
    const fix = 'Copy the issuer as its discovery document names it'
    throw new SettingError('OIDC_ISSUER', 'has a query, a fragment or credentials', fix)
  }
  if (OIDC_AUDIENCE === undefined) {
    throw new SettingError('OIDC_AUDIENCE', 'is not set while OIDC_ISSUER is', 'Set it to the audience of your tokens')
  }
  if (OIDC_TOKEN_CHECK === 'jwt') return
  for (const name of ['INTROSPECT_URL', 'INTROSPECT_CLIENT_ID', 'INTROSPECT_CLIENT_SECRET'] as const) {
    const fix = 'Set it to what the issuer gave you for introspection'
    if (settings[name] === undefined) throw new SettingError(name, 'is needed by OIDC_TOKEN_CHECK=introspect', fix)
  }
}

function readDotEnv(): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync('.env', 'utf8'))
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === 'ENOENT') return {}
    throw new SettingError(
      '.env',
      `cannot be read (${code ?? 'unknown error'})`,
      'Make it a readable file, or remove it',
    )
  }
}

const set = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  )
