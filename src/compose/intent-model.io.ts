import type { IntentModel } from '../../standins/model-extract.ts'
import type { Settings } from '../config.io.ts'
import { SettingError } from '../core/setting-error.ts'
import { urlProblem } from '../world.io.ts'

/** The share of the asker's time that all tries together may take, so that a late model is an answer and not a silence. */
const SHARE = 0.9

/**
 * The model that our own intent-agent reads sentences with; absent: it reads them by rules.
 * @throws SettingError when the settings are incomplete, or would send the key in the open.
 */
export function intentModelOf(settings: Settings): IntentModel | undefined {
  const { INTENT_MODEL_BASE_URL: baseUrl, INTENT_MODEL_API_KEY: apiKey, INTENT_MODEL_NAME: name } = settings
  if (baseUrl === undefined) {
    if (apiKey !== undefined) throw withoutEndpoint('INTENT_MODEL_API_KEY')
    if (name !== undefined) throw withoutEndpoint('INTENT_MODEL_NAME')
    return undefined
  }
  if (name === undefined) {
    const problem = 'is not set while INTENT_MODEL_BASE_URL is'
    throw new SettingError('INTENT_MODEL_NAME', problem, 'Set it to a model that the endpoint has')
  }
  checkReachable('INTENT_MODEL_BASE_URL', baseUrl, settings)
  const { INTENT_AGENT_TIMEOUT_MS, GATE_DEADLINE_MS, VALIDATION_MAX_RETRIES: maxRetries } = settings
  const timeoutMs = Math.floor(SHARE * Math.min(INTENT_AGENT_TIMEOUT_MS, GATE_DEADLINE_MS))
  return { baseUrl, apiKey, name, maxRetries, timeoutMs }
}

/** @throws SettingError for a URL that nothing may be sent to, such as plain http to another machine. */
export function checkReachable(setting: string, url: string, { ALLOW_PLAIN_HTTP }: Settings): void {
  const problem = urlProblem(new URL(url), ALLOW_PLAIN_HTTP)
  if (problem === undefined) return
  throw new SettingError(setting, problem, 'Use https, or name the host in ALLOW_PLAIN_HTTP if its network is your own')
}

const withoutEndpoint = (setting: string): SettingError =>
  new SettingError(setting, 'is set without INTENT_MODEL_BASE_URL', 'Set INTENT_MODEL_BASE_URL too, or leave it out')
