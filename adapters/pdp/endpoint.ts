import { SettingError } from '../../src/core/setting-error.ts'
import type { PdpSetting, PdpSettings } from './settings.ts'

/**
 * The base URL of a PDP; its own path is kept.
 * @throws SettingError when it is missing or not a plain http or https URL.
 */
export function baseUrl(setting: string, base: string | undefined): URL {
  const fix = 'Set the base URL of the PDP, like https://pdp.example.com.'
  if (base === undefined) throw new SettingError(setting, 'is not set', fix)
  if (!URL.canParse(base)) throw new SettingError(setting, 'is not a URL', fix)
  const url = new URL(base)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new SettingError(setting, 'is not an http URL', fix)
  if (url.username !== '' || url.password !== '') throw new SettingError(setting, 'holds credentials', fix)
  if (url.search !== '' || url.hash !== '') throw new SettingError(setting, 'has a query or a fragment', fix)
  url.pathname = url.pathname.replace(/\/+$/, '')
  return url
}

/** `path` below a base URL that `baseUrl` has made. */
export function below(base: URL, path: string): URL {
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/\/+$/, '')}${path}`
  return url
}

/**
 * The Access Evaluations endpoint below a base URL.
 * @throws SettingError when `base` is missing or not a plain http or https URL.
 */
export const evaluationsUrl = (setting: string, base: string | undefined): URL =>
  below(baseUrl(setting, base), '/access/v1/evaluations')

/**
 * A secret as the value of a header.
 * @throws SettingError when it is empty or holds what no header can carry; the value itself is not quoted.
 */
export function headerSecret(setting: string, secret: string): string {
  if (/^[\x21-\x7e]+$/.test(secret)) return secret
  throw new SettingError(setting, 'is empty or holds a space or a character that is not ASCII', 'Copy the key again.')
}

/**
 * `Authorization: Bearer` with the token of a setting; nothing when it is not set.
 * @throws SettingError when the token cannot be sent.
 */
export function bearer(setting: PdpSetting, settings: PdpSettings): Readonly<Record<string, string>> {
  const token = settings[setting]
  return token === undefined ? {} : { authorization: `Bearer ${headerSecret(setting, token)}` }
}
