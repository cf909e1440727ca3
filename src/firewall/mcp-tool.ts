import type { Policy } from './policy.ts'

/** A tool of a registered server. */
export interface RegisteredTool {
  readonly server: string
  readonly tool: string
}

/** How a call names its tool. A host joins server and tool with a hyphen, or says the server beside it. */
interface NamedTool {
  readonly server: string | undefined
  readonly name: string
}

const PREFIX = 'mcp__'

/**
 * The one registered tool that a name stands for. A name that can be split into two registered tools is refused: what was
 * granted for the one must not run the other. Design: firewall requests.
 */
export function registeredTool(
  named: NamedTool,
  registry: Policy['mcp_registry'],
): RegisteredTool | 'unknown' | 'ambiguous' {
  const found = new Map<string, RegisteredTool>()
  for (const { server, tool } of splits(named)) {
    const tools = Object.hasOwn(registry, server) ? registry[server] : undefined
    if (tools?.includes(tool) === true) found.set(JSON.stringify([server, tool]), { server, tool })
  }
  const [only] = found.values()
  if (only === undefined) return 'unknown'
  return found.size === 1 ? only : 'ambiguous'
}

/** Every server and tool that the name could mean. */
function splits({ server, name }: NamedTool): readonly RegisteredTool[] {
  if (server !== undefined) {
    const prefixed = name.startsWith(`${server}-`) ? [{ server, tool: name.slice(server.length + 1) }] : []
    return [{ server, tool: name }, ...prefixed]
  }
  const marked = name.startsWith(PREFIX) ? cuts(name.slice(PREFIX.length), '__') : []
  return [...cuts(name, '-'), ...marked]
}

function cuts(name: string, separator: string): readonly RegisteredTool[] {
  const found: RegisteredTool[] = []
  for (let at = name.indexOf(separator); at !== -1; at = name.indexOf(separator, at + 1)) {
    const [server, tool] = [name.slice(0, at), name.slice(at + separator.length)]
    if (server !== '' && tool !== '') found.push({ server, tool })
  }
  return found
}
