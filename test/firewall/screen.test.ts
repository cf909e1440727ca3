import { linkSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fc, test } from '@fast-check/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REASONS } from '../../src/core/reasons.ts'
import { realDisk } from '../../src/firewall/disk.io.ts'
import type { Outcome } from '../../src/firewall/outcome.ts'
import { PolicySchema, type PolicyInput } from '../../src/firewall/policy.ts'
import { REFUSING_RULES } from '../../src/firewall/rule-ids.ts'
import { openScreener, type ScreenedCall, type Screener } from '../../src/firewall/screen.ts'
import { DEMO_POLICY, demoWorkspace, FAKE_KEY } from './workspace.ts'

const ws = demoWorkspace()
const WIDE: PolicyInput = {
  ...DEMO_POLICY,
  protected_names: ['.env.*', '*.pem', 'credentials', 'keys'],
  mcp_registry: { demo: ['ping', 'echo'], fs: ['read_file', 'write_file'], a: ['b-c'], 'a-b': ['c'] },
  mcp_resources: ['fs'],
  mcp_text_arguments: { fs: { write_file: ['content'] } },
  apis: {
    ...DEMO_POLICY.apis,
    odd: {
      word: { scope: 's', decision: 'permit' },
      bare: { decision: 'allow' },
      no: { scope: 's', decision: 'block' },
    },
  },
}
const SECRET: PolicyInput = { ...WIDE, secret_files: ['.env', 'fake_credentials.txt'] }
const OPEN_NET: PolicyInput = {
  ...WIDE,
  network: { mode: 'allowlist', allow: ['https://docs.example.com', 'https://*.python.org'] },
}
const screeners = new Map<PolicyInput, Screener>()

function screener(policy: PolicyInput): Screener {
  const known =
    screeners.get(policy) ??
    openScreener(PolicySchema.parse(policy), {
      disk: realDisk,
      folder: ws.root,
      home: join(ws.outside, 'home'),
      nowMs: () => performance.now(),
      protect: [join(ws.outside, 'policy.json'), join(ws.root, 'audit.jsonl')],
    })
  screeners.set(policy, known)
  return known
}
const judge = (call: ScreenedCall, policy = WIDE, tainted = false): Outcome =>
  screener(policy).screen(call, tainted).outcome

const read = (path: unknown, cwd?: string): ScreenedCall => ({ kind: 'read', tool: 'view', args: { path }, cwd })
const write = (path: string, file_text = 'x'): ScreenedCall => ({
  kind: 'write',
  tool: 'create',
  args: { path, file_text },
})
const sh = (command: string, cwd?: string): ScreenedCall => ({ kind: 'shell', tool: 'bash', args: { command }, cwd })
const exec = (...argv: readonly string[]): ScreenedCall => ({ kind: 'exec', tool: '', args: { argv } })
const url = (address: string, more = {}): ScreenedCall => ({
  kind: 'url',
  tool: 'web_fetch',
  args: { url: address, ...more },
})
const mcp = (tool: string, args: unknown, server = 'fs'): ScreenedCall => ({
  kind: 'mcp',
  tool,
  args: { server, tool, args },
})
const file = (args: unknown): ScreenedCall => mcp('read_file', args)
const rewrite = (path: string): ScreenedCall => mcp('write_file', { path, content: 'x' })
const resource = (uri: string, server = 'fs'): ScreenedCall => ({
  kind: 'mcp-resource',
  tool: '',
  args: { server, uri },
})
const api = (audience: string, operation: string, args = {}): ScreenedCall => ({
  kind: 'api-call',
  tool: '',
  args: { audience, operation, arguments: args },
})

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

beforeAll(() => {
  mkdirSync(join(ws.outside, 'ssl'))
  symlinkSync(join(ws.outside, 'ssl'), join(ws.root, 'normal/out'))
  ws.link('link.pdf', '/etc/hostname')
  ws.write('x y/z.txt', 'z')
  ws.write('api/.env.local', 'x')
  ws.write('keys', 'x')
  ws.write('clean/a.txt', 'a')
  linkSync(join(ws.root, '.env'), join(ws.root, 'normal/hl.txt'))
})
afterAll(() => {
  ws.cleanup()
})

describe('files', () => {
  it.each<[string, ScreenedCall, Outcome['decision'], string, boolean?]>([
    ['a read in the sandbox', read('normal/notes.txt'), 'allow', 'fs-read-ok'],
    ['a read from a folder', read('notes.txt', 'normal'), 'allow', 'fs-read-ok'],
    ['a read with an absolute path', read(`${ws.root}/normal/notes.txt`), 'allow', 'fs-read-ok'],
    ['a look at a folder', read('.'), 'allow', 'fs-read-ok'],
    ['a secret (AC1)', read('.env'), 'block', 'fs-protected', true],
    ['a secret from below (AC1)', read('../.env', 'malicious_repo'), 'block', 'fs-protected', true],
    ['credentials (AC1)', read('fake_credentials.txt'), 'block', 'fs-protected', true],
    ['a link to a secret (AC2)', read('malicious_repo/config-link'), 'block', 'fs-protected', true],
    ['another case', read('.ENV'), 'block', 'fs-protected', true],
    ['a copy of a secret', read('.env.local'), 'block', 'fs-protected', true],
    ['a key', read('deploy/server.pem'), 'block', 'fs-protected', true],
    ['a hard link to a secret (weakness 14)', read('normal/hl.txt'), 'block', 'fs-protected', true],
    ['the audit', read('audit.jsonl'), 'block', 'fs-protected', true],
    ['the policy', read('../outside/policy.json'), 'block', 'fs-protected', true],
    ['outside (AC2)', read('../outside.txt'), 'block', 'fs-sandbox'],
    ['outside, behind a link (FI-23)', read('normal/out/../hostname'), 'block', 'fs-sandbox'],
    ['a process (FI-15)', read('/proc/1/environ'), 'block', 'fs-sandbox'],
    ['a secret from outside (weakness 13)', read(`${ws.root}/.env`, ws.outside), 'block', 'fs-sandbox', true],
    ['a folder outside', read('notes.txt', '/etc'), 'block', 'fs-sandbox'],
    ['a number', read(7), 'block', 'parse-error'],
    ['a NUL (FI-13)', read('root/ok.zip/a\0b'), 'block', 'parse-error'],
    ['an encoded NUL', read('a%00b'), 'block', 'parse-error'],
    ['a home folder', read('~/.ssh/id_rsa'), 'block', 'parse-error'],
    ['a drive and a short alias (FI-09)', read('C:\\work\\app\\GIT~1\\config'), 'block', 'parse-error'],
    ['a short alias', read('GI1A2B~1/config'), 'block', 'parse-error'],
    ['a device (FI-11)', read('\\\\?\\UNC\\127.0.0.1\\share\\x.txt'), 'block', 'parse-error'],
    ['the same with slashes (FI-11)', read('//?/UNC/127.0.0.1/share/x.txt'), 'block', 'parse-error'],
    ['a stream (weakness 19)', read('.env::$DATA'), 'block', 'parse-error'],
    ['a trailing dot (weakness 19)', read('.env.'), 'block', 'parse-error', true],
    ['a trailing blank (weakness 19)', read('.env '), 'block', 'parse-error'],
    ['a leading blank', read(' .env'), 'block', 'parse-error'],
    ['a leading blank of a later name', read('normal/ .env'), 'block', 'parse-error'],
    ['a blank inside a name', read('x y/z.txt'), 'allow', 'fs-read-ok'],
    [
      'a secret under a strange name',
      { ...read(''), args: { path: 'normal/notes.txt', target: '.env' } },
      'block',
      'fs-protected',
      true,
    ],
    [
      'anything under a strange name',
      { ...read(''), args: { path: 'normal/notes.txt', target: 'x' } },
      'block',
      'parse-error',
    ],
    ['look-alikes (FI-17)', read('docs\uff0f\uff0e\uff0e\uff0fsecret'), 'block', 'parse-error'],
    ['a lone surrogate', read('a\ud800'), 'block', 'parse-error'],
    ['an empty path', read(''), 'block', 'parse-error'],
    ['a write in a writable folder', write('normal/out.txt'), 'allow', 'fs-write-ok'],
    ['a write elsewhere (AC8)', write('canary/must-remain.txt'), 'require_approval', 'fs-write-scope'],
    [
      'a write of a file that runs later (weakness 20)',
      write('normal/package.json'),
      'require_approval',
      'fs-write-scope',
    ],
    ['a write of settings (FI-19)', write('normal/.vscode/settings.json'), 'require_approval', 'fs-write-scope'],
    ['a write of the settings of an agent (MC-13)', write('.codex/config.toml'), 'block', 'fs-protected', true],
    ['a write of a secret', write('.env'), 'block', 'fs-protected', true],
    ['a write through a link outside', write('normal/out/x'), 'block', 'fs-sandbox'],
    [
      'a search of a clean folder',
      { kind: 'read', tool: 'grep', args: { pattern: 'a', paths: 'clean' } },
      'allow',
      'fs-read-ok',
    ],
    [
      'a search of everything (FI-25)',
      { kind: 'read', tool: 'grep', args: { pattern: 'API_KEY' } },
      'block',
      'fs-protected',
      true,
    ],
    [
      'a search that reaches a protected name',
      { kind: 'read', tool: 'rg', args: { pattern: 'x', paths: ['api'] } },
      'block',
      'fs-protected',
      true,
    ],
    [
      'a search that leads out',
      { kind: 'read', tool: 'grep', args: { pattern: 'x', paths: ['normal/out'] } },
      'block',
      'fs-sandbox',
    ],
    ['names anywhere', { kind: 'read', tool: 'glob', args: { pattern: '**/*.ts' } }, 'allow', 'fs-read-ok'],
    ['names outside', { kind: 'read', tool: 'glob', args: { pattern: '/etc/*' } }, 'block', 'fs-sandbox'],
    [
      'a patch of a secret',
      { kind: 'write', tool: 'apply_patch', args: '*** Add File: normal/a\n*** Update File: .env' },
      'block',
      'fs-protected',
      true,
    ],
    [
      'a patch that moves a file out',
      { kind: 'write', tool: 'apply_patch', args: '*** Update File: normal/a\n*** Move to: ../../x' },
      'block',
      'fs-sandbox',
    ],
    [
      'a patch for elsewhere',
      { kind: 'write', tool: 'apply_patch', args: '*** Environment ID: x' },
      'block',
      'hook-unsupported',
    ],
  ])('%s', (_title, call, decision, rule, taints = false) => {
    const outcome = judge(call)
    expect({ ...outcome, taints: outcome.taints.length > 0 }).toMatchObject({ decision, rule, taints })
  })

  it.each([
    ...['.cargo/config.toml', '.mise.toml', 'mise.toml', 'a.code-workspace', '.vimrc', '.exrc', '.gdbinit', 'tasks.py'],
    ...['.mvn/jvm.config', 'gradle/wrapper/gradle-wrapper.properties', 'composer.json', 'mix.exs', 'dodo.py'],
    ...['hatch_build.py', 'SConstruct', 'build.zig', 'Tiltfile', 'flake.nix', 'opencode.json', '.opencode.json'],
    ...['.aider.conf.yml', '.roomodes', '.junie/guidelines.md', '.clinerules/x.md', 'skills/a/SKILL.md'],
    ...['.curlrc', '.tmux.conf', '.npmrc', '.stylelintrc.json', 'karma.conf.js', 'requirements-dev.txt', 'action.yml'],
    ...['package-lock.json', 'yarn.lock', 'a.csproj', 'cline_mcp_settings.json', 'QWEN.md', '.qwen/settings.json'],
    ...['.venv/bin/python', '.devcontainer.json', 'mkdocs.yml', '.ssh/authorized_keys', 'Dockerfile.prod', '.zlogin'],
    ...['node_modules/a/index.js', 'BUILD.bazel', '.lldbinit', '.tool-versions', 'meson.build'],
  ])('asks before %s is written, because something runs it later', (name) => {
    expect(judge(write(`normal/${name}`))).toMatchObject({ decision: 'require_approval', rule: 'fs-write-scope' })
  })

  it.each([
    'index.ts',
    'README.md',
    'mise.md',
    'skill.ts',
    'config.toml',
    'composer.md',
    'flake.txt',
    'tasks.md',
    'dockerfile.md',
  ])('does not ask before %s is written', (name) => {
    expect(judge(write(`normal/${name}`)).rule).toBe('fs-write-ok')
  })

  it.each([
    ['its spelling', read('normal/a\\b'), 'Spell the path plainly: it holds a backslash.'],
    ['a missing argument', read(undefined), 'In this call, path is missing.'],
    ['an unknown argument', { kind: 'read', tool: 'view', args: { path: 'normal', pfad: 'x' } }, 'Leave out the'],
    ['an address', url('https://a@docs.example.com/'), 'Spell the address plainly: it is not a plainly spelled'],
    ['a number', mcp('echo', { n: 2 ** 60 }, 'demo'), 'In this call, a number beyond 2^53 is not exact.'],
  ] satisfies readonly (readonly [string, ScreenedCall, string])[])(
    'says what to do about %s',
    (_title, call, hint) => {
      expect(judge(call, OPEN_NET).hint).toContain(hint)
    },
  )

  it('lets our own search look at a folder with protected paths below it, and no other search', () => {
    const ours = openScreener(PolicySchema.parse(WIDE), {
      ...{ disk: realDisk, folder: ws.root, home: join(ws.outside, 'home'), nowMs: () => 0, protect: [] },
      ownSearch: true,
    })
    const by = (tool: string, args: object): Outcome => ours.screen({ kind: 'read', tool, args }, false).outcome
    expect(by('grep', { pattern: 'x' })).toMatchObject({ decision: 'allow', taints: [] })
    expect(by('grep', { pattern: 'x', paths: '.env' })).toMatchObject({ rule: 'fs-protected' })
    expect(by('rg', { pattern: 'x' })).toMatchObject({ rule: 'fs-protected' })
    expect(by('read', { path: '.' })).toMatchObject({ rule: 'fs-protected' })
  })

  it('are out of reach once the folder of the sandbox is gone', () => {
    const other = demoWorkspace()
    const gone = openScreener(other.policy, {
      ...{ disk: realDisk, folder: other.root, home: join(other.outside, 'home'), nowMs: () => 0, protect: [] },
    })
    expect(gone.screen(read('normal/notes.txt'), false).outcome.rule).toBe('fs-read-ok')
    other.cleanup()
    for (const call of [read('normal/notes.txt'), write('normal/a.txt'), sh('ls normal')]) {
      expect(gone.screen(call, false).outcome).toMatchObject({ decision: 'block', rule: 'fs-sandbox' })
    }
    // The secrets that these could carry are gone with the folder.
    for (const call of [mcp('ping', {}, 'demo'), api('calendar-api', 'events.read'), url('https://docs.example.com')]) {
      expect(gone.screen(call, false).outcome).toMatchObject({
        rule: 'fail-closed',
        hint: 'The folder of the sandbox is gone. A person must put it back.',
      })
    }
  })

  it('shows physical paths beside what was spelled', () => {
    expect(screener(WIDE).screen(read('../normal/notes.txt', 'canary'), false).normalized).toEqual({
      path: `${ws.root}/normal/notes.txt`,
      spelled: ['../normal/notes.txt'],
      cwd: `${ws.root}/canary`,
    })
  })

  test.prop(
    [
      fc.array(fc.constantFrom('.', '..', 'normal', 'malicious_repo', '.', ''), {
        maxLength: 7,
      }),
    ],
    {
      numRuns: 200,
    },
  )('gives no spelling of a secret a way in', (names) => {
    const spelled = ['.', ...names, '.env'].join('/')
    if (realPath(`${ws.root}/${spelled}`) !== join(ws.root, '.env')) return
    expect(judge(read(spelled))).toMatchObject({ decision: 'block', rule: 'fs-protected' })
  })
})

describe('a protected folder', () => {
  const policy: PolicyInput = { ...WIDE, protected_paths: ['canary'] }

  it.each<[ScreenedCall, string]>([
    [read('canary/must-remain.txt'), 'fs-protected'],
    [write('canary/new.txt'), 'fs-protected'],
    [sh('cat canary/must-remain.txt'), 'sh-paths'],
    [file({ path: 'canary/must-remain.txt' }), 'mcp-protected-path'],
    [read('.', 'canary'), 'fs-protected'],
  ])('keeps what is below it: %j', (call, rule) => {
    const outcome = judge(call, policy)
    expect(outcome).toMatchObject({ decision: 'block', rule })
    expect(outcome.taints).not.toEqual([])
  })
})

describe('addresses', () => {
  it.each<[string, ScreenedCall, PolicyInput, Outcome['decision'], string]>([
    ['a closed network (AC6)', url('https://example.com/'), WIDE, 'block', 'net-deny-all'],
    ['a closed network, loopback', url('http://127.0.0.1/'), WIDE, 'block', 'net-deny-all'],
    ['a listed origin', url('https://docs.example.com/a'), OPEN_NET, 'allow', 'net-ok'],
    ['HEAD', url('https://docs.example.com/a', { method: 'HEAD' }), OPEN_NET, 'allow', 'net-ok'],
    ['a query (UR-23, weakness 32)', url('https://docs.example.com/a?q=1'), OPEN_NET, 'require_approval', 'net-query'],
    [
      'a free query',
      url('https://docs.example.com/a?q=1'),
      { ...OPEN_NET, network: { ...OPEN_NET.network, queries: 'allow' } },
      'allow',
      'net-ok',
    ],
    ['another origin', url('https://evil.test/'), OPEN_NET, 'block', 'net-allowlist'],
    ['POST', url('https://docs.example.com/', { method: 'POST' }), OPEN_NET, 'block', 'net-allowlist'],
    ['a body', url('https://docs.example.com/', { body: 'x' }), OPEN_NET, 'block', 'net-allowlist'],
    [
      'a method in small letters',
      url('https://docs.example.com/', { method: 'get' }),
      OPEN_NET,
      'block',
      'net-allowlist',
    ],
    ['an unclear spelling', url('https://docs.example.com@127.0.0.1/'), OPEN_NET, 'block', 'net-allowlist'],
  ])('%s', (_title, call, policy, decision, rule) => {
    expect(judge(call, policy)).toMatchObject({ decision, rule, taints: [] })
  })

  it('are out of reach for a tainted session (AC7)', () => {
    expect(judge(url('https://docs.example.com/'), OPEN_NET, true)).toMatchObject({
      decision: 'block',
      rule: 'taint-session',
    })
    expect(judge(url('https://docs.example.com/'), WIDE, true).rules).toEqual(['net-deny-all', 'taint-session'])
  })
})

describe('servers', () => {
  it.each<[string, ScreenedCall, Outcome['decision'], string, boolean?]>([
    [
      'a tool that calls itself harmless (MC-07)',
      { kind: 'mcp', tool: 'drop', args: { server: 'demo', tool: 'drop_table', args: {}, readOnly: true } },
      'block',
      'mcp-unknown-tool',
    ],
    ['a registered tool', mcp('ping', {}, 'demo'), 'allow', 'mcp-ok'],
    [
      'a registered tool by its joined name',
      { kind: 'unknown', tool: 'demo-echo', args: { text: 'x' } },
      'allow',
      'mcp-ok',
    ],
    ['a registered tool with its prefix', mcp('demo-ping', {}, 'demo'), 'allow', 'mcp-ok'],
    ['a registered tool by its marked name', { kind: 'unknown', tool: 'mcp__demo__ping', args: {} }, 'allow', 'mcp-ok'],
    ['an unknown tool (AC9)', mcp('exfiltrate', {}, 'evil'), 'block', 'mcp-unknown-tool'],
    [
      'an unknown tool by its joined name',
      { kind: 'unknown', tool: 'evil-exfiltrate', args: {} },
      'block',
      'mcp-unknown-tool',
    ],
    ['a tool of another server', mcp('delete_file', { path: 'canary/must-remain.txt' }), 'block', 'mcp-unknown-tool'],
    [
      'a name that stands for two tools (MC-05)',
      { kind: 'unknown', tool: 'a-b-c', args: {} },
      'block',
      'mcp-unknown-tool',
    ],
    ['an inherited name', mcp('toString', {}, 'constructor'), 'block', 'mcp-unknown-tool'],
    ['a file', file({ path: 'normal/notes.txt' }), 'allow', 'mcp-ok'],
    ['plain text', mcp('echo', { text: 'hello world' }, 'demo'), 'allow', 'mcp-ok'],
    ['text with an address', mcp('echo', { text: 'see https://example.com/x' }, 'demo'), 'allow', 'mcp-ok'],
    ['a long text', mcp('echo', { text: 'word '.repeat(20_000) }, 'demo'), 'allow', 'mcp-ok'],
    ['text of several lines', mcp('echo', { text: 'a\nb\n\n- c\n  d' }, 'demo'), 'allow', 'mcp-ok'],
    ['a percent sign', mcp('echo', { text: '100% of 5%' }, 'demo'), 'allow', 'mcp-ok'],
    [
      'text of a text argument',
      mcp('write_file', { path: 'normal/a.ts', content: '// ../../../x\n--y' }),
      'allow',
      'mcp-ok',
    ],
    ['outside', file({ path: '/etc/hostname' }), 'block', 'mcp-sandbox'],
    ['outside, relative', file({ path: '../../outside' }), 'block', 'mcp-sandbox'],
    ['outside, as a URI', file({ path: 'file:///etc/hostname' }), 'block', 'mcp-sandbox'],
    ['outside, in a list', file({ paths: ['normal/notes.txt', '/etc/passwd'] }), 'block', 'mcp-sandbox'],
    ['a home folder', file({ query: '~/.ssh/id_rsa' }), 'block', 'mcp-sandbox'],
    ['a link that leads out (MC-21)', file({ filepath: 'link.pdf' }), 'block', 'mcp-sandbox'],
    ['a process', file({ path: '/proc/self/cwd/.env' }), 'block', 'mcp-sandbox'],
    ['a secret', file({ file: '.env' }), 'block', 'mcp-protected-path', true],
    ['a secret under any name', file({ name: '.env' }), 'block', 'mcp-protected-path', true],
    [
      'a secret deep inside',
      file({ options: { target: 'malicious_repo/config-link' } }),
      'block',
      'mcp-protected-path',
      true,
    ],
    ['a secret as a URI', file({ uri: `file://${ws.root}/.env` }), 'block', 'mcp-protected-path', true],
    [
      'a secret as an encoded URI (weakness 23)',
      file({ uri: `file://${ws.root}/%2eenv` }),
      'block',
      'mcp-protected-path',
      true,
    ],
    [
      'a secret as a URI in capitals (weakness 23)',
      file({ uri: `FILE://${ws.root}/.env` }),
      'block',
      'mcp-protected-path',
      true,
    ],
    [
      'a secret as a URI with a tab in it (weakness 23)',
      file({ uri: ` fi\tle://${ws.root}/.env` }),
      'block',
      'mcp-protected-path',
      true,
    ],
    ['a URI that is encoded twice (weakness 23)', file({ uri: `file://${ws.root}/%252eenv` }), 'block', 'mcp-sandbox'],
    ['a URI of another host', file({ uri: 'file://evil.test/share' }), 'block', 'mcp-sandbox'],
    [
      'a secret in a list',
      file({ paths: ['normal/notes.txt', 'fake_credentials.txt'] }),
      'block',
      'mcp-protected-path',
      true,
    ],
    ['a secret behind a blank (weakness 22)', file({ text: 'x y/../.env' }), 'block', 'mcp-protected-path', true],
    ['a secret behind a scheme (weakness 22)', file({ text: 'a://../.env' }), 'block', 'mcp-protected-path', true],
    [
      'a secret behind what is not there (weakness 22)',
      file({ text: 'no such/thing/../../.env' }),
      'block',
      'mcp-protected-path',
      true,
    ],
    [
      'a secret behind 4 KiB of dots (weakness 22)',
      file({ text: `${'./'.repeat(3000)}.env` }),
      'block',
      'mcp-protected-path',
      true,
    ],
    [
      'a secret behind 64 KiB of dots (weakness 22)',
      file({ text: `${'./'.repeat(40_000)}.env` }),
      'block',
      'mcp-protected-path',
      true,
    ],
    ['a secret behind a line break', file({ text: 'x\n/../.env' }), 'block', 'mcp-protected-path', true],
    ['a secret as a key (weakness 24)', file({ edits: { '.env': 'x' } }), 'block', 'mcp-protected-path', true],
    ['a secret with backslashes', file({ path: 'normal\\..\\.env' }), 'block', 'mcp-protected-path', true],
    ['a secret, percent-encoded', file({ path: 'normal/%2e%2e/.env' }), 'block', 'mcp-protected-path', true],
    ['a secret with blanks around it', file({ path: ' .env ' }), 'block', 'mcp-protected-path', true],
    [
      'a secret of a tool that is not registered (weakness 13)',
      mcp('cat', { path: '.env' }),
      'block',
      'mcp-unknown-tool',
      true,
    ],
    ['the policy (14.3)', file({ path: `${ws.outside}/policy.json` }), 'block', 'mcp-protected-path', true],
    ['an option (MC-15)', file({ branch: '--output=normal/marker.txt' }), 'block', 'mcp-args'],
    ['an option that leads out (MC-15)', file({ branch: '--output=/tmp/marker.txt' }), 'block', 'mcp-sandbox'],
    ['a number for a path', file({ path: 7 }), 'block', 'parse-error'],
    ['a number for a path in camel case (weakness 24)', file({ filePath: 7 }), 'block', 'parse-error'],
    ['a number in a list of paths', file({ paths: ['a', 7] }), 'block', 'parse-error'],
    ['a number that is not exact (MC-19)', mcp('echo', { Id: 1885704473650888702 }, 'demo'), 'block', 'parse-error'],
    [
      'more values than can be looked at',
      file({ list: Array.from({ length: 6000 }, () => 'a') }),
      'block',
      'parse-error',
    ],
    ['a secret in JSON in a text', file({ body: '{"a": [{"path": ".env"}]}' }), 'block', 'mcp-protected-path', true],
    ['a secret as a key of such JSON', file({ body: '{".env": 1}' }), 'block', 'mcp-protected-path', true],
    ['a secret as JSON text', file({ body: '".env"' }), 'block', 'mcp-protected-path', true],
    ['outside, under a path name in JSON', file({ body: '{"path": "/etc/hostname"}' }), 'block', 'mcp-sandbox'],
    ['other JSON in a text', file({ body: '{"url": "/api", "n": 1885704473650888702}' }), 'allow', 'mcp-ok'],
    ['half JSON in a text', file({ body: '{"a": ' }), 'allow', 'mcp-ok'],
    ['too much JSON in a text', file({ body: JSON.stringify(Array(6000).fill('a')) }), 'block', 'parse-error'],
    ['a secret in a list in a text', file({ files: 'src/a.ts,.env' }), 'block', 'mcp-protected-path', true],
    ['a secret in a list under any name', file({ text: 'src/a.ts;.env' }), 'block', 'mcp-protected-path', true],
    ['a secret in lines', file({ text: 'src/a.ts\n.env\n' }), 'block', 'mcp-protected-path', true],
    ['a secret behind a blank of a path', file({ paths: 'src/a.ts .env' }), 'block', 'mcp-protected-path', true],
    ['prose with commas', mcp('echo', { text: 'first, .env is a file, and so on' }, 'demo'), 'allow', 'mcp-ok'],
    ['numbers with commas', mcp('echo', { text: '1,2,3;4' }, 'demo'), 'allow', 'mcp-ok'],
    ['a secret in an archive', file({ uri: `jar:file:${ws.root}/.env!/a` }), 'block', 'mcp-protected-path', true],
    ['the same without file', file({ uri: `jar:${ws.root}/.env!/a` }), 'block', 'mcp-protected-path', true],
    ['a secret in quotes', file({ text: "'.env'" }), 'block', 'mcp-protected-path', true],
    ['a secret in angle brackets', file({ text: '<.env>' }), 'block', 'mcp-protected-path', true],
    ['a secret by a pattern', file({ text: '.e*' }), 'block', 'mcp-protected-path', true],
    ['a secret by a set', file({ text: 'normal/../[.]en?' }), 'block', 'mcp-protected-path', true],
    ['a protected name by a pattern', file({ text: 'api/.env.l*' }), 'block', 'mcp-protected-path', true],
    ['a pattern for a search', mcp('echo', { text: '**/*.txt' }, 'demo'), 'allow', 'mcp-ok'],
    ['a word that is a protected name', mcp('echo', { labels: ['credentials'] }, 'demo'), 'allow', 'mcp-ok'],
    ['the same as a path', file({ path: 'credentials' }), 'block', 'mcp-protected-path', true],
    ['the same with a file', file({ text: 'keys' }), 'block', 'mcp-protected-path', true],
    ['a question', mcp('echo', { text: 'why?' }, 'demo'), 'allow', 'mcp-ok'],
    ['a secret with a query', file({ text: '.env?x' }), 'block', 'mcp-protected-path', true],
    ['a secret with a fragment', file({ text: './.env#x' }), 'block', 'mcp-protected-path', true],
    ['a secret with a line number', file({ text: '.env:3:1' }), 'block', 'mcp-protected-path', true],
    ['a secret behind an equals sign', file({ text: 'file=.env' }), 'block', 'mcp-protected-path', true],
    ['another file with a line number', file({ path: 'normal/notes.txt:3' }), 'allow', 'mcp-ok'],
    ['an assignment', mcp('echo', { text: 'a=/etc' }, 'demo'), 'allow', 'mcp-ok'],
    ['a star for a path', file({ path: 'malicious_repo/*' }), 'block', 'mcp-protected-path', true],
    ['a star for a path with nothing protected', file({ path: 'clean/*' }), 'allow', 'mcp-ok'],
    ['a drive', file({ text: 'C:\\work\\app' }), 'block', 'mcp-sandbox'],
    ['a share', file({ text: '\\\\host\\share\\x' }), 'block', 'mcp-sandbox'],
    ['a regular expression', mcp('echo', { text: '^\\s*\\d+\\.\\w' }, 'demo'), 'allow', 'mcp-ok'],
    ['a backslash in a path', file({ path: 'normal\\notes.txt' }), 'block', 'mcp-sandbox'],
    ['a short alias in a path (FI-09)', file({ path: 'GIT~1/config' }), 'block', 'mcp-sandbox'],
    ['look-alikes in a path (FI-17)', file({ path: 'normal\uff0fx' }), 'block', 'mcp-sandbox'],
    ['a revision (FI-09)', file({ target: 'HEAD~1' }), 'allow', 'mcp-ok'],
    ['the same signs in prose', mcp('echo', { source: 'GIT~1 \uff0f x' }, 'demo'), 'allow', 'mcp-ok'],
    ['a sentence under the name of a path', mcp('echo', { source: 'Hello.' }, 'demo'), 'allow', 'mcp-ok'],
    ['an option with a blank (MC-15)', file({ branch: '-o /tmp/x' }), 'block', 'mcp-args'],
    ['an option behind a blank', file({ branch: ' --output=x' }), 'block', 'mcp-args'],
    ['an option with a value of two words', file({ branch: '--format=a b' }), 'block', 'mcp-args'],
    ['an option in a line of its own', file({ branch: 'main\n--output=x' }), 'block', 'mcp-args'],
    ['an option among words', file({ args: 'main --output=x' }), 'block', 'mcp-args'],
    ['an option in JSON', file({ revs: '["main", "--output=x"]' }), 'block', 'mcp-args'],
    ['a list', mcp('echo', { text: '- one\n- two' }, 'demo'), 'allow', 'mcp-ok'],
    ['prose about options', mcp('echo', { text: '--help is an option, and so is -h' }, 'demo'), 'allow', 'mcp-ok'],
    ['a formula that starts with a minus', mcp('echo', { text: '-x + 3' }, 'demo'), 'allow', 'mcp-ok'],
    ['a title that starts with an option', mcp('echo', { text: '-v prints nothing' }, 'demo'), 'allow', 'mcp-ok'],
    ['a formula', mcp('echo', { text: 'x,-y' }, 'demo'), 'allow', 'mcp-ok'],
    ['a write of what runs later (MC-13)', rewrite('normal/.mcp.json'), 'require_approval', 'fs-write-scope'],
    ['a write of what a build runs', rewrite('package.json'), 'require_approval', 'fs-write-scope'],
    ['a look at the same', file({ path: 'package.json' }), 'allow', 'mcp-ok'],
    ['the name of the same in a text', mcp('echo', { text: 'package.json' }, 'demo'), 'allow', 'mcp-ok'],
    ['a NUL', file({ text: '.env\0.txt' }), 'block', 'parse-error'],
    [
      'text for arguments',
      { kind: 'mcp', tool: 'x', args: { server: 'fs', tool: 'read_file', args: 'x' } },
      'block',
      'parse-error',
    ],
    ['a resource in the sandbox', resource(`file://${ws.root}/normal/notes.txt`), 'allow', 'mcp-resource-ok'],
    ['a resource of another scheme', resource('notes://today'), 'allow', 'mcp-resource-ok'],
    ['a secret under another scheme', resource(`fs://${ws.root}/.env`), 'block', 'mcp-protected-path', true],
    ['a path outside under another scheme', resource('fs:///etc/hostname'), 'allow', 'mcp-resource-ok'],
    ['a resource outside', resource('file:///etc/hostname'), 'block', 'mcp-sandbox'],
    ['a secret resource', resource(`file://${ws.root}/.env`), 'block', 'mcp-protected-path', true],
    ['a resource of another server', resource('file:///etc/hostname', 'demo'), 'block', 'mcp-resources-denied'],
    [
      'a secret resource of another server',
      resource(`file://${ws.root}/.env`, 'demo'),
      'block',
      'mcp-resources-denied',
      true,
    ],
  ])('%s', (_title, call, decision, rule, taints = false) => {
    const outcome = judge(call)
    expect({ ...outcome, taints: outcome.taints.length > 0 }).toMatchObject({ decision, rule, taints })
  })

  it('names the protected path among the rules', () => {
    expect(judge(file({ path: '.env' })).rules).toEqual(['mcp-protected-path', 'fs-protected'])
  })

  test.prop(
    [
      fc.array(
        fc.constantFrom('.', '..', 'normal', 'x y', 'a:', 'malicious_repo', '.env', 'config-link', '', '%2e%2e'),
        { maxLength: 8 },
      ),
    ],
    {
      numRuns: 300,
    },
  )('gives a secret to no reading of a text', (names) => {
    const text = names.join('/')
    const readings = [text, decodeURIComponent(text)].flatMap((each) => [
      posix.resolve(ws.root, each),
      realPath(posix.isAbsolute(each) ? each : `${ws.root}/${each}`),
      realPath(posix.resolve(ws.root, each)),
    ])
    if (!readings.includes(join(ws.root, '.env'))) return
    expect(judge(file({ text }))).toMatchObject({ decision: 'block', rule: 'mcp-protected-path' })
  })

  it('start at a root of their own', () => {
    const rooted: PolicyInput = { ...WIDE, mcp_roots: { fs: 'normal' } }
    expect(judge(file({ path: '../.env' }), rooted).rule).toBe('mcp-protected-path')
    expect(judge(file({ path: 'notes.txt' }), rooted).rule).toBe('mcp-ok')
  })
})

describe('operations', () => {
  it.each<[string, ScreenedCall, Outcome['decision'], string]>([
    ['an allowed one', api('calendar-api', 'events.read'), 'allow', 'api-ok'],
    ['one that a person is asked about', api('mail-api', 'messages.send'), 'require_approval', 'api-approval'],
    ['one that is not listed', api('mail-api', 'messages.delete'), 'block', 'api-unknown-operation'],
    ['an audience that is not listed', api('bank-api', 'pay'), 'block', 'api-unknown-operation'],
    ['an inherited name', api('calendar-api', 'toString'), 'block', 'api-unknown-operation'],
    ['one without a scope', api('odd', 'bare'), 'block', 'api-unknown-operation'],
    ['one that is blocked', api('odd', 'no'), 'block', 'api-blocked'],
    ['a word that is not known', api('odd', 'word'), 'block', 'api-blocked'],
    [
      'a number that is not exact (MC-19)',
      api('calendar-api', 'events.read', { a: [{ id: 2 ** 53 }] }),
      'block',
      'parse-error',
    ],
    ['an exact one', api('calendar-api', 'events.read', { id: 2 ** 53 - 1 }), 'allow', 'api-ok'],
    ['a missing operation', { kind: 'api-call', tool: '', args: { audience: 'mail-api' } }, 'block', 'parse-error'],
  ])('%s', (_title, call, decision, rule) => {
    expect(judge(call)).toMatchObject({ decision, rule, taints: [] })
  })

  it('are out of reach for a tainted session', () => {
    expect(judge(api('calendar-api', 'events.read'), WIDE, true)).toMatchObject({
      decision: 'block',
      rule: 'taint-session',
      rules: ['api-policy', 'taint-session'],
    })
    expect(judge(api('mail-api', 'messages.delete'), WIDE, true).rule).toBe('api-unknown-operation')
  })
})

describe('commands', () => {
  it.each<[string, ScreenedCall, Outcome['decision'], string, boolean?]>([
    ['a granted command (AC12)', sh('ls normal'), 'allow', 'sh-ok'],
    ['a secret (AC3)', sh('cat .env'), 'block', 'sh-paths', true],
    ['a secret from a folder (AC3)', sh('grep key ../.env', 'malicious_repo'), 'block', 'sh-paths', true],
    ['an unknown program (AC4)', exec('base64', 'normal/notes.txt'), 'block', 'sh-allowlist'],
    ['a folder outside', sh('ls', '/etc'), 'block', 'fs-sandbox'],
    ['a secret from outside (weakness 13)', sh(`cat ${ws.root}/.env`, ws.outside), 'block', 'fs-sandbox', true],
    ['a folder that is refused by its spelling', sh('ls', 'a\0b'), 'block', 'parse-error'],
    ['substitution', sh('echo $(cat .env)'), 'block', 'sh-syntax', true],
    ['no command', { kind: 'shell', tool: 'bash', args: {} }, 'block', 'parse-error'],
  ])('%s', (_title, call, decision, rule, taints = false) => {
    const outcome = judge(call)
    expect({ ...outcome, taints: outcome.taints.length > 0 }).toMatchObject({ decision, rule, taints })
  })
})

describe('secrets', () => {
  it.each<[string, ScreenedCall]>([
    ['in the text of a file', write('normal/a.txt', `key: ${FAKE_KEY}`)],
    ['in the name of a file', write(`normal/${FAKE_KEY}.txt`)],
    ['in a working folder', read('a', `/${FAKE_KEY}`)],
    ['in a command', sh(`echo ${FAKE_KEY}`)],
    ['in a command in pieces', sh(`echo ${FAKE_KEY.slice(0, 9)}"${FAKE_KEY.slice(9)}"`)],
    ['in the name of a program', exec(FAKE_KEY)],
    ['spread over two arguments', write(`normal/${FAKE_KEY.slice(0, 11)}`, FAKE_KEY.slice(11))],
    ['in a header of an address', url('https://docs.example.com/', { headers: { 'x-key': FAKE_KEY } })],
    ['in the query of a listed address (UR-23)', url(`https://docs.example.com/?q=${FAKE_KEY}`)],
    ['in the arguments of a server (MC-09)', mcp('echo', { note: FAKE_KEY }, 'demo')],
    ['in the text argument of a server', mcp('write_file', { path: 'normal/a', content: FAKE_KEY })],
    ['in an operation', api('calendar-api', 'events.read', { text: FAKE_KEY })],
    ['in a tool that nobody knows', { kind: 'unknown', tool: 'browser.open', args: { url: FAKE_KEY } }],
    ['in the name of such a tool', { kind: 'unknown', tool: FAKE_KEY, args: {} }],
    ['in a malformed call', { kind: 'read', tool: 'view', args: [[FAKE_KEY]] }],
    ['in the id of a call', { ...read('normal/notes.txt'), id: FAKE_KEY }],
  ])('do not leave %s', (_title, call) => {
    const { outcome, normalized } = screener(SECRET).screen(call, false)
    expect(outcome).toMatchObject({
      decision: 'block',
      rule: 'secret-egress',
      rules: ['secret-egress'],
      taints: ['secret-egress: .env API_KEY'],
    })
    expect(JSON.stringify({ outcome, normalized })).not.toContain(FAKE_KEY)
  })

  it('are found when they leave in parts over the calls of one session, and taint it', () => {
    const [first, second] = [FAKE_KEY.slice(0, 12), FAKE_KEY.slice(12)]
    const say = (session: string, text: string): ScreenedCall => ({ ...mcp('echo', { text }, 'demo'), session })
    expect(judge(say('s1', `${first} `), SECRET).rule).toBe('mcp-ok')
    expect(judge(say('s2', `${second} `), SECRET).rule).toBe('mcp-ok')
    expect(judge(write('normal/x.txt', second), SECRET).rule).toBe('fs-write-ok')
    expect(judge(say('s1', `the rest: ${second}`), SECRET)).toMatchObject({
      rule: 'secret-egress',
      taints: ['secret-egress: .env API_KEY'],
    })
  })

  it('stop everything when they cannot be known', () => {
    const policy: PolicyInput = { ...WIDE, secret_files: ['normal'] }
    expect(judge(read('canary/must-remain.txt'), policy)).toMatchObject({
      decision: 'block',
      rule: 'fail-closed',
      hint: expect.stringContaining('normal: it is no readable file of at most 1 MiB') as string,
    })
  })

  it('make their files protected, existing or not', () => {
    expect(judge(read('not-yet.env'), { ...WIDE, secret_files: ['not-yet.env'] }).rule).toBe('fs-protected')
  })
})

it.each(REFUSING_RULES)('gives %s a reason of its own', (rule) => {
  expect(REASONS).toHaveProperty([rule])
})

it.each([
  { kind: 'unknown', tool: 'browser.open', args: {} },
  { kind: 'custom-tool', tool: 'transfer_money', args: {} },
  { kind: 'memory', tool: 'store_memory', args: {} },
] as const)('knows no rules for $tool', (call) => {
  expect(judge(call)).toMatchObject({ decision: 'block', rule: 'unknown-tool' })
})
