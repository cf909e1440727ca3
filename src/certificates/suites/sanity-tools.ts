import { z } from 'zod'
import { defineTool } from '../../core/define-tool.ts'
import type { EffectClass, EffectContract } from '../../core/effect.ts'
import type { ToolDefinition } from '../../core/tool.ts'
import type { ToolArguments } from '../../core/tool-arguments.ts'

const text = z.string().regex(/^[a-z0-9.-]{1,64}$/)

const contract = (kind: EffectClass, tier: EffectContract['tier'], egress: 'user' | 'third_party'): EffectContract => ({
  class: kind,
  tier,
  reversible: tier !== 'high',
  untrustedOutput: tier === 'low',
  version: '1',
  predict: (args: ToolArguments) => ({
    mutations: tier === 'low' ? [] : [`${kind}:Record`],
    resources: typeof args['record'] === 'string' ? [args['record']] : [],
    rows: 1,
    destinations: [],
    egress,
  }),
})

const tool = (
  name: string,
  kind: EffectClass,
  tier: EffectContract['tier'],
  shape: Readonly<Record<string, 'record' | 'amount'>>,
): ToolDefinition =>
  defineTool({
    name,
    description: `The ${name} tool of the sanity suite.`,
    parameters: z.object(Object.fromEntries(Object.keys(shape).map((argument) => [argument, text]))),
    template: `Use ${name}`,
    resources: 'record' in shape ? [{ argument: 'record', type: 'Record', actions: ['USE'] }] : [],
    roles: shape,
    effect: contract(kind, tier, kind === 'export' || kind === 'delegate' ? 'third_party' : 'user'),
    run: () => null,
  })

/** Seven tools, three of them of high risk (intent-certificate model, sanity suite). */
export const SANITY_TOOLS: readonly ToolDefinition[] = [
  tool('list', 'read', 'low', {}),
  tool('get', 'read', 'low', { record: 'record' }),
  tool('create', 'create', 'medium', { amount: 'amount' }),
  tool('update', 'update', 'medium', { record: 'record' }),
  tool('delete', 'delete', 'high', { record: 'record' }),
  tool('export', 'export', 'high', {}),
  tool('grant', 'delegate', 'high', {}),
]
