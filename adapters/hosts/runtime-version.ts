import { SettingError } from '../../src/core/setting-error.ts'

/** One pairing of SDK and runtime. */
export interface RuntimeVersion {
  /** Of the package `@github/copilot-sdk`. */
  readonly sdk: string
  /** As the running runtime says. */
  readonly runtime: string
}

/** What this host was tested against: the order and the number of permission requests differ from version to version. */
export const TESTED_RUNTIMES: readonly RuntimeVersion[] = [{ sdk: '1.0.14', runtime: '1.0.85' }]

const shown = ({ sdk, runtime }: RuntimeVersion): string => `SDK ${sdk} with runtime ${runtime}`

/**
 * @throws SettingError that names the version found and the tested ones.
 */
export function assertTested(found: RuntimeVersion): void {
  if (TESTED_RUNTIMES.some(({ sdk, runtime }) => sdk === found.sdk && runtime === found.runtime)) return
  throw new SettingError(
    'the Copilot runtime',
    `it is ${shown(found)}; this version was tested with ${TESTED_RUNTIMES.map(shown).join(', ')} only`,
    'Run `npm ci` to get the tested version, or use a version of intent-gate that was tested with yours',
  )
}

/** What a runtime that did not start means for the person who started it. */
export function startFailure(cause: unknown): SettingError {
  const said = cause instanceof Error ? cause.message : String(cause)
  const sentence = said.split('\n', 1)[0]?.replace(/[.\s]+$/, '') ?? ''
  return /Could not resolve|missing required|not found at/.test(said)
    ? new SettingError('the Copilot runtime', `its package for this platform is not installed (${sentence})`, NPM_CI)
    : new SettingError('the Copilot runtime', `it did not start (${sentence})`, NPM_CI)
}

const NPM_CI = 'Run `npm ci` on this machine, without --omit=optional, and start again'
