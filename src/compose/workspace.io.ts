import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { AUDIENCE, startIssuer } from '../../standins/issuer.ts'
import { openAuditFile, type AuditFile } from '../audit/jsonl.io.ts'
import { tenantId, type TenantId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import { SettingError } from '../core/setting-error.ts'
import { ToolRefusal, type ToolDefinition } from '../core/tool.ts'
import type { Verdict } from '../core/verdict.ts'
import { reasonOf } from '../core/reasons.ts'
import { openFirewall, type OpenFirewall } from '../firewall/open-firewall.io.ts'
import type { Place } from '../firewall/places.ts'
import type { Screener } from '../firewall/screen.ts'
import { taintStore } from '../firewall/taint-store.io.ts'
import { memoryTaints, TaintStoreError, type TaintStore } from '../firewall/taint.ts'
import { assembleGate } from '../gate/create-gate.ts'
import type { Report } from '../gate/fail-closed.ts'
import type { Gate } from '../gate/gate.ts'
import { createIssuer } from '../login/issuer.ts'
import { askedCalls, type AskedCalls } from '../workspace/asked-calls.ts'
import { createExecutor } from '../workspace/executor.io.ts'
import type { Access } from '../workspace/open-file.io.ts'
import { workspaceTools } from '../workspace/tools.io.ts'
import { createWorld, type OpenWorld } from '../world.io.ts'

/** A policy file and what it is to decide about. `deadlineMs`, in milliseconds, is for one whole decision. */
export interface WorkspaceOptions {
  readonly policyFile: string
  /** Lower-case hex SHA-256 that the policy file must have. */
  readonly pin?: string | undefined
  /** Further paths that no call may touch. */
  readonly protect?: readonly string[]
  /** The audit file; `unrecorded` is for decisions that nothing acts on. */
  readonly audit: AuditPlace | 'unrecorded'
  /** The folder of the taint store. @defaultValue taint is forgotten with the process */
  readonly taintFolder?: string | undefined
  /** `ours`: tools that we run ourselves. `none`: the gate only decides. */
  readonly tools: 'ours' | 'none'
  /** Where the agent starts; must lie in the sandbox. @defaultValue the sandbox's root */
  readonly dir?: string | undefined
  readonly deadlineMs: number
  readonly report?: Report
  /** Who signs people in, where several workspaces share one; it stays open. @defaultValue one of its own */
  readonly identity?: WorkspaceIdentity
}

/** The embedded issuer and what reaches it. */
export interface WorkspaceIdentity {
  readonly world: OpenWorld
  readonly url: string
  close(): Promise<void>
}

/** Opens an issuer for workspaces: whoever runs the program signs in under the name they give. */
export async function openIdentity(): Promise<WorkspaceIdentity> {
  const world = createWorld()
  const server = await startIssuer({ bank: { tenant: TENANT, customers: 'anyone' } })
  return {
    world,
    url: server.url,
    close: async () => {
      await world.close()
      await server.close()
    },
  }
}

/** An audit file; with `durable` off its lines may not survive the machine. */
interface AuditPlace {
  readonly file: string
  /** @defaultValue true */
  readonly durable?: boolean
}

/** The open gate of a workspace; closing it ends the watch on the policy file too. */
export interface Workspace {
  readonly gate: Gate
  readonly firewall: OpenFirewall
  readonly world: OpenWorld
  readonly tenant: TenantId
  /** Physical: where the agent starts. Empty while there is no policy. */
  readonly folder: string
  readonly audit?: AuditFile
  /** Signs anybody in under the name they give: a workspace belongs to whoever runs the program. */
  readonly signIn: (tenant: TenantId, name: string) => Promise<Verdict<Login>>
  close(): Promise<void>
}

const TENANT = 'workspace'

/**
 * A gate whose one opinion is a firewall policy. The policy file, the audit and the taint store are protected from the
 * agent. A policy that does not load is no error here: every call is then denied, saying why.
 * @throws SettingError when the audit cannot be opened.
 */
export async function composeWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const closers: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0).toReversed()) await each()
  }
  try {
    return { ...(await opened(options, closers)), close }
  } catch (cause) {
    // What is open would keep the program from ending.
    await close()
    throw cause
  }
}

async function opened(options: WorkspaceOptions, closers: (() => unknown)[]): Promise<Omit<Workspace, 'close'>> {
  const { audit: record, deadlineMs, report = () => undefined } = options
  const identity = options.identity ?? (await openIdentity())
  if (options.identity === undefined) closers.push(() => identity.close())
  const { world, url } = identity
  const audit =
    record === 'unrecorded' ? undefined : await openAuditFile(record.file, { durable: record.durable ?? true })
  closers.push(() => audit?.close())
  const firewall = firewallOf(options)
  closers.push(() => {
    firewall.close()
  })
  const folder = folderOf(firewall, options.dir)
  const asked = askedCalls(firewall)
  const tools = options.tools === 'ours' ? toolsOf(firewall, asked, folder) : []
  const named = new Map(tools.map((tool) => [tool.name, tool]))
  const services = { issuer: url, tools: named, firewall: tools.length === 0 ? firewall : asked.firewall }
  const tenant = tenantId(TENANT)
  const policy = { subjectType: 'Person', tenants: new Set([tenant]), issuer: url, audience: AUDIENCE }
  const issuer = createIssuer(policy, world)
  const log = audit ?? { append: () => Promise.resolve() }
  return {
    gate: assembleGate({ world, tenants: new Map([[tenant, services]]), deadlineMs, audit: log, report }),
    ...{ firewall, world, tenant, folder },
    ...(audit === undefined ? {} : { audit }),
    signIn: (_, name) => issuer.signInDemo(name),
  }
}

/** @throws SettingError when the folder cannot hold which sessions are tainted. */
function openTaints(folder: string): TaintStore {
  try {
    return taintStore(folder)
  } catch (cause) {
    if (!(cause instanceof TaintStoreError)) throw cause
    throw new SettingError(
      folder,
      'cannot be used as the folder of tainted sessions',
      'Remove what lies there, or name another audit file with --audit',
    )
  }
}

/** The policy, the audit and the taint store are protected from the agent. */
function firewallOf({ policyFile, pin, protect = [], audit, taintFolder, tools }: WorkspaceOptions): OpenFirewall {
  const own = audit === 'unrecorded' ? [] : [audit.file, `${audit.file}.head`, `${audit.file}.lock`]
  return openFirewall({
    ...{ policyFile, pin, ownSearch: tools === 'ours' },
    taints: taintFolder === undefined ? memoryTaints() : openTaints(taintFolder),
    protect: [...own, ...(taintFolder === undefined ? [] : [taintFolder]), ...protect],
  })
}

/** @throws SettingError when the folder is not in the sandbox. */
function folderOf(firewall: OpenFirewall, dir: string | undefined): string {
  const state = firewall.state()
  if (!state.ok) return ''
  const { sandbox } = state.built
  if (dir === undefined) return sandbox.root
  const places = sandbox.look()
  const place = places.locate(resolve(dir), sandbox.root)
  if (place.kind === 'open' && places.disk.lstat(place.path)?.kind === 'directory') return place.path
  throw new SettingError('--dir', `${dir} is not an open folder of the sandbox`, `Name one below ${sandbox.root}`)
}

function toolsOf(firewall: OpenFirewall, { wasAsked }: AskedCalls, cwd: string): readonly ToolDefinition[] {
  const screener = () => {
    const state = firewall.state()
    if (!state.ok) throw new ToolRefusal('fail-closed', reasonOf('fail-closed').says)
    return state.built
  }
  const look = () => screener().sandbox.look()
  const isOpen = (path: string): boolean => look().locate(path, '/').kind === 'open'
  const executor = createExecutor({
    isOpen,
    locate: (spelled, folder, access, confirmed) => located(look().locate(spelled, folder), access, confirmed),
    hidden: (folder) => hiddenIn(screener(), folder),
  })
  return workspaceTools({ firewall, wasAsked, executor, isOpen, look, cwd })
}

/** A redirect writes where it may be written now without a person, or exactly where a person said yes to. */
function located(place: Place, access: Access, confirmed: readonly string[]): string {
  if (place.kind !== 'open') throw new ToolRefusal('sh-paths', reasonOf('sh-paths').says)
  const isFree = access === 'read' || (place.writable && !place.asks)
  if (isFree || confirmed.includes(place.path)) return place.path
  throw new ToolRefusal('fs-write-scope', reasonOf('fs-write-scope').says)
}

/** What git must leave out: protected names, and protected paths as seen from the top of the repository. */
function hiddenIn({ policy, sandbox }: Screener, cwd: string): readonly string[] {
  const { protected_names: names, protected_paths: paths, secret_files: secrets } = policy
  const top = repositoryOf(cwd)
  const below = sandbox.look().protectedBelow(top)
  return [...new Set([...names, ...paths, ...secrets, ...below.map((path) => relative(top, path))])]
}

function repositoryOf(cwd: string): string {
  for (let at = cwd; ; at = dirname(at)) if (at === '/' || existsSync(join(at, '.git'))) return at
}

/** The state folder's place for the taint of sessions. */
export const taintFolderOf = (auditFile: string): string => `${auditFile}.taint`

/** @throws SettingError when the policy cannot decide anything. */
export function requirePolicy({ firewall }: Workspace, policyFile: string): void {
  const state = firewall.state()
  if (state.ok) return
  throw new SettingError(policyFile, state.says, 'Correct it, or make one with intent-gate policy init')
}
