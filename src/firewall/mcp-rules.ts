import { registeredTool, type RegisteredTool } from './mcp-tool.ts'
import { argumentFindings, serverRoot, type ArgumentFindings } from './mcp.ts'
import { allow, block, requireApproval, type Outcome } from './outcome.ts'
import { readingOf, type Reading } from './path-forms.ts'
import type { RequestOf } from './request.ts'
import { protectedTaint, withTaints, type RuleContext, type Screening } from './screening.ts'

/** The rules for a tool of an MCP server: the registry, then every key and value of the arguments. */
export function judgeMcp(request: RequestOf<'mcp.call'>, context: RuleContext): Screening {
  const { policy, places } = context
  const tool = registeredTool(request, policy.mcp_registry)
  const known = typeof tool === 'string' ? undefined : tool
  const findings = argumentFindings(request.arguments, known, policy, places)
  const outcome = typeof tool === 'string' ? unregistered(tool) : argumentsOutcome(tool, findings)
  const { server, tool: name } = known ?? { server: request.server ?? '', tool: request.name }
  return {
    outcome: withTaints(outcome, findings.protectedPaths.map(protectedTaint)),
    normalized: { server, tool: name, arguments: request.arguments },
  }
}

/** Names of tools that only look. Those of the policy: what a server says of its tools counts for nothing. */
const READS =
  /^(?:get|read|list|show|view|find|search|stat|describe|fetch|grep|glob|tree|head|tail|cat|count|diff|log|status|check|lookup|directory|query)(?![a-z])|_(?:read|list|search|log|diff|status|show)$/i

function unregistered(how: 'unknown' | 'ambiguous'): Outcome {
  if (how === 'unknown') return block('mcp-unknown-tool', 'the tool is not registered')
  return block('mcp-unknown-tool', 'the name stands for more than one registered tool', {
    hint: 'Name the server and the tool separately.',
  })
}

function argumentsOutcome({ server, tool }: RegisteredTool, findings: ArgumentFindings): Outcome {
  const { malformed, protectedPaths } = findings
  const [path] = protectedPaths
  if (malformed !== undefined) return block('parse-error', malformed, { hint: `In this call, ${malformed}.` })
  if (path !== undefined) return block('mcp-protected-path', `${path} is protected`, { also: ['fs-protected'] })
  if (findings.beyond !== undefined) return block('mcp-sandbox', findings.beyond)
  if (findings.option !== undefined) return block('mcp-args', findings.option)
  if (findings.later !== undefined && !READS.test(tool)) {
    return requireApproval('fs-write-scope', `${findings.later} runs later or configures an agent`)
  }
  return allow('mcp-ok', `${server} ${tool}`)
}

/** The rules for a resource of an MCP server. What is no `file:` address may only name no protected path. */
export function judgeResource(request: RequestOf<'mcp.resource'>, context: RuleContext): Screening {
  const { policy, places } = context
  const { server, uri } = request
  // Another scheme is the server's own business, unless what it spells is a protected path.
  const isForeign = /^(?!file:)[a-z][a-z0-9+.-]*:/i.test(uri.trim().replaceAll(/[\t\r\n]/g, ''))
  const read = readingOf(uri, serverRoot(server, policy, places), places)
  const reading = isForeign && read.kind !== 'protected' ? undefined : read
  const taints = reading?.kind === 'protected' ? [protectedTaint(reading.path)] : []
  const isEnabled = policy.mcp_resources.includes(server)
  return { outcome: withTaints(resourceOutcome(request, isEnabled, reading), taints), normalized: { server, uri } }
}

function resourceOutcome({ server, uri }: RequestOf<'mcp.resource'>, isEnabled: boolean, reading?: Reading): Outcome {
  if (uri.includes('\0')) return block('parse-error', 'the address holds a NUL')
  if (!isEnabled) return block('mcp-resources-denied', 'resources of the server are not enabled')
  switch (reading?.kind) {
    case 'protected':
      return block('mcp-protected-path', `${reading.path} is protected`, { also: ['fs-protected'] })
    case 'outside':
      return block('mcp-sandbox', `${reading.path} is outside the sandbox`)
    case 'refused':
      return block('mcp-sandbox', reading.detail)
    case 'open':
    case undefined:
      return allow('mcp-resource-ok', server)
  }
}
