import { SettingError } from '../../src/core/setting-error.ts'
import type { PdpSettings } from './settings.ts'

const NAME = 'AUTHZEN_PDP_HEADER_NAME'
const VALUE = 'AUTHZEN_PDP_HEADER_VALUE'

/** Headers that we set ourselves, or that say how a message is framed. */
const OURS = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
])

/**
 * The one header that `AUTHZEN_PDP_HEADER_NAME` and `AUTHZEN_PDP_HEADER_VALUE` add; nothing when neither is set.
 * @throws SettingError when one of the two is missing or cannot be sent; the value is not quoted.
 */
export function extraHeader(settings: PdpSettings): Readonly<Record<string, string>> {
  const { [NAME]: name, [VALUE]: value } = settings
  if (name === undefined && value === undefined) return {}
  if (name === undefined) throw new SettingError(NAME, `is not set while ${VALUE} is`, 'Set both, or neither.')
  if (value === undefined) throw new SettingError(VALUE, `is not set while ${NAME} is`, 'Set both, or neither.')
  return { [checkedName(name)]: checkedValue(value) }
}

function checkedName(name: string): string {
  const fix = 'Set it to the name of one header, like X-API-Key.'
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/.test(name)) throw new SettingError(NAME, 'is not a name of a header', fix)
  const lower = name.toLowerCase()
  if (lower === 'authorization') {
    throw new SettingError(NAME, 'is a header that the gate sets itself', 'Set AUTHZEN_PDP_TOKEN for a bearer token.')
  }
  if (OURS.has(lower)) throw new SettingError(NAME, 'is a header that the gate sets itself', fix)
  return lower
}

function checkedValue(value: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return value
  throw new SettingError(VALUE, 'holds a character that no header can carry', 'Copy the value again.')
}
