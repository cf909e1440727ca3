import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { CopilotClient } from '@github/copilot-sdk'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startBareRuntime } from '../../adapters/hosts/copilot.io.ts'
import { doctorCommand, diagnosisText } from '../../src/cli/doctor.io.ts'
import { clockCheck, watchClock } from '../../src/cli/doctor-clock.ts'
import { askService, type Service } from '../../src/cli/doctor-services.ts'
import {
  closingLine,
  ENGINES,
  isSound,
  nodeCheck,
  platformCheck,
  listed,
  settingChecks,
  unsetLine,
  type Check,
} from '../../src/cli/doctor.ts'
import { readSettingsWithSources } from '../../src/config.io.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import { createWorld } from '../../src/world.io.ts'
import { bundle } from '../bundle.ts'
import { newPlace, run, twoAtATime, type Ended, type Place } from './bin.ts'
import { SOUND, UNSOUND } from './diagnoses.ts'

interface Printed {
  readonly doctor: number
  readonly ok: boolean
  readonly checks: readonly Check[]
  readonly probes: readonly {
    readonly name: string
    readonly ran: boolean
    readonly blockedBy: string | null
    readonly says?: string
  }[]
}
const printed = ({ stdout }: Pick<Ended, 'stdout'>): Printed => JSON.parse(stdout) as Printed
const named = ({ checks }: Printed, name: string): Check | undefined => checks.find((check) => check.name === name)

/** A server on loopback that ends with the test. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A port that nobody listens on. */
async function closedPort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

const jsonServer = (answers: Readonly<Record<string, unknown>>, status = 200): RequestListener =>
  function answer({ url = '' }, response) {
    const body = Object.hasOwn(answers, url) ? answers[url] : undefined
    response.writeHead(body === undefined ? 404 : status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? {}))
  }

/** An issuer whose clock is `offSeconds` ahead of ours. */
async function issuerAhead(offSeconds: number): Promise<string> {
  let url = ''
  const listener: RequestListener = (request, response) => {
    response.setHeader('date', new Date(Date.now() + offSeconds * 1000).toUTCString())
    jsonServer({
      '/.well-known/openid-configuration': { issuer: url, jwks_uri: `${url}/jwks` },
      '/jwks': { keys: [{ kty: 'EC' }] },
    })(request, response)
  }
  url = await serving(listener)
  return url
}

describe('the program', () => {
  const places = Array.from({ length: 7 }, newPlace)
  let endings: readonly Ended[] = []
  beforeAll(async () => {
    const down = await closedPort()
    const env = {
      AUTHZEN_PDP_URL: down,
      INTENT_AGENT_URL: down,
      INTENT_AGENT_TOKEN: 'hidden-token',
      MODEL_BASE_URL: `${down}/v1`,
      MODEL_NAME: 'm',
      MODEL_API_KEY: 'hidden-key',
      OIDC_ISSUER: down,
      OIDC_AUDIENCE: 'a',
    }
    writeFileSync(places[1]!.file('.env'), 'INTENT_MEMORY=off\nGATE_DEADLINE_MS=9000\nMODEL_NAME=other\n')
    endings = await twoAtATime([
      () => run(['doctor', '--json'], { place: places[0]! }),
      () => run(['doctor', '--json', '--pdp', 'standin'], { place: places[1]!, env }),
      () => run(['doctor'], { place: places[2]! }),
      () => run(['doctor', '--json'], { place: places[3]!, env: { TMPDIR: places[3]!.file('missing') } }),
      () => run(['doctor', '--json'], { place: places[4]!, env: { INTENT_MEMORY: 'on' } }),
      () => run(['doctor', '--pdp', 'standin'], { place: places[5]!, env: { GATE_DEADLINE_MS: '9000' } }),
      () => run(['doctor', '--all'], { place: places[6]! }),
    ])
  }, 90_000)
  afterAll(() => {
    for (const place of places) place.remove()
  })

  it('finds with nothing set that everything is well, and that every probe was stopped', () => {
    const [{ code, stderr }, found] = [endings[0]!, printed(endings[0]!)]
    expect(found.checks.filter(({ state }) => state !== 'ok')).toEqual([])
    expect(found.probes.filter(({ ran }) => ran).map(({ name }) => name)).toEqual(['canary'])
    expect(found.probes.filter(({ blockedBy }) => blockedBy === null).map(({ name }) => name)).toEqual(['canary'])
    expect([code, stderr, found.doctor, found.ok, found.probes.length]).toEqual([0, '', 1, true, 12])
  })

  it('says the same to a person, counts the settings that are not set, and counts what it shows', () => {
    const { code, stdout, stderr } = endings[2]!
    const all = printed(endings[0]!)
    const unset = all.checks.filter(({ section, source }) => section === 'settings' && source === 'default').length
    const shown = all.checks.length - unset + all.probes.length
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`${shown} checks, 0 warnings, 0 failures`)
    expect(stdout.match(/^✓ /gm)).toHaveLength(shown)
    expect(stdout).toContain(`\n${unset} settings are not set (--all lists them)\n`)
  })

  it('lists the settings that are set, each on one line with its source, and all of them with --all', () => {
    const [some, all] = [endings[5]!.stdout, endings[6]!.stdout]
    expect(some).toMatch(
      /\nsettings\n✓ PDP_KIND = standin \(flag\)\n✓ GATE_DEADLINE_MS = 9000 \(environment\)\n✓ XDG_STATE_HOME = .* \(environment\)\n\d+ settings/,
    )
    expect(some).toContain(' settings are not set (--all lists them)\n')
    expect(some).not.toContain('INTENT_SOURCE = ')
    expect(all).toContain('\n✓ INTENT_SOURCE = agent (default)\n')
    expect(all).toContain('\n✓ MODEL_API_KEY = not set (default)\n')
    expect(all).not.toContain('--all lists')
  })

  it('leaves nothing behind: no audit, no state folder, no private folder', () => {
    for (const place of [places[0]!, places[2]!]) {
      expect([place.leftovers(), readFolder(place)]).toEqual([[], ['tmp']])
    }
  })

  it('fails for each service that is set and down, and the probes go on', () => {
    const [{ code }, found] = [endings[1]!, printed(endings[1]!)]
    for (const [name, setting] of [
      ['PDP', 'AUTHZEN_PDP_URL'],
      ['intent-agent', 'INTENT_AGENT_URL'],
      ['issuer', 'OIDC_ISSUER'],
      ['model', 'MODEL_BASE_URL'],
    ] as const) {
      expect(named(found, name)).toMatchObject({ state: 'fail', fix: `Start it, or correct ${setting}.` })
      expect(named(found, name)?.says).toContain('cannot be reached')
    }
    expect(named(found, 'clock')).toMatchObject({ state: 'warn' })
    expect([code, found.ok, found.probes.length]).toEqual([1, false, 12])
  })

  it('fails when the folder for temporary files is missing: nothing can run in private', () => {
    const [{ code }, found] = [endings[3]!, printed(endings[3]!)]
    const says = expect.stringContaining('no private folder can be made in it (ENOENT)') as string
    expect(named(found, 'private folder')).toMatchObject({ state: 'fail', says })
    expect(named(found, 'Copilot runtime')).toMatchObject({ state: 'fail', says })
    expect([code, found.probes]).toEqual([1, []])
  })

  it('names the source of each setting', () => {
    const found = printed(endings[1]!)
    expect(
      ['PDP_KIND', 'MODEL_NAME', 'INTENT_MEMORY', 'GATE_DEADLINE_MS', 'INTENT_SOURCE'].map((name) => {
        const { source, says } = named(found, name) ?? {}
        return [name, source, says]
      }),
    ).toEqual([
      ['PDP_KIND', 'flag', 'standin'],
      ['MODEL_NAME', 'environment', 'm'],
      ['INTENT_MEMORY', '.env', 'off'],
      ['GATE_DEADLINE_MS', '.env', '9000'],
      ['INTENT_SOURCE', 'default', 'agent'],
    ])
  })

  it('never prints a secret', () => {
    const found = printed(endings[1]!)
    expect(named(found, 'MODEL_API_KEY')).toMatchObject({ says: 'set (hidden)', source: 'environment' })
    expect(endings[1]!.stdout + endings[1]!.stderr).not.toContain('hidden-')
  })

  it('ends with 2 and the name of the setting when one is wrong', () => {
    const { code, stdout } = endings[4]!
    expect([code, JSON.parse(stdout)]).toEqual([
      2,
      {
        error: {
          code: 'usage',
          says: 'INTENT_MEMORY: is neither exact nor off',
          fix: 'Set INTENT_MEMORY=exact or INTENT_MEMORY=off.',
        },
      },
    ])
  })
})

const readFolder = (place: Place): readonly string[] => readdirSync(place.folder)

const withCreateSession = (client: CopilotClient, createSession: CopilotClient['createSession']): CopilotClient =>
  new Proxy(client, {
    get: (target, name, receiver) =>
      name === 'createSession' ? createSession : (Reflect.get(target, name, receiver) as unknown),
  })

describe('the command', () => {
  let place: Place
  let mcpServer = ''
  const before = { env: process.env, folder: process.cwd() }
  beforeAll(async () => {
    mcpServer = await bundle('adapters/hosts/probe-mcp.io.ts')
  })
  beforeEach(() => {
    place = newPlace()
    process.chdir(place.folder)
  })
  afterEach(() => {
    process.env = before.env
    process.chdir(before.folder)
    place.remove()
  })

  async function commanded(
    startRuntime: typeof startBareRuntime = startBareRuntime,
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly thrown: unknown; readonly found: Printed }> {
    process.env = { ...place.env, ...env }
    let stdout = ''
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((stdout += String(text)), true))
    const thrown: unknown = await doctorCommand({ json: true, version: '0' }, { startRuntime, mcpServer }).then(
      () => undefined,
      (cause: unknown) => cause,
    )
    vi.restoreAllMocks()
    if (thrown instanceof SettingError) throw thrown
    return { thrown, found: printed({ stdout }) }
  }
  const noRuntime = (): Promise<never> =>
    Promise.reject(new SettingError('the Copilot runtime', 'it did not start', 'Run `npm ci`'))

  /** A runtime in which our hook answers what a hook must never answer. */
  const weakened: typeof startBareRuntime = async (options) => {
    const started = await startBareRuntime(options)
    const createSession: CopilotClient['createSession'] = (config) =>
      started.client.createSession({ ...config, hooks: { onPreToolUse: () => ({ permissionDecision: 'allow' }) } })
    return { ...started, client: withCreateSession(started.client, createSession) }
  }

  it('fails when something ran that must be denied: the probes can fail', async () => {
    const { thrown, found } = await commanded(weakened)
    expect(thrown).toMatchObject({ name: 'Unverified' })
    expect(found.ok).toBe(false)
    expect(found.checks.every(({ state }) => state === 'ok')).toBe(true)
    expect(found.probes.filter(({ name, ran }) => ran && name !== 'canary').map(({ name }) => name)).toEqual([
      'read-only-mcp',
      'built-in-shell',
      'built-in-unasked',
    ])
  })

  it('fails for a runtime of a version that nobody has tested, and probes it', async () => {
    const { thrown, found } = await commanded(async (options) => {
      const started = await startBareRuntime(options)
      const createSession = (): Promise<never> => Promise.reject(new Error('another protocol'))
      return { ...started, version: '9.9.9', client: withCreateSession(started.client, createSession) }
    })
    expect(thrown).toMatchObject({ name: 'Unverified' })
    expect(named(found, 'Copilot runtime')).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('9.9.9') as string,
    })
    expect(found.probes.filter(({ says }) => says === 'The probe broke: another protocol')).toHaveLength(11)
  })

  it('fails when the runtime does not start, and then there are no probes', async () => {
    const { thrown, found } = await commanded(noRuntime)
    expect(thrown).toMatchObject({ name: 'Unverified' })
    expect(named(found, 'Copilot runtime')).toMatchObject({ state: 'fail', fix: 'Run `npm ci`' })
    expect([found.probes, found.ok]).toEqual([[], false])
  })

  it('breaks when the start of the runtime breaks in a way that nobody thought of', async () => {
    const broken = (): Promise<never> => Promise.reject(new TypeError('a bug'))
    process.env = { ...place.env }
    await expect(doctorCommand({ json: true, version: '0' }, { startRuntime: broken, mcpServer })).rejects.toThrow(
      'a bug',
    )
  })

  it.each([
    {
      what: 'a contradiction',
      env: { MODEL_BASE_URL: 'http://127.0.0.1:1/v1' },
      says: 'MODEL_NAME: is not set while MODEL_BASE_URL is',
    },
    {
      what: 'plain http to another machine',
      env: { AUTHZEN_PDP_URL: 'http://pdp.example.com' },
      says: 'AUTHZEN_PDP_URL: plain http to a host that is not loopback',
    },
  ])('names the setting for $what, before anything is asked', async ({ env, says }) => {
    await expect(commanded(noRuntime, env)).rejects.toThrow(says)
  })

  const OPENFGA = { PDP_KIND: 'openfga', OPENFGA_STORE_ID: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }

  it('fails, and goes on, when the PDP is down that is asked at start', async () => {
    const { thrown, found } = await commanded(noRuntime, { ...OPENFGA, OPENFGA_API_URL: await closedPort() })
    expect(thrown).toMatchObject({ name: 'Unverified' })
    expect(named(found, 'PDP')).toMatchObject({ state: 'fail', fix: 'Start it, or correct OPENFGA_API_URL.' })
    expect(named(found, 'issuer')).toMatchObject({ state: 'ok' })
  })

  it('names the setting that keeps the gate from being put together, when no service is to blame', async () => {
    const env = { ...OPENFGA, OPENFGA_API_URL: await serving(jsonServer({})), OPENFGA_STORE_ID: 'short' }
    await expect(commanded(noRuntime, env)).rejects.toThrow('OPENFGA_STORE_ID: is not a ULID')
  })

  it('asks the PDP that one bank has of its own', async () => {
    const own = { OPENFGA_API_URL__FJORDBANK: await closedPort(), OPENFGA_API_TOKEN__FJORDBANK: 'geheim' }
    const { found } = await commanded(noRuntime, { ...OPENFGA, OPENFGA_API_URL: await serving(jsonServer({})), ...own })
    expect(named(found, 'PDP')).toMatchObject({ state: 'ok' })
    expect(named(found, 'PDP of fjordbank')).toMatchObject({ state: 'fail' })
    expect(named(found, 'OPENFGA_API_TOKEN__FJORDBANK')).toMatchObject({
      says: 'set (hidden)',
      source: 'environment',
    })
  })

  it('fails when the audit cannot be written, and says where', async () => {
    const file = join(place.folder, 'file')
    writeFileSync(file, '')
    const { found } = await commanded(noRuntime, { AUDIT_DIR: join(file, 'audit') })
    expect(named(found, 'audit folder')).toMatchObject({ state: 'fail' })
    expect(named(found, 'audit folder')?.says).toContain(join(file, 'audit'))
  })

  it('asks for no intent-agent where the definition decides, and the keys of no issuer that introspects', async () => {
    const issuer = await issuerAhead(0)
    const { found } = await commanded(noRuntime, {
      INTENT_SOURCE: 'definition',
      OIDC_ISSUER: issuer,
      OIDC_AUDIENCE: 'a',
      OIDC_TOKEN_CHECK: 'introspect',
      INTROSPECT_URL: `${issuer}/introspect`,
      INTROSPECT_CLIENT_ID: 'c',
      INTROSPECT_CLIENT_SECRET: 's',
    })
    expect(named(found, 'intent-agent')?.says).toBe('not used (INTENT_SOURCE=definition)')
    expect(named(found, 'issuer')?.says).toContain('tokens are introspected')
    expect(named(found, 'introspection')).toMatchObject({ state: 'ok' })
  })

  it.each([
    { off: 0, state: 'ok' },
    { off: 15, state: 'warn' },
    { off: -15, state: 'warn' },
    { off: 90, state: 'fail' },
    { off: -90, state: 'fail' },
  ])('compares our clock with an issuer that is $off seconds ahead: $state', async ({ off, state }) => {
    const { found } = await commanded(noRuntime, { OIDC_ISSUER: await issuerAhead(off), OIDC_AUDIENCE: 'a' })
    expect(named(found, 'issuer')).toMatchObject({ state: 'ok' })
    expect(named(found, 'clock')?.state).toBe(state)
  })
})

describe('a service', () => {
  const world = createWorld()
  afterAll(() => world.close())
  const service = (url: string, speaks: Service['speaks'], more: Partial<Service> = {}): Service => ({
    ...{ name: 's', setting: 'S_BASE_URL', isStandin: false },
    ...{ url, speaks },
    ...more,
  })
  const pdp = (url: string) => ({ policy_decision_point: url, access_evaluations_endpoint: `${url}/many` })

  it.each<{ title: string; speaks: Service['speaks']; answers: (url: string) => object; state: string; says: string }>([
    {
      title: 'a PDP that describes itself',
      speaks: 'authzen',
      answers: (url) => ({ '/.well-known/authzen-configuration/base': pdp(`${url}/base`) }),
      ...{ state: 'ok', says: 'several evaluations at once' },
    },
    { title: 'a PDP that does not', speaks: 'authzen', answers: () => ({}), state: 'ok', says: 'answers (404)' },
    {
      title: 'a PDP of another name',
      speaks: 'authzen',
      answers: () => ({ '/.well-known/authzen-configuration/base': pdp('https://other.example') }),
      ...{ state: 'warn', says: 'name another URL' },
    },
    {
      title: 'a PDP without boxcars',
      speaks: 'authzen',
      answers: (url) => ({ '/.well-known/authzen-configuration/base': { policy_decision_point: `${url}/base` } }),
      ...{ state: 'warn', says: 'not said to answer several' },
    },
    {
      title: 'an agent of A2A 1.0',
      speaks: 'a2a',
      answers: () => ({
        '/.well-known/agent-card.json': { name: 'a', version: '2', supportedInterfaces: [{ protocolVersion: '1.0' }] },
      }),
      ...{ state: 'ok', says: 'a 2, A2A 1.0' },
    },
    {
      title: 'an agent of an older version',
      speaks: 'a2a',
      answers: () => ({ '/.well-known/agent-card.json': { name: 'a', version: '2', protocolVersion: '0.3.0' } }),
      ...{ state: 'warn', says: 'a 2, A2A 0.3.0' },
    },
    { title: 'an agent without a card', speaks: 'a2a', answers: () => ({}), state: 'ok', says: 'answers (404)' },
    {
      title: 'an agent whose card has another form',
      speaks: 'a2a',
      answers: () => ({ '/.well-known/agent-card.json': [] }),
      ...{ state: 'warn', says: 'another form' },
    },
    {
      title: 'an issuer of another name',
      speaks: 'openid',
      answers: () => ({ '/base/.well-known/openid-configuration': { issuer: 'https://other.example' } }),
      ...{ state: 'fail', says: 'of another issuer' },
    },
    {
      title: 'an issuer without keys',
      speaks: 'openid',
      answers: (url) => ({
        '/base/.well-known/openid-configuration': { issuer: `${url}/base`, jwks_uri: `${url}/jwks` },
        '/jwks': { keys: [] },
      }),
      ...{ state: 'fail', says: 'its list of keys is empty' },
    },
    { title: 'an issuer that says nothing', speaks: 'openid', answers: () => ({}), state: 'fail', says: '404' },
    {
      title: 'a model that is in the list',
      speaks: 'openai',
      answers: () => ({ '/base/models': { data: [{ id: 'm' }, { id: 'n' }] } }),
      ...{ state: 'ok', says: 'm,' },
    },
    {
      title: 'a model that is not in the list',
      speaks: 'openai',
      answers: () => ({ '/base/models': { data: [{ id: 'n' }] } }),
      ...{ state: 'warn', says: 'm is not in its list' },
    },
    { title: 'a model without a list', speaks: 'openai', answers: () => ({}), state: 'ok', says: 'answers (404)' },
    {
      title: 'a list of another form',
      speaks: 'openai',
      answers: () => ({ '/base/models': { models: [] } }),
      ...{ state: 'warn', says: 'another form' },
    },
    { title: 'anything at all', speaks: 'any', answers: () => ({}), state: 'ok', says: 'answers (404)' },
  ])('that is $title is $state', async ({ speaks, answers, state, says }) => {
    const answering: Record<string, unknown> = {}
    const url = await serving(jsonServer(answering))
    Object.assign(answering, answers(url))
    const check = await askService(service(`${url}/base`, speaks, { model: 'm' }), world)
    expect(check.state, check.says).toBe(state)
    expect(check.says).toContain(says)
    expect(check.says).toMatch(/, \d+ ms$/)
  })

  it.each([
    { status: 500, state: 'fail', says: 'answers 500' },
    { status: 302, state: 'warn', says: 'redirects (302)' },
    { status: 401, state: 'fail', says: 'refuses the key (401)' },
  ])('that answers $status is $state', async ({ status, state, says }) => {
    const url = await serving((_request, response) => response.writeHead(status).end())
    const check = await askService(service(url, 'openai', { key: 'k' }), world)
    expect([check.state, check.says]).toEqual([state, expect.stringContaining(says)])
  })

  it('that answers in another language is a warning', async () => {
    const url = await serving((_request, response) => response.setHeader('content-type', 'text/html').end('<p>'))
    expect(await askService(service(url, 'a2a'), world)).toMatchObject({ state: 'warn' })
  })

  it('is quoted in one short line without what a terminal would obey', async () => {
    const name = `\u001b[2J\u009b\u202e${'n'.repeat(100_000)}`
    const url = await serving(jsonServer({ '/.well-known/agent-card.json': { name, version: '1' } }))
    const { says } = await askService(service(url, 'a2a'), world)
    expect(says).toContain(String.raw`\u{1b}[2J\u{9b}\u{202e}nnn`)
    expect(says.length).toBeLessThan(300)
  })

  it('that never answers fails after 3 seconds', async () => {
    const url = await serving(() => undefined)
    const startedAt = performance.now()
    const check = await askService(service(url, 'any'), world)
    expect(check).toMatchObject({ state: 'fail', says: expect.stringContaining('no answer in 3 seconds') as string })
    expect(performance.now() - startedAt).toBeLessThan(6_000)
  })

  it('gets no token, and a model its own key alone', async () => {
    const heard: [string, string | undefined][] = []
    const url = await serving((request, response) => {
      heard.push([request.url ?? '', request.headers.authorization])
      response.writeHead(404).end()
    })
    for (const speaks of ['authzen', 'a2a', 'openid', 'any', 'openai'] as const) {
      await askService(service(url, speaks, { key: 'model-key' }), world)
    }
    expect(heard.filter(([, authorization]) => authorization !== undefined)).toEqual([['/models', 'Bearer model-key']])
  })
})

describe('the clock', () => {
  it.each([
    { ahead: undefined, state: 'warn', says: 'not compared' },
    { ahead: 0, state: 'ok', says: 'within 5 seconds' },
    { ahead: -5, state: 'ok', says: 'within 5 seconds' },
    { ahead: 6, state: 'warn', says: '6 seconds ahead of the issuer' },
    { ahead: -30, state: 'warn', says: '30 seconds behind the issuer' },
    { ahead: 31, state: 'fail', says: '31 seconds ahead of the issuer' },
    { ahead: -3600, state: 'fail', says: '3600 seconds behind the issuer' },
  ])('that is $ahead seconds ahead is $state', ({ ahead, state, says }) => {
    const check = clockCheck(ahead)
    expect([check.state, check.says]).toEqual([state, expect.stringContaining(says)])
  })

  it.each([
    { headers: { date: 'Mon, 01 Jun 2026 12:00:00 GMT' }, ahead: -0.5 },
    { headers: { date: 'Mon, 01 Jun 2026 11:59:50 GMT', age: '10' }, ahead: -0.5 },
    { headers: { date: 'Mon, 01 Jun 2026 11:59:00 GMT' }, ahead: 59.5 },
    { headers: { date: 'yesterday' }, ahead: undefined },
    { headers: {}, ahead: undefined },
  ])('is read from $headers', async ({ headers, ahead }) => {
    const real = createWorld()
    const watched = watchClock({
      ...real,
      now: () => new Date('2026-06-01T12:00:00.000Z'),
      send: async () => ({ status: 200, headers, body: {} }),
    })
    await watched.world.send(new URL('http://x'), { method: 'GET', headers: {}, signal: AbortSignal.abort() })
    expect(watched.aheadSeconds()).toBe(ahead)
    await real.close()
  })
})

describe('a finding', () => {
  it.each([
    ['20.19.0', 'ok'],
    ['20.20.2', 'ok'],
    ['20.18.9', 'fail'],
    ['21.7.0', 'fail'],
    ['22.11.0', 'fail'],
    ['22.12.0', 'ok'],
    ['23.0.0', 'ok'],
    ['24.1.0', 'ok'],
    ['18.20.0', 'fail'],
    ['', 'fail'],
  ])('about Node %s is %s', (version, state) => {
    expect(nodeCheck(version).state).toBe(state)
  })

  it('about Node is by the engines of the package', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } }
    expect(engines.node).toBe(ENGINES)
  })

  it.each([
    ['linux', 'ok'],
    ['darwin', 'ok'],
    ['win32', 'fail'],
    ['freebsd', 'fail'],
  ])('about %s is %s', (platform, state) => {
    expect(platformCheck(platform, 'x64').state).toBe(state)
  })

  it('about a setting hides what may be secret, whatever the setting', () => {
    const secret = 'geheim'
    const names = Object.keys(readSettingsWithSources().sources)
    const hidden = names.filter((name) => /KEY|SECRET|TOKEN(?!_)/.test(name))
    expect(hidden).toContain('MODEL_API_KEY')
    const checks = settingChecks(
      Object.fromEntries(hidden.map((name) => [name, secret])),
      Object.fromEntries(hidden.map((name) => [name, '.env'])),
    )
    expect(checks.map(({ says }) => says)).toEqual(hidden.map(() => 'set (hidden)'))
  })

  it.each([
    ['A_URL', 'https://user:geheim@host/path?key=geheim#geheim', 'https://host/path (the rest is hidden)'],
    ['A_URL', 'https://host/path', 'https://host/path'],
    ['OIDC_ISSUER', 'https://host/?token=geheim', 'https://host/ (the rest is hidden)'],
    ['A_URL__FJORDBANK', 'https://geheim@host/', 'https://host/ (the rest is hidden)'],
    ['A_TOKEN__FJORDBANK', 'geheim', 'set (hidden)'],
    ['A_MS', 100, '100'],
    ['A_LIST', ['a', 'b'], 'a, b'],
    ['A_LIST', [], 'not set'],
    ['ANYTHING', undefined, 'not set'],
  ])('about %s=%j says %s', (name, value, says) => {
    expect(settingChecks({ [name]: value }, { [name]: 'default' })).toMatchObject([{ says, source: 'default' }])
  })
})

describe('what a person sees', () => {
  it.each([
    { name: 'doctor', diagnosis: SOUND },
    { name: 'doctor-failures', diagnosis: UNSOUND },
  ])('of $name are as they were agreed', async ({ name, diagnosis }) => {
    const text = stripVTControlCharacters(diagnosisText(diagnosis, false))
    await expect(`${text}\n`).toMatchFileSnapshot(`../golden/cli/${name}.txt`)
  })

  it.each([
    { diagnosis: SOUND, sound: true, says: '7 checks, 1 warning, 0 failures' },
    { diagnosis: listed(SOUND, false).shown, sound: true, says: '6 checks, 1 warning, 0 failures' },
    { diagnosis: UNSOUND, sound: false, says: '4 checks, 0 warnings, 4 failures' },
    { diagnosis: { ...UNSOUND, checks: [] }, sound: false, says: '2 checks, 0 warnings, 2 failures' },
    { diagnosis: { ...UNSOUND, probes: [] }, sound: false, says: '2 checks, 0 warnings, 2 failures' },
    {
      diagnosis: { checks: [], probes: SOUND.probes.slice(0, 1) },
      sound: true,
      says: '1 check, 0 warnings, 0 failures',
    },
  ])('end with: $says', ({ diagnosis, sound, says }) => {
    expect([isSound(diagnosis), closingLine(diagnosis)]).toEqual([sound, says])
  })

  it.each([
    { all: false, unset: 1 },
    { all: true, unset: 0 },
  ])('with all=$all leaves out $unset setting that nobody has set', ({ all, unset }) => {
    expect(listed(SOUND, all).unset).toBe(unset)
  })

  it.each([
    { unset: 1, says: '1 setting is not set (--all lists it)' },
    { unset: 2, says: '2 settings are not set (--all lists them)' },
  ])('says of $unset that are left out: $says', ({ unset, says }) => {
    expect(unsetLine(unset)).toBe(says)
  })
})
