import { isJsonObject, type JsonObject } from '../core/json-object.ts'

const OLDER_STATES: ReadonlySet<unknown> = new Set([
  'submitted',
  'working',
  'input-required',
  'completed',
  'canceled',
  'failed',
  'rejected',
  'auth-required',
  'unknown',
])
/** Fields of a Task or a Message; in A2A 1.0 they are one level down. */
const UNWRAPPED = ['id', 'contextId', 'status', 'artifacts', 'history', 'messageId', 'role', 'parts']

/**
 * Names the first trace of A2A 0.3, or of a mixture of both versions, in a JSON-RPC result; undefined when there is
 * none. Looks at the protocol's own fields only: what a data part holds may use any word.
 */
export function olderTrace(result: JsonObject): string | undefined {
  if (Object.hasOwn(result, 'kind')) return 'result.kind'
  const unwrapped = UNWRAPPED.find((field) => Object.hasOwn(result, field))
  if (unwrapped !== undefined) return `result.${unwrapped}`
  const { task, message } = result
  return (isJsonObject(task) ? inTask(task) : undefined) ?? inMessage(message)
}

function inTask(task: JsonObject): string | undefined {
  if (Object.hasOwn(task, 'kind')) return 'task.kind'
  const status = isJsonObject(task['status']) ? task['status'] : {}
  if (typeof status['state'] === 'number' || OLDER_STATES.has(status['state'])) return 'task.status.state'
  return inEach(task['artifacts'], inParts) ?? inMessage(status['message']) ?? inEach(task['history'], inMessage)
}

function inMessage(message: unknown): string | undefined {
  if (!isJsonObject(message)) return undefined
  if (Object.hasOwn(message, 'kind')) return 'message.kind'
  const role = message['role']
  if (typeof role === 'number' || role === 'agent' || role === 'user') return 'message.role'
  return inParts(message)
}

const inParts = (holder: unknown): string | undefined =>
  isJsonObject(holder)
    ? inEach(holder['parts'], (part) => (isJsonObject(part) && Object.hasOwn(part, 'kind') ? 'part.kind' : undefined))
    : undefined

function inEach(list: unknown, look: (each: unknown) => string | undefined): string | undefined {
  const values: readonly unknown[] = Array.isArray(list) ? list : []
  for (const value of values) {
    const trace = look(value)
    if (trace !== undefined) return trace
  }
  return undefined
}
