import type { ArgumentRole, ToolDefinition } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'

/** One argument of a call as certificates see it. */
export interface ReadArgument {
  readonly name: string
  readonly value: unknown
  /** Absent: no role; the user's words do not bind it. */
  readonly role?: ArgumentRole
  /** AuthZEN type, where the argument is a resource. */
  readonly type?: string
  /** The texts inside it, nested ones included. */
  readonly leaves: readonly string[]
}

/** The arguments that are there: `undefined` and `null` say nothing. A resource without a role is a record. */
export function readArguments(definition: ToolDefinition, args: ToolArguments): readonly ReadArgument[] {
  return Object.entries(args)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => ({ name, value, leaves: leavesOf(value), ...meaningOf(definition, name) }))
}

/** True for each of them, and there is one: an empty list is no value that anybody has said. */
export const eachOf = (leaves: readonly string[], test: (leaf: string) => boolean): boolean =>
  leaves.length > 0 && leaves.every(test)

function meaningOf(definition: ToolDefinition, name: string): Pick<ReadArgument, 'role' | 'type'> {
  const type = definition.resources.find((resource) => resource.argument === name)?.type
  const stated = Object.hasOwn(definition.roles, name) ? definition.roles[name] : undefined
  const implied = type !== undefined ? 'record' : definition.destinations.includes(name) ? 'payee' : undefined
  const role = stated ?? implied
  return { ...(role === undefined ? {} : { role }), ...(type === undefined ? {} : { type }) }
}

function leavesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(leavesOf)
}
