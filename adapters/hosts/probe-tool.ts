import { z } from 'zod'
import { defineTool } from '../../src/core/define-tool.ts'
import { readEffect } from '../../src/core/effect.ts'
import type { ToolDefinition } from '../../src/core/tool.ts'

/** The one resource that the gate of a probe permits. */
export const PERMITTED = 'permitted'
/** A resource that it denies. */
export const DENIED = 'denied'

/** A tool that does nothing but count its runs. */
export interface ProbeTool {
  readonly tool: ToolDefinition
  readonly runs: () => number
}

/** No tool of anybody else is called so. */
export const TOOL_NAME = 'intent_gate_probe'

/** A fresh tool whose one argument names the resource, so that the call itself decides whether it is permitted. */
export function probeTool(): ProbeTool {
  let runs = 0
  const tool = defineTool({
    name: TOOL_NAME,
    description: 'Does nothing.',
    parameters: z.object({ target: z.string() }),
    template: 'Probe {target}',
    resources: [{ argument: 'target', type: 'Probe', actions: ['USE'] }],
    effect: readEffect('target'),
    run: ({ target }) => {
      runs += 1
      return { target }
    },
  })
  return { tool, runs: () => runs }
}
