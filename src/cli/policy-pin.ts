import { SettingError } from '../core/setting-error.ts'

/**
 * The value of `--policy-sha256` in lower case; undefined when it was not given.
 * @throws SettingError for anything but 64 hexadecimal digits: a shorter one would deny every call without saying why.
 */
export function policyPin(given: string | undefined): string | undefined {
  if (given === undefined || /^[0-9a-f]{64}$/i.test(given)) return given?.toLowerCase()
  throw new SettingError(
    '--policy-sha256',
    'is no SHA-256 digest of 64 hexadecimal digits',
    'Take it from intent-gate policy check FILE',
  )
}
