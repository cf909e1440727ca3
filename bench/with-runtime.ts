import { startCopilotRuntime } from '../adapters/hosts/copilot.io.ts'
import type { CopilotRuntime, ModelChoice } from '../adapters/hosts/session.ts'
import { startModel } from '../standins/model-server.ts'
import type { Brain } from '../standins/model-wire.ts'
import { createWorld } from '../src/world.io.ts'
import type { Section } from './figures.ts'

/** Looks at Bob's account once in each turn, then answers. */
const oneCall: Brain = ({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? { text: 'That is your balance.' }
    : { calls: [{ name: 'get_account_balance', arguments: { account_id: 'acc-bob-checking' } }] }

/** Measures with a real runtime, and a model on loopback that plays the same turn again and again. */
export async function withRuntime(
  measure: (runtime: CopilotRuntime, model: ModelChoice) => Promise<Section>,
): Promise<Section> {
  const world = createWorld()
  const scripted = await startModel({ brain: oneCall, name: 'scripted' })
  const runtime = await startCopilotRuntime({ world })
  try {
    const model = { kind: 'openai', baseUrl: scripted.url, apiKey: 'none', name: 'scripted' } as const
    return { ...(await measure(runtime, model)), runtime: runtime.version }
  } finally {
    await runtime.stop()
    await scripted.close()
    await world.close()
  }
}
