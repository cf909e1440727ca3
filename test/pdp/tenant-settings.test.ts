import { afterEach, describe, expect, it, vi } from 'vitest'
import { pdpSettingsOf, strayIn, tenantSettingsIn, tenantSuffix } from '../../src/config-pdp.ts'
import { realServices, readSettings } from '../../src/config.io.ts'
import { compose } from '../../src/compose/compose.io.ts'
import { SettingError } from '../../src/core/setting-error.ts'

const STORE = '01M8PDWHEPT1SVSEEEF7NEBCQ1'
const OTHER = '01M8PDWHEPT1SVSEEEF7NEBCQ2'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('the kind of PDP', () => {
  it.each([
    { set: {}, kind: 'standin' },
    { set: { AUTHZEN_PDP_CLIENT_KEY: 'key' }, kind: 'indykite' },
    { set: { AUTHZEN_PDP_CLIENT_KEY: 'key', PDP_KIND: 'standin' }, kind: 'standin' },
    { set: { AUTHZEN_PDP_CLIENT_KEY: 'key', PDP_KIND: 'authzen' }, kind: 'authzen' },
    { set: { PDP_KIND: 'openfga' }, kind: 'openfga' },
  ])('is $kind with $set', ({ set, kind }) => {
    expect(readSettings(set).PDP_KIND).toBe(kind)
  })

  it.each(['oracle', 'toString', '__proto__', 'OpenFGA'])('is not %s', (PDP_KIND) => {
    vi.stubEnv('PDP_KIND', PDP_KIND)
    expect(() => readSettings()).toThrow(/^PDP_KIND: is not a kind of PDP .*Set PDP_KIND to one of standin/)
  })

  it.each(['oracle', 'toString', '__proto__', 'OpenFGA'])('is not %s, also as a flag', (PDP_KIND) => {
    const sentence = /^--pdp: "(.*)" is not a kind of PDP .*Use --pdp with one of standin/
    expect(() => readSettings({ PDP_KIND })).toThrow(sentence)
  })
})

describe('the settings of one bank alone', () => {
  it.each([
    { tenant: 'canbank', suffix: '__CANBANK' },
    { tenant: 'nord-bank.no', suffix: '__NORD_BANK_NO' },
  ])('end with $suffix for $tenant', ({ tenant, suffix }) => {
    expect(tenantSuffix(tenant)).toBe(suffix)
  })

  const all = {
    OPENFGA_STORE_ID__FJORDBANK: OTHER,
    AUTHZEN_PDP_URL__OSLO: 'x',
    OPENFGA_STORE: 'y',
    GATE__FJORDBANK: 'z',
  }

  it('are found by their names', () => {
    expect(tenantSettingsIn(all)).toEqual({ OPENFGA_STORE_ID__FJORDBANK: OTHER, AUTHZEN_PDP_URL__OSLO: 'x' })
    expect(strayIn(tenantSettingsIn(all), ['canbank', 'fjordbank'])).toBe('AUTHZEN_PDP_URL__OSLO')
  })

  const shared = {
    OPENFGA_API_URL: 'https://fga.test',
    OPENFGA_STORE_ID: STORE,
    OPENFGA_API_TOKEN: 'shared',
    OPENFGA_AUTHORIZATION_MODEL_ID: STORE,
    AUTHZEN_PDP_URL: 'https://pdp.test',
    AUTHZEN_PDP_TOKEN: 'shared',
  }

  it('come before the shared ones, which the other banks keep', () => {
    const own = { OPENFGA_STORE_ID__FJORDBANK: OTHER, OPENFGA_AUTHORIZATION_MODEL_ID__FJORDBANK: OTHER }
    expect(pdpSettingsOf('canbank', shared, own)).toMatchObject(shared)
    expect(pdpSettingsOf('fjordbank', shared, own)).toMatchObject({
      ...shared,
      OPENFGA_STORE_ID: OTHER,
      OPENFGA_AUTHORIZATION_MODEL_ID: OTHER,
    })
  })

  it('leave the model of the shared store out of a store of its own', () => {
    const chosen = pdpSettingsOf('fjordbank', shared, { OPENFGA_STORE_ID__FJORDBANK: OTHER })
    expect(chosen).toMatchObject({ OPENFGA_API_TOKEN: 'shared', OPENFGA_STORE_ID: OTHER })
    expect(chosen.OPENFGA_AUTHORIZATION_MODEL_ID).toBeUndefined()
  })

  it('send no shared secret to a server of its own', () => {
    const own = { OPENFGA_API_URL__FJORDBANK: 'https://fjord.test', AUTHZEN_PDP_URL__FJORDBANK: 'https://fjord.test' }
    expect(Object.values(pdpSettingsOf('fjordbank', shared, own)).filter((value) => value !== undefined)).toEqual([
      'https://fjord.test',
      'https://fjord.test',
    ])
  })

  it('count as real services', () => {
    expect(realServices(readSettings({ AUTHZEN_PDP_URL__FJORDBANK: 'https://pdp.test' }))).toEqual([
      'AUTHZEN_PDP_URL__FJORDBANK',
    ])
  })
})

describe('a start with wrong settings of a PDP', () => {
  const started = async (set: Readonly<Record<string, string>>, banks = ['canbank']): Promise<unknown> => {
    try {
      const graph = await compose({ settings: readSettings(set), banks, audit: 'unrecorded', certificates: 'off' })
      await graph.close()
      return undefined
    } catch (cause) {
      return cause
    }
  }
  const OPENFGA = { PDP_KIND: 'openfga', OPENFGA_API_URL: 'http://127.0.0.1:9', OPENFGA_STORE_ID: STORE }
  const AUTHZEN = { PDP_KIND: 'authzen', AUTHZEN_PDP_URL: 'http://127.0.0.1:9' }
  const KEY = { AUTHZEN_PDP_CLIENT_KEY: 'key' }
  const both = ['canbank', 'fjordbank']

  it.each([
    { what: 'no URL of OpenFGA', set: { PDP_KIND: 'openfga' }, setting: 'OPENFGA_API_URL' },
    { what: 'no store', set: { ...OPENFGA, OPENFGA_STORE_ID: '' }, setting: 'OPENFGA_STORE_ID' },
    {
      what: 'a model that is no ULID',
      set: { ...OPENFGA, OPENFGA_AUTHORIZATION_MODEL_ID: 'latest' },
      setting: 'OPENFGA_AUTHORIZATION_MODEL_ID',
    },
    {
      what: 'plain http to another machine',
      set: { ...OPENFGA, OPENFGA_API_URL: 'http://192.0.2.1' },
      setting: 'OPENFGA_API_URL',
    },
    { what: 'no URL of any PDP', set: { PDP_KIND: 'authzen' }, setting: 'AUTHZEN_PDP_URL' },
    {
      what: 'half of a header',
      set: { ...AUTHZEN, AUTHZEN_PDP_HEADER_NAME: 'X' },
      setting: 'AUTHZEN_PDP_HEADER_VALUE',
    },
    { what: 'a client key without a URL', set: KEY, setting: 'AUTHZEN_PDP_URL' },
    { what: 'IndyKite without a key', set: { ...AUTHZEN, PDP_KIND: 'indykite' }, setting: 'AUTHZEN_PDP_CLIENT_KEY' },
    { what: 'a bank that is not there', set: { OPENFGA_STORE_ID__OSLO: STORE }, setting: 'OPENFGA_STORE_ID__OSLO' },
    {
      what: "a wrong value of the bank's own",
      set: { ...OPENFGA, OPENFGA_STORE_ID__CANBANK: 'x' },
      setting: 'OPENFGA_STORE_ID__CANBANK',
    },
    {
      what: "plain http in the bank's own URL",
      set: { ...AUTHZEN, AUTHZEN_PDP_URL__CANBANK: 'http://192.0.2.1' },
      setting: 'AUTHZEN_PDP_URL__CANBANK',
    },
    { what: 'one store for two banks', set: OPENFGA, banks: both, setting: 'OPENFGA_STORE_ID' },
    { what: 'one PDP for two banks', set: AUTHZEN, banks: both, setting: 'AUTHZEN_PDP_URL' },
    {
      what: 'one stand-in elsewhere for two banks',
      set: { AUTHZEN_PDP_URL: 'http://127.0.0.1:9' },
      banks: both,
      setting: 'AUTHZEN_PDP_URL',
    },
    {
      what: 'one project of IndyKite for two banks',
      set: { ...KEY, AUTHZEN_PDP_URL: 'http://127.0.0.1:9' },
      banks: both,
      setting: 'AUTHZEN_PDP_CLIENT_KEY',
    },
  ])('is refused, and names the setting, for $what', async ({ set, banks, setting }) => {
    const error = await started(set, banks)
    expect(error).toBeInstanceOf(SettingError)
    expect(error).toMatchObject({ what: setting })
  })

  it.each([
    { what: 'two stores', set: { ...OPENFGA, OPENFGA_STORE_ID__FJORDBANK: OTHER } },
    { what: 'two PDPs', set: { ...AUTHZEN, AUTHZEN_PDP_URL__FJORDBANK: 'http://127.0.0.1:10' } },
    {
      what: 'two tenants of one PDP',
      set: {
        ...AUTHZEN,
        AUTHZEN_PDP_HEADER_NAME: 'X-Tenant',
        AUTHZEN_PDP_HEADER_VALUE: 'canbank',
        AUTHZEN_PDP_HEADER_VALUE__FJORDBANK: 'fjordbank',
      },
    },
    { what: 'a stand-in for each', set: {} },
  ])('is fine with two banks and $what, though none of them can be reached', async ({ set }) => {
    expect(await started(set, both)).toBeUndefined()
  })
})
