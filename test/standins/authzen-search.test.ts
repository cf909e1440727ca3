import { afterAll, describe, expect, it } from 'vitest'
import { BANKS } from '../../src/canbank/banks.ts'
import { CERTIFICATION } from '../../standins/authzen-certification.ts'
import { startAuthzenPdp } from '../../standins/authzen-server.ts'
import { startIndykite } from '../../standins/indykite.ts'
import { bankKnowledge } from '../../standins/pdp.ts'
import { get, post } from './support.ts'

const starting = startAuthzenPdp({ knowledge: [bankKnowledge(BANKS.canbank), CERTIFICATION] })
afterAll(async () => (await starting).close())

const search = async (what: 'subject' | 'resource' | 'action', body: unknown) =>
  post(`${(await starting).url}/access/v1/search/${what}`, body)
const found = async (what: Parameters<typeof search>[0], body: unknown): Promise<readonly string[]> => {
  const { status, body: answer } = await search(what, body)
  expect(status).toBe(200)
  return (answer as { results: { id?: string; name?: string }[] }).results.map(({ id, name }) => id ?? name ?? '')
}

const bob = { type: 'Customer', id: 'bob' }
const joint = { type: 'Account', id: 'acc-joint' }
const view = { name: 'VIEW_ACCOUNT_BALANCE' }
const transfer = { name: 'TRANSFER_FROM_ACCOUNT' }

describe('a search finds what a decision would permit', () => {
  it.each([
    {
      what: 'the owners of a joint account',
      of: 'subject',
      body: { subject: { type: 'Customer' }, action: view, resource: joint },
      ids: ['alice', 'bob'],
    },
    {
      what: 'the same with an id, which is not looked at',
      of: 'subject',
      body: { subject: { type: 'Customer', id: 'carol' }, action: view, resource: joint },
      ids: ['alice', 'bob'],
    },
    {
      what: 'the accounts of a customer',
      of: 'resource',
      body: { subject: bob, action: view, resource: { type: 'Account' } },
      ids: ['acc-bob-checking', 'acc-bob-closed', 'acc-joint'],
    },
    {
      what: 'those that are open',
      of: 'resource',
      body: { subject: bob, action: transfer, resource: { type: 'Account', id: 'acc-bob-closed' } },
      ids: ['acc-bob-checking', 'acc-joint'],
    },
    {
      what: 'what may be done with an account',
      of: 'action',
      body: { subject: bob, resource: joint },
      ids: [view.name, transfer.name],
    },
    {
      what: 'the same with an action, which is not looked at',
      of: 'action',
      body: { subject: bob, action: 5, resource: joint },
      ids: [view.name, transfer.name],
    },
    {
      what: 'the same beside a context',
      of: 'action',
      body: { subject: bob, resource: joint, context: { at: 'noon' } },
      ids: [view.name, transfer.name],
    },
    {
      what: "nothing on a stranger's account",
      of: 'action',
      body: { subject: bob, resource: { type: 'Account', id: 'acc-alice-savings' } },
      ids: [],
    },
    {
      what: 'nothing for an unknown id',
      of: 'action',
      body: { subject: { type: 'Customer', id: 'zoe' }, resource: joint },
      ids: [],
    },
    {
      what: 'nothing for an unknown type',
      of: 'subject',
      body: { subject: { type: 'spaceship' }, action: view, resource: joint },
      ids: [],
    },
    {
      what: 'nothing for an unknown action',
      of: 'resource',
      body: { subject: bob, action: { name: 'FLY' }, resource: { type: 'Account' } },
      ids: [],
    },
    {
      what: 'the readers of a record, beside the bank',
      of: 'subject',
      body: { subject: { type: 'user' }, action: { name: 'read' }, resource: { type: 'record', id: 'record-1' } },
      ids: ['alice', 'bob'],
    },
    {
      what: 'a writer by its own properties',
      of: 'subject',
      body: {
        subject: { type: 'user', properties: { role: 'admin' } },
        action: { name: 'write' },
        resource: { type: 'record', id: 'record-2' },
      },
      ids: ['alice', 'bob'],
    },
    {
      what: 'an action by the properties of the resource',
      of: 'action',
      body: {
        subject: { type: 'user', id: 'alice' },
        resource: { type: 'record', id: 'record-1', properties: { status: 'archived' } },
      },
      ids: ['read'],
    },
  ] as const)('$what', async ({ of, body, ids }) => {
    expect(await found(of, body)).toEqual(ids)
  })
})

describe('a search is a 400', () => {
  it.each([
    { what: 'of subjects without an action', of: 'subject', body: { subject: { type: 'Customer' }, resource: joint } },
    { what: 'of subjects without a type', of: 'subject', body: { subject: {}, action: view, resource: joint } },
    {
      what: 'of subjects without a resource id',
      of: 'subject',
      body: { subject: { type: 'Customer' }, action: view, resource: { type: 'Account' } },
    },
    { what: 'of resources without a subject', of: 'resource', body: { action: view, resource: { type: 'Account' } } },
    {
      what: 'of resources without a subject id',
      of: 'resource',
      body: { subject: { type: 'Customer' }, action: view, resource: { type: 'Account' } },
    },
    { what: 'of actions without a resource', of: 'action', body: { subject: bob } },
    { what: 'with a context that is text', of: 'action', body: { subject: bob, resource: joint, context: 'now' } },
    { what: 'with a page that is text', of: 'action', body: { subject: bob, resource: joint, page: 'next' } },
    { what: 'with a limit that is text', of: 'action', body: { subject: bob, resource: joint, page: { limit: '1' } } },
    { what: 'with a negative limit', of: 'action', body: { subject: bob, resource: joint, page: { limit: -1 } } },
    {
      what: 'with a token that nobody gave',
      of: 'action',
      body: { subject: bob, resource: joint, page: { token: '1.1.x' } },
    },
    {
      what: 'with a token that is a number',
      of: 'action',
      body: { subject: bob, resource: joint, page: { token: 1 } },
    },
    { what: 'that is not JSON', of: 'action', body: '{' },
  ] as const)('$what', async ({ of, body }) => {
    expect((await search(of, body)).status).toBe(400)
  })
})

describe('pages', () => {
  const asked = { subject: bob, action: view, resource: { type: 'Account' } }
  const page = async (given: object, body: object = asked) =>
    (await search('resource', { ...body, page: given })).body as {
      results: { id: string }[]
      page: { next_token: string; count: number; total: number }
    }

  it('hold everything once, in order, and the last one says so', async () => {
    const all = await found('resource', asked)
    const seen: string[] = []
    let token = ''
    for (let pages = 0; pages === 0 || token !== ''; pages++) {
      const { results, page: at } = await page(token === '' ? { limit: 2 } : { token })
      expect(at).toMatchObject({ count: results.length, total: 3 })
      seen.push(...results.map(({ id }) => id))
      token = at.next_token
      expect(pages).toBeLessThan(3)
    }
    expect(seen).toEqual(all)
  })

  it('are one where no limit is given', async () => {
    expect(await page({})).toMatchObject({ page: { next_token: '', count: 3, total: 3 } })
    expect((await search('resource', asked)).body).toMatchObject({ page: { next_token: '', count: 3 } })
  })

  it('may be empty', async () => {
    const { results, page: at } = await page({ limit: 0 })
    expect(results).toEqual([])
    expect(at.next_token).not.toBe('')
  })

  it('go on in the same search whatever the order of its keys, and in no other', async () => {
    const { page: first } = await page({ limit: 1 })
    const { resource, action, subject } = asked
    const same = { resource, action, subject: { id: 'bob', type: 'Customer' } }
    expect((await page({ token: first.next_token }, same)).results).toEqual([{ type: 'Account', id: 'acc-bob-closed' }])
    expect(subject.id).toBe('bob')
    const other = { ...asked, subject: { type: 'Customer', id: 'alice' } }
    expect((await search('resource', { ...other, page: { token: first.next_token } })).status).toBe(400)
  })
})

it('the stand-in of a bank searches too, asks for its key, and names its endpoints', async () => {
  const indykite = await startIndykite({ bank: BANKS.fjordbank, clientKey: 'key-1' })
  const url = `${indykite.url}/access/v1/search/subject`
  const body = { subject: { type: 'Customer' }, action: view, resource: joint }
  expect((await post(url, body)).status).toBe(401)
  expect((await post(url, body, { 'x-ik-clientkey': 'key-1' })).body).toMatchObject({ results: [{ id: 'carol' }] })
  expect((await get(`${indykite.url}/.well-known/authzen-configuration`)).body).toMatchObject({
    policy_decision_point: indykite.url,
    search_subject_endpoint: url,
  })
  await indykite.close()
})
