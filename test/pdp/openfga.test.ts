import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PDP_KINDS } from '../../adapters/pdp/kinds.ts'
import { bankTuples, fgaClient, fgaSettings, setUpBank, type FgaStore } from '../../scripts/openfga-bank.ts'
import { findOpenfga } from '../../scripts/openfga-binary.ts'
import { startOpenfga, type OpenfgaServer } from '../../scripts/openfga-server.ts'
import { readStoreFile, runStoreFile } from '../../scripts/openfga-store-file.ts'
import { BANKS } from '../../src/canbank/banks.ts'
import { compose } from '../../src/compose/compose.io.ts'
import { readSettings } from '../../src/config.io.ts'
import { reasonOf } from '../../src/core/reasons.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import { createWorld, type OpenWorld } from '../../src/world.io.ts'
import { describeEngine } from './engines.ts'
import { describePdp } from './pdp.contract.ts'
import { findPostgres, startPostgres, type Postgres } from './postgres.ts'
import { evaluation, question, view } from './questions.ts'

const HOW = 'Install Go and run `npm run openfga`, or set OPENFGA_BIN.'
const patient = (): AbortSignal => new AbortController().signal

describe('the OpenFGA store file', () => {
  const { tuples, tests } = readStoreFile()
  const asserted = tests.flatMap(({ check }) => check.flatMap(({ assertions }) => Object.values(assertions)))

  it("holds the bank's own data", () => {
    const byText = (all: readonly object[]) => all.map((each) => JSON.stringify(each)).sort()
    expect(byText(tuples)).toEqual(byText(bankTuples(BANKS.canbank)))
  })

  it('has at least 17 checks, positive and negative', () => {
    expect(asserted.length).toBeGreaterThanOrEqual(17)
    expect(new Set(asserted)).toEqual(new Set([true, false]))
  })
})

describeEngine('OpenFGA with data in memory', findOpenfga(), HOW, (binary) => {
  let server: OpenfgaServer
  let world: OpenWorld
  let settings: Readonly<Record<string, string>>
  beforeAll(async () => {
    server = await startOpenfga({ binary })
    world = createWorld()
    settings = fgaSettings(server, [await setUpBank(server, BANKS.canbank)])
  }, 60_000)
  afterAll(async () => {
    await world.close()
    await server.close()
  })

  describePdp('OpenFGA', () =>
    Promise.resolve({ pdp: PDP_KINDS.openfga(settings, world), close: () => Promise.resolve() }),
  )

  it('answers every check of the store file as it says', async () => {
    const results = await runStoreFile(server)
    expect(results.filter(({ allowed, expected }) => allowed !== expected)).toEqual([])
    expect(results.length).toBeGreaterThanOrEqual(17)
  })

  it('is set up once, however often the set-up runs', async () => {
    const again = await setUpBank(server, BANKS.canbank)
    expect(fgaSettings(server, [again])).toEqual(settings)
    expect(again).toMatchObject({ written: 0, removed: 0 })
  })

  it('loses by a new set-up what the bank no longer has', async () => {
    const client = fgaClient(server, settings['OPENFGA_STORE_ID'])
    await client.write({ writes: [{ user: 'Customer:*', relation: '_open', object: 'Account:acc-bob-closed' }] })
    expect(await setUpBank(server, BANKS.canbank)).toMatchObject({ written: 0, removed: 1 })
  })

  it('keeps the second bank in a store of its own', async () => {
    const fjordbank = await setUpBank(server, BANKS.fjordbank)
    const both = { ...settings, OPENFGA_STORE_ID: fjordbank.storeId, OPENFGA_AUTHORIZATION_MODEL_ID: fjordbank.modelId }
    const asked = question(view('bob', 'Account', 'acc-alice-savings'))
    expect(await PDP_KINDS.openfga(both, world).decide(asked, patient())).toEqual({ ok: true, value: [true] })
    expect(await PDP_KINDS.openfga(settings, world).decide(asked, patient())).toEqual({ ok: true, value: [false] })
  })

  it.each([
    { what: 'type', asked: evaluation('bob', 'VIEW_ACCOUNT_BALANCE', 'account', 'acc-bob-checking') },
    { what: 'action', asked: evaluation('bob', 'view_account_balance', 'Account', 'acc-bob-checking') },
  ])('reports an unknown $what as a fault and not as a denial', async ({ asked }) => {
    const verdict = await PDP_KINDS.openfga(settings, world).decide(question(asked), patient())
    expect(verdict).toMatchObject({ ok: false, reason: 'pdp.error', detail: 'item 1 reports an error, status 400' })
    expect(reasonOf('pdp.error').cause).toBe('fault')
  })

  it('decides with the model that is named, whatever the latest one is', async () => {
    const store = { ...(await setUpBank(server, { ...BANKS.canbank, tenant: 'two-models' })) }
    const named = fgaSettings(server, [store])
    await fgaClient(server, store.storeId).writeAuthorizationModel({
      schema_version: '1.1',
      type_definitions: [{ type: 'Customer' }],
    })
    const latest = { ...named, OPENFGA_AUTHORIZATION_MODEL_ID: undefined }
    const asked = question(view('bob', 'Customer', 'bob'))
    expect(await PDP_KINDS.openfga(named, world).decide(asked, patient())).toEqual({ ok: true, value: [true] })
    const withLatest = await PDP_KINDS.openfga(latest, world).decide(asked, patient())
    expect(withLatest).toMatchObject({ ok: false, reason: 'pdp.error' })
  })

  it('refuses 51 evaluations itself, which is why we never send them', async () => {
    const response = await fetch(`${server.url}/stores/${settings['OPENFGA_STORE_ID'] ?? ''}/access/v1/evaluations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ evaluations: Array<object>(51).fill(view('bob', 'Customer', 'bob')) }),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ message: expect.stringContaining('50') as string })
  })
})

describeEngine('OpenFGA with another set-up', findOpenfga(), HOW, (binary) => {
  it('does not answer a wrong token', async () => {
    const server = await startOpenfga({ binary, token: 'right-token' })
    const world = createWorld()
    try {
      const store = await setUpBank({ url: server.url, token: 'right-token' }, BANKS.canbank)
      const asked = question(view('bob', 'Customer', 'bob'))
      const with_ = (token?: string) =>
        PDP_KINDS.openfga(fgaSettings({ url: server.url, token }, [store]), world).decide(asked, patient())
      expect(await with_('right-token')).toEqual({ ok: true, value: [true] })
      expect(await with_('wrong-token')).toMatchObject({ ok: false, reason: 'pdp.unauthenticated' })
      expect(await with_()).toMatchObject({ ok: false, reason: 'pdp.unauthenticated' })
    } finally {
      await world.close()
      await server.close()
    }
  })

  it('has lost its store when it is started again with data in memory', async () => {
    let server = await startOpenfga({ binary })
    const world = createWorld()
    try {
      const pdp = PDP_KINDS.openfga(fgaSettings(server, [await setUpBank(server, BANKS.canbank)]), world)
      await server.close()
      server = await startOpenfga({ binary, port: server.port })
      expect(await pdp.decide(question(view('bob', 'Customer', 'bob')), patient())).toMatchObject({
        ok: false,
        reason: 'pdp.answer_invalid',
        detail: expect.stringContaining('the store, its model or the model that is named is not there') as string,
      })
    } finally {
      await world.close()
      await server.close()
    }
  })

  it('says so when its AuthZEN endpoints are off', async () => {
    const server = await startOpenfga({ binary, authzen: false })
    const world = createWorld()
    try {
      const settings = fgaSettings(server, [await setUpBank(server, BANKS.canbank)])
      const verdict = await PDP_KINDS.openfga(settings, world).decide(
        question(view('bob', 'Customer', 'bob')),
        patient(),
      )
      expect(verdict).toMatchObject({ ok: false, reason: 'pdp.answer_invalid' })
      expect(verdict).toMatchObject({ detail: expect.stringContaining('--experimentals=authzen') as string })
    } finally {
      await world.close()
      await server.close()
    }
  })
})

const [openfga, postgresBin] = [findOpenfga(), findPostgres()]
const onPostgres =
  openfga === undefined || postgresBin === undefined ? undefined : { binary: openfga, bin: postgresBin }

describeEngine('OpenFGA on PostgreSQL', onPostgres, `${HOW} And: apt-get install postgresql.`, ({ binary, bin }) => {
  let postgres: Postgres
  let server: OpenfgaServer
  let world: OpenWorld
  let settings: Readonly<Record<string, string>>
  beforeAll(async () => {
    postgres = await startPostgres(bin)
    server = await startOpenfga({ binary, postgres: postgres.url })
    world = createWorld()
    settings = fgaSettings(server, [await setUpBank(server, BANKS.canbank)])
  }, 120_000)
  afterAll(async () => {
    await world.close()
    await server.close()
    await postgres.close()
  })

  describePdp('OpenFGA', () =>
    Promise.resolve({ pdp: PDP_KINDS.openfga(settings, world), close: () => Promise.resolve() }),
  )

  it('permits nothing while it is away, and answers again when it is back', async () => {
    const pdp = PDP_KINDS.openfga(settings, world)
    const asked = question(view('bob', 'Account', 'acc-alice-savings'), view('bob', 'Account', 'acc-bob-checking'))
    const ask = () => pdp.decide(asked, AbortSignal.timeout(5_000))
    const right = { ok: true, value: [false, true] }
    expect(await ask()).toEqual(right)

    const inTheMiddle = Promise.all(Array.from({ length: 40 }, ask))
    await server.kill()
    for (const verdict of await inTheMiddle) {
      if (verdict.ok) expect(verdict).toEqual(right)
      else expect(reasonOf(verdict.reason).cause).toBe('fault')
    }
    expect(await ask()).toMatchObject({ ok: false, reason: 'pdp.unavailable' })

    server = await startOpenfga({ binary, postgres: postgres.url, port: server.port })
    await vi.waitFor(async () => {
      expect(await ask()).toEqual(right)
    }, 15_000)
  }, 60_000)
})

describeEngine('a start with OpenFGA', findOpenfga(), HOW, (binary) => {
  let server: OpenfgaServer
  let right: Readonly<Record<string, string>>
  let fjordbank: FgaStore
  beforeAll(async () => {
    server = await startOpenfga({ binary, token: 'right-token' })
    const keyed = { url: server.url, token: 'right-token' }
    right = fgaSettings(keyed, [await setUpBank(keyed, BANKS.canbank)])
    fjordbank = await setUpBank(keyed, BANKS.fjordbank)
  }, 60_000)
  afterAll(() => server.close())

  const started = async (settings: Readonly<Record<string, string>>): Promise<unknown> => {
    try {
      const graph = await compose({
        settings: readSettings(settings),
        banks: ['canbank'],
        audit: 'unrecorded',
        certificates: 'off',
      })
      await graph.close()
      return 'started'
    } catch (cause) {
      return cause
    }
  }
  const emptyStore = async (schema: boolean): Promise<string> => {
    const keyed = { url: server.url, token: 'right-token' }
    const { id } = await fgaClient(keyed).createStore({ name: 'of somebody else' })
    const model = { schema_version: '1.1', type_definitions: [{ type: 'Customer' }] }
    if (schema) await fgaClient(keyed, id).writeAuthorizationModel(model)
    return id
  }

  it('that is set up goes on', async () => {
    expect(await started(right)).toBe('started')
  })

  it('that cannot be reached goes on, and its calls are denied', async () => {
    expect(await started({ ...right, OPENFGA_API_URL: 'http://127.0.0.1:9' })).toBe('started')
  })

  it.each([
    {
      what: 'a wrong token',
      wrong: () => ({ OPENFGA_API_TOKEN: 'wrong' }),
      names: 'OPENFGA_API_TOKEN: is not accepted',
    },
    { what: 'no token', wrong: () => ({ OPENFGA_API_TOKEN: '' }), names: 'OPENFGA_API_TOKEN: is not set' },
    {
      what: 'a store that is not there',
      wrong: () => ({ OPENFGA_STORE_ID: '01M8PDWHEPT1SVSEEEF7NEBCQ1', OPENFGA_AUTHORIZATION_MODEL_ID: '' }),
      names: 'OPENFGA_STORE_ID: is not a store',
    },
    {
      what: 'a model that is not there',
      wrong: () => ({ OPENFGA_AUTHORIZATION_MODEL_ID: '01M8PDWHEPT1SVSEEEF7NEBCQ1' }),
      names: 'OPENFGA_AUTHORIZATION_MODEL_ID: is not a model',
    },
    {
      what: 'a store without a model',
      wrong: async () => ({ OPENFGA_STORE_ID: await emptyStore(false), OPENFGA_AUTHORIZATION_MODEL_ID: '' }),
      names: 'OPENFGA_STORE_ID: is not a store of this server, or one without a model',
    },
    {
      what: 'a model that does not know our types',
      wrong: async () => ({ OPENFGA_STORE_ID: await emptyStore(true), OPENFGA_AUTHORIZATION_MODEL_ID: '' }),
      names: "OPENFGA_STORE_ID: is a store whose model does not know the bank's types",
    },
    {
      what: 'the store of the other bank',
      wrong: () => ({ OPENFGA_STORE_ID: fjordbank.storeId, OPENFGA_AUTHORIZATION_MODEL_ID: fjordbank.modelId }),
      names: 'OPENFGA_STORE_ID: permits Customer ',
    },
  ])('with $what is refused', async ({ wrong, names }) => {
    const error = await started({ ...right, ...(await wrong()) })
    expect(error).toBeInstanceOf(SettingError)
    expect(String(error)).toContain(names)
    expect(String(error)).not.toContain('right-token')
  })

  it('whose AuthZEN endpoints are off is refused', async () => {
    const off = await startOpenfga({ binary, authzen: false, token: 'right-token' })
    try {
      const error = await started({ ...right, OPENFGA_API_URL: off.url })
      expect(String(error)).toContain('AuthZEN endpoints are off. Start it with --experimentals=authzen')
    } finally {
      await off.close()
    }
  })
})
