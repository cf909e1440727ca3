import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fc, test } from '@fast-check/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initialPolicy } from '../../../src/firewall/policy-init.ts'
import { PolicySchema } from '../../../src/firewall/policy.ts'
import { judgeShell } from '../../../src/firewall/shell/shell-rules.ts'
import { createWalker } from '../../../src/firewall/shell/walk.ts'
import { openSandbox } from '../../../src/firewall/places.ts'
import { realDisk } from '../../../src/firewall/disk.io.ts'
import { demoWorkspace, type Workspace } from '../workspace.ts'

// A repository as `policy init` finds it: one without secrets, one with a `.env`.
let clean: Workspace
let secret: Workspace
beforeAll(() => {
  clean = repository()
  secret = repository()
  secret.write('.env', 'KEY=x\n')
})
afterAll(() => {
  clean.cleanup()
  secret.cleanup()
})

function repository(): Workspace {
  const space = demoWorkspace()
  for (const name of ['.env', 'fake_credentials.txt', 'malicious_repo', 'canary']) {
    rmSync(join(space.root, name), { recursive: true })
  }
  for (const name of [
    '.git/config',
    '.git/hooks/pre-commit',
    'src/main.ts',
    'docs/a.md',
    'gate.policy.json',
    'top.ts',
  ]) {
    space.write(name, 'x\n')
  }
  return space
}

/** Judged by a first policy, whose own file lies at the root. */
function outcomeOf(given: string | readonly string[], space: Workspace) {
  const policy = PolicySchema.parse(initialPolicy({ folders: ['.git', 'src', 'docs'], files: [] }))
  const own = [join(space.root, 'gate.policy.json')]
  const sandbox = openSandbox(policy, { disk: realDisk, folder: space.root, home: '/nonexistent', protect: own })
  const walker = createWalker({ protectedNames: policy.protected_names, own, nowMs: () => 0 })
  const request = typeof given === 'string' ? { line: given } : { argv: given }
  return judgeShell(request, '', policy, sandbox.look(), false, walker).outcome
}
const said = (line: string, space: Workspace): string => {
  const { decision, rule, taints } = outcomeOf(line, space)
  return `${decision} ${rule}${taints.length > 0 ? ' +T' : ''}`
}

describe('a search of the whole repository', () => {
  it.each([
    ["find . -name '*.ts'", 'allow sh-ok'],
    ['find . -maxdepth 1', 'allow sh-ok'],
    ['find . -type f', 'allow sh-ok'],
    ['ls -R', 'allow sh-ok'],
    ['du -h --max-depth=1 .', 'allow sh-ok'],
    ['du -s .', 'allow sh-ok'],
    ['grep -rn foo .', 'block sh-recursive'],
    ['grep -rn foo', 'block sh-recursive'],
    ['grep -rn --exclude-dir=.git foo .', 'block sh-recursive'],
    ['grep -rn --exclude-dir=.git --exclude=gate.policy.json foo .', 'allow sh-ok'],
    ['grep -rn foo . --exclude-dir=.git --exclude=gate.policy.json', 'allow sh-ok'],
    ["grep -rn foo --include='*.ts' .", 'allow sh-ok'],
    ["grep -rn foo --include='config' .", 'block sh-recursive'],
    ["grep -rn foo --include='pre-*' .", 'block sh-recursive'],
    ["grep -rn foo --include='*' .", 'block sh-recursive'],
    ["grep -rn foo --include='*.ts' --exclude-dir=.git .", 'allow sh-ok'],
    ["grep -rn foo --include='*.json' --exclude-dir=.git .", 'block sh-recursive'],
    ['cat .git/config', 'block sh-paths +T'],
    ['ls -R .git/hooks', 'block sh-paths +T'],
  ])('that holds settings and no secret taints nothing, and shows their names at most: %s -> %s', (line, expected) => {
    expect(said(line, clean)).toBe(expected)
  })

  it.each([
    ["grep -r '' .", 'block sh-recursive +T'],
    ['ls -R', 'block sh-recursive +T'],
    ['find . -name .env', 'block sh-recursive +T'],
    ["find . -maxdepth 1 -name '*'", 'block sh-recursive +T'],
    ['find .', 'block sh-recursive +T'],
    ['du -a .', 'block sh-recursive +T'],
    ['du -s .', 'allow sh-ok'],
    ['grep -rn --exclude-dir=.git foo .', 'block sh-recursive +T'],
    ['grep -rn --exclude-dir=.git --exclude=gate.policy.json --exclude=.env foo .', 'allow sh-ok'],
    ["grep -rn --exclude-dir=.git --exclude=gate.policy.json '--exclude=.env*' foo .", 'allow sh-ok'],
    ["grep -rn --exclude-dir=.git --exclude=gate.policy.json '--exclude=*env' foo .", 'block sh-recursive +T'],
    ['grep -rn --exclude-dir=.git --exclude=gate.policy.json --exclude=.ENV foo .', 'block sh-recursive +T'],
    ["grep -rn --exclude-dir=.git --exclude=.env --include='*' foo .", 'block sh-recursive +T'],
    ["grep -rn --exclude-dir=.git --exclude-dir=.env --include='*.e[n]v' foo .", 'block sh-recursive +T'],
    ["grep -rn foo --include='*.ts' --exclude-dir=.git .", 'allow sh-ok'],
    ['du -s --exclude=.env .', 'allow sh-ok'],
    ["find . -name '*.ts'", 'allow sh-ok'],
    ["find . -name '*.ts' -not -path './node_modules/*'", 'allow sh-ok'],
    ["find . -not -name '.env'", 'allow sh-ok'],
    ["find . -iname '*.ENV'", 'block sh-recursive +T'],
    ["find . -name '*.ts' -o -name '.e*'", 'block sh-recursive +T'],
    ['find . -name .env -prune -o -type f -print', 'allow sh-ok'],
    ['find . -name .env -prune', 'block sh-recursive +T'],
    ["find . -name .env -o -name '*.ts' -print", 'allow sh-ok'],
    ["find . -name '*.ts' , -print", 'block sh-recursive +T'],
    ["find . -type d -name '*'", 'allow sh-ok'],
    ["find -L . -name '*.ts'", 'block sh-recursive +T'],
  ])('that reaches a secret is refused, unless its own options leave it out: %s -> %s', (line, expected) => {
    expect(said(line, secret)).toBe(expected)
  })

  it('is told which folders are clean and what to leave out', () => {
    const { hint } = outcomeOf('grep -rn foo .', clean)
    expect(hint).toContain('These may be searched whole: docs, normal, src.')
    expect(hint).toContain('--exclude=gate.policy.json')
    expect(hint).toContain('--exclude-dir=.git')
  })
})

it('a link to a secret is reached whatever it is called', () => {
  const space = repository()
  space.write('.env', 'KEY=x\n')
  space.link('src/notes.ts', '../.env')
  expect(said("find src -name '*.md'", space)).toBe('block sh-recursive +T')
  expect(said('grep -R --exclude=notes.ts x src', space)).toBe('block sh-recursive +T')
  space.cleanup()
})

describe('a search that may run', () => {
  const names = ['.env', '.ENV', 'main.ts', 'gate.policy.json', '.git', 'src', 'config', 'sub', '.']
  const glob = fc.oneof(
    fc.constantFrom(...names),
    fc.constantFrom('*', '*.ts', '.*', '*env', '.e*', '?env', '[.]env', './*', './src/*', '*/.env', './.env', '*.json'),
  )
  const grepOption = fc
    .tuple(fc.constantFrom('--exclude', '--exclude-dir', '--include'), glob)
    .map(([option, value]) => `${option}=${value}`)
  const usual = ['--exclude-dir=.git', '--exclude=gate.policy.json']
  const anyGrep = fc
    .tuple(
      fc.constantFrom('-r', '-R'),
      fc.array(grepOption, { maxLength: 3 }),
      fc.boolean(),
      fc.constantFrom('.', 'src', 'sub'),
    )
    .map(([recursive, options, isLate, folder]) =>
      isLate
        ? ['grep', recursive, 'KEY', folder, ...usual, ...options]
        : ['grep', recursive, ...options, ...usual, 'KEY', folder],
    )
  const anyTest = fc.oneof(
    fc.tuple(fc.constantFrom('-name', '-iname', '-path', '-ipath'), glob).map((words) => [...words]),
    fc.constantFrom(
      ['-type', 'f'],
      ['-type', 'd'],
      ['-prune'],
      ['-print'],
      ['-true'],
      ['-false'],
      ['-size', '+0'],
      ['-depth'],
    ),
  )
  const expression = fc.letrec<{ node: readonly string[] }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      anyTest,
      fc.tuple(fc.constantFrom('!', '-not'), tie('node')).map(([sign, node]) => [sign, ...node]),
      fc
        .tuple(tie('node'), fc.constantFrom(['-o'], ['-a'], [], [',']), tie('node'))
        .map(([one, joint, two]) => [...one, ...joint, ...two]),
      tie('node').map((node) => ['(', ...node, ')']),
    ),
  })).node
  const anyFind = fc
    .tuple(fc.constantFrom('.', 'src', './', 'sub'), expression)
    .map(([at, words]) => ['find', at, ...words])

  let space: Workspace
  beforeAll(() => {
    space = repository()
    space.write('.env', 'KEY=x\n')
    space.write('sub/.env', 'KEY=x\n')
    space.write('sub/deep/.env.local', 'KEY=x\n')
    space.link('src/link', '../sub/deep')
  })
  afterAll(() => {
    space.cleanup()
  })
  const output = ([program = '', ...words]: readonly string[]): string =>
    spawnSync(program, words, { cwd: space.root, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' }, encoding: 'utf8' })
      .stdout

  test.prop([anyGrep], { numRuns: 300 })('shows nothing of a secret (grep)', (argv) => {
    if (outcomeOf(argv, space).decision === 'allow') expect(output(argv)).toBe('')
  })

  test.prop([anyFind], { numRuns: 400 })('names no secret (find)', (argv) => {
    if (outcomeOf(argv, space).decision === 'allow') expect(output(argv)).not.toMatch(/\.env/)
  })
})
