import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { ToolCall } from '../core/call.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import type { Firewall } from '../firewall/firewall.ts'

/** A firewall that knows which calls a person had to be asked about when they were decided. */
export interface AskedCalls {
  readonly firewall: Firewall
  /**
   * True when the last decision on this very call was to ask a person, about what the firewall makes of it now: a yes to
   * one file is none to another that the same spelling leads to meanwhile. A call that was not seen was not asked about.
   */
  readonly wasAsked: (call: Asked, normalized: ToolArguments) => boolean
}

type Asked = Pick<ToolCall, 'session' | 'tool' | 'args'>

/** Far more calls than a turn has between a decision and its run. */
const MAX_CALLS = 1_000

/** Wraps a firewall; the oldest decisions are forgotten, which can only refuse. */
export function askedCalls(firewall: Firewall): AskedCalls {
  const asked = new Map<string, string | undefined>()
  return {
    firewall: {
      screen: (call) => {
        const screened = firewall.screen(call)
        const key = keyOf(call)
        asked.delete(key)
        asked.set(key, screened.outcome.decision === 'require_approval' ? hashOf(screened.args) : undefined)
        const [oldest] = asked.keys()
        if (asked.size > MAX_CALLS && oldest !== undefined) asked.delete(oldest)
        return screened
      },
    },
    wasAsked: (call, normalized) => {
      const hashed = hashOf(normalized)
      return hashed !== undefined && asked.get(keyOf(call)) === hashed
    },
  }
}

/** What a tool is run with has its arguments in another order than what the model sent. */
const keyOf = ({ session, tool, args }: Asked): string => hashOf([session, tool, args]) ?? ''

/** Undefined for what is no JSON, and so never runs either. */
function hashOf(value: unknown): string | undefined {
  try {
    const text = canonicalize(value)
    return text === undefined ? undefined : hash('sha256', text)
  } catch {
    return undefined
  }
}
