import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { assistantBrain } from '../../standins/assistant.ts'
import { startModel } from '../../standins/model-server.ts'
import { newPlace, run, type Place } from './bin.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')

const place = newPlace()
afterAll(() => {
  place.remove()
})

/** The program as installed, with packages of GitHub as a test wants them. */
function installed(name: string, github: (folder: string) => void): string {
  const app = place.file(name)
  mkdirSync(join(app, 'node_modules', '@github'), { recursive: true })
  cpSync(join(ROOT, 'dist'), join(app, 'dist'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(app, 'package.json'))
  for (const each of readdirSync(MODULES).filter((found) => found !== '@github' && !found.startsWith('.'))) {
    symlinkSync(join(MODULES, each), join(app, 'node_modules', each))
  }
  github(join(app, 'node_modules', '@github'))
  return join(app, 'dist/src/cli/main.io.js')
}

function copySdk(folder: string, version?: string): void {
  const sdk = join(folder, 'copilot-sdk')
  cpSync(join(MODULES, '@github', 'copilot-sdk'), sdk, { recursive: true })
  if (version === undefined) return
  const manifest = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8')) as Readonly<Record<string, unknown>>
  writeFileSync(join(sdk, 'package.json'), JSON.stringify({ ...manifest, version }))
}

const linkRuntime = (folder: string): void => {
  for (const each of readdirSync(join(MODULES, '@github')).filter((found) => found !== 'copilot-sdk')) {
    symlinkSync(join(MODULES, '@github', each), join(folder, each))
  }
}

const chat = (bin: string, at: Place) => run(['chat', '--as', 'bob', 'my balance'], { place: at, bin })

describe('the Copilot runtime', () => {
  it('is asked for when its package is missing', async () => {
    const bin = installed('missing', copySdk)
    const { code, stdout, stderr } = await chat(bin, place)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      /^intent-gate: the Copilot runtime: its package for this platform is not installed \(.*\)\n {2}Run `npm ci` on this machine, without --omit=optional, and start again\.\n$/,
    )
    expect(place.leftovers()).toEqual([])
  }, 30_000)

  it('is refused in a version that was not tested', async () => {
    const bin = installed('untested', (folder) => {
      copySdk(folder, '9.9.9')
      linkRuntime(folder)
    })
    const { code, stdout, stderr } = await chat(bin, place)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      /^intent-gate: the Copilot runtime: it is SDK 9\.9\.9 with runtime \S+; this version was tested with .* only\n {2}Run `npm ci` to get the tested version, or .*\.\n$/,
    )
    expect(place.leftovers()).toEqual([])
  }, 30_000)

  it('is not needed to decide or to explain', async () => {
    const bin = installed('none', () => undefined)
    const decided = await run(['decide'], { place, bin, input: '{}' })
    expect([decided.code, decided.stderr]).toEqual([0, ''])
    expect((await run(['explain', 'pdp.denied'], { place, bin })).code).toBe(0)
  }, 30_000)
})

describe('a model that cannot be reached', () => {
  it('is one error object on stdout that names the address and the setting, and a chat that ends with 1', async () => {
    const env = { MODEL_BASE_URL: 'http://127.0.0.1:9/v1', MODEL_API_KEY: 'geheim', MODEL_NAME: 'm' }
    const { code, stdout, stderr } = await run(['chat', '--as', 'bob', '--json', 'my balance'], { place, env })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'broken',
        says: 'The model at http://127.0.0.1:9/v1 cannot be reached; start it, or correct MODEL_BASE_URL, its address.',
        fix: 'Run intent-gate doctor: it asks the model and every other service.',
      },
    })
    expect(`${stdout}${stderr}`).not.toMatch(/^\s+at /m)
    expect(`${stdout}${stderr}`).not.toContain('geheim')
  }, 40_000)
})

describe('MODEL_WIRE_API', () => {
  it.each([
    [{}, '/v1/chat/completions'],
    [{ MODEL_WIRE_API: 'completions' }, '/v1/chat/completions'],
    [{ MODEL_WIRE_API: 'responses' }, '/v1/responses'],
  ])(
    'of %j has chat talk to %s, and the gate decide',
    async (api, path) => {
      const heard = new Set<string>()
      const model = await startModel({ brain: assistantBrain(), heard: (exchange) => heard.add(exchange.path) })
      onTestFinished(() => model.close())
      const env = { MODEL_BASE_URL: model.url, MODEL_NAME: 'm', ...api }
      const ask = 'show acc-alice-savings and acc-bob-checking'
      const { code, stdout } = await run(['chat', '--as', 'bob', '--json', ask], { place, env })
      const { turns } = JSON.parse(stdout) as { turns: { calls: { executed: boolean }[]; assistant: string }[] }
      expect([code, [...heard]]).toEqual([0, [path]])
      expect(turns[0]?.calls.map(({ executed }) => executed)).toEqual([false, true])
      expect(turns[0]?.assistant).toContain('4,200.50')
    },
    40_000,
  )
})
