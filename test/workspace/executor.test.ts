import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ToolRefusal } from '../../src/core/tool.ts'
import { readLine } from '../../src/firewall/shell/line.ts'
import type { Stage } from '../../src/firewall/shell/stage.ts'
import { createExecutor, type ExecutorOptions, type Ran } from '../../src/workspace/executor.io.ts'
import { trustedPrograms } from '../../src/workspace/programs.io.ts'
import { smallDisk } from '../cli/small-disk.ts'
import { put, temporary } from './spaces.ts'

const locate = (spelled: string, cwd: string): string => (spelled.startsWith('/') ? spelled : join(cwd, spelled))
const isOpen = (): boolean => false

function executor(options: Partial<ExecutorOptions> = {}) {
  return createExecutor({ locate, isOpen, hidden: () => [], ...options })
}

const words = (...argv: string[]): Stage => ({ joint: ';', argv, redirects: [] })

/** Runs a line that the scanner takes, in a folder of this test. */
function run(line: string, cwd: string, options: Partial<ExecutorOptions> = {}): Promise<Ran> {
  const read = readLine(line)
  if (!read.ok) throw new Error(read.detail)
  return executor(options).run(read.stages, cwd)
}

describe('a command', () => {
  it('sees a closed environment and no PATH of ours', async () => {
    const cwd = temporary()
    put(cwd, { 'bin/env': '#!/bin/sh\necho hijacked\n' })
    chmodSync(join(cwd, 'bin/env'), 0o755)
    const hostile = {
      LD_PRELOAD: '/nowhere.so',
      PATH: join(cwd, 'bin'),
      BASH_ENV: '/x',
      GREP_OPTIONS: '-r',
      POSIXLY_CORRECT: '1',
    }
    for (const [name, value] of Object.entries({ ...hostile, GIT_DIR: '/x', NODE_OPTIONS: '--x', A_SECRET: 'x' })) {
      vi.stubEnv(name, value)
    }
    const { output, exit } = await run('env', cwd)
    expect([
      exit,
      output
        .trim()
        .split('\n')
        .map((line) => line.split('=')[0])
        .sort(),
    ]).toEqual([0, ['EDITOR', 'HOME', 'LC_ALL', 'PAGER', 'PATH']])
    expect(output).toContain('PATH=/usr/bin:/bin\n')
  })

  it.each(
    [
      { line: 'cat a | grep -c x && echo yes || echo no', output: '2\nyes\n', exit: 0 },
      { line: 'grep -c q a && echo yes || echo no', output: '0\nno\n', exit: 0 },
      { line: 'cat missing 2>/dev/null || echo none', output: 'none\n', exit: 0 },
      { line: 'cat missing 2>/dev/null && echo never', output: '', exit: 1 },
      { line: 'echo one; cat missing 2>/dev/null; echo two', output: 'one\ntwo\n', exit: 0 },
      { line: 'cat missing 2>&1 | wc -l', output: '1\n', exit: 0 },
      { line: 'echo x > out && cat out', output: 'x\n', exit: 0 },
      { line: 'echo y >> a; tail -n 1 a', output: 'y\n', exit: 0 },
      { line: 'wc -l < a', output: '2\n', exit: 0 },
      { line: 'cat < /dev/null', output: '', exit: 0 },
      { line: 'cat', output: '', exit: 0 },
      { line: 'sort a | uniq | wc -l', output: '2\n', exit: 0 },
      { line: 'cat missing 2> err; cat err | wc -l', output: '1\n', exit: 0 },
      { line: 'echo x > /dev/null | cat', output: undefined, exit: 0 },
    ].filter(({ output }) => output !== undefined),
  )('of $line gives $output and $exit as in bash', async ({ line, output, exit }) => {
    const [ours, theirs] = [temporary(), temporary()]
    for (const folder of [ours, theirs]) put(folder, { a: 'x1\nx2\n' })
    const bash = spawnSync('bash', ['-c', line], { cwd: theirs, encoding: 'utf8', input: '' })
    expect(await run(line, ours)).toEqual({ output, exit })
    expect([bash.stdout, bash.status]).toEqual([output, exit])
    expect(readdirSync(ours)).toEqual(readdirSync(theirs))
  })

  it('ends when the one behind it has read enough', async () => {
    const cwd = temporary()
    writeFileSync(join(cwd, 'big'), Buffer.alloc(64 * 1024 * 1024, 'a line\n'))
    const started = performance.now()
    expect(await run('cat big | head -n 1', cwd)).toEqual({ output: 'a line\n', exit: 0 })
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it.each(['yes | head -n 1', 'yes | true', 'yes 2>&1 | head -n 1', 'cat big | cat | head -n 1 | wc -l'])(
    'of %s ends at once, in silence',
    async (line) => {
      const cwd = temporary()
      writeFileSync(join(cwd, 'big'), Buffer.alloc(8 * 1024 * 1024, 'a line\n'))
      const started = performance.now()
      for (let time = 0; time < 5; time++) {
        const { output, exit } = await run(line, cwd)
        expect([exit, output]).toEqual([0, expect.stringMatching(/^(?:y\n|1\n)?$/)])
      }
      expect(performance.now() - started).toBeLessThan(10_000)
    },
  )

  it('that writes nothing more is let finish, though nobody reads', async () => {
    const cwd = temporary()
    const writer = words('sh', '-c', 'sleep 0.3; touch finished')
    expect(await executor().run([writer, { ...words('true'), joint: '|' }], cwd)).toEqual({ output: '', exit: 0 })
    expect(existsSync(join(cwd, 'finished'))).toBe(true)
  })

  it('that never stops writing is cut off', async () => {
    const { output, exit } = await executor({ maxOutput: 1000 }).run([words('yes')], temporary())
    expect([output, exit]).toEqual([`${'y\n'.repeat(500)}\n[cut at 1000 bytes]`, 141])
  })

  it('that takes too long is killed with everything it has started', async () => {
    const cwd = temporary()
    // A name that no other process has.
    const child = `sleep 61.${process.pid}`
    const started = performance.now()
    const { exit } = await executor({ timeoutMs: 300 }).run([words('sh', '-c', `${child} & ${child}`)], cwd)
    expect(exit).toBe(124)
    expect(performance.now() - started).toBeLessThan(5_000)
    await vi.waitFor(() => {
      expect(spawnSync('pgrep', ['-f', child]).status).toBe(1)
    })
  })

  it('leaves no process behind when it ends by itself', async () => {
    const child = `sleep 62.${process.pid}`
    const { output, exit } = await executor().run([words('sh', '-c', `${child} & echo done`)], temporary())
    expect([output, exit]).toEqual(['done\n', 0])
    await vi.waitFor(() => {
      expect(spawnSync('pgrep', ['-f', child]).status).toBe(1)
    })
  })

  it('stops a line at its time limit: nothing further is started', async () => {
    const cwd = temporary()
    const stages = [words('sleep', '60'), words('touch', 'later')]
    expect(await executor({ timeoutMs: 200 }).run(stages, cwd)).toEqual({
      output: '[stopped: the time limit of 0.2 s was reached]',
      exit: 124,
    })
    expect(existsSync(join(cwd, 'later'))).toBe(false)
  })

  it.each([
    { signal: 'KILL', exit: 137 },
    { signal: 'TERM', exit: 143 },
    { signal: 'SEGV', exit: 139 },
  ])('that SIG$signal ends says so as a shell does', async ({ signal, exit }) => {
    expect(await executor().run([words('sh', '-c', `kill -${signal} $$`)], temporary())).toEqual({ output: '', exit })
  })

  it.each([
    { what: 'a program that is nowhere', stages: [words('no-such-program')] },
    { what: 'a NUL in a word', stages: [words('echo', 'a\0b')] },
    {
      what: 'more words than the system takes',
      stages: [words('echo', ...Array.from({ length: 300 }, () => 'x'.repeat(10_000)))],
    },
    {
      what: 'a second program that is nowhere',
      stages: [words('echo'), { ...words('no-such-program'), joint: '|' as const }],
    },
  ])('of $what is refused by name', async ({ stages }) => {
    await expect(executor().run(stages, temporary())).rejects.toMatchObject({ code: 'workspace.no_program' })
  })

  it.each(['a folder that is gone', 'a file in its place'])('does not start in %s', async (what) => {
    const cwd = join(temporary(), 'gone')
    if (what === 'a file in its place') writeFileSync(cwd, '')
    await expect(executor().run([words('echo', 'x')], cwd)).rejects.toMatchObject({ code: 'workspace.no_program' })
  })

  it('on a full disk says what the program says', async ({ skip }) => {
    const disk = smallDisk(64)
    if (disk === undefined) return skip('nothing can be mounted here')
    writeFileSync(join(disk, 'fill'), Buffer.alloc(30 * 1024))
    const { output, exit } = await run('cat fill fill fill > copy', disk)
    expect([exit, output]).toEqual([1, expect.stringContaining('No space left')])
  })
})

describe('a redirect', () => {
  it.each([
    {
      what: 'a link',
      make: (path: string) => {
        symlinkSync('/etc/hostname', path)
      },
      code: /^workspace\.disk$/,
    },
    {
      what: 'a folder',
      make: (path: string) => {
        mkdirSync(path)
      },
      code: /^workspace\.(?:disk|not_a_file)$/,
    },
    {
      what: 'a pipe',
      make: (path: string) => execFileSync('mkfifo', [path]),
      code: /^workspace\.(?:disk|not_a_file)$/,
    },
    {
      what: 'a file with a second name',
      make: (path: string) => {
        writeFileSync(`${path}-first`, 'keep')
        linkSync(`${path}-first`, path)
      },
      code: /^workspace\.second_name$/,
    },
  ])('to $what is refused and changes nothing', async ({ make, code }) => {
    const cwd = temporary()
    make(join(cwd, 'out'))
    for (const line of ['echo x > out', 'echo x >> out', 'cat < out', 'echo x | cat > out']) {
      const refused = await run(line, cwd).catch((cause: unknown) => cause)
      expect(refused instanceof ToolRefusal ? refused.code : refused).toMatch(code)
    }
    if (existsSync(join(cwd, 'out-first'))) expect(readFileSync(join(cwd, 'out-first'), 'utf8')).toBe('keep')
  })

  it('into a folder that was swapped makes nothing elsewhere', async () => {
    const [cwd, elsewhere] = [temporary(), temporary()]
    symlinkSync(elsewhere, join(cwd, 'wiki'))
    await expect(run('echo x > wiki/out', cwd)).rejects.toBeInstanceOf(ToolRefusal)
    expect(readdirSync(elsewhere)).toEqual([])
  })
})

describe('a program', () => {
  it('with a slash is the file that the kernel would run from the folder', () => {
    const cwd = temporary()
    put(cwd, { 'deep/er/tool': '#!/bin/sh\n', tool: '#!/bin/sh\n' })
    chmodSync(join(cwd, 'deep/er/tool'), 0o755)
    symlinkSync('deep/er', join(cwd, 'link'))
    mkdirSync(join(cwd, 'deep/other'))
    const programs = trustedPrograms()
    expect(programs.find('link/../er/tool', cwd)).toBe(join(cwd, 'deep/er/tool'))
    expect(() => programs.find('./tool', cwd)).toThrow(ToolRefusal)
    expect(() => programs.find('../missing', cwd)).toThrow(ToolRefusal)
  })

  it('that was replaced since its first use is refused', () => {
    const cwd = temporary()
    const path = join(cwd, 'tool')
    put(cwd, { tool: '#!/bin/sh\n' })
    chmodSync(path, 0o755)
    const programs = trustedPrograms()
    expect(programs.find(path, '/')).toBe(path)
    rmSync(path)
    put(cwd, { tool: '#!/bin/sh\necho other\n' })
    chmodSync(path, 0o755)
    expect(() => programs.find(path, '/')).toThrow(expect.objectContaining({ code: 'workspace.program_changed' }))
  })

  it('that others may write is not trusted', () => {
    const cwd = temporary()
    put(cwd, { tool: '#!/bin/sh\n' })
    chmodSync(join(cwd, 'tool'), 0o777)
    expect(() => trustedPrograms().find('./tool', cwd)).toThrow(
      expect.objectContaining({ code: 'workspace.no_program' }),
    )
    onTestFinished(() => undefined)
  })
})
