import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { ToolCall } from '../core/call.ts'
import type { Firewall } from '../firewall/firewall.ts'

/** A firewall that knows which calls a person had to be asked about when they were decided. */
export interface AskedCalls {
  readonly firewall: Firewall
  /** True when the last decision on this very call was to ask a person; a call that was not seen was not asked about. */
  readonly wasAsked: (call: Asked) => boolean
}

type Asked = Pick<ToolCall, 'session' | 'tool' | 'args'>

/** Far more calls than a turn has between a decision and its run. */
const MAX_CALLS = 1_000

/** Wraps a firewall; the oldest decisions are forgotten, which can only refuse. */
export function askedCalls(firewall: Firewall): AskedCalls {
  const asked = new Map<string, boolean>()
  return {
    firewall: {
      screen: (call) => {
        const screened = firewall.screen(call)
        const key = keyOf(call)
        asked.delete(key)
        asked.set(key, screened.outcome.decision === 'require_approval')
        const [oldest] = asked.keys()
        if (asked.size > MAX_CALLS && oldest !== undefined) asked.delete(oldest)
        return screened
      },
    },
    wasAsked: (call) => asked.get(keyOf(call)) === true,
  }
}

/** What a tool is run with has its arguments in another order than what the model sent. */
function keyOf({ session, tool, args }: Asked): string {
  try {
    return hash('sha256', canonicalize([session, tool, args]) ?? '')
  } catch {
    // Not JSON, so that it never runs either.
    return ''
  }
}
