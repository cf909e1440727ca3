import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createGate, gateSession, type GateSettings } from '../../src/node.io.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import { pass } from '../../src/core/verdict.ts'

const folder = mkdtempSync(join(tmpdir(), 'intent-gate-library-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const settings: GateSettings = {
  tenant: 'acme',
  tools: [],
  pdp: { decide: ({ evaluations }) => Promise.resolve(pass(evaluations.map(() => false))) },
  login: { demoWithoutPasswords: ['ann'], subjectType: 'Person' },
  audit: join(folder, 'audit.jsonl'),
}
const model = { kind: 'openai', baseUrl: 'http://127.0.0.1:1/v1', name: 'any' } as const

describe('a gate of an app', () => {
  it.each([
    ['a tenant that is no plain id', { tenant: 'BAD TENANT!' }, 'tenant'],
    ['no login', { login: undefined }, 'login'],
  ])('refuses %s, and leaves nothing open', async (_what, wrong, what) => {
    await expect(createGate({ ...settings, ...wrong } as GateSettings)).rejects.toMatchObject({ what })
    await (await createGate(settings)).close()
  })

  it('names the model option that cannot work', async () => {
    const app = await createGate(settings)
    const login = await app.signInDemo('ann')
    const wrong = { ...model, baseUrl: '' }
    const opened = gateSession(app, login, { model: wrong, system: 'x' })
    await expect(opened).rejects.toMatchObject({ what: 'model.baseUrl' })
    await app.close()
  })

  it('opens no session once it is closed', async () => {
    const app = await createGate(settings)
    const login = await app.signInDemo('ann')
    await app.close()
    await expect(gateSession(app, login, { model, system: 'x' })).rejects.toBeInstanceOf(SettingError)
  })

  it('signs nobody in whom it was not told of', async () => {
    const app = await createGate(settings)
    await expect(app.signInDemo('ben')).rejects.toBeInstanceOf(SettingError)
    await app.close()
  })
})
