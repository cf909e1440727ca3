import { afterAll, expect, it } from 'vitest'
import { realDisk } from '../../src/firewall/disk.io.ts'
import { checkPolicy } from '../../src/firewall/policy-check.ts'
import { initialPolicy } from '../../src/firewall/policy-init.ts'
import { PolicySchema, type PolicyInput } from '../../src/firewall/policy.ts'
import { demoWorkspace } from './workspace.ts'

const ws = demoWorkspace()
afterAll(() => {
  ws.cleanup()
})
const hasGrammar = (program: string): boolean => ['ls', 'grep', 'cat', 'head', 'tail', 'find', 'wc'].includes(program)
const warnings = (changes: Partial<PolicyInput>): readonly string[] =>
  checkPolicy(ws.under(changes).policy, { root: ws.root, disk: realDisk, hasGrammar }).map(
    ({ key, says }) => `${key}: ${says}`,
  )

it('has nothing to say about the demo policy', () => {
  expect(warnings({})).toEqual([])
})

it.each<[string, Partial<PolicyInput>, string]>([
  ['a protected path that is not there', { protected_paths: ['.envv'] }, 'protected_paths: .envv does not exist'],
  ['a writable folder that is not there', { writable_dirs: ['src'] }, 'writable_dirs: src does not exist'],
  ['the whole sandbox as writable', { writable_dirs: ['.'] }, 'writable_dirs: . is the whole sandbox'],
  [
    'a writable folder outside',
    { writable_dirs: ['../outside'] },
    'writable_dirs: ../outside is outside the sandbox, so nothing in it is writable',
  ],
  [
    'a program without a grammar (weakness 4)',
    { shell_allowlist: ['node'], shell_forbidden_args: {} },
    'shell_allowlist: node has no grammar, so a person is asked as for shell_ask',
  ],
  [
    'forbidden words of a program that is not granted',
    { shell_forbidden_args: { fnid: ['-exec'] } },
    'shell_forbidden_args: fnid is granted nowhere',
  ],
  [
    'an exact command of the sandbox',
    { shell_exact: [['./run.sh']] },
    'shell_exact: ./run.sh is a file of the sandbox: whoever writes it decides what runs',
  ],
  [
    'plain http',
    { network: { mode: 'allowlist', allow: ['http://a.example.com'] } },
    'network: http://a.example.com: plain http can be read and changed on the way',
  ],
  [
    'a shared domain (weakness 33)',
    { network: { mode: 'allowlist', allow: ['https://*.github.io'] } },
    'network: https://*.github.io: anybody can register a name below it',
  ],
  [
    'a top-level domain',
    { network: { mode: 'allowlist', allow: ['https://*.co.uk'] } },
    'network: https://*.co.uk: anybody can register a name below it',
  ],
  [
    'an address',
    { network: { mode: 'allowlist', allow: ['https://10.0.0.1'] } },
    'network: https://10.0.0.1: an address instead of a name',
  ],
  [
    'free queries (weakness 32)',
    { network: { mode: 'allowlist', allow: ['https://a.example.com'], queries: 'allow' } },
    'network: queries can carry data to every listed origin',
  ],
  [
    'two tools of one joined name (MC-05)',
    { mcp_registry: { a: ['b-c'], 'a-b': ['c'] } },
    'mcp_registry: a-b-c stands for two tools, so it is refused',
  ],
  [
    'resources of a server that is not registered',
    { mcp_resources: ['demoo'] },
    'mcp_registry: demoo has no registered tool',
  ],
  [
    'a server outside',
    { mcp_roots: { demo: '../outside' } },
    'mcp_roots: the root of demo is outside the sandbox, so its relative paths are refused',
  ],
  [
    'an operation without a scope',
    { apis: { a: { b: { decision: 'allow' } } } },
    'apis: a b has no scope, so it counts as unknown',
  ],
  [
    'a word that is no decision',
    { apis: { a: { b: { scope: 's', decision: 'permit' } } } },
    'apis: a b: "permit" blocks',
  ],
  [
    'a secret file that is a folder',
    { secret_files: ['normal'] },
    'secret_files: normal is no readable file of at most 1 MiB: every call is refused',
  ],
])('warns of %s', (_title, changes, says) => {
  expect(warnings(changes)).toContain(says)
})

it('warns of a repository whose settings git would run, at the root and in a folder', () => {
  const own = demoWorkspace({ shell_allowlist: ['git'], shell_forbidden_args: {} })
  own.write('packages/one/.git/config', '')
  const found = (changes: Partial<PolicyInput>): readonly string[] =>
    checkPolicy(own.under(changes).policy, { root: own.root, disk: realDisk, hasGrammar: () => true })
      .filter(({ key, says }) => key === 'shell_allowlist' && says.startsWith('git may run'))
      .map(({ says }) => says.split(' ')[4] ?? '')
  expect(found({})).toEqual([...['.git/config', '.git/hooks', 'packages/one/.git/config', 'packages/one/.git/hooks']])
  expect(found({ protected_paths: ['.git/config', '.git/hooks', 'packages/one/.git'] })).toEqual([])
  expect(found({ protected_names: ['.git'] })).toEqual([])
  expect(found({ shell_allowlist: ['ls'] })).toEqual([])
  own.cleanup()
})

it('grants what only prints, and protects what git would run, in a first policy', () => {
  const policy = initialPolicy({ folders: ['.git'], files: [] })
  expect(policy.shell_allowlist).toEqual(expect.arrayContaining(['sed', 'true', 'false', 'nl', 'date', 'git']))
  const own = demoWorkspace(policy)
  const says = checkPolicy(own.policy, { root: own.root, disk: realDisk, hasGrammar: () => true })
  expect(says.filter(({ key }) => key === 'shell_allowlist')).toEqual([])
  own.cleanup()
})

it('reports values that are too weak to be looked for, by key (weakness 33)', () => {
  ws.write('weak.env', 'DB_PASSWORD=changeme\nAPI_KEY=short\nNODE_ENV=x\n')
  expect(warnings({ secret_files: ['weak.env'] })).toEqual(
    ['DB_PASSWORD', 'API_KEY'].map(
      (key) => `secret_files: weak.env: the value of ${key} is too short or too common to be looked for`,
    ),
  )
})

it('proposes the same closed policy for the same folder', () => {
  const contents = {
    folders: ['.git', 'src', 'tests', 'build', 'node_modules'],
    files: ['.env', '.env.example', 'package.json', 'Makefile'],
  }
  const policy = initialPolicy(contents)
  expect(initialPolicy(contents)).toEqual(policy)
  expect(PolicySchema.parse(policy)).toMatchObject({
    writable_dirs: ['src', 'tests'],
    secret_files: ['.env'],
    shell_ask: ['make', 'node', 'npm', 'npx'],
    network: { mode: 'deny_all' },
    known_hard_links: ['node_modules'],
  })
  expect(policy.protected_paths).toEqual(expect.arrayContaining(['.env', '.mcp.json', '.git/config', '.git/hooks']))
  expect(policy.shell_allowlist).toContain('git')
})

it('grants no writing in a folder that it does not know', () => {
  expect(PolicySchema.parse(initialPolicy({ folders: ['stuff'], files: [] }))).toMatchObject({
    writable_dirs: [],
    shell_ask: [],
  })
})
