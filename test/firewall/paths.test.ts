import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fc, test } from '@fast-check/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { realDisk } from '../../src/firewall/disk.io.ts'
import { walk } from '../../src/firewall/paths.ts'
import { demoWorkspace } from './workspace.ts'

const ws = demoWorkspace({ protected_names: ['.env.*', '*.pem'], known_hard_links: ['store'] })
const inside = (name: string): string => join(ws.root, name)
const kindOf = (spelled: string, cwd = ws.root): string => ws.places.locate(spelled, cwd).kind

beforeAll(() => {
  ws.link('normal/deep', '../../outside/dir/sub')
  mkdirSync(join(ws.outside, 'dir/sub'), { recursive: true })
  ws.link('normal/loop', 'loop')
  ws.link('normal/up', '..')
  ws.link('normal/magic', '/proc/self/cwd')
  linkSync(inside('.env'), inside('normal/hl.txt'))
  ws.write('store/a.txt', 'a')
  linkSync(inside('store/a.txt'), join(ws.outside, 'a.txt'))
  ws.write('normal/b.txt', 'b')
  linkSync(inside('normal/b.txt'), join(ws.outside, 'b.txt'))
  execFileSync('mkfifo', [inside('normal/pipe')])
  ws.write('certs.pem/readme.txt', 'x')
})
afterAll(() => {
  ws.cleanup()
})

describe('the walk', () => {
  it('applies `..` to where a link leads, never to the text (FI-23)', () => {
    const found = walk('normal/deep/../target', ws.root, { disk: realDisk, root: ws.root })
    expect(found).toMatchObject({ kind: 'found', path: join(ws.outside, 'dir/target'), entry: undefined })
  })

  it.each([
    ['a missing tail is kept', 'normal/new/file.txt', 'normal/new/file.txt'],
    ['dots and empty names are dropped', './/normal/./notes.txt', 'normal/notes.txt'],
    ['a missing middle collapses with `..`', 'nowhere/../normal/notes.txt', 'normal/notes.txt'],
    ['a link is followed', 'normal/up/normal/notes.txt', 'normal/notes.txt'],
  ])('%s', (_title, spelled, path) => {
    expect(walk(spelled, ws.root, { disk: realDisk, root: ws.root })).toMatchObject({
      kind: 'found',
      path: inside(path),
    })
  })

  it('gives up on a loop of links', () => {
    expect(walk('normal/loop/x', ws.root, { disk: realDisk, root: ws.root })).toMatchObject({
      detail: 'too many links',
    })
  })

  it.each(['/proc/self/cwd/.env', '/proc/1/environ', '/dev/fd/3', '/sys/kernel', 'normal/magic/.env'])(
    'refuses to cross %s, which leads elsewhere for another process (weakness 5, FI-15)',
    (spelled) => {
      expect(ws.places.locate(spelled, ws.root)).toMatchObject({ kind: 'refused', malformed: false })
    },
  )

  test.prop(
    [fc.array(fc.constantFrom('normal', '..', '.', 'up', 'malicious_repo', 'notes.txt', 'x', ''), { maxLength: 8 })],
    {
      numRuns: 200,
    },
  )('names the file that the kernel opens, whatever the spelling', (names) => {
    const spelled = ['.', ...names].join('/')
    const found = walk(spelled, ws.root, { disk: realDisk, root: '' })
    const rooted = walk(spelled, ws.root, { disk: realDisk, root: ws.root })
    expect(rooted).toMatchObject(found.kind === 'found' ? { path: found.path } : { kind: 'refused' })
    let real: string
    try {
      real = realpathSync.native(`${ws.root}/${spelled}`)
    } catch {
      return
    }
    expect(found).toMatchObject({ path: real })
  })
})

describe('a place', () => {
  it.each<[string, string, string]>([
    ['a file', 'normal/notes.txt', 'open'],
    ['a new file', 'normal/new.txt', 'open'],
    ['a protected file', '.env', 'protected'],
    ['a link to one (FI-03)', 'malicious_repo/config-link', 'protected'],
    ['one through a link upwards', 'normal/up/.env', 'protected'],
    ['one in another case (weakness 18, FI-07)', '.ENV', 'protected'],
    ['one below a protected file', '.env/x', 'protected'],
    ['a protected name', 'api/.env.local', 'protected'],
    ['a protected name in another case', 'api/SERVER.PEM', 'protected'],
    ['a file in a folder with a protected name', 'certs.pem/readme.txt', 'protected'],
    ['another name of a protected file (weakness 14)', 'normal/hl.txt', 'protected'],
    ['the firewall settings of a host', '.claude/settings.local.json', 'protected'],
    ['the parent', '..', 'outside'],
    ['a sibling with the same start (FI-01)', '../workspace-evil/secret.txt', 'outside'],
    ['an absolute path', '/etc/hostname', 'outside'],
    ['a file with a second name outside (weakness 14)', 'normal/b.txt', 'refused'],
    ['a pipe (weakness 17)', 'normal/pipe', 'refused'],
    ['a known second name', 'store/a.txt', 'open'],
    ['a NUL (FI-13)', 'normal/a\0b', 'refused'],
    ['a lone surrogate', 'normal/\ud800', 'refused'],
    ['a zero-width character', 'normal/\u200bnotes.txt', 'refused'],
    ['a line separator (weakness 38)', 'normal/x\u2028/../../.env', 'refused'],
    ['an unusual blank', 'normal/\u00a0notes.txt', 'refused'],
    ['a line break', 'normal/a\nb', 'refused'],
  ])('%s', (_title, spelled, kind) => {
    expect(kindOf(spelled)).toBe(kind)
  })

  it('keeps the protection of a folder whose parent matches a pattern out of it', () => {
    ws.write('x.pem/sandbox/a.txt', 'a')
    const nested = ws.under({ sandbox_root: 'x.pem/sandbox', protected_paths: [], writable_dirs: [] })
    expect(nested.places.locate('a.txt', nested.sandbox.root).kind).toBe('open')
  })

  it('follows a protected name that becomes a link later (weakness 15)', () => {
    const fresh = ws.under({ protected_paths: ['later'] })
    expect(fresh.places.locate('normal/hidden.txt', fresh.root).kind).toBe('open')
    ws.write('normal/hidden.txt', 'x')
    ws.link('later', 'normal/hidden.txt')
    expect(fresh.places.locate('normal/hidden.txt', fresh.root).kind).toBe('protected')
  })

  it('does not let a link make another folder writable', () => {
    const fresh = ws.under({ writable_dirs: ['made-later'] })
    ws.link('made-later', 'malicious_repo')
    expect(fresh.places.locate('malicious_repo/README.md', fresh.root)).toMatchObject({ kind: 'open', writable: false })
  })

  it.each([
    'normal/.mcp.json',
    'normal/.vscode/settings.json',
    'normal/.Cursor/MCP.json',
    'normal/.github/hooks/pre.json',
    'normal/.husky/pre-commit',
    'normal/package.json',
    'normal/conftest.py',
    'normal/Makefile',
    'normal/.git/config',
    'normal/.github/workflows/ci.yml',
    'normal/AGENTS.md',
  ])('asks about %s, which runs later or configures an agent (weakness 20, FI-19)', (spelled) => {
    expect(ws.places.locate(spelled, ws.root)).toMatchObject({ kind: 'open', writable: true, asks: true })
  })

  it('refuses the whole disk and a folder that holds the home folder as a sandbox', () => {
    expect(() => ws.under({ sandbox_root: '..' })).toThrow('sandbox_root: it holds the home folder')
    expect(() => ws.under({ sandbox_root: 'normal/notes.txt' })).toThrow('sandbox_root: there is no such folder')
  })

  it('names the protected paths below a folder', () => {
    expect(ws.places.protectedBelow(ws.root)).toEqual(
      expect.arrayContaining([inside('.env'), inside('fake_credentials.txt')]),
    )
    expect(ws.places.protectedBelow(inside('normal'))).toEqual([])
  })

  it('takes well under 100 µs', () => {
    const start = performance.now()
    for (let count = 0; count < 500; count++) ws.sandbox.look().locate('normal/notes.txt', ws.root)
    // Ten times what it takes, so that a busy machine does not fail it; a walk of the whole tree would.
    expect((performance.now() - start) / 500).toBeLessThan(0.5)
  })
})

it('reads no more than it is allowed to, and only regular files (weakness 17)', () => {
  const path = inside('normal/big.txt')
  writeFileSync(path, 'x'.repeat(100))
  expect(realDisk.read(path, 100)).toHaveLength(100)
  expect(realDisk.read(path, 99)).toBeUndefined()
  expect(realDisk.read(inside('normal/pipe'), 100)).toBeUndefined()
  expect(realDisk.read(inside('malicious_repo/config-link'), 100)).toBeUndefined()
})
