import type { Approver } from '../../adapters/hosts/session.ts'
import type { ToolCall } from '../core/call.ts'
import type { Login } from '../core/login.ts'
import type { Gate, RunResult } from '../gate/gate.ts'
import { isCall } from '../runner/calls.ts'
import { finder } from '../runner/mentions.ts'
import type { Manifest, Prompt, Sighting } from '../runner/record.ts'
import type { Scenario } from '../runner/scenario.ts'

/** Looks at one run from outside: what tools gave back, what the reply said, and what a person was asked. */
export interface Watcher {
  readonly around: (gate: Gate) => Gate
  readonly approver: Approver
  readonly prompts: readonly Prompt[]
  replied(texts: readonly string[]): void
  seen(): readonly Sighting[]
  manifest(): Manifest
}

/**
 * Watches one run of a scenario; the person of its script is asked through `approver`.
 * @param login who is signed in.
 * @param others further customers, whose login a turn may hand its message over with.
 */
export function watcher(
  { turns, leaks, completes, approver }: Scenario,
  login: Login,
  others: ReadonlyMap<string, Login>,
): Watcher {
  const finders = [...new Set([...leaks, ...(completes?.shows ?? [])])].map((value) => ({ value, says: finder(value) }))
  const seen = { result: new Set<string>(), reply: new Set<string>() }
  const look = (text: string, where: Sighting['in']): void => {
    for (const { value, says } of finders) if (says(text)) seen[where].add(value)
  }
  const prompts: Prompt[] = []
  const shown: (readonly string[])[] = []
  let offered: Pick<Manifest, 'tools' | 'risky'> = { tools: 0, risky: [] }
  return {
    prompts,
    around: (gate) => ({
      ...gate,
      beginTurn: (session, turn, message) => {
        const tools = gate.tools(login)
        const risky = tools.filter(({ effect }) => effect.tier === 'high').map(({ name }) => name)
        offered = { tools: tools.length, risky }
        const mixedUp = others.get(turns[turn - 1]?.by ?? '')
        const given = message === undefined || mixedUp === undefined ? message : { ...message, login: mixedUp }
        const start = gate.beginTurn(session, turn, given)
        shown.push(start.visible)
        return start
      },
      run: async (call: ToolCall): Promise<RunResult> => {
        const result = await gate.run(call)
        look(JSON.stringify(result), 'result')
        return result
      },
    }),
    approver: {
      ask: ({ tool, args, digest }) => {
        const approved = approver.some((each) => isCall({ tool, args }, each))
        prompts.push({ tool, args, approved })
        return Promise.resolve({ digest, approved })
      },
    },
    replied: (texts) => {
      for (const text of texts) look(text, 'reply')
    },
    manifest: () => ({ ...offered, shown }),
    seen: () =>
      (['result', 'reply'] as const).flatMap((where) =>
        finders.flatMap(({ value }) => (seen[where].has(value) ? [{ value, in: where }] : [])),
      ),
  }
}
