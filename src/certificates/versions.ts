import { z } from 'zod'
import type { ToolDefinition } from '../core/tool.ts'
import { digestOf } from './digest.ts'

type Tools = ReadonlyMap<string, ToolDefinition>

/** A registry as it was when a certificate was made: comparing it costs no hash unless something was replaced. */
export interface RegistrySnapshot {
  readonly registry: string
  readonly effects: string
  /** True while the tools are still the ones of this snapshot, word for word. */
  readonly holds: () => boolean
}

/** One line a tool: everything that decides what a call of it means, descriptions included. */
const lineOf = (tool: ToolDefinition): unknown => ({
  name: tool.name,
  description: digestOf(tool.description),
  schema: digestOf(z.toJSONSchema(tool.parameters, { unrepresentable: 'any', io: 'input' })),
  template: tool.template,
  resources: tool.resources,
  destinations: tool.destinations,
  roles: tool.roles,
  obligations: tool.obligations,
})

const contractOf = ({ name, effect }: ToolDefinition): unknown => ({ name, ...effect, predict: undefined })

const hashed = (tools: Tools): { readonly registry: string; readonly effects: string } => {
  const sorted = [...tools.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
  return {
    registry: digestOf(sorted.map((tool) => [lineOf(tool), contractOf(tool)])),
    effects: digestOf(sorted.map(contractOf)),
  }
}

/** Makes snapshots; an unchanged registry is hashed once. */
export function createRegistry(): (tools: Tools) => RegistrySnapshot {
  const made = new WeakMap<Tools, RegistrySnapshot>()
  return (tools) => {
    const before = made.get(tools)
    if (before?.holds() === true) return before
    const snapshot = snapshotOf(tools)
    made.set(tools, snapshot)
    return snapshot
  }
}

function snapshotOf(tools: Tools): RegistrySnapshot {
  const seen = [...tools].map(([name, tool]) => ({ name, tool, description: tool.description, effect: tool.effect }))
  return {
    ...hashed(tools),
    holds: () =>
      tools.size === seen.length &&
      seen.every(({ name, tool, description, effect }) => {
        const now = tools.get(name)
        return now === tool && now.description === description && now.effect === effect
      }),
  }
}
