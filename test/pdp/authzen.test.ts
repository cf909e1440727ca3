import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { PDP_KINDS } from '../../adapters/pdp/kinds.ts'
import type { PdpSettings } from '../../adapters/pdp/settings.ts'
import type { World } from '../../src/core/world.ts'
import { createWorld } from '../../src/world.io.ts'
import { question, view } from './questions.ts'
import { permitAll, recordingPdp, type Heard, type RecordingPdp, type Reply } from './recording-pdp.ts'
import { expectSettingError } from './setting-errors.ts'

const WELL_KNOWN = '/.well-known/authzen-configuration'
const asked = question(view('bob', 'Account', 'acc-bob-checking'))
const patient = (): AbortSignal => new AbortController().signal

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const each of closers.splice(0).reverse()) await each()
})

async function serving(reply: (heard: Heard, url: string) => Reply | undefined): Promise<RecordingPdp> {
  const server = await recordingPdp((heard, url) => reply(heard, url) ?? permitAll(heard))
  closers.push(() => server.close())
  return server
}

function open(settings: PdpSettings, overrides: Partial<World> = {}) {
  const world = createWorld()
  closers.push(() => world.close())
  return PDP_KINDS.authzen(settings, { ...world, ...overrides })
}

const metadata =
  (about: (url: string) => object) =>
  ({ path }: Heard, url: string): Reply | undefined =>
    path.startsWith(WELL_KNOWN) ? { body: about(url) } : undefined

describe('a PDP with a discovery document', () => {
  it('is asked where the document says', async () => {
    const server = await serving(
      metadata((url) => ({ policy_decision_point: url, access_evaluations_endpoint: `${url}/authz/batch`, more: 1 })),
    )
    const pdp = open({ AUTHZEN_PDP_URL: server.url })
    expect(await pdp.decide(asked, patient())).toEqual({ ok: true, value: [true] })
    expect(await pdp.decide(asked, patient())).toEqual({ ok: true, value: [true] })
    expect(server.heard.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET ${WELL_KNOWN}`,
      'POST /authz/batch',
      'POST /authz/batch',
    ])
  })

  it('is looked for between the host and the path of its base', async () => {
    const server = await serving(
      metadata((url) => ({ policy_decision_point: `${url}/eu`, access_evaluations_endpoint: `${url}/eu/batch` })),
    )
    expect(await open({ AUTHZEN_PDP_URL: `${server.url}/eu/` }).decide(asked, patient())).toMatchObject({ ok: true })
    expect(server.heard.map(({ path }) => path)).toEqual([`${WELL_KNOWN}/eu`, '/eu/batch'])
  })

  it.each([
    {
      what: 'another PDP',
      about: (url: string) => ({ policy_decision_point: `${url}/other`, access_evaluations_endpoint: `${url}/batch` }),
    },
    {
      what: 'another host',
      about: (url: string) => ({
        policy_decision_point: 'https://pdp.example.com',
        access_evaluations_endpoint: `${url}/batch`,
      }),
    },
    { what: 'no PDP', about: (url: string) => ({ access_evaluations_endpoint: `${url}/access/v1/evaluations` }) },
    { what: 'no Access Evaluations', about: (url: string) => ({ policy_decision_point: url }) },
    {
      what: 'an endpoint at another origin',
      about: (url: string) => ({
        policy_decision_point: url,
        access_evaluations_endpoint: 'http://127.0.0.1:1/access/v1/evaluations',
      }),
    },
    {
      what: 'an endpoint that is no URL',
      about: (url: string) => ({ policy_decision_point: url, access_evaluations_endpoint: '/access/v1/evaluations' }),
    },
    {
      what: 'an endpoint that is a number',
      about: (url: string) => ({ policy_decision_point: url, access_evaluations_endpoint: 1 }),
    },
  ])('is refused, and not asked, when it names $what', async ({ about }) => {
    const { url, heard } = await serving(metadata(about))
    expect(await open({ AUTHZEN_PDP_URL: url }).decide(asked, patient())).toMatchObject({
      ok: false,
      reason: 'pdp.answer_invalid',
    })
    expect(heard.map(({ method }) => method)).toEqual(['GET'])
  })

  it.each([
    { what: 'a page', reply: { headers: { 'content-type': 'text/html' }, body: '<html></html>' } },
    { what: 'a list', reply: { body: [] } },
    { what: 'half of a document', reply: { body: '{"policy_decision_point":' } },
    { what: 'one key twice', reply: { body: '{"policy_decision_point":"a","policy_decision_point":"b"}' } },
  ])('is refused when it is $what', async ({ reply }) => {
    const server = await serving(({ path }) => (path === WELL_KNOWN ? reply : undefined))
    const verdict = await open({ AUTHZEN_PDP_URL: server.url }).decide(asked, patient())
    expect(verdict).toMatchObject({ ok: false, reason: 'pdp.answer_invalid' })
    expect(server.heard).toHaveLength(1)
  })
})

describe('a PDP without a discovery document', () => {
  it.each([
    { what: 'there is none', status: 404, looks: 1 },
    { what: 'it cannot be had now', status: 503, looks: 1 },
    { what: 'it lies behind a redirect', status: 302, looks: 1 },
  ])('is asked at the default path when $what', async ({ status, looks }) => {
    const server = await serving(({ path }) =>
      path === `${WELL_KNOWN}/v0/data` ? { status, headers: { location: '/elsewhere' }, body: {} } : undefined,
    )
    const pdp = open({ AUTHZEN_PDP_URL: `${server.url}/v0/data` })
    expect(await pdp.decide(asked, patient())).toEqual({ ok: true, value: [true] })
    expect(await pdp.decide(asked, patient())).toEqual({ ok: true, value: [true] })
    const paths = server.heard.map(({ path }) => path)
    expect(paths.filter((path) => path.startsWith(WELL_KNOWN))).toHaveLength(looks)
    expect(paths.filter((path) => !path.startsWith(WELL_KNOWN))).toEqual(
      Array(2).fill('/v0/data/access/v1/evaluations'),
    )
  })

  it('is asked again for its document a minute after it could not be had', async () => {
    let now = 0
    let up = false
    const server = await serving(({ path }, url) => {
      if (!path.startsWith(WELL_KNOWN)) return undefined
      if (!up) return { status: 503, body: {} }
      return { body: { policy_decision_point: url, access_evaluations_endpoint: `${url}/batch` } }
    })
    const pdp = open({ AUTHZEN_PDP_URL: server.url }, { monotonicMs: () => now })
    await pdp.decide(asked, patient())
    up = true
    await pdp.decide(asked, patient())
    now = 60_000
    await pdp.decide(asked, patient())
    expect(server.heard.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual([
      '/access/v1/evaluations',
      '/access/v1/evaluations',
      '/batch',
    ])
  })

  it('is unavailable when nothing listens there', async () => {
    const server = await recordingPdp(permitAll)
    await server.close()
    const verdict = await open({ AUTHZEN_PDP_URL: server.url }).decide(asked, patient())
    expect(verdict).toMatchObject({ ok: false, reason: 'pdp.unavailable' })
  })

  it('refuses in time when it says nothing at all', async () => {
    const server = createServer(() => undefined)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    const pdp = open({ AUTHZEN_PDP_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    expect(await pdp.decide(asked, AbortSignal.timeout(100))).toMatchObject({ ok: false, reason: 'pdp.timeout' })
  })
})

describe('what the generic kind sends', () => {
  it('is a bearer token and one more header, with the question and with the look for the document', async () => {
    const server = await serving(() => undefined)
    const settings = {
      AUTHZEN_PDP_URL: server.url,
      AUTHZEN_PDP_TOKEN: 'a-token',
      AUTHZEN_PDP_HEADER_NAME: 'X-API-Key',
      AUTHZEN_PDP_HEADER_VALUE: 'key one',
    }
    await open(settings).decide(asked, patient())
    expect(server.heard.map(({ method }) => method)).toEqual(['GET', 'POST'])
    for (const { headers } of server.heard) {
      expect(headers).toMatchObject({ authorization: 'Bearer a-token', 'x-api-key': 'key one' })
    }
  })

  it('is neither of them when they are not set', async () => {
    const server = await serving(() => undefined)
    await open({ AUTHZEN_PDP_URL: server.url, AUTHZEN_PDP_CLIENT_KEY: 'hidden' }).decide(asked, patient())
    for (const { headers } of server.heard) {
      expect(headers.authorization).toBeUndefined()
      expect(JSON.stringify(headers)).not.toContain('hidden')
    }
  })
})

describe('a wrong setting of the generic kind', () => {
  const AUTHZEN_PDP_URL = 'https://pdp.test'
  const name = (AUTHZEN_PDP_HEADER_NAME: string): PdpSettings => ({
    AUTHZEN_PDP_URL,
    AUTHZEN_PDP_HEADER_NAME,
    AUTHZEN_PDP_HEADER_VALUE: 'hidden',
  })
  it.each([
    { what: 'no URL', settings: {}, setting: 'AUTHZEN_PDP_URL', problem: 'is not set' },
    { what: 'no http', settings: { AUTHZEN_PDP_URL: 'ftp://x' }, setting: 'AUTHZEN_PDP_URL', problem: 'http' },
    {
      what: 'a token with a space',
      settings: { AUTHZEN_PDP_URL, AUTHZEN_PDP_TOKEN: 'hidden hidden' },
      setting: 'AUTHZEN_PDP_TOKEN',
      problem: 'space',
    },
    {
      what: 'a name without a value',
      settings: { AUTHZEN_PDP_URL, AUTHZEN_PDP_HEADER_NAME: 'X-API-Key' },
      setting: 'AUTHZEN_PDP_HEADER_VALUE',
      problem: 'is not set while AUTHZEN_PDP_HEADER_NAME is',
    },
    {
      what: 'a value without a name',
      settings: { AUTHZEN_PDP_URL, AUTHZEN_PDP_HEADER_VALUE: 'hidden' },
      setting: 'AUTHZEN_PDP_HEADER_NAME',
      problem: 'is not set while AUTHZEN_PDP_HEADER_VALUE is',
    },
    {
      what: 'a line break in the value',
      settings: { ...name('X-API-Key'), AUTHZEN_PDP_HEADER_VALUE: 'hidden\r\nx-admin: 1' },
      setting: 'AUTHZEN_PDP_HEADER_VALUE',
      problem: 'character',
    },
    ...['', 'X API', 'X:Y', 'Ø', 'X\r\nY'].map((each) => ({
      what: `the name ${JSON.stringify(each)}`,
      settings: name(each),
      setting: 'AUTHZEN_PDP_HEADER_NAME',
      problem: 'is not a name of a header',
    })),
    ...['Authorization', 'x-request-id', 'Content-Type', 'HOST', 'Accept-Encoding', 'Transfer-Encoding'].map(
      (each) => ({
        what: `the header ${each}`,
        settings: name(each),
        setting: 'AUTHZEN_PDP_HEADER_NAME',
        problem: 'the gate sets itself',
      }),
    ),
  ])('is named for $what', ({ settings, setting, problem }) => {
    expectSettingError('authzen', settings, setting, problem)
  })
})
