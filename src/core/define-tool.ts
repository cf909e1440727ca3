import type { z } from 'zod'
import type { Obligation } from './decision.ts'
import type { EffectContract } from './effect.ts'
import { SettingError } from './setting-error.ts'
import type { ArgumentRole, ResourceArgument, ToolContext, ToolDefinition } from './tool.ts'

/** What a developer writes; `run` sees the parsed arguments with their types. */
export interface ToolSource<Parameters extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly parameters: Parameters
  readonly template: string
  readonly resources: readonly ResourceArgument[]
  readonly destinations?: readonly string[]
  readonly roles?: Readonly<Record<string, ArgumentRole>>
  readonly effect: EffectContract
  readonly obligations?: readonly Obligation[]
  readonly run: (args: z.output<Parameters>, context: ToolContext) => unknown
}

const placeholder = /\{([^{}]*)\}/g

/**
 * Checks one tool's definition and closes its schema.
 * @throws SettingError when the template or a resource names an argument that the parameters lack.
 */
export function defineTool<Parameters extends z.ZodObject>(source: ToolSource<Parameters>): ToolDefinition {
  if (!/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/.test(source.name)) {
    throw new SettingError(`tool ${source.name}`, 'its name is not one word', 'use letters, digits, _ and - only')
  }
  const known = new Set(Object.keys(source.parameters.shape))
  const used = [
    ...[...source.template.matchAll(placeholder)].map((match) => match[1] ?? ''),
    ...source.resources.map((resource) => resource.argument),
    ...(source.destinations ?? []),
    ...Object.keys(source.roles ?? {}),
  ]
  const stray = used.find((argument) => !known.has(argument))
  if (stray !== undefined) {
    throw new SettingError(
      `tool ${source.name}`,
      `it uses the argument "${stray}", which its parameters do not have`,
      `add "${stray}" to the parameters, or correct the template, resources, destinations or roles`,
    )
  }
  return {
    destinations: [],
    obligations: [],
    roles: {},
    ...source,
    parameters: source.parameters.strict(),
    run: source.run as ToolDefinition['run'],
  }
}
