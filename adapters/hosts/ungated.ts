import { deny, permit, type Decision } from '../../src/core/decision.ts'
import type { ToolCall } from '../../src/core/call.ts'
import { ToolRefusal, type ToolDefinition } from '../../src/core/tool.ts'
import type { World } from '../../src/core/world.ts'
import type { Gate, Judgement, RunResult } from '../../src/gate/gate.ts'

/**
 * Gives up all protection, to show what it is for: no intent, no coverage, no PDP, no approval, no permit, no audit. A
 * custom tool runs whenever its arguments parse, for whoever asks. Every other kind of call is still denied, because
 * there the runtime itself would act.
 */
export function ungated(tools: readonly ToolDefinition[], world: World): Gate {
  const named: ReadonlyMap<string, ToolDefinition> = new Map(tools.map((tool) => [tool.name, tool]))
  const judge = (call: ToolCall): Promise<Judgement> => {
    const decision = unprotected(named, call)
    return Promise.resolve({ id: world.newId(), decision, opinions: [{ room: 'firewall', decision }], ms: 0 })
  }
  return {
    tools: () => tools,
    judge,
    authorize: judge,
    run: (call) => run(named, world, call),
    beginTurn: () => ({ visible: [...named.keys()] }),
    revoke: () => undefined,
    forget: () => undefined,
    heard: () => undefined,
    endTurn: () => undefined,
  }
}

function unprotected(tools: ReadonlyMap<string, ToolDefinition>, { kind, tool, args }: ToolCall): Decision {
  if (kind !== 'custom-tool') return deny('firewall.kind_not_allowed')
  const definition = tools.get(tool)
  if (definition === undefined) return deny('agent.action_unknown')
  return definition.parameters.safeParse(args).success ? permit() : deny('agent.action_invalid')
}

async function run(tools: ReadonlyMap<string, ToolDefinition>, world: World, call: ToolCall): Promise<RunResult> {
  const definition = tools.get(call.tool)
  const parsed = definition?.parameters.safeParse(call.args)
  if (definition === undefined || parsed?.success !== true) {
    return { kind: 'denied', executed: false, code: 'agent.action_invalid' }
  }
  try {
    const value = await definition.run(parsed.data, {
      login: call.login,
      session: call.session,
      idempotencyKey: world.newId(),
    })
    return { kind: 'done', executed: true, value }
  } catch (cause) {
    // The tool's own code is outside our reach: whatever it throws is its failure, not ours.
    return cause instanceof ToolRefusal
      ? { kind: 'refused', executed: true, code: cause.code, says: cause.message }
      : { kind: 'failed', executed: true }
  }
}
