import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { ToolCall } from '../core/call.ts'
import { realDisk } from './disk.io.ts'
import type { Firewall, Screened } from './firewall.ts'
import { block, type Outcome } from './outcome.ts'
import { openPolicyFile, type PolicyState } from './policy-file.io.ts'
import { openScreener, type Screener } from './screen.ts'
import { TaintStoreError, type TaintStore } from './taint.ts'

export interface FirewallOptions {
  readonly policyFile: string
  /** Lower-case hex SHA-256 that the policy file must have. @defaultValue any */
  readonly pin?: string | undefined
  readonly taints: TaintStore
  /** What no call may read or write beside the policy itself, whether it exists or not: audit, taint store, `--protect`. */
  readonly protect: readonly string[]
}

/** A firewall over a policy file that is followed while it changes. */
export interface OpenFirewall extends Firewall {
  readonly state: () => PolicyState<Screener>
  close(): void
}

/** Opens a firewall. A policy that does not load is no error: every call is then blocked by `fail-closed`, saying why. */
export function openFirewall({ policyFile, pin, taints, protect }: FirewallOptions): OpenFirewall {
  const ground = {
    disk: realDisk,
    home: homedir(),
    nowMs: () => performance.now(),
    protect: [policyFile, ...protect].map((path) => resolve(path)),
  }
  const file = openPolicyFile(policyFile, {
    pin,
    build: (policy, folder) => openScreener(policy, { ...ground, folder }),
  })
  return {
    state: () => file.current(),
    close: () => {
      file.close()
    },
    screen: (call) => screened(file.current(), taints, call),
  }
}

function screened(state: PolicyState<Screener>, taints: TaintStore, call: ToolCall): Screened {
  if (!state.ok) return failed(state.says, '')
  const { tenant } = call.login
  try {
    const tainted = taints.reasons(tenant, call.session).length > 0
    const { outcome, normalized } = state.built.screen(call, tainted)
    if (outcome.taints.length > 0) taints.add(tenant, call.session, outcome.taints)
    return { outcome, args: normalized, tainted: tainted || outcome.taints.length > 0, policySha256: state.sha256 }
  } catch (cause) {
    // Whatever the disk or a rule throws: without an answer there is no call.
    return failed(cause instanceof TaintStoreError ? cause.message : 'the rules failed', state.sha256)
  }
}

const failed = (detail: string, policySha256: string): Screened => {
  const outcome: Outcome = block('fail-closed', detail, { hint: FIX })
  return { outcome, args: {}, tainted: false, policySha256 }
}

const FIX = 'Run intent-gate policy check on the policy file.'
