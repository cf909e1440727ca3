import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/core/define-tool.ts'
import { SettingError } from '../../src/core/setting-error.ts'

const source = {
  name: 'open_door',
  description: 'Opens a door.',
  parameters: z.object({ door_id: z.string(), floor: z.string().optional() }),
  template: 'Open Door {door_id}',
  resources: [{ argument: 'door_id', type: 'Door', actions: ['OPEN'] as const }],
  effect: {
    class: 'update',
    tier: 'medium',
    reversible: true,
    untrustedOutput: false,
    version: '1',
    predict: () => ({ mutations: [], resources: [], rows: 1, destinations: [], egress: 'none' as const }),
  },
  run: () => 'open',
} as const

describe('defining a tool', () => {
  it('closes the schema: an argument that the tool does not have is refused', () => {
    const { parameters } = defineTool(source)
    expect(parameters.safeParse({ door_id: 'd1' }).success).toBe(true)
    expect(parameters.safeParse({ door_id: 'd1', on_behalf_of: 'alice' }).success).toBe(false)
  })

  it.each([
    { what: 'template', change: { template: 'Open Door {door}' } },
    { what: 'resource', change: { resources: [{ argument: 'gate_id', type: 'Door', actions: ['OPEN'] as const }] } },
    { what: 'destination', change: { destinations: ['to'] } },
    { what: 'name', change: { name: 'open door; rm' } },
  ])('refuses a $what that the parameters do not support', ({ change }) => {
    expect(() => defineTool({ ...source, ...change })).toThrow(SettingError)
  })
})
