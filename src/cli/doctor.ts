import type { ProbeResult } from '../../adapters/hosts/probe-result.ts'

/** One thing that was looked at. */
export interface Check {
  readonly section: 'program' | 'settings' | 'services'
  readonly name: string
  readonly state: 'ok' | 'warn' | 'fail'
  /** What was found, in a few words. */
  readonly says: string
  /** What to do about it. */
  readonly fix?: string
  /** Of a setting: where its value comes from. */
  readonly source?: string
}

/** Everything that `doctor` has found. */
export interface Diagnosis {
  readonly checks: readonly Check[]
  readonly probes: readonly ProbeResult[]
}

/** What `package.json` says in `engines`. */
export const ENGINES = '^20.19.0 || >=22.12.0'

/** @param version like `20.19.0` */
export function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const fits = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22
  const check = { section: 'program', name: 'Node' } as const
  if (fits) return { ...check, state: 'ok', says: `${version} (${ENGINES})` }
  return { ...check, state: 'fail', says: `${version} is not ${ENGINES}`, fix: 'Install Node 22 LTS or a later one.' }
}

/** @param platform as `process.platform` spells it: the Copilot runtime is tested on Linux and macOS alone. */
export function platformCheck(platform: string, arch: string): Check {
  const check = { section: 'program', name: 'platform' } as const
  if (platform === 'linux' || platform === 'darwin') return { ...check, state: 'ok', says: `${platform} ${arch}` }
  return { ...check, state: 'fail', says: `${platform} ${arch}`, fix: 'Use Linux or macOS; on Windows, WSL.' }
}

/** Names of settings whose value is never shown, of one bank's own too. */
const SECRET = /(KEY|TOKEN|SECRET|PASSWORD|VALUE)(__\w+)?$/
const PLACE = /(_URL(__\w+)?|^OIDC_ISSUER)$/

/** Each setting with its value, or that it has one, and where that comes from. */
export const settingChecks = (
  settings: Readonly<Record<string, unknown>>,
  sources: Readonly<Record<string, string>>,
): readonly Check[] =>
  Object.entries(sources).map(([name, source]) => ({
    section: 'settings',
    name,
    state: 'ok',
    says: shownValue(name, settings[name]),
    source,
  }))

function shownValue(name: string, value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'not set'
  if (SECRET.test(name)) return 'set (hidden)'
  const text = Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value)
  return PLACE.test(name) ? withoutSecrets(text) : text
}

/** A URL may carry credentials and keys; host and path are what one wants to see. */
function withoutSecrets(text: string): string {
  if (!URL.canParse(text)) return 'set (hidden)'
  const { username, password, search, hash, origin, pathname } = new URL(text)
  return username + password + search + hash === '' ? text : `${origin}${pathname} (the rest is hidden)`
}

/** True when nothing failed, and nothing ran that must not. */
export const isSound = ({ checks, probes }: Diagnosis): boolean =>
  checks.every(({ state }) => state !== 'fail') && probes.every(({ ok }) => ok)

/** The form of `doctor --json`. */
export const diagnosisJson = (diagnosis: Diagnosis): object => ({
  doctor: 1,
  checks: diagnosis.checks,
  probes: diagnosis.probes,
  ok: isSound(diagnosis),
})

/** A check of a setting that nobody has set: its value, if it has one, is the default. */
const isUnset = ({ section, source }: Check): boolean => section === 'settings' && source === 'default'

/** What a person is shown: without `all`, the settings that nobody has set are left out and counted. */
export function listed(
  { checks, probes }: Diagnosis,
  all: boolean,
): { readonly shown: Diagnosis; readonly unset: number } {
  const shown = all ? checks : checks.filter((check) => !isUnset(check))
  return { shown: { checks: shown, probes }, unset: checks.length - shown.length }
}

/** What is said of the settings that are not listed. */
export const unsetLine = (unset: number): string =>
  unset === 1 ? '1 setting is not set (--all lists it)' : `${unset} settings are not set (--all lists them)`

/** The last line for a person. */
export function closingLine({ checks, probes }: Diagnosis): string {
  const warnings = checks.filter(({ state }) => state === 'warn').length
  const failures = checks.filter(({ state }) => state === 'fail').length + probes.filter(({ ok }) => !ok).length
  const all = checks.length + probes.length
  return [counted(all, 'check'), counted(warnings, 'warning'), counted(failures, 'failure')].join(', ')
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** What a probe found, in words. */
export function probeSays({ tries, ran, blockedBy, ok, says = '' }: ProbeResult): string {
  if (!ok) return `${tries} → ${ran ? 'IT RAN. ' : ''}${says}`
  return `${tries} → ${ran ? 'asked about, ran once' : (blockedBy ?? '')}`
}
