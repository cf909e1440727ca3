import { execFileSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CANARIES, policyText, WORKSPACE_FILES, WORKSPACE_LINK } from '../runner/corpus-workspace.ts'
import type { CorpusCase, CorpusSetup } from '../runner/corpus.ts'

/** The fresh folders of one case. All paths are physical. */
export interface CorpusPlace {
  readonly workspace: string
  /** An empty folder beside the workspace. */
  readonly outside: string
  /** In the workspace. */
  readonly policy: string
  /** Beside the workspace. */
  readonly audit: string
  /** Sentences about files that are not what they were. */
  changes(): readonly string[]
  remove(): void
}

/** Builds the workspace of a case in a temporary folder. */
export function makePlace({ setup, policies }: CorpusCase): CorpusPlace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'gate-corpus-')))
  const [workspace, outside] = [join(base, 'workspace'), join(base, 'outside')]
  mkdirSync(workspace)
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.txt'), 'outside the sandbox\n')
  for (const [name, text] of Object.entries({ ...WORKSPACE_FILES, ...setup.files })) put(workspace, name, text)
  symlinkSync(WORKSPACE_LINK[1], join(workspace, WORKSPACE_LINK[0]))
  arrange(setup, workspace, { workspace, outside })
  const policy = join(workspace, 'intent-gate.policy.json')
  writeFileSync(policy, policyText(policies))
  const before = CANARIES.map((name) => textOf(join(workspace, name)))
  return {
    ...{ workspace, outside, policy },
    audit: join(base, 'audit.jsonl'),
    changes: () =>
      CANARIES.flatMap((name, at) => (textOf(join(workspace, name)) === before[at] ? [] : [`${name} was changed`])),
    remove: () => {
      rmSync(base, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

function arrange(setup: CorpusSetup, workspace: string, places: Readonly<Record<string, string>>): void {
  const filled = (path: string): string =>
    Object.entries(places).reduce((text, [name, place]) => text.replaceAll(`{{${name}}}`, place), path)
  for (const folder of setup.folders) mkdirSync(join(workspace, folder), { recursive: true })
  for (const [link, target] of setup.symlinks) {
    rmSync(parent(workspace, link), { force: true })
    symlinkSync(filled(target), join(workspace, link))
  }
  for (const [link, target] of setup.hard_links) linkSync(join(workspace, target), parent(workspace, link))
  for (const pipe of setup.pipes) execFileSync('mkfifo', [parent(workspace, pipe)])
  if (setup.git) makeRepository(workspace)
}

function parent(workspace: string, name: string): string {
  const path = join(workspace, name)
  mkdirSync(dirname(path), { recursive: true })
  return path
}

function put(workspace: string, name: string, text: string): void {
  writeFileSync(parent(workspace, name), text)
}

function makeRepository(workspace: string): void {
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' }
  const author = ['-c', 'user.name=demo', '-c', 'user.email=demo@example.com', '-c', 'commit.gpgsign=false']
  for (const words of [
    ['init', '-q'],
    ['add', 'normal', 'canary'],
    [...author, 'commit', '-q', '-m', 'First'],
  ]) {
    execFileSync('git', ['-C', workspace, ...words], { env, stdio: 'ignore' })
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    return `not to be read: ${String(cause)}`
  }
}
