import { describe, expect, it } from 'vitest'
import { PDP_KINDS } from '../../adapters/pdp/kinds.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import type { HttpAnswer, HttpRequest } from '../../src/core/world.ts'
import { testWorld } from '../worlds.ts'
import { question, view } from './questions.ts'

async function sentBy(settings: Parameters<(typeof PDP_KINDS)['standin']>[0]) {
  const sent: { url: string; request: HttpRequest }[] = []
  const send = (url: URL, request: HttpRequest): Promise<HttpAnswer> => {
    sent.push({ url: url.href, request })
    return Promise.resolve({ status: 200, headers: {}, body: { evaluations: [{ decision: true }] } })
  }
  const pdp = PDP_KINDS.standin(settings, testWorld({ send }))
  await pdp.decide(question(view('bob', 'Account', 'acc-joint')), new AbortController().signal)
  expect(sent).toHaveLength(1)
  return sent[0]!
}

describe('the stand-in kind', () => {
  const standinUrl = 'http://127.0.0.1:9002'

  it.each([
    { settings: { standinUrl }, url: 'http://127.0.0.1:9002/access/v1/evaluations' },
    { settings: { standinUrl, AUTHZEN_PDP_URL: 'https://pdp.test' }, url: 'https://pdp.test/access/v1/evaluations' },
    { settings: { AUTHZEN_PDP_URL: 'https://pdp.test/' }, url: 'https://pdp.test/access/v1/evaluations' },
    { settings: { AUTHZEN_PDP_URL: 'https://pdp.test/eu//' }, url: 'https://pdp.test/eu/access/v1/evaluations' },
  ])('asks $url', async ({ settings, url }) => {
    expect((await sentBy(settings)).url).toBe(url)
  })

  it('sends the client key when there is one, and no credentials otherwise', async () => {
    const keyed = await sentBy({ standinUrl, AUTHZEN_PDP_CLIENT_KEY: 'a-client-key' })
    const bare = await sentBy({ standinUrl })
    expect(keyed.request.headers).toEqual({ 'x-ik-clientkey': 'a-client-key', 'x-request-id': 'id-1' })
    expect(bare.request.headers).toEqual({ 'x-request-id': 'id-1' })
  })

  it.each([
    { what: 'no URL', settings: {}, setting: 'AUTHZEN_PDP_URL' },
    { what: 'an empty URL', settings: { AUTHZEN_PDP_URL: '' }, setting: 'AUTHZEN_PDP_URL' },
    { what: 'a host alone', settings: { AUTHZEN_PDP_URL: 'pdp.test' }, setting: 'AUTHZEN_PDP_URL' },
    { what: 'a file', settings: { AUTHZEN_PDP_URL: 'file:///etc/passwd' }, setting: 'AUTHZEN_PDP_URL' },
    { what: 'credentials', settings: { AUTHZEN_PDP_URL: 'https://me:hidden@pdp.test' }, setting: 'AUTHZEN_PDP_URL' },
    { what: 'a query', settings: { AUTHZEN_PDP_URL: 'https://pdp.test/?key=hidden' }, setting: 'AUTHZEN_PDP_URL' },
    { what: 'an empty key', settings: { standinUrl, AUTHZEN_PDP_CLIENT_KEY: '' }, setting: 'AUTHZEN_PDP_CLIENT_KEY' },
    {
      what: 'a key with a line break',
      settings: { standinUrl, AUTHZEN_PDP_CLIENT_KEY: 'hidden\r\nx-admin: 1' },
      setting: 'AUTHZEN_PDP_CLIENT_KEY',
    },
  ])('names the setting and quotes no secret for $what', ({ settings, setting }) => {
    let error: unknown
    try {
      PDP_KINDS.standin(settings, testWorld())
    } catch (cause) {
      error = cause
    }
    expect(error).toBeInstanceOf(SettingError)
    expect(error).toMatchObject({ what: setting })
    expect(String(error)).not.toContain('hidden')
  })
})
