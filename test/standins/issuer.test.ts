import { createRemoteJWKSet, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { BANKS } from '../../src/canbank/banks.ts'
import { startIssuer } from '../../standins/issuer.ts'
import { get, post, started } from './support.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const verify = (token: string, url: string, currentDate?: Date) =>
  jwtVerify(token, createRemoteJWKSet(new URL(`${url}/jwks`)), {
    issuer: url,
    audience: 'intent-gate',
    algorithms: ['ES256'],
    ...(currentDate === undefined ? {} : { currentDate }),
  })

async function tokenOf(url: string, customer: string): Promise<string> {
  const { body } = await post(`${url}/token`, { customer })
  return (body as { access_token: string }).access_token
}

describe('the issuer', () => {
  it.each([
    { how: 'a form', body: 'customer=alice', headers: form },
    { how: 'JSON', body: '{"customer":"alice"}', headers: {} },
  ])('gives a token that verifies to $how', async ({ body, headers }) => {
    const { url } = await started(startIssuer({ bank: BANKS.fjordbank }))
    const answer = await post(`${url}/token`, body, headers)
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 3600 } })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const { payload, protectedHeader } = await verify((answer.body as { access_token: string }).access_token, url)
    expect(payload).toMatchObject({ iss: url, aud: 'intent-gate', sub: 'alice', tenant: 'fjordbank' })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600)
    expect(payload.jti).toMatch(/^[0-9a-f-]{36}$/)
    const jwks = (await get(`${url}/jwks`)).body as { keys: Record<string, unknown>[] }
    expect(jwks.keys).toHaveLength(1)
    expect(jwks.keys[0]).toMatchObject({ kid: protectedHeader.kid, alg: 'ES256', use: 'sig' })
  })

  it('publishes no private key', async () => {
    const { url } = await started(startIssuer({ bank: BANKS.canbank }))
    const { body } = await get(`${url}/jwks`)
    expect(Object.keys((body as { keys: object[] }).keys[0] ?? {}).toSorted()).toEqual([
      'alg',
      'crv',
      'kid',
      'kty',
      'use',
      'x',
      'y',
    ])
  })

  it('is discovered at its well-known address', async () => {
    const { url } = await started(startIssuer({ bank: BANKS.canbank }))
    expect((await get(`${url}/.well-known/openid-configuration`)).body).toMatchObject({
      issuer: url,
      jwks_uri: `${url}/jwks`,
      token_endpoint: `${url}/token`,
      id_token_signing_alg_values_supported: ['ES256'],
    })
    expect((await get(`${url}/health`)).body).toMatchObject({ status: 'ok' })
  })

  it.each(['zoe', '', 'Alice', 'alice ', '__proto__'])('knows no "%s", and says no more', async (customer) => {
    const { url } = await started(startIssuer({ bank: BANKS.canbank }))
    expect(await post(`${url}/token`, { customer })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const sent = new URLSearchParams({ customer }).toString()
    expect((await post(`${url}/token`, sent, form)).body).toEqual({ error: 'invalid_grant' })
  })

  it.each([
    { what: 'JSON without a customer', body: '{}', headers: {} },
    { what: 'a customer that is a number', body: '{"customer":1}', headers: {} },
    { what: 'two customers in one JSON', body: '{"customer":"alice","customer":"bob"}', headers: {} },
    { what: 'text that is not JSON', body: '{', headers: {} },
    { what: 'a form without a customer', body: 'a=b', headers: form },
    { what: 'a form with two customers', body: 'customer=alice&customer=bob', headers: form },
    { what: 'another content type', body: 'customer=alice', headers: { 'content-type': 'text/plain' } },
  ])('refuses $what', async ({ body, headers }) => {
    const { url } = await started(startIssuer({ bank: BANKS.canbank }))
    expect(await post(`${url}/token`, body, headers)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  it('dates its tokens by the clock that it is given', async () => {
    const at = new Date('2026-12-01T10:00:00.900Z')
    const { url } = await started(startIssuer({ bank: BANKS.canbank, tokenLifetimeSeconds: 60, now: () => at }))
    const token = await tokenOf(url, 'bob')
    expect((await verify(token, url, at)).payload).toMatchObject({ iat: 1_796_119_200, exp: 1_796_119_260 })
    await expect(verify(token, url, new Date(at.getTime() + 60_000))).rejects.toThrow(errors.JWTExpired)
  })

  it("has a key of its own: one bank's token is nothing to another", async () => {
    const canbank = await started(startIssuer({ bank: BANKS.canbank }))
    const fjordbank = await started(startIssuer({ bank: BANKS.fjordbank }))
    const token = await tokenOf(canbank.url, 'alice')
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'JWT' })
    await expect(verify(token, fjordbank.url)).rejects.toThrow(errors.JWKSNoMatchingKey)
  })

  it('never gives the same token twice', async () => {
    const { url } = await started(startIssuer({ bank: BANKS.canbank, now: () => new Date(0) }))
    const ids = await Promise.all(
      [1, 2].map(async () => (await verify(await tokenOf(url, 'bob'), url, new Date(0))).payload.jti),
    )
    expect(new Set(ids).size).toBe(2)
  })
})
