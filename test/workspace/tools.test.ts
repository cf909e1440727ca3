import {
  chmodSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { smallDisk } from '../cli/small-disk.ts'
import { openSpace, temporary, yes } from './spaces.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const FILES = {
  '.env': 'API_KEY=sk-0123456789abcdef\n',
  'wiki/a.txt': 'one\ntwo\nthree\n',
  'src/b.ts': 'const two = 2\n',
}

describe('the tools of a workspace', () => {
  it.each([
    { tool: 'view', args: { path: 'wiki/a.txt' }, gives: '1. one\n2. two\n3. three\n4. ' },
    { tool: 'view', args: { path: 'wiki/a.txt', view_range: [2, 3] }, gives: '2. two\n3. three' },
    { tool: 'view', args: { path: 'wiki/a.txt', view_range: [3, -1] }, gives: '3. three\n4. ' },
    { tool: 'view', args: { path: 'wiki/a.txt', view_range: [9, 12] }, gives: '' },
    { tool: 'view', args: { path: '.' }, gives: '.env\nsrc/\nwiki/' },
    { tool: 'view', args: { path: 'missing' }, gives: 'refused: workspace.disk' },
    { tool: 'view', args: { path: '.env' }, gives: 'denied: fs-protected' },
    { tool: 'create', args: { path: 'wiki/new.txt', file_text: 'x' }, gives: 'Written.' },
    { tool: 'create', args: { path: 'wiki/no/such/new.txt', file_text: 'x' }, gives: 'Written.' },
    { tool: 'create', args: { path: 'wiki/a.txt/new.txt', file_text: 'x' }, gives: 'refused: workspace.disk' },
    {
      tool: 'create',
      args: { path: 'wiki/node_modules/new.js', file_text: 'x' },
      gives: 'denied: gate.obligation_unmet',
    },
    { tool: 'create', args: { path: 'src/new.ts', file_text: 'x' }, gives: 'denied: gate.obligation_unmet' },
    { tool: 'edit', args: { path: 'wiki/a.txt', old_str: 'two', new_str: '2' }, gives: 'Edited.' },
    {
      tool: 'edit',
      args: { path: 'wiki/a.txt', old_str: 'o', new_str: '0' },
      gives: 'refused: workspace.no_single_match',
    },
    {
      tool: 'edit',
      args: { path: 'wiki/a.txt', old_str: 'four', new_str: '4' },
      gives: 'refused: workspace.no_single_match',
    },
    {
      tool: 'grep',
      args: { pattern: 'two', paths: ['wiki', 'src'] },
      gives: '{root}/wiki/a.txt:2:two\n{root}/src/b.ts:1:const two = 2\n',
    },
    { tool: 'grep', args: { pattern: 'four', paths: 'wiki' }, gives: 'No match.' },
    {
      tool: 'grep',
      args: { pattern: 'two|API_KEY' },
      gives: '{root}/src/b.ts:1:const two = 2\n{root}/wiki/a.txt:2:two\n[left out: 1 protected or unusable name]\n',
    },
    { tool: 'grep', args: { pattern: 'API_KEY' }, gives: 'No match.\n[left out: 1 protected or unusable name]\n' },
    { tool: 'grep', args: { pattern: 'API_KEY', paths: '.env' }, gives: 'denied: fs-protected' },
    { tool: 'grep', args: { pattern: '(', paths: 'wiki' }, gives: 'grep: Unmatched ( or \\(\n' },
    { tool: 'grep', args: { pattern: '-f.env', paths: 'wiki' }, gives: 'denied: parse-error' },
    { tool: 'glob', args: { pattern: '**/*.ts' }, gives: 'src/b.ts' },
    { tool: 'glob', args: { pattern: 'src/*' }, gives: 'src/b.ts' },
    { tool: 'glob', args: { pattern: '*', paths: ['wiki', 'src'] }, gives: '{root}/wiki/a.txt\n{root}/src/b.ts' },
    { tool: 'glob', args: { pattern: '*', paths: '.env' }, gives: 'denied: fs-protected' },
    { tool: 'glob', args: { pattern: '*.py' }, gives: 'No match.' },
    { tool: 'glob', args: { pattern: '{a,b}'.repeat(7) }, gives: 'refused: workspace.bad_pattern' },
    { tool: 'bash', args: { command: 'wc -l wiki/a.txt | sort' }, gives: '3 wiki/a.txt\nexit 0' },
    { tool: 'bash', args: { command: 'cat .env' }, gives: 'denied: sh-paths' },
    { tool: 'bash', args: { command: 'ls', shell: '/bin/sh' }, gives: 'denied: parse-error' },
  ])('$tool $args gives $gives', async ({ tool, args, gives }) => {
    const { call, root } = await openSpace(FILES)
    expect((await call(tool, args)).replaceAll(root, '{root}')).toBe(gives)
  })

  it('keep the permissions of a file that they change, and leave no other file behind', async () => {
    const { call, root } = await openSpace({ ...FILES, 'wiki/run.sh': '#!/bin/sh\necho 1\n' })
    chmodSync(join(root, 'wiki/run.sh'), 0o750)
    expect(await call('edit', { path: 'wiki/run.sh', old_str: '1', new_str: '2' })).toBe('Edited.')
    expect(statSync(join(root, 'wiki/run.sh')).mode & 0o777).toBe(0o750)
    expect(readdirSync(join(root, 'wiki')).sort()).toEqual(['a.txt', 'run.sh'])
  })

  it('do not rewrite a part of what is no text', async () => {
    const { call, root } = await openSpace(FILES)
    const bytes = Buffer.from([0xff, 0x41, 0x42])
    writeFileSync(join(root, 'wiki/data'), bytes)
    expect(await call('edit', { path: 'wiki/data', old_str: 'A', new_str: 'C' })).toBe('refused: workspace.not_text')
    expect(readFileSync(join(root, 'wiki/data'))).toEqual(bytes)
  })

  it('do not read a whole file that is too large', async () => {
    const { call, root } = await openSpace(FILES)
    writeFileSync(join(root, 'wiki/big'), Buffer.alloc(1024 * 1024 + 1))
    expect(await call('view', { path: 'wiki/big' })).toBe('refused: workspace.too_large')
    writeFileSync(join(root, 'wiki/big'), `${'x'.repeat(99)}\n`.repeat(20_000))
    expect(await call('view', { path: 'wiki/big', view_range: [15_000, 15_001] })).toBe(
      `15000. ${'x'.repeat(99)}\n15001. ${'x'.repeat(99)}`,
    )
  })

  it.each([
    {
      what: 'a link to a protected file',
      swap: (root: string) => {
        symlinkSync('../.env', join(root, 'wiki/a.txt'))
      },
    },
    {
      what: 'a link out of the sandbox',
      swap: (root: string) => {
        symlinkSync('/etc/hostname', join(root, 'wiki/a.txt'))
      },
    },
    {
      what: 'a second name of a protected file',
      swap: (root: string) => {
        linkSync(join(root, '.env'), join(root, 'wiki/a.txt'))
      },
    },
    {
      what: 'a pipe',
      swap: (root: string) => {
        execFileSync('mkfifo', [join(root, 'wiki/a.txt')])
      },
    },
  ])('refuse $what that was put in place after the decision', async ({ swap }) => {
    const { call, root } = await openSpace(FILES)
    const attempts: [string, object][] = [
      ['view', { path: 'wiki/a.txt' }],
      ['create', { path: 'wiki/a.txt', file_text: 'x' }],
      ['edit', { path: 'wiki/a.txt', old_str: 'one', new_str: 'x' }],
      ['bash', { command: 'cat wiki/a.txt' }],
      ['bash', { command: 'echo x > wiki/a.txt' }],
      ['bash', { command: 'cat < wiki/a.txt' }],
      ['grep', { pattern: 'K', paths: 'wiki/a.txt' }],
    ]
    for (const [tool, args] of attempts) {
      rmSync(join(root, 'wiki/a.txt'), { force: true })
      writeFileSync(join(root, 'wiki/a.txt'), 'one\n')
      const result = await call(tool, args, () => {
        rmSync(join(root, 'wiki/a.txt'))
        swap(root)
      })
      expect(result).toMatch(/^(?:refused|denied): (?:fs-|sh-|workspace\.)/)
    }
    expect(readFileSync(join(root, '.env'), 'utf8')).toBe(FILES['.env'])
  })

  it('refuse a folder that was swapped after the decision', async () => {
    const outside = temporary()
    const { call, root } = await openSpace(FILES)
    const swap = (): void => {
      renameSync(join(root, 'wiki'), join(root, 'before'))
      symlinkSync(outside, join(root, 'wiki'))
    }
    expect(await call('create', { path: 'wiki/new.txt', file_text: 'x' }, swap)).toBe('refused: fs-sandbox')
    expect(readdirSync(outside)).toEqual([])
  })

  it('obey the policy of the moment of the run', async () => {
    const { call, workspace, root } = await openSpace(FILES)
    const file = join(root, '../policy.json')
    const policy = JSON.parse(readFileSync(file, 'utf8')) as object
    const shaNow = (): string => {
      const state = workspace.firewall.state()
      return state.ok ? state.sha256 : ''
    }
    const result = await call('view', { path: 'wiki/a.txt' }, async () => {
      const before = shaNow()
      const written = performance.now()
      writeFileSync(file, JSON.stringify({ ...policy, protected_paths: ['.env', 'wiki'] }))
      await vi.waitFor(() => {
        expect(shaNow()).not.toBe(before)
      })
      // The promise is 100 ms; a busy machine gets more.
      expect(performance.now() - written).toBeLessThan(500)
    })
    expect(result).toBe('refused: fs-protected')
  })

  it('do not run without a person what a new policy asks a person about', async () => {
    const { call, root } = await openSpace(FILES)
    const file = join(root, '../policy.json')
    const policy = JSON.parse(readFileSync(file, 'utf8')) as object
    const rename = { path: 'wiki/a.txt', file_text: 'x' }
    const result = await call('create', rename, async () => {
      writeFileSync(file, JSON.stringify({ ...policy, writable_dirs: [] }))
      await pause(300)
    })
    expect(result).toBe('refused: fs-write-scope')
    expect(await call('create', rename, undefined, yes)).toBe('Written.')
    expect(readFileSync(join(root, 'wiki/a.txt'), 'utf8')).toBe('x')
  })

  it('say so when the workspace has vanished', async () => {
    const { call, root } = await openSpace(FILES)
    rmSync(root, { recursive: true })
    expect(await call('view', { path: 'wiki/a.txt' })).toBe('denied: fs-sandbox')
    expect(await call('bash', { command: 'echo x' })).toBe('denied: fs-sandbox')
    expect(await call('create', { path: 'wiki/a.txt', file_text: 'x' })).toBe('denied: fs-sandbox')
    expect(existsSync(root)).toBe(false)
  })

  it('keep the old content when the disk is full', async ({ skip }) => {
    const disk = smallDisk(200)
    if (disk === undefined) return skip('nothing can be mounted here')
    const { call, root } = await openSpace(FILES, {}, { folder: disk })
    writeFileSync(join(root, 'wiki/fill'), Buffer.alloc(120 * 1024))
    for (const size of [30, 60, 63]) {
      const result = await call('create', { path: 'wiki/a.txt', file_text: 'x'.repeat(size * 1024) })
      expect(result).toMatch(/^(?:Written\.|refused: workspace\.disk)$/)
      const { length } = readFileSync(join(root, 'wiki/a.txt'), 'utf8')
      expect([FILES['wiki/a.txt'].length, 30 * 1024, size * 1024]).toContain(length)
      if (result === 'Written.') expect(length).toBe(size * 1024)
    }
    expect(readdirSync(join(root, 'wiki')).sort()).toEqual(['a.txt', 'fill'])
  })

  it('list by an absolute pattern', async () => {
    const { call, root } = await openSpace(FILES)
    expect(await call('glob', { pattern: `${root}/src/**` })).toBe(`${root}/src/b.ts`)
  })

  it('say so when a search came to its limit, and leave git alone', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`.git/objects/${at}`, 'two\n']))
    const { call, root } = await openSpace({ ...FILES, ...many, 'lib/node_modules/x/two.js': 'two\n' })
    expect(await call('glob', { pattern: '**' })).toBe('.env\nlib/node_modules/x/two.js\nsrc/b.ts\nwiki/a.txt')
    for (let at = 0; at < 20_001; at++) writeFileSync(join(root, `wiki/${at}.txt`), '')
    expect(await call('glob', { pattern: '**/19_*' })).toBe(
      'No match.\n[cut: there are more than 20000 entries; name a smaller folder]',
    )
  }, 20_000)

  it('are not held up by a pattern that many wildcards make slow', async () => {
    const { call } = await openSpace({ ...FILES, [`wiki/${'a'.repeat(200)}`]: 'x' })
    const started = performance.now()
    expect(await call('glob', { pattern: `**/${'*a'.repeat(60)}*b` })).toBe('No match.')
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it('search only what is open, and never through a link that was put there', async () => {
    const { call, root } = await openSpace(
      { ...FILES, 'wiki/sub/.env': 'API_KEY=two\n', 'wiki/sub/key.pem': 'two\n', 'wiki/deep/c.txt': 'two\n' },
      { protected_names: ['.env', '*.pem'], shell_ask: ['date'] },
      {
        prepare: (folder) => {
          symlinkSync('../.env', join(folder, 'wiki/link'))
          symlinkSync('/etc', join(folder, 'wiki/out'))
          linkSync(join(folder, '.env'), join(folder, 'wiki/second'))
        },
      },
    )
    expect((await call('grep', { pattern: 'two|API_KEY' })).replaceAll(root, '')).toBe(
      '/src/b.ts:1:const two = 2\n/wiki/a.txt:2:two\n/wiki/deep/c.txt:1:two\n[left out: 4 protected or unusable names]\n',
    )
    expect(await call('bash', { command: 'date' }, undefined, yes)).toMatch(/exit 0$/)
  })

  it('search more files than one program gets at once', async () => {
    const many = Object.fromEntries(Array.from({ length: 450 }, (_, at) => [`src/many/${at}.txt`, `line ${at}\n`]))
    const { call, root } = await openSpace({ ...FILES, ...many })
    const found = (await call('grep', { pattern: 'line [0-9]+$' })).split('\n')
    expect(found.filter((line) => /^.*\/([0-9]+)\.txt:1:line \1$/.test(line))).toHaveLength(450)
    expect(found).toContain(`${root}/src/many/449.txt:1:line 449`)
  })

  it('do not write what a person said yes to under another name that leads elsewhere now', async () => {
    const { call, root } = await openSpace({ ...FILES, 'wiki/out/x': '', 'package.json': 'mine' })
    const relink = (): void => {
      rmSync(join(root, 'wiki/out'), { recursive: true })
      symlinkSync('..', join(root, 'wiki/out'))
    }
    const given = { path: 'wiki/out/package.json', file_text: '{}' }
    expect(await call('create', given, relink, yes)).toBe('refused: fs-write-scope')
    relink()
    const line = { command: 'echo x > wiki/out/a.txt' }
    expect(await call('bash', line, () => undefined, yes)).toBe('exit 0')
    expect(readFileSync(join(root, 'package.json'), 'utf8')).toBe('mine')
  })

  it('do not write by a later redirect what needs asking only since an earlier command', async () => {
    const { call, root } = await openSpace({ ...FILES, 'wiki/out/x': '' }, { shell_ask: ['sleep'] })
    const swap = async (): Promise<void> => {
      await pause(300)
      rmSync(join(root, 'wiki/out'), { recursive: true })
      symlinkSync('..', join(root, 'wiki/out'))
    }
    let swapped: Promise<void> | undefined
    const result = await call(
      'bash',
      { command: 'sleep 1; echo x > wiki/out/notes.txt' },
      () => void (swapped = swap()),
      yes,
    )
    await swapped
    expect(result).toBe('refused: fs-write-scope')
    expect(existsSync(join(root, 'notes.txt'))).toBe(false)
  })

  it('show of a nested repository nothing that is protected there', async () => {
    const commit = (root: string): void => {
      const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.com']
      for (const words of [
        ['init', '-q'],
        ['add', '-A'],
        [...author, 'commit', '-q', '-m', 'all'],
      ]) {
        execFileSync('git', ['-C', join(root, 'wiki/sub'), ...words], { stdio: 'ignore' })
      }
    }
    const { call } = await openSpace(
      { 'wiki/sub/.env': 'KEY=nested-secret-value\n', 'wiki/sub/code.txt': 'code\n' },
      { protected_paths: ['wiki/sub/.env'], shell_allowlist: ['git'] },
      { dir: 'wiki/sub', prepare: commit },
    )
    const shown = await call('bash', { command: 'git log -p' })
    expect([shown.includes('+code'), shown.includes('nested-secret-value')]).toEqual([true, false])
  })
})
