import { hash } from 'node:crypto'
import type { z } from 'zod'
import type { NormalizedCall, ToolCall } from '../core/call.ts'
import type { ToolDefinition } from '../core/tool.ts'
import { pass, refuse, type Refusal, type Verdict } from '../core/verdict.ts'

/** More than any real call of a custom tool; a larger one would also vanish from the model's context. */
const MAX_ARGUMENT_CHARACTERS = 64 * 1024

/**
 * One spelling per value, or a refusal. Custom tools are parsed by their own closed schema; every other kind of call is
 * refused, because the bank assistant has no use for it.
 */
export function normalize(call: ToolCall, tools: ReadonlyMap<string, ToolDefinition>): Verdict<NormalizedCall> {
  if (call.kind !== 'custom-tool') return refuseKind(call)
  const definition = tools.get(call.tool)
  if (definition === undefined) return refuse('agent.action_unknown', 'no such custom tool')
  const text = JSON.stringify(call.args) as string | undefined
  if (text === undefined) return refuse('agent.action_invalid', 'no arguments')
  if (text.length > MAX_ARGUMENT_CHARACTERS) return refuse('firewall.arguments_too_large', `${text.length} characters`)
  if (text.includes('\\ud') && !isWellFormed(call.args)) return refuse('agent.action_invalid', 'a lone surrogate')
  const parsed = definition.parameters.safeParse(call.args)
  if (!parsed.success) return invalid(parsed.error, definition)
  const args = parsed.data
  if (!isPlain(args)) return refuse('agent.action_invalid', 'a parsed value that is not plain JSON')
  const argsHash = hash('sha256', JSON.stringify([definition.name, args]), 'hex')
  const { id, session, turn, login, kind, tool } = call
  // Key by key: on Node 20, V8 gives every `{ ...call, newKey }` a shape of its own, which costs 5 µs and slows its readers.
  return pass({ id, session, turn, login, kind, tool, definition, args, argsHash } as NormalizedCall)
}

function refuseKind(call: ToolCall): Refusal {
  if (call.kind !== 'unknown') return refuse('firewall.kind_not_allowed', call.kind)
  if (call.tool !== '') return refuse('agent.action_unknown', 'a tool of no known kind')
  return refuse('firewall.kind_unknown', 'no known kind')
}

function invalid(error: z.ZodError, definition: ToolDefinition): Refusal {
  const known = Object.keys(definition.parameters.shape)
  const faults = error.issues.map((issue) => {
    const field = known.find((name) => name === issue.path[0])
    // A custom message is the tool's own text about its parameter; zod's messages may quote what was sent.
    return { field, what: issue.code === 'custom' ? issue.message : issue.code, isOwn: issue.code === 'custom' }
  })
  const detail = faults.map(({ field = 'call', what }) => `${field}: ${what}`).join(', ')
  const wrong = faults.filter(({ field }) => field !== undefined)
  const named = new Set(wrong.map(({ field = '', what, isOwn }) => (isOwn ? `${field} (${what})` : field)))
  const hint = named.size > 0 ? `Wrong: ${[...named].join(', ')}.` : `Parameters: ${known.join(', ')}.`
  return refuse('agent.action_invalid', detail, hint)
}

/** True for what JSON text can say in full: a Set or a Date would have the hash of another value. */
function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint' && typeof value !== 'function'
  const made = Object.getPrototypeOf(value) as unknown
  return (made === Object.prototype || made === Array.prototype || made === null) && Object.values(value).every(isPlain)
}

/** True when no string or key anywhere holds a lone surrogate. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member))
}
