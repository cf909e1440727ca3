import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from '@fast-check/vitest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hardened } from '../../../src/firewall/shell/harden.ts'
import { demoWorkspace, FAKE_KEY, type Workspace } from '../workspace.ts'
import { judged } from './bench.ts'
import { anyCommand } from './generators.ts'

let space: Workspace
let marker = ''
beforeAll(() => {
  const given = demoWorkspace()
  space = given.under({
    shell_allowlist: [
      ...[
        'cat',
        'head',
        'tail',
        'wc',
        'ls',
        'grep',
        'find',
        'sort',
        'uniq',
        'cut',
        'tr',
        'sed',
        'stat',
        'file',
        'du',
        'diff',
      ],
      ...['cmp', 'sha256sum', 'echo', 'git'],
    ],
    shell_ask: ['curl', 'python3'],
  })
  marker = join(space.root, 'normal/marker')
  const helper = space.write('normal/helper.sh', `#!/bin/sh\ntouch '${marker}'\ncat\n`)
  chmodSync(helper, 0o755)
  const git = (...words: readonly string[]): void => {
    execFileSync('git', ['-C', space.root, '-c', 'user.name=t', '-c', 'user.email=t@t', ...words], { stdio: 'ignore' })
  }
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'first')
  space.write('.gitattributes', '* diff=evil\n')
  space.write('.env', `API_KEY=${FAKE_KEY}-two\n`)
  space.write('normal/notes.txt', 'Another benign note.\n')
  for (const setting of [
    'core.fsmonitor',
    'diff.external',
    'diff.evil.textconv',
    'diff.evil.command',
    'core.pager',
    'pager.log',
    'gpg.program',
  ]) {
    git('config', setting, helper)
  }
  git('config', 'log.showSignature', 'true')
})
afterAll(() => {
  space.cleanup()
})

/** Runs a command as the executor would. */
function run(argv: readonly string[], hidden: readonly string[] = ['.env', 'fake_credentials.txt']): string {
  const {
    argv: [program = '', ...words],
    env,
  } = hardened(argv, hidden)
  const { stdout, stderr } = spawnSync(program, words, {
    cwd: space.root,
    env,
    input: '',
    timeout: 5000,
    encoding: 'utf8',
  })
  return stdout + stderr
}

describe('git in a repository whose configuration names programs', () => {
  it.each([
    'git status',
    'git diff',
    'git log -p',
    'git show HEAD',
    'git log',
    'git branch -a',
    'git ls-files',
    'git -p log',
    'git diff HEAD',
  ])('%s starts none of them', (line) => {
    expect(run(line.split(' '))).not.toContain('fatal')
    expect(existsSync(marker)).toBe(false)
  })

  it.each([
    'git diff',
    'git log -p',
    'git show',
    'git diff HEAD',
    'git diff HEAD -- .',
    'git show HEAD -- .',
    'git log -p --all',
  ])('%s leaves out what is protected and shows the rest', (line) => {
    const output = run(line.split(' '))
    expect(output).not.toContain(FAKE_KEY)
    expect(output).toContain('enign note')
  })

  it('would show it otherwise, so that the test can fail', () => {
    expect(run(['git', 'diff'], [])).toContain(FAKE_KEY)
  })

  it('still takes a path, a revision and both', () => {
    expect(run(['git', 'diff', '--', 'normal/notes.txt'])).toContain('Another benign note')
    expect(run(['git', 'show', 'HEAD:normal/notes.txt'])).toContain('A benign note')
    expect(run(['git', 'diff', 'normal/notes.txt'])).toContain('Another benign note')
  })
})

describe('any other program', () => {
  it('keeps its words and sees nothing of our environment', () => {
    const { argv, env } = hardened(['cat', 'f'])
    expect(argv).toEqual(['cat', 'f'])
    expect(env).toMatchObject({ LC_ALL: 'C.UTF-8', PATH: '/usr/bin:/bin' })
    for (const name of ['POSIXLY_CORRECT', 'LD_PRELOAD', 'GREP_OPTIONS', 'BASH_ENV']) {
      expect(env).not.toHaveProperty(name)
    }
  })
})

describe('what runs without a person', () => {
  test.prop([anyCommand], { numRuns: 300 })('shows no secret and changes no file', (argv) => {
    const { outcome } = judged(argv, space)
    if (outcome.decision !== 'allow') return
    expect(run(argv)).not.toContain(FAKE_KEY)
    expect(existsSync(marker)).toBe(false)
    expect(existsSync(join(space.root, 'x'))).toBe(false)
    expect(readFileSync(join(space.root, 'canary/must-remain.txt'), 'utf8')).toBe('untouched\n')
  })

  test.prop([anyCommand], { numRuns: 150 })('shows no secret when options end at the first operand', (argv) => {
    if (judged(argv, space).outcome.decision !== 'allow') return
    const {
      argv: [program = '', ...words],
      env,
    } = hardened(argv, ['.env', 'fake_credentials.txt'])
    const { stdout } = spawnSync(program, words, {
      cwd: space.root,
      env: { ...env, POSIXLY_CORRECT: '1' },
      input: '',
      timeout: 5000,
      encoding: 'utf8',
    })
    expect(stdout).not.toContain(FAKE_KEY)
  })
})
