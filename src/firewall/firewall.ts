import type { ToolCall } from '../core/call.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import type { Outcome } from './outcome.ts'

/** What the firewall found out about one call. */
export interface Screened {
  readonly outcome: Outcome
  /** The call in one spelling: what a person is shown and what is put on record. Holds no value of a secret file. */
  readonly args: ToolArguments
  /** True when the session is tainted, now or by this very call. */
  readonly tainted: boolean
  /** Lower-case hex SHA-256 of the bytes of the policy that decided; empty when no policy could be loaded. */
  readonly policySha256: string
}

/** The default-deny firewall of one workspace. */
export interface Firewall {
  /** The opinion on one call; taints the session where it must, durably, before it answers. Never throws. */
  screen(call: ToolCall): Screened
}
