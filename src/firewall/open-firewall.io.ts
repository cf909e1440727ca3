import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { ToolCall } from '../core/call.ts'
import { realDisk } from './disk.io.ts'
import type { Firewall, Screened } from './firewall.ts'
import { block, type Outcome } from './outcome.ts'
import { NOT_PINNED, openPolicyFile, type PolicyState } from './policy-file.io.ts'
import { openScreener, type Screener } from './screen.ts'
import { taintKey, TaintStoreError, type TaintStore } from './taint.ts'

export interface FirewallOptions {
  readonly policyFile: string
  /** Lower-case hex SHA-256 that the policy file must have. @defaultValue any */
  readonly pin?: string | undefined
  readonly taints: TaintStore
  /** What no call may read or write beside the policy itself, whether it exists or not: audit, taint store, `--protect`. */
  readonly protect: readonly string[]
  /** True when the `grep` that runs is ours, which leaves out what is protected. @defaultValue false */
  readonly ownSearch?: boolean
}

/** A firewall over a policy file that is followed while it changes. */
export interface OpenFirewall extends Firewall {
  readonly state: () => PolicyState<Screener>
  close(): void
}

/** Opens a firewall. A policy that does not load is no error: every call is then blocked by `fail-closed`, saying why. */
export function openFirewall({ policyFile, pin, taints, protect, ownSearch = false }: FirewallOptions): OpenFirewall {
  const ground = {
    disk: realDisk,
    home: homedir(),
    nowMs: () => performance.now(),
    ownSearch,
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
  if (!state.ok) return failed(state.says, '', state.says === NOT_PINNED ? OTHER_POLICY : FIX)
  const { tenant } = call.login
  try {
    const tainted = taints.reasons(tenant, call.session).length > 0
    const session = taintKey(tenant, call.session)
    const { outcome, normalized } = state.built.screen({ ...call, session }, tainted)
    if (outcome.taints.length > 0) taints.add(tenant, call.session, outcome.taints)
    return { outcome, args: normalized, tainted: tainted || outcome.taints.length > 0, policySha256: state.sha256 }
  } catch (cause) {
    // Whatever the disk or a rule throws: without an answer there is no call.
    if (cause instanceof TaintStoreError) return failed(cause.message, state.sha256, NO_TAINT_STORE)
    return failed('the rules failed', state.sha256, FIX)
  }
}

const failed = (detail: string, policySha256: string, hint: string): Screened => {
  const outcome: Outcome = block('fail-closed', detail, { hint })
  return { outcome, args: {}, tainted: false, policySha256 }
}

const FIX = 'Run intent-gate policy check on the policy file.'
const OTHER_POLICY =
  'The policy file is not the pinned one. A person must put that one back, or pin the digest that intent-gate policy ' +
  'check prints.'
const NO_TAINT_STORE = 'The store of tainted sessions cannot be used. A person must make its folder usable again.'
