import type { ModelChoice } from '../../adapters/hosts/session.ts'
import { startModel } from '../../standins/model-server.ts'
import { contentText, type Brain, type ChatRequest, type ModelAnswer } from '../../standins/model-wire.ts'
import { scriptedBrain } from '../../standins/scripted.ts'
import { openModel } from './model.io.ts'
import type { Settings } from '../config.io.ts'
import type { Scenario } from '../runner/scenario.ts'

/** Gives each run a model; the scripted one knows a run by the name under which it asks. */
export interface Models {
  readonly name: string
  readonly useCopilotSignIn: boolean
  modelFor(scenario: Scenario, id: string): ModelChoice
  done(id: string): void
  close(): Promise<void>
}

/**
 * @param model `scripted`, `standin`, or the name of a model of the settings.
 * @throws SettingError when the choice lacks what it needs.
 */
export async function openModels(model: string, settings: Settings): Promise<Models> {
  if (model === 'scripted') return scriptedModels()
  const opened = await openModel({ model }, settings)
  return {
    name: opened.name,
    useCopilotSignIn: opened.model.kind === 'copilot',
    modelFor: () => opened.model,
    done: () => undefined,
    close: () => opened.close(),
  }
}

async function scriptedModels(): Promise<Models> {
  const scripts = new Map<string, readonly (readonly ModelAnswer[])[]>()
  const brain: Brain = (request) => {
    const script = scripts.get(request.model ?? '')
    if (script === undefined) throw new Error('no run has this model')
    return scriptedBrain(script, { text: told(request) })(request)
  }
  const server = await startModel({ brain, name: 'scripted' })
  return {
    name: 'scripted',
    useCopilotSignIn: false,
    modelFor: (scenario, id) => {
      // The name travels beside the conversation, so nothing in it can change which script is played.
      scripts.set(`scripted-${id}`, scenario.turns.map(stepsOf))
      return { kind: 'openai', baseUrl: server.url, apiKey: 'none', name: `scripted-${id}` }
    },
    done: (id) => {
      scripts.delete(`scripted-${id}`)
    },
    close: () => server.close(),
  }
}

const stepsOf = ({ calls, together }: Scenario['turns'][number]): readonly ModelAnswer[] =>
  together ? [{ calls }] : calls.map((call) => ({ calls: [call] }))

/** A model that is wholly in the attacker's hands repeats everything that it was told in this turn. */
function told({ messages }: ChatRequest): string {
  const start = messages.findLastIndex(({ role }) => role === 'user')
  const results = messages.slice(start + 1).filter(({ role }) => role === 'tool')
  return results.length === 0 ? 'Nothing was looked up.' : results.map(({ content }) => contentText(content)).join('\n')
}
