import { readFileSync } from 'node:fs'
import type { ModelChoice } from '../../adapters/hosts/session.ts'
import { assistantBrain } from '../../standins/assistant.ts'
import { startModel } from '../../standins/model-server.ts'
import type { Brain } from '../../standins/model-wire.ts'
import { readScript, scriptedBrain } from '../../standins/scripted.ts'
import type { Settings } from '../config.io.ts'
import { SettingError } from '../core/setting-error.ts'

/** A model to talk to, and the name that transcripts give it. */
export interface OpenModel {
  readonly model: ModelChoice
  readonly name: string
  close(): Promise<void>
}

/**
 * The model of `--model`, else of the settings, else the offline stand-in.
 * @param help what the offline stand-in says when it has nothing to call. @defaultValue what it does for a bank
 * @throws SettingError when the choice lacks what it needs.
 */
export function openModel(
  options: { readonly model?: string | undefined; readonly script?: string | undefined },
  settings: Settings,
  help?: string,
): Promise<OpenModel> {
  const { MODEL_PROVIDER, MODEL_BASE_URL, MODEL_NAME } = settings
  const chosen = options.model ?? (MODEL_BASE_URL === undefined && MODEL_PROVIDER === 'openai' ? 'standin' : MODEL_NAME)
  if (chosen === 'scripted') return startStandin('scripted', scripted(options.script))
  if (options.script !== undefined) {
    throw new SettingError('--script', 'goes with --model scripted', 'Add --model scripted')
  }
  if (chosen === 'standin') return startStandin('standin', assistantBrain(help))
  return Promise.resolve(external(chosen, settings))
}

async function startStandin(name: string, brain: Brain): Promise<OpenModel> {
  const running = await startModel({ brain, name })
  return { model: { kind: 'openai', baseUrl: running.url, name }, name, close: () => running.close() }
}

function scripted(file: string | undefined): Brain {
  if (file === undefined) {
    throw new SettingError('--script', 'is missing', 'Name the file that --model scripted answers from')
  }
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new SettingError('--script', `${file} cannot be read (${code})`, 'Name a readable file')
  }
  return scriptedBrain(readScript(text, file))
}

function external(chosen: string | undefined, settings: Settings): OpenModel {
  const { MODEL_PROVIDER, MODEL_BASE_URL: baseUrl, MODEL_API_KEY: apiKey, MODEL_WIRE_API: wireApi } = settings
  const close = (): Promise<void> => Promise.resolve()
  if (MODEL_PROVIDER === 'copilot') {
    return {
      model: chosen === undefined ? { kind: 'copilot' } : { kind: 'copilot', name: chosen },
      name: chosen ?? 'copilot',
      close,
    }
  }
  if (baseUrl === undefined || chosen === undefined) {
    throw new SettingError(
      '--model',
      `"${chosen ?? ''}" needs an endpoint`,
      'Set MODEL_BASE_URL, or use --model standin',
    )
  }
  const endpoint = { kind: 'openai', baseUrl, name: chosen, wireApi } as const
  return { model: apiKey === undefined ? endpoint : { ...endpoint, apiKey }, name: chosen, close }
}
