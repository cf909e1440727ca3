import type { ToolDefinition } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import { pass, refuse, type Verdict } from '../core/verdict.ts'

/** One resource that a call must be authorized for. */
export interface ExpectedResource {
  /** The argument that names it; the tool's name when the tool itself is the resource. */
  readonly argument: string
  readonly type: string
  readonly id: string
  /** Any of these covers it. */
  readonly actions: readonly [string, ...string[]]
}

/**
 * What the definition says about one call's resources: one entry for each id of each resource argument. Without any id
 * the tool itself is the resource, so the list is never empty.
 * @returns `coverage.resource_missing` for a resource argument that is neither a string nor a list of strings.
 */
export function expectedResources(
  definition: ToolDefinition,
  args: ToolArguments,
): Verdict<readonly ExpectedResource[]> {
  const expected: ExpectedResource[] = []
  for (const { argument, type, actions } of definition.resources) {
    const ids = idsOf(Object.hasOwn(args, argument) ? args[argument] : undefined)
    if (ids === undefined) return refuse('coverage.resource_missing', `${argument} holds no id`)
    for (const id of ids) expected.push({ argument, type, id, actions })
  }
  if (expected.length > 0) return pass(expected)
  return pass([{ argument: definition.name, type: 'Tool', id: definition.name, actions: ['USE'] }])
}

function idsOf(value: unknown): readonly string[] | undefined {
  if (value === undefined) return []
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.every((each) => typeof each === 'string') ? values : undefined
}
