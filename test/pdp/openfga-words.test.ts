import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { PDP_KINDS } from '../../adapters/pdp/kinds.ts'
import type { Evaluation } from '../../src/core/authzen.ts'
import type { HttpRequest } from '../../src/core/world.ts'
import { testWorld } from '../worlds.ts'
import { evaluation, question, view } from './questions.ts'
import { expectSettingError } from './setting-errors.ts'

const ULID = '01M8PDWHEPT1SVSEEEF7NEBCQ1'
const settings = { OPENFGA_API_URL: 'https://fga.test', OPENFGA_STORE_ID: ULID }

async function ask(evaluations: readonly [Evaluation, ...Evaluation[]], more: object = {}) {
  const sent: { readonly url: string; readonly request: HttpRequest }[] = []
  const world = testWorld({
    send: (url, request) => {
      sent.push({ url: url.href, request })
      return Promise.resolve({
        status: 200,
        headers: {},
        body: { evaluations: evaluations.map(() => ({ decision: true })) },
      })
    },
  })
  const pdp = PDP_KINDS.openfga({ ...settings, ...more }, world)
  return { verdict: await pdp.decide(question(...evaluations), new AbortController().signal), sent }
}

const BOB = view('bob', 'Account', 'acc-bob-checking')

describe('what OpenFGA cannot carry', () => {
  it.each([
    { what: 'everybody', asked: evaluation('*', 'VIEW_ACCOUNT_BALANCE', 'Account', 'acc-1'), part: 'subject id' },
    { what: 'a userset', asked: evaluation('*#member', 'VIEW', 'Account', 'acc-1'), part: 'subject id' },
    { what: 'an e-mail address', asked: evaluation('bob@bank.test', 'VIEW', 'Account', 'acc-1'), part: 'subject id' },
    { what: 'a subject with a type', asked: evaluation('Customer:bob', 'VIEW', 'Account', 'a'), part: 'subject id' },
    { what: 'an empty subject', asked: evaluation('', 'VIEW', 'Account', 'acc-1'), part: 'subject id' },
    { what: 'a subject of 501', asked: evaluation('b'.repeat(501), 'VIEW', 'Account', 'acc-1'), part: 'subject id' },
    { what: 'every account', asked: view('bob', 'Account', '*'), part: 'resource id' },
    { what: 'an id with a space', asked: view('bob', 'Account', 'acc 1'), part: 'resource id' },
    { what: 'an id with a tab', asked: view('bob', 'Account', 'acc\t1'), part: 'resource id' },
    { what: 'an id with a zero', asked: view('bob', 'Account', 'acc\u00001'), part: 'resource id' },
    { what: 'an id with a no-break space', asked: view('bob', 'Account', 'acc\u00a01'), part: 'resource id' },
    { what: 'an id of 257', asked: view('bob', 'Account', 'a'.repeat(257)), part: 'resource id' },
    { what: 'a type with a colon', asked: evaluation('bob', 'VIEW', 'Account:x', 'acc-1'), part: 'resource type' },
    { what: 'a type of 51', asked: evaluation('bob', 'VIEW', 'A'.repeat(51), 'acc-1'), part: 'resource type' },
    { what: 'an action with #', asked: evaluation('bob', 'VIEW#x', 'Account', 'acc-1'), part: 'action name' },
    { what: 'a part of an action', asked: evaluation('bob', '_owner', 'Account', 'acc-1'), part: 'action name' },
    {
      what: 'a subject type with @',
      asked: { ...BOB, subject: { type: 'Customer@x', id: 'bob' } },
      part: 'subject type',
    },
  ])('is never sent: $what', async ({ asked, part }) => {
    const { verdict, sent } = await ask([asked])
    expect(verdict).toEqual({ ok: false, reason: 'pdp.id_unsupported', detail: `the ${part} of evaluation 1` })
    expect(sent).toEqual([])
  })

  it('keeps the whole boxcar back when one item has it', async () => {
    const { verdict, sent } = await ask([BOB, view('bob', 'Account', 'acc:2')])
    expect(verdict).toMatchObject({ reason: 'pdp.id_unsupported', detail: 'the resource id of evaluation 2' })
    expect(sent).toEqual([])
  })

  test.prop([fc.string(), fc.constantFrom(':', '#', '@', '*', ' ', '\n', '\u2003'), fc.string()])(
    'is never sent, wherever it stands',
    async (before, bad, after) => {
      const { verdict, sent } = await ask([view('bob', 'Account', `${before}${bad}${after}`)])
      expect(verdict).toMatchObject({ ok: false, reason: 'pdp.id_unsupported' })
      expect(sent).toEqual([])
    },
  )
})

describe('what is sent to OpenFGA', () => {
  it('goes to the store, with the token and the model', async () => {
    const more = {
      OPENFGA_API_URL: 'https://fga.test/base/',
      OPENFGA_API_TOKEN: 'key',
      OPENFGA_AUTHORIZATION_MODEL_ID: ULID,
    }
    const { verdict, sent } = await ask([BOB], more)
    expect(verdict).toEqual({ ok: true, value: [true] })
    expect(sent[0]?.url).toBe(`https://fga.test/base/stores/${ULID}/access/v1/evaluations`)
    expect(sent[0]?.request.headers).toEqual({
      authorization: 'Bearer key',
      'openfga-authorization-model-id': ULID,
      'x-request-id': 'id-1',
    })
  })

  it('leaves out the context that would override properties', async () => {
    const context = { subject_role: 'admin', resource_owner: 'bob', action_soft: true, subject: 1, purpose: 'x' }
    const { sent } = await ask([{ ...BOB, context }])
    const { evaluations } = JSON.parse(sent[0]?.request.body ?? '') as { evaluations: readonly Evaluation[] }
    expect(evaluations).toEqual([{ ...BOB, context: { subject: 1, purpose: 'x' } }])
  })
})

describe('a wrong setting of OpenFGA', () => {
  it.each([
    { what: 'no URL', wrong: { OPENFGA_API_URL: undefined }, setting: 'OPENFGA_API_URL', problem: 'is not set' },
    { what: 'a host alone', wrong: { OPENFGA_API_URL: 'fga.test' }, setting: 'OPENFGA_API_URL', problem: 'not a URL' },
    { what: 'no store', wrong: { OPENFGA_STORE_ID: undefined }, setting: 'OPENFGA_STORE_ID', problem: 'is not set' },
    { what: 'a path as store', wrong: { OPENFGA_STORE_ID: '../x' }, setting: 'OPENFGA_STORE_ID', problem: 'ULID' },
    {
      what: 'a model id in small letters',
      wrong: { OPENFGA_AUTHORIZATION_MODEL_ID: ULID.toLowerCase() },
      setting: 'OPENFGA_AUTHORIZATION_MODEL_ID',
      problem: 'ULID',
    },
    {
      what: 'a model id that is too long for its time',
      wrong: { OPENFGA_AUTHORIZATION_MODEL_ID: `8${ULID.slice(1)}` },
      setting: 'OPENFGA_AUTHORIZATION_MODEL_ID',
      problem: 'ULID',
    },
    {
      what: 'a token with a line break',
      wrong: { OPENFGA_API_TOKEN: 'hidden\nx' },
      setting: 'OPENFGA_API_TOKEN',
      problem: 'space',
    },
  ])('is named for $what', ({ wrong, setting, problem }) => {
    expectSettingError('openfga', { ...settings, ...wrong }, setting, problem)
  })
})
