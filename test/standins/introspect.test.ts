import { describe, expect, it } from 'vitest'
import { basic, startIntrospect } from '../../standins/introspect.ts'
import { get, post, started } from './support.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe('token introspection', () => {
  it.each([
    { what: 'any token', body: 'token=whatever', status: 200, answer: { active: true } },
    { what: 'a token and a hint', body: 'token=a&token_type_hint=access_token', status: 200, answer: { active: true } },
    { what: 'an empty token', body: 'token=', status: 200, answer: { active: false } },
    { what: 'no token', body: 'token_type_hint=x', status: 400, answer: { error: 'invalid_request' } },
    { what: 'two tokens', body: 'token=a&token=b', status: 400, answer: { error: 'invalid_request' } },
  ])('answers $status to $what', async ({ body, status, answer }) => {
    const { url } = await started(startIntrospect({ tenant: 'canbank' }))
    const got = await post(`${url}/introspect`, body, form)
    expect(got).toMatchObject({ status, body: answer })
    if (status === 200) expect(got.headers.get('cache-control')).toBe('no-store')
  })

  it('says that it checks nothing', async () => {
    const { url } = await started(startIntrospect({ tenant: 'canbank' }))
    const says = { standin: 'A demo: every token that is not empty is active.' }
    expect((await post(`${url}/introspect`, 'token=a', form)).body).toMatchObject(says)
    expect((await get(`${url}/health`)).body).toMatchObject({ status: 'ok', ...says })
  })

  it('takes a form and nothing else', async () => {
    const { url } = await started(startIntrospect({ tenant: 'canbank' }))
    expect((await post(`${url}/introspect`, { token: 'a' })).status).toBe(400)
  })

  it.each([
    { what: 'nothing', headers: {}, status: 401 },
    { what: 'another secret', headers: { authorization: basic('agent', 'wrong') }, status: 401 },
    { what: 'another id', headers: { authorization: basic('other', 's:1') }, status: 401 },
    { what: 'a bearer token', headers: { authorization: 'Bearer s:1' }, status: 401 },
    { what: 'its id and secret', headers: { authorization: basic('agent', 's:1') }, status: 200 },
  ])('answers $status to a client that shows $what, when a client is set', async ({ headers, status }) => {
    const { url } = await started(startIntrospect({ tenant: 'canbank', client: { id: 'agent', secret: 's:1' } }))
    const answer = await post(`${url}/introspect`, 'token=a', { ...form, ...headers })
    expect(answer.status).toBe(status)
    if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /)
  })
})
