import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Approver } from '../../src/approval/approver.ts'
import { sessionId, toolCallId } from '../../src/core/ids.ts'
import type { CallKind, ToolCall } from '../../src/core/call.ts'
import { composeWorkspace, type Workspace } from '../../src/compose/workspace.io.ts'
import type { PolicyInput } from '../../src/firewall/policy.ts'
import type { RunResult } from '../../src/gate/gate.ts'

/** A temporary folder of one test. */
export function temporary(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gate-space-')))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

export function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** A person who says yes to everything. */
export const yes: Approver = { ask: ({ digest }) => Promise.resolve({ digest, approved: true }) }

const KINDS: Readonly<Record<string, CallKind>> = {
  bash: 'shell',
  view: 'read',
  grep: 'read',
  glob: 'read',
  create: 'write',
  edit: 'write',
}

export interface Space {
  readonly root: string
  readonly workspace: Workspace
  /** Authorizes a call and, where it is permitted, runs it; `between` happens between the two. */
  readonly call: (tool: string, args: object, between?: () => unknown, approver?: Approver) => Promise<string>
}

export interface SpaceOptions {
  /** What holds the workspace. @defaultValue a temporary folder */
  readonly folder?: string
  /** Where the agent starts, seen from the workspace. */
  readonly dir?: string
  /** What else is to be done to the files before anything is opened. */
  readonly prepare?: (root: string) => void
}

/** The real gate over a workspace folder of this test. */
export async function openSpace(
  files: Readonly<Record<string, string>>,
  changes: Partial<PolicyInput> = {},
  { folder = temporary(), dir, prepare }: SpaceOptions = {},
): Promise<Space> {
  const root = join(folder, 'workspace')
  mkdirSync(root, { recursive: true })
  put(root, files)
  prepare?.(root)
  const policyFile = join(folder, 'policy.json')
  const policy: PolicyInput = {
    sandbox_root: 'workspace',
    protected_paths: ['.env'],
    writable_dirs: ['wiki'],
    shell_allowlist: ['cat', 'head', 'grep', 'ls', 'wc', 'sort', 'echo', 'find'],
    ...changes,
  }
  writeFileSync(policyFile, JSON.stringify(policy))
  const workspace = await composeWorkspace({
    policyFile,
    audit: { file: join(temporary(), 'audit.jsonl'), durable: false },
    tools: 'ours',
    dir: dir === undefined ? undefined : join(root, dir),
    deadlineMs: 20_000,
  })
  onTestFinished(() => workspace.close())
  const login = await workspace.signIn(workspace.tenant, 'tester')
  if (!login.ok) throw new Error(login.detail)
  const session = sessionId('space')
  workspace.gate.beginTurn(session, 1)
  let count = 0
  const call: Space['call'] = async (tool, args, between = () => undefined, approver) => {
    const id = toolCallId(`c${++count}`)
    const kind = KINDS[tool] ?? 'unknown'
    const asked: ToolCall = { id, session, turn: 1, login: login.value, kind, tool, args, cwd: workspace.folder }
    const { decision } = await workspace.gate.authorize(asked, approver)
    if (decision.kind !== 'permit') return `denied: ${decision.reason}`
    await between()
    return shown(await workspace.gate.run(asked))
  }
  return { root, workspace, call }
}

function shown(result: RunResult): string {
  switch (result.kind) {
    case 'done':
      return String(result.value)
    case 'refused':
      return `refused: ${result.code}`
    case 'failed':
      return 'failed'
    case 'breached':
      return `breached: ${result.code}`
    case 'denied':
      return `denied: ${result.code}`
  }
}
