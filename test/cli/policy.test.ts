import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { newPlace, run } from './bin.ts'

const place = newPlace()
afterAll(() => {
  place.remove()
})

let count = 0
/** A project folder with these files, in the place of this file of tests. */
function project(files: Readonly<Record<string, string>>, folders: readonly string[] = []): string {
  const folder = place.file(`project-${++count}`)
  mkdirSync(folder)
  for (const name of folders) mkdirSync(`${folder}/${name}`)
  for (const [name, text] of Object.entries(files)) writeFileSync(`${folder}/${name}`, text)
  return folder
}

const cli = (...args: string[]) => run(args, { place })

describe('policy init', () => {
  it('writes a policy that loads and protects what usually holds secrets', async () => {
    const folder = project({ '.env': 'KEY=sk-0123456789abcdef\n', 'package.json': '{}' }, ['src', '.git'])
    const made = await cli('policy', 'init', folder)
    const file = `${folder}/intent-gate.policy.json`
    expect([made.code, made.stdout]).toEqual([0, `${file}\n`])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      sandbox_root: '.',
      secret_files: ['.env'],
      writable_dirs: ['src'],
      shell_ask: ['node', 'npm', 'npx'],
      network: { mode: 'deny_all' },
    })
    const checked = await cli('policy', 'check', file, '--strict')
    expect([checked.code, checked.stderr]).toEqual([0, ''])
    const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
    expect(checked.stdout).toBe(`✓ the policy loads, with 0 warnings\nsha256 ${sha256}\n`)
    expect(statSync(file).mode & 0o022).toBe(0)
  })

  it('does not write over a file, and says so', async () => {
    const folder = project({ 'intent-gate.policy.json': 'mine' })
    const { code, stdout, stderr } = await cli('policy', 'init', folder)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('exists already\n  Name another file with --out.')
    expect(readFileSync(`${folder}/intent-gate.policy.json`, 'utf8')).toBe('mine')
  })

  it('with --out points back at the folder', async () => {
    const folder = project({}, ['docs'])
    const out = place.file('elsewhere.json')
    expect((await cli('policy', 'init', folder, '--out', out)).code).toBe(0)
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ sandbox_root: folder.slice(place.folder.length + 1) })
    expect((await cli('policy', 'check', out)).code).toBe(0)
  })

  it('takes a link to a folder', async () => {
    const folder = project({})
    symlinkSync(folder, `${folder}-link`)
    expect((await cli('policy', 'init', `${folder}-link`)).code).toBe(0)
    expect(existsSync(`${folder}/intent-gate.policy.json`)).toBe(true)
  })

  it.each([
    { what: 'a folder that is not there', args: ['/no/such/folder'], says: 'is no folder' },
    { what: 'a file', args: [import.meta.filename], says: 'is no folder' },
    {
      what: 'an --out in no folder',
      args: ['.', '--out', '/no/such/folder/policy.json'],
      says: 'cannot be written (ENOENT)',
    },
  ])('refuses $what', async ({ args, says }) => {
    const { code, stderr } = await cli('policy', 'init', ...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
  })
})

const REST = '"protected_paths":[],"writable_dirs":[],"shell_allowlist":[]'

describe('policy check', () => {
  it.each([
    {
      what: 'an unknown key',
      text: `{\n  "sandbox_root": ".",\n  "protected_nmaes": [],\n  ${REST}\n}`,
      says: 'line 3, column 3: protected_nmaes: this key is not known; did you mean protected_names?',
    },
    {
      what: 'an unknown key inside',
      text: `{"sandbox_root": ".", ${REST},\n"network": {"mod": "deny_all"}}`,
      says: 'line 2, column 13: network.mod: this key is not known',
    },
    {
      what: 'a key that is there twice',
      text: `{"sandbox_root": ".",\n ${REST},\n "sandbox_root": ".."}`,
      says: 'line 3, column 2: the key "sandbox_root" is there twice',
    },
    {
      what: 'a missing key',
      text: '\n{"sandbox_root": "."}',
      says: 'line 2, column 1: protected_paths: this key is missing',
    },
    {
      what: 'a key that could reach a prototype',
      text: `{"sandbox_root": ".",\n ${REST},\n "__proto__": {}}`,
      says: 'line 3, column 2: the key __proto__ is not allowed',
    },
    { what: 'another type', text: `{"sandbox_root": 7,\n${REST}}`, says: 'line 1, column 18: sandbox_root:' },
    {
      what: 'another version',
      text: `{"version": 2, "sandbox_root": ".", ${REST}}`,
      says: 'line 1, column 13: version:',
    },
    { what: 'half a file', text: `{"sandbox_root": ".", ${REST.slice(0, 20)}`, says: 'line 1, column' },
    { what: 'an empty file', text: '', says: 'line 1, column 1' },
    { what: 'the whole disk', text: `{"sandbox_root": "/", ${REST}}`, says: 'the whole disk is no sandbox' },
    { what: 'bytes that are no UTF-8', text: Buffer.from([0x7b, 0xff]), says: 'cannot be read (not UTF-8)' },
    { what: 'more than 1 MiB', text: ' '.repeat(1024 * 1024 + 1), says: 'is over 1 MiB' },
    {
      what: 'a sandbox that is not there',
      text: `{"sandbox_root": "gone", ${REST}}`,
      says: 'line 1, column 18: sandbox_root: there is no such folder',
    },
  ])('refuses $what, and says where', async ({ text, says }) => {
    const file = `${project({})}/policy.json`
    writeFileSync(file, text)
    const { code, stdout, stderr } = await cli('policy', 'check', file)
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)])
  })

  it('says the same as JSON', async () => {
    const file = `${project({})}/policy.json`
    writeFileSync(file, `{"sandbox_root": ".",\n"nothing": 1, ${REST}}`)
    const json = await cli('policy', 'check', file, '--json')
    const { error } = JSON.parse(json.stdout) as { error: { code: string; says: string } }
    expect([json.code, error.code, error.says]).toEqual([
      2,
      'usage',
      `${file}: line 2, column 1: nothing: this key is not known`,
    ])
  })

  it('warns of what may not do what its author thinks; with --strict that is a failure', async () => {
    const folder = project({ '.env': 'API_KEY=short\n' }, ['src'])
    const file = `${folder}/policy.json`
    const policy = {
      sandbox_root: '.',
      protected_paths: ['no-such-file'],
      writable_dirs: ['.'],
      shell_allowlist: ['cat', 'awk'],
      secret_files: ['.env'],
      network: { mode: 'allowlist', allow: ['http://*.github.io'] },
    }
    writeFileSync(file, JSON.stringify(policy))
    const plain = await cli('policy', 'check', file, '--json')
    const { warnings } = JSON.parse(plain.stdout) as { warnings: readonly { key: string; says: string }[] }
    expect(plain.code).toBe(0)
    expect(warnings.map(({ key, says }) => `${key}: ${says}`)).toEqual([
      'protected_paths: no-such-file does not exist',
      'writable_dirs: . is the whole sandbox',
      'shell_allowlist: awk has no grammar, so a person is asked as for shell_ask',
      'network: http://*.github.io: plain http can be read and changed on the way',
      'network: http://*.github.io: anybody can register a name below it',
      'secret_files: .env: the value of API_KEY is too short or too common to be looked for',
    ])
    const strict = await cli('policy', 'check', file, '--strict')
    expect([strict.code, strict.stdout]).toEqual([1, expect.stringContaining('with 6 warnings')])
  })

  it.each(['/no/such/policy.json', '/tmp'])('refuses %s, which is no readable file', async (file) => {
    const { code, stderr } = await cli('policy', 'check', file)
    expect([code, stderr]).toEqual([2, expect.stringContaining('make one with intent-gate policy init')])
  })
})
