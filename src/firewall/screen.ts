import { openSecrets, type Leak, type SecretsState } from './egress.ts'
import { block } from './outcome.ts'
import { openSandbox, type Sandbox, type SandboxGround } from './places.ts'
import type { Policy } from './policy.ts'
import { rememberingParts, type Carried } from './pieces.ts'
import { requestOf } from './read-request.ts'
import type { ActionRequest, HostCall } from './request.ts'
import { judgeRequest } from './rules.ts'
import { createWalker, type Walker } from './shell/walk.ts'
import type { Screening } from './screening.ts'
import { originsOf, type Origin } from './url.ts'

/** What the firewall knows when a call arrives. */
interface ScreenContext {
  readonly policy: Policy
  readonly sandbox: Sandbox
  /** The secrets of this moment. */
  readonly secrets: SecretsState
  /** True when the session is tainted already. */
  readonly tainted: boolean
  readonly walker: Walker
  readonly origins: readonly Origin[]
  readonly ownSearch: boolean
  /** What each session has carried out in parts. */
  readonly carriedBy: (session: string) => Carried
}

/** A call as a host hands it over; its id is looked at for secrets, too. */
export type ScreenedCall = HostCall & {
  readonly id?: string
  /** Whose earlier calls count, when a secret may leave in parts; absent for a call that stands alone. */
  readonly session?: string
}

/** A policy, ready for calls. */
export interface Screener {
  readonly policy: Policy
  readonly sandbox: Sandbox
  /** `tainted`: the session was tainted before this call. */
  screen(call: ScreenedCall, tainted: boolean): Screening
}

/** What a policy needs to be ready. */
interface ScreenerGround extends SandboxGround {
  /** Milliseconds of any clock that does not go back. */
  readonly nowMs: () => number
  /** True when the `grep` that runs is ours. @defaultValue false */
  readonly ownSearch?: boolean
}

/**
 * Makes a policy ready: its sandbox is found, its secret files are followed.
 * @throws SettingError when the sandbox cannot be opened.
 */
export function openScreener(policy: Policy, ground: ScreenerGround): Screener {
  const sandbox = openSandbox(policy, ground)
  const secrets = openSecrets(policy.secret_files, sandbox.root, ground.disk)
  const walker = createWalker({ protectedNames: policy.protected_names, own: ground.protect, nowMs: ground.nowMs })
  const origins = originsOf(policy.network.allow)
  const { ownSearch = false } = ground
  const carriedBy = rememberingParts()
  return {
    policy,
    sandbox,
    screen: (call, tainted) =>
      screen(call, { policy, sandbox, walker, origins, ownSearch, carriedBy, secrets: secrets(), tainted }),
  }
}

/**
 * The firewall's opinion on one call: default deny, first match decides. Secrets come before everything that depends on
 * what the call is, so that a malformed call or an unknown tool cannot carry one out. Pure apart from `Disk`; what
 * throws is for the caller's catch-all, which denies. Spec: section 1.4.
 */
function screen(call: ScreenedCall, context: ScreenContext): Screening {
  const { sandbox, secrets, tainted } = context
  if (!secrets.ok) {
    const hint = `A secret file cannot be used: ${secrets.detail}. A person must correct it, or secret_files.`
    return { outcome: block('fail-closed', secrets.detail, { hint }), normalized: {} }
  }
  const { id, tool, args, cwd } = call
  const request = requestOf(call)
  const carried = LEAVES[request.tool] ? context.carriedBy(call.session ?? '') : undefined
  const leaks = secrets.secrets.leaksIn({ id, tool, arguments: args, cwd }, carried)
  if (leaks.length > 0) return leaked(leaks)
  const { policy, walker, origins, ownSearch } = context
  return judgeRequest(request, { policy, tainted, walker, origins, ownSearch, places: sandbox.look() })
}

/** Requests that hand their arguments to somebody else. */
const LEAVES: Readonly<Record<ActionRequest['tool'], boolean>> = {
  'fs.read': false,
  'fs.write': false,
  'shell.run': true,
  'net.request': true,
  'mcp.call': true,
  'mcp.resource': true,
  'api.call': true,
  unknown: false,
  malformed: false,
  unsupported: false,
}

/** Neither the value nor anything beside it goes further: another argument may hold it in a form that is not known. */
function leaked(leaks: readonly Leak[]): Screening {
  const named = leaks.map(({ file, key, where }) => ({ file, key, where }))
  const taints = [...new Set(leaks.map(({ file, key }) => `secret-egress: ${file}${key === '' ? '' : ` ${key}`}`))]
  const detail = leaks
    .map(({ file, key, where }) => `${key === '' ? 'a value' : key} of ${file} in ${where}`)
    .join('; ')
  return { outcome: block('secret-egress', detail.slice(0, 2000), { taints }), normalized: { secrets: named } }
}
