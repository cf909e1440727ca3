import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { realDisk } from '../src/firewall/disk.io.ts'
import { openSandbox, type Sandbox } from '../src/firewall/places.ts'
import { PolicySchema, type Policy } from '../src/firewall/policy.ts'

/** Text that only protected files hold. */
export const SECRET = 'protected-7f3a91'
/** Text that only files outside the sandbox hold. */
export const OUTSIDE = 'outside-55c2e0'

/** A folder full of traps, and the sandbox over a part of it. */
export interface FuzzSpace {
  /** Physical. */
  readonly root: string
  readonly policy: Policy
  readonly sandbox: Sandbox
  readonly remove: () => void
}

const FILES: Readonly<Record<string, string>> = {
  'workspace/.env': `KEY=${SECRET}\n`,
  'workspace/vault/key.txt': `${SECRET}\n`,
  'workspace/vault/deep/key.txt': `${SECRET}\n`,
  'workspace/a/.env.local': `${SECRET}\n`,
  'workspace/a/note.txt': 'one\ntwo\n',
  'workspace/a/b/c/note.txt': 'three\n',
  'workspace/x.txt': 'x\n',
  'workspace/patterns.txt': 'e\n',
  'outside/secret.txt': `${OUTSIDE}\n`,
  'outside/a/note.txt': `${OUTSIDE}\n`,
  'workspace-evil/secret.txt': `${OUTSIDE}\n`,
}

const LINKS: readonly (readonly [link: string, target: string])[] = [
  ['a/up', '..'],
  ['a/out', '../../outside'],
  ['a/env', '../.env'],
  ['a/deep', 'b/c'],
  ['a/loop', 'loop2'],
  ['a/loop2', 'loop'],
  ['a/self', '.'],
  ['a/broken', 'nowhere/there'],
  ['a/vault', '../vault/deep'],
  ['a/proc', '/proc/self'],
  ['a/chain', 'up/a/deep'],
  ['a/late', '../late-target'],
]

/** Builds the folder and opens its sandbox. */
export function fuzzSpace(): FuzzSpace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'gate-fuzz-')))
  const root = join(base, 'workspace')
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(base, name)), { recursive: true })
    writeFileSync(join(base, name), text)
  }
  for (const [link, target] of LINKS) symlinkSync(target, join(root, link))
  linkSync(join(root, '.env'), join(root, 'a/hard'))
  const policy = PolicySchema.parse({
    sandbox_root: '.',
    protected_paths: ['.env', 'vault', 'a/late'],
    protected_names: ['.env.*', '*.pem'],
    writable_dirs: ['a'],
    shell_allowlist: ['cat', 'head', 'tail', 'wc', 'ls', 'grep', 'find', 'sort', 'uniq', 'cut', 'tr', 'sed'].concat([
      'stat',
      'file',
      'du',
      'diff',
      'cmp',
      'sha256sum',
      'echo',
      'pwd',
    ]),
  })
  const sandbox = openSandbox(policy, { disk: realDisk, folder: root, home: join(base, 'home'), protect: [] })
  return {
    ...{ root, policy, sandbox },
    remove: () => {
      rmSync(base, { recursive: true, force: true })
    },
  }
}
