import type { Evaluation } from '../core/authzen.ts'
import { pass } from '../core/verdict.ts'
import { expectedResources } from './expected-resources.ts'
import type { IntentSource } from './intent-source.ts'

/**
 * Takes the evaluations from the tool's own definition: the first action of each resource argument, for the caller.
 * Needs no agent and always gives the same answer.
 */
export function definitionSource(): IntentSource {
  return {
    extract: ({ call }) => {
      const expected = expectedResources(call.definition, call.args)
      if (!expected.ok) return Promise.resolve(expected)
      const evaluations = expected.value.map(({ type, id, actions: [name] }): Evaluation => ({
        subject: call.login.subject,
        action: { name },
        resource: { type, id },
      }))
      return Promise.resolve(pass(evaluations))
    },
  }
}
