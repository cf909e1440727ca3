import { z } from 'zod'
import type { CallKind } from '../core/call.ts'
import { READ_TOOLS, WRITE_TOOLS } from './file-reader.ts'
import { anything, fields, malformed, Name, unknown, type Reader } from './reader.ts'
import type { ActionRequest, HostCall } from './request.ts'

/** Turns a host's call into the firewall's own request. Total: what it cannot read is `unknown` or `malformed`. */
export function requestOf(call: HostCall): ActionRequest {
  return READERS[call.kind](call)
}

// Closed: an argument that is not known could be a folder or an environment.
const BashArguments = z.strictObject({
  command: Name,
  description: z.unknown().optional(),
  shellId: z.unknown().optional(),
  mode: z.unknown().optional(),
  detach: z.unknown().optional(),
  initial_wait: z.unknown().optional(),
  timeout: z.unknown().optional(),
})
// Closed, too: a header, a proxy or another body would carry something out.
const FetchArguments = z.strictObject({
  url: Name,
  method: z.string().default('GET'),
  body: z.unknown().optional(),
  ...anything('max_length', 'start_index', 'raw', 'timeout'),
})
const Arguments = z.record(z.string(), z.unknown())

const fetches = fields(FetchArguments, ({ url, method, body }) => ({
  tool: 'net.request',
  url,
  method,
  hasBody: body !== undefined && body !== null && body !== '',
}))

const runsLine = fields(BashArguments, ({ command }, { cwd }) => ({
  tool: 'shell.run',
  command: { line: command },
  cwd,
}))

const mcpOf = fields(
  z.looseObject({ server: Name.optional(), tool: Name, args: Arguments.default({}) }),
  ({ server, tool, args }) => ({ tool: 'mcp.call', server, name: tool, arguments: args }),
)

/** A host that asks by name only joins the server of an MCP tool to it; no tool of the runtime has a hyphen. */
const joinedName: Reader = (call) => {
  if (!call.tool.includes('-') && !call.tool.startsWith('mcp__')) return unknown(call)
  const args = Arguments.safeParse(call.args ?? {})
  if (!args.success) return malformed('the arguments are no object')
  return { tool: 'mcp.call', server: undefined, name: call.tool, arguments: args.data }
}

const READERS: Readonly<Record<CallKind, Reader>> = {
  'custom-tool': unknown,
  shell: (call) => (call.tool === 'bash' ? runsLine(call) : unknown(call)),
  exec: fields(z.strictObject({ argv: z.array(z.string()).min(1) }), ({ argv }, { cwd }) => ({
    tool: 'shell.run',
    command: { argv },
    cwd,
  })),
  read: (call) => (READ_TOOLS.get(call.tool) ?? unknown)(call),
  write: (call) => (WRITE_TOOLS.get(call.tool) ?? unknown)(call),
  url: (call) => (call.tool === 'web_fetch' ? fetches(call) : unknown(call)),
  mcp: mcpOf,
  'mcp-resource': fields(z.looseObject({ server: Name, uri: Name }), ({ server, uri }) => ({
    tool: 'mcp.resource',
    server,
    uri,
  })),
  'api-call': fields(z.looseObject({ audience: Name, operation: Name, arguments: Arguments.default({}) }), (args) => ({
    tool: 'api.call',
    audience: args.audience,
    operation: args.operation,
    arguments: args.arguments,
  })),
  memory: unknown,
  'extension-management': unknown,
  factory: unknown,
  'extension-permission-access': unknown,
  'extension-env-access': unknown,
  unknown: joinedName,
}
