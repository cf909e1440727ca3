import type { SessionId, ToolCallId } from './ids.ts'
import type { Login } from './login.ts'
import type { ToolDefinition } from './tool.ts'
import type { ToolArguments } from './tool-arguments.ts'

/**
 * The kinds of call that a Copilot runtime asks about, then three of our own (argv without a shell, an MCP resource, a
 * call of an API); anything else is `unknown` and denied.
 */
export const CALL_KINDS = [
  'custom-tool',
  'shell',
  'read',
  'write',
  'url',
  'mcp',
  'memory',
  'extension-management',
  'factory',
  'extension-permission-access',
  'extension-env-access',
  'exec',
  'mcp-resource',
  'api-call',
  'unknown',
] as const
export type CallKind = (typeof CALL_KINDS)[number]

/** What a host hands over. `login` comes from the verified token, never from the model. */
export interface ToolCall {
  readonly id: ToolCallId
  readonly session: SessionId
  /** Counts the user's messages of the session from 1. */
  readonly turn: number
  readonly login: Login
  readonly kind: CallKind
  /** As the model named it; empty for a kind that has no tool. */
  readonly tool: string
  /** As the model gave them: any JSON value. */
  readonly args: unknown
  /** The folder that a host says the call starts in. */
  readonly cwd?: string
}

declare const normalized: unique symbol
/** A call with one spelling per value. Only `firewall/normalize.ts` makes one. */
export interface NormalizedCall extends ToolCall {
  readonly definition: ToolDefinition
  readonly args: ToolArguments
  /** Lower-case hex SHA-256 of the normalized arguments; what a permit is bound to. */
  readonly argsHash: string
  readonly [normalized]: true
}
