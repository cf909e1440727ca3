import { type ChatMessage, type ChatRequest, contentText, type ModelCall } from './model-wire.ts'
import type { Fields } from './assistant-wish.ts'
import { plainDecimal } from './assistant-transfer.ts'

/** One call that the assistant has made, and what came back. */
export interface Attempt {
  readonly name: string
  readonly arguments: Fields
  /** Absent when nothing came back. */
  readonly result: string | undefined
}

/** What the assistant reads out of a request. It remembers nothing else. */
export interface Conversation {
  readonly system: string
  /** The user's messages without the wrapping of the runtime, oldest first. */
  readonly said: readonly string[]
  /** Of the current turn, in order. */
  readonly attempts: readonly Attempt[]
  /** Of earlier turns, in order. */
  readonly earlier: readonly Attempt[]
  /** Messages with calls since the user last spoke. */
  readonly rounds: number
}

// A longer text is read as far as this: the work for one answer stays bounded.
const MAX_TEXT = 8192

export function readConversation({ messages }: ChatRequest): Conversation {
  const lastUser = messages.findLastIndex(({ role }) => role === 'user')
  const [before, turn] = [messages.slice(0, Math.max(0, lastUser)), messages.slice(lastUser + 1)]
  const textsOf = (...roles: string[]): string[] =>
    messages.filter(({ role }) => roles.includes(role)).map(({ content }) => unwrap(contentText(content)))
  return {
    system: textsOf('system', 'developer').join('\n'),
    said: textsOf('user'),
    attempts: attemptsIn(turn),
    earlier: attemptsIn(before),
    rounds: turn.filter(hasCalls).length,
  }
}

const hasCalls = ({ tool_calls }: ChatMessage): boolean => (tool_calls ?? []).length > 0

/** Without the `<current_datetime>` that the Copilot runtime puts before a user's text. */
const unwrap = (text: string): string =>
  text.slice(0, MAX_TEXT).replace(/^\s*<current_datetime>[^<]{0,100}<\/current_datetime>\s*/, '')

function attemptsIn(messages: readonly ChatMessage[]): Attempt[] {
  const results = new Map<string, string[]>()
  for (const { tool_call_id, content } of messages) {
    if (typeof tool_call_id !== 'string') continue
    const text = contentText(content).slice(0, MAX_TEXT)
    results.set(tool_call_id, [...(results.get(tool_call_id) ?? []), text])
  }
  return messages
    .flatMap(({ tool_calls }) => tool_calls ?? [])
    .map(({ id, function: { name, arguments: args } }) => ({
      name,
      arguments: fieldsOf(args) ?? {},
      result: results.get(id ?? '')?.shift(),
    }))
}

/** The fields of a JSON object; undefined for every other text. */
export function fieldsOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/** Equal for two calls that ask for the same: `500`, `500.00` and another order of fields make no difference. */
export function callKey({ name, arguments: args }: ModelCall | Attempt): string {
  const fields: Fields | undefined = typeof args === 'string' ? fieldsOf(args) : { ...args }
  if (fields === undefined) return `${name} ${JSON.stringify(args)}`
  const pairs = Object.entries(fields).map(([field, value]): [string, unknown] => [
    field,
    field === 'amount' && typeof value === 'string' ? withoutZeros(value) : value,
  ])
  return `${name} ${JSON.stringify(pairs.sort(([first], [second]) => (first < second ? -1 : 1)))}`
}

const withoutZeros = (amount: string): string =>
  plainDecimal(amount)
    .replace(/\.0{1,2}$/, '')
    .replace(/(\.\d)0$/, '$1')
