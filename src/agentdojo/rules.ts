import type { Evaluation } from '../core/authzen.ts'
import { OWNER } from './actions.ts'
import type { Environment } from './suite.ts'
import { TOOL_NAMES } from './tool-names.ts'

/**
 * Identity alone: the owner may use every tool, read the own files and change the own planned payments; nobody else may
 * do anything. What it does not know is `false`.
 */
export function ownerRules({ files, scheduled }: Environment): (evaluation: Evaluation) => boolean {
  const own = new Set([
    ...TOOL_NAMES.map((name) => key('USE', 'Tool', name)),
    ...files.map(({ name }) => key('READ_FILE', 'File', name)),
    ...scheduled.map(({ id }) => key('UPDATE_SCHEDULED_PAYMENT', 'ScheduledPayment', id)),
  ])
  return ({ subject, action, resource }) =>
    subject.type === 'Customer' && subject.id === OWNER && own.has(key(action.name, resource.type, resource.id))
}

const key = (...words: readonly string[]): string => JSON.stringify(words)
