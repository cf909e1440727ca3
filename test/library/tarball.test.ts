import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startModel } from '../../standins/model-server.ts'
import { scriptedBrain } from '../../standins/scripted.ts'

const run = promisify(execFile)
const EXAMPLE = 'test/fixtures/library/example.mjs'
const project = mkdtempSync(join(tmpdir(), 'intent-gate-library-'))
const model = await startModel({
  brain: scriptedBrain([
    {
      calls: [
        { name: 'open_door', arguments: { door_id: 'door-1' } },
        { name: 'open_door', arguments: { door_id: 'door-2' } },
      ],
    },
    { text: 'Done.' },
  ]),
})

beforeAll(async () => {
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', project])
  writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}')
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', 'intent-gate-0.1.0.tgz'], {
    cwd: project,
  })
  copyFileSync(EXAMPLE, join(project, 'example.mjs'))
}, 120_000)

afterAll(async () => {
  await model.close()
  rmSync(project, { recursive: true, force: true })
})

it('gates the tool of an empty project that installed the packed tarball', async () => {
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    MODEL_BASE_URL: model.url,
    MODEL_NAME: 'scripted',
  }
  const { stdout } = await run(process.execPath, ['example.mjs'], { cwd: project, env })
  expect(stdout).toBe('door-1 permit true\ndoor-2 deny false\n')
})

it('has an audit of that run which verifies', async () => {
  const { stdout } = await run('npx', ['--no-install', 'intent-gate', 'audit', 'verify', 'audit.jsonl'], {
    cwd: project,
  })
  expect(stdout).toContain('3 lines, intact')
})

it('takes at most 20 lines, and the README shows exactly these', () => {
  const example = readFileSync(EXAMPLE, 'utf8')
  expect(example.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(20)
  expect(readFileSync('README.md', 'utf8')).toContain(example)
})

it('has two doors that each list every name', async () => {
  const doors = await Promise.all([import('../../src/index.ts'), import('../../src/node.io.ts')])
  expect(doors.map((door) => Object.keys(door).sort())).toEqual([
    [
      'REASONS',
      'SettingError',
      'ToolRefusal',
      'clarify',
      'defineTool',
      'deny',
      'narrow',
      'pass',
      'permit',
      'readEffect',
      'refuse',
    ],
    ['createGate', 'gateSession'],
  ])
})
