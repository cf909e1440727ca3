import { spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createBaseDirectory, sweep } from '../../adapters/hosts/base-directory.io.ts'
import { startCopilotRuntime } from '../../adapters/hosts/copilot.io.ts'
import { assertTested, startFailure, TESTED_RUNTIMES } from '../../adapters/hosts/runtime-version.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import { createWorld } from '../../src/world.io.ts'
import { bob, ledger, openBench, openHosted, openModel, realGate } from './support.ts'

const folders = () => {
  const root = join(tmpdir(), `intent-gate-${process.getuid?.() ?? ''}`)
  return existsSync(root) ? readdirSync(root).map((name) => join(root, name)) : []
}
const mine = () => folders().filter((folder) => folder.includes(`/${process.pid}-`))

describe('a runtime', () => {
  it('is of a tested version, answers, and leaves nothing behind when it stops', async () => {
    const runtime = await startCopilotRuntime({ world: createWorld() })
    onTestFinished(() => runtime.stop())
    expect(runtime.version).toBe(TESTED_RUNTIMES[0]?.runtime)
    const { tool, ran } = ledger()
    const { url } = await openModel([
      { calls: [{ name: 'get_balance', arguments: { id: 'bob-1' } }] },
      { text: 'You have 1.00.' },
    ])
    const session = await runtime.openSession({
      gate: realGate([tool]).gate,
      login: bob,
      system: 'You are a bank.',
      model: { kind: 'openai', baseUrl: url, name: 'standin' },
    })
    expect(await session.send('hi')).toMatchObject({ ended: 'done', assistant: 'You have 1.00.' })
    expect(ran).toEqual(['bob-1'])
    const [folder = ''] = mine()
    expect(readFilesBelow(folder).join()).toContain('You have 1.00.')
    await runtime.stop()
    await runtime.stop()
    expect(mine()).toEqual([])
    expect(await session.send('again')).toMatchObject({ ended: 'failed' })
    await expect(
      runtime.openSession({ gate: realGate([tool]).gate, login: bob, system: 's', model: { kind: 'copilot' } }),
    ).rejects.toThrow('stopped')
  })

  it('does not use the Copilot sign-in unless it was started for it', async () => {
    const runtime = await startCopilotRuntime({ world: createWorld() })
    onTestFinished(() => runtime.stop())
    const options = {
      gate: realGate([ledger().tool]).gate,
      login: bob,
      system: 's',
      model: { kind: 'copilot' },
    } as const
    await expect(runtime.openSession(options)).rejects.toBeInstanceOf(SettingError)
  })

  it('removes its folder at once for a process that exits', async () => {
    const runtime = await startCopilotRuntime({ world: createWorld() })
    expect(mine()).toHaveLength(1)
    runtime.removeNow()
    expect(mine()).toEqual([])
    await runtime.stop()
  })

  it.runIf(process.platform === 'linux')('gets none of the secrets in the environment', async () => {
    process.env['A_SECRET_OF_THE_HOST'] = 'x'
    onTestFinished(() => {
      delete process.env['A_SECRET_OF_THE_HOST']
    })
    const runtime = await startCopilotRuntime({ world: createWorld() })
    onTestFinished(() => runtime.stop())
    const [child] = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('copilot-runtime'))
    const environment = readFileSync(`/proc/${child ?? ''}/environ`, 'utf8')
    expect(
      environment
        .split('\0')
        .map((each) => each.split('=')[0])
        .filter(Boolean)
        .sort(),
    ).toEqual(['COPILOT_DISABLE_KEYTAR', 'COPILOT_HOME', 'PATH', 'TMPDIR'])
  })

  it('that dies in the middle of a turn ends the turn as failed, and the next one too', async () => {
    const bench = await openBench()
    onTestFinished(() => bench.stop())
    const { gate } = realGate([ledger().tool])
    const { url } = await openModel(() => new Promise(() => undefined))
    const session = await openHosted(bench, { gate, url })
    const record = session.send('hi')
    const { pid } = (bench.client as unknown as { cliProcess: { pid: number } }).cliProcess
    setTimeout(() => process.kill(pid, 'SIGKILL'), 300)
    const dead = { ended: 'failed', error: 'The Copilot runtime has stopped; start again.' }
    expect(await record).toMatchObject(dead)
    expect((await session.send('again')).ended).toBe('failed')
    await expect(openHosted(bench, { gate, url })).rejects.toThrow()
  })
})

describe('a version', () => {
  it.each([
    { sdk: '1.0.15', runtime: '1.0.85' },
    { sdk: '1.0.14', runtime: '1.0.86' },
    { sdk: '', runtime: '' },
  ])('that was not tested is refused by name: $sdk with $runtime', (found) => {
    expect(() => {
      assertTested(found)
    }).toThrow(
      `SDK ${found.sdk} with runtime ${found.runtime}; this version was tested with SDK 1.0.14 with runtime 1.0.85`,
    )
  })

  it('that was tested is not', () => {
    TESTED_RUNTIMES.forEach(assertTested)
  })

  it.each([
    {
      cause: new Error(
        'Could not resolve @github/copilot-sdk-linux-x64. Reinstall @github/copilot-sdk so its platform package is installed.',
      ),
      problem: /^its package for this platform is not installed/,
    },
    { cause: new Error('Copilot CLI not found at /x/copilot-runtime.'), problem: /not installed/ },
    {
      cause: new Error('CLI server exited with code 1\nstderr: boom'),
      problem: 'it did not start (CLI server exited with code 1)',
    },
    { cause: 'text', problem: 'it did not start (text)' },
  ])('that does not start is a sentence with a way out: $problem', ({ cause, problem }) => {
    const failure = startFailure(cause)
    expect(failure.problem).toMatch(problem)
    expect(failure.fix).toContain('npm ci')
  })
})

describe('the private folder', () => {
  let parent = ''
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'hosts-test-'))
    return () => {
      rmSync(parent, { recursive: true, force: true })
    }
  })
  const root = () => join(parent, `intent-gate-${process.getuid?.() ?? ''}`)

  it('is fresh, private and empty each time, and gone when it is removed', () => {
    const [first, second] = [createBaseDirectory(parent), createBaseDirectory(parent)]
    expect(first.home).not.toBe(second.home)
    for (const { home, work, temporary, assertClean } of [first, second]) {
      assertClean()
      expect([home, work, temporary].flatMap((folder) => readdirSync(folder))).toEqual([])
    }
    first.remove()
    first.remove()
    expect([existsSync(first.home), existsSync(second.home)]).toEqual([false, true])
  })

  it.each([
    {
      what: 'open to others',
      make: (path: string) => {
        mkdirSync(path)
        chmodSync(path, 0o755)
      },
      says: /others may read/,
    },
    {
      what: 'a file',
      make: (path: string) => {
        writeFileSync(path, '')
      },
      says: /no private folder can be made/,
    },
    {
      what: 'a link',
      make: (path: string) => {
        mkdirSync(`${path}-target`, { mode: 0o700 })
        symlinkSync(`${path}-target`, path)
      },
      says: /symbolic link/,
    },
  ])('is refused where its place is $what', ({ make, says }) => {
    make(root())
    expect(() => createBaseDirectory(parent)).toThrow(says)
    expect(() => createBaseDirectory(parent)).toThrow(SettingError)
  })

  it.each(['hooks', 'config.json', 'settings.json', 'mcp-config.json', 'permissions-config.json'])(
    'with %s in it is refused',
    (name) => {
      const base = createBaseDirectory(parent)
      writeFileSync(join(base.home, name), '')
      expect(base.assertClean).toThrow(name)
    },
  )

  it('is refused where the folder for temporary files does not exist', () => {
    expect(() => createBaseDirectory(join(parent, 'missing'))).toThrow('no private folder can be made in it (ENOENT)')
  })

  it('with a plugin in it, or with an open mode, is refused', () => {
    const base = createBaseDirectory(parent)
    mkdirSync(join(base.home, 'installed-plugins', 'evil'), { recursive: true })
    expect(base.assertClean).toThrow('evil')
    rmSync(join(base.home, 'installed-plugins'), { recursive: true })
    base.assertClean()
    chmodSync(base.home, 0o777)
    expect(base.assertClean).toThrow('others may read or write it')
  })

  it('of a dead process is swept, that of a living one and what is not ours is not', async () => {
    const living = dirname(createBaseDirectory(parent).home)
    const [, birth = '', space = ''] = /^\d+-(\w+)-(\w+)-/.exec(living.slice(root().length + 1)) ?? []
    const dead = spawnSync(process.execPath, ['--version']).pid
    const other = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'])
    onTestFinished(() => {
      other.kill()
    })
    const made = {
      ofTheDead: `${dead}-${birth}-${space}-0123456789abcdef`,
      ofAnEarlierProcess: `${process.pid}-${Number(birth) - 1}-${space}-0123456789abcdef`,
      ofAnotherContainer: `${dead}-${birth}-0000000000000000-0123456789abcdef`,
      notOurs: 'something-else',
    }
    Object.values(made).forEach((name) => {
      mkdirSync(join(root(), name, 'home'), { recursive: true })
    })
    sweep(parent)
    const left = Object.entries(made).filter(([, name]) => existsSync(join(root(), name)))
    expect(left.map(([name]) => name)).toEqual(['ofAnotherContainer', 'notOurs'])
    expect(existsSync(living)).toBe(true)
  })
})

function readFilesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
}
