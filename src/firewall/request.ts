import type { ToolCall } from '../core/call.ts'

/**
 * How far a read goes: `names`: what is named, the names in a folder. `tree`: everything below a folder. `search`: the
 * same, by the tool that ours replaces, which leaves out what is protected.
 */
export type Reach = 'names' | 'tree' | 'search'

/** What a call asks for, in the firewall's own words. Everything in it is as the agent spelled it. Spec: section 1.1. */
export type ActionRequest = CheckableRequest | UncheckableRequest

/**
 * The texts under argument names that nobody knows: each could be another file, so they are looked at, and the request is
 * refused. Absent when every name is known.
 */
export type Strange = readonly string[]

/** The request of one tool. */
export type RequestOf<Tool extends ActionRequest['tool']> = Extract<ActionRequest, { tool: Tool }>

type CheckableRequest =
  | {
      readonly tool: 'fs.read'
      readonly paths: readonly string[]
      readonly reach: Reach
      readonly cwd: string | undefined
      readonly strange?: Strange
    }
  | {
      readonly tool: 'fs.write'
      readonly paths: readonly string[]
      readonly cwd: string | undefined
      readonly strange?: Strange
    }
  | { readonly tool: 'shell.run'; readonly command: ShellCommand; readonly cwd: string | undefined }
  | { readonly tool: 'net.request'; readonly url: string; readonly method: string; readonly hasBody: boolean }
  | {
      readonly tool: 'mcp.call'
      /** Undefined when the host joined it to the name. */
      readonly server: string | undefined
      readonly name: string
      readonly arguments: Readonly<Record<string, unknown>>
    }
  | { readonly tool: 'mcp.resource'; readonly server: string; readonly uri: string }
  | {
      readonly tool: 'api.call'
      readonly audience: string
      readonly operation: string
      readonly arguments: Readonly<Record<string, unknown>>
    }

/** A request that no rule can let through. */
export type UncheckableRequest =
  /** Nobody knows what the call would do. */
  | { readonly tool: 'unknown' }
  /** The fields of a known tool are missing or of another type. */
  | { readonly tool: 'malformed'; readonly detail: string }
  /** The host can do it, the firewall cannot check it. */
  | { readonly tool: 'unsupported'; readonly detail: string }

/** A line for a shell, or words that no shell sees. */
type ShellCommand = { readonly line: string } | { readonly argv: readonly string[] }

/** What the firewall needs of a call. */
export type HostCall = Pick<ToolCall, 'kind' | 'tool' | 'args'> & { readonly cwd?: string | undefined }
