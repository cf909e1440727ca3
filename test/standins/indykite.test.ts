import { afterAll, describe, expect, it } from 'vitest'
import { BANKS } from '../../src/canbank/banks.ts'
import { startIndykite } from '../../standins/indykite.ts'
import { BANK_ACTIONS, BANK_POLICIES } from '../../standins/policies.ts'
import { get, post, started } from './support.ts'

const starting = startIndykite({ bank: BANKS.canbank })
afterAll(async () => (await starting).close())

const bob = { type: 'Customer', id: 'bob' }
const view = { name: 'VIEW_ACCOUNT_BALANCE' }
const own = { type: 'Account', id: 'acc-bob-checking' }
const alices = { type: 'Account', id: 'acc-alice-savings' }
const permitted = { subject: bob, action: view, resource: own }
const denied = { subject: bob, action: view, resource: alices }
const yes = { decision: true }
const no = { decision: false }
const fault = (message: string) => ({ decision: false, context: { error: { status: 400, message } } })

const evaluation = async (body: unknown, headers?: Record<string, string>) =>
  post(`${(await starting).url}/access/v1/evaluation`, body, headers)
const evaluations = async (body: unknown, headers?: Record<string, string>) =>
  post(`${(await starting).url}/access/v1/evaluations`, body, headers)

describe('the data schema', () => {
  it.each(['/data-schema/v1', '/data-schema/v1/'])('is served at %s without a redirect', async (path) => {
    const response = await fetch((await starting).url + path, { redirect: 'error' })
    expect(await response.json()).toMatchObject({
      graph: {
        directed: true,
        nodes: {
          Customer: { metadata: { node_count: 3 } },
          Account: { metadata: { node_count: 6, properties: { closed: { types: [{ type: 'boolean', count: 6 }] } } } },
          Invoice: { metadata: { node_count: 3 } },
        },
        edges: [
          { source: 'Customer', target: 'Account', relation: 'OWNS', metadata: { count: 7 } },
          { source: 'Invoice', target: 'Customer', relation: 'BILLED_TO', metadata: { count: 3 } },
        ],
      },
    })
  })

  it('holds no balance, name or id of anybody', async () => {
    const text = JSON.stringify((await get(`${(await starting).url}/data-schema/v1`)).body)
    expect(text).not.toMatch(/acc-|inv-|alice|bob|carol|8000000/i)
  })
})

describe('the policies', () => {
  it('are one for each action, in version 2.0-kbac with a condition in cypher', async () => {
    const { body } = await get(`${(await starting).url}/access/v1/policies`)
    expect(body).toEqual({ results: BANK_ACTIONS.map((action) => ({ policy: BANK_POLICIES[action], tags: [] })) })
    for (const action of BANK_ACTIONS) {
      expect(BANK_POLICIES[action]).toMatchObject({ meta: { policy_version: '2.0-kbac' }, actions: [action] })
      expect(BANK_POLICIES[action].condition.cypher).toMatch(/^MATCH .*subject:Customer.*resource:/)
    }
  })

  it.each([
    { type: 'Customer', count: 4 },
    { type: 'Robot', count: 0 },
  ])('with subject_type=$type are $count', async ({ type, count }) => {
    const { body } = await get(`${(await starting).url}/access/v1/policies?subject_type=${type}`)
    expect((body as { results: unknown[] }).results).toHaveLength(count)
  })
})

describe('an access evaluation', () => {
  it.each([
    { what: 'a permit', body: permitted, answer: yes },
    { what: 'a deny', body: denied, answer: no },
    { what: 'a permit beside a context', body: { ...permitted, context: { time: 'now' } }, answer: yes },
    {
      what: 'a permit beside unknown fields',
      body: { ...permitted, foo: 1, resource: { ...own, bar: [] } },
      answer: yes,
    },
    {
      what: 'a permit beside null properties',
      body: { ...permitted, subject: { ...bob, properties: null } },
      answer: yes,
    },
    {
      what: 'a deny for an unknown subject type',
      body: { ...permitted, subject: { type: 'Robot', id: 'bob' } },
      answer: no,
    },
    {
      what: 'a deny for an unknown subject',
      body: { ...permitted, subject: { type: 'Customer', id: 'zoe' } },
      answer: no,
    },
    { what: 'a deny for an unknown action', body: { ...permitted, action: { name: 'DELETE' } }, answer: no },
    {
      what: 'a deny for an unknown resource type',
      body: { ...permitted, resource: { ...own, type: 'Vault' } },
      answer: no,
    },
    { what: 'a deny for an unknown resource', body: { ...permitted, resource: { ...own, id: 'acc-zoe' } }, answer: no },
    {
      what: 'a deny for an id in another case',
      body: { ...permitted, subject: { type: 'Customer', id: 'Bob' } },
      answer: no,
    },
    {
      what: 'a deny for an external payee',
      body: { ...permitted, resource: { ...own, id: 'ext-oslo-bolig' } },
      answer: no,
    },
    {
      what: 'a deny for the profile of somebody who is unknown',
      body: {
        subject: { type: 'Customer', id: 'zoe' },
        action: { name: 'VIEW_CUSTOMER_PROFILE' },
        resource: { type: 'Customer', id: 'zoe' },
      },
      answer: no,
    },
    {
      what: 'a deny for words that together spell a policy',
      body: {
        subject: { type: 'Customer\nVIEW_INVOICE', id: 'bob' },
        action: { name: 'Invoice' },
        resource: { type: '', id: '' },
      },
      answer: no,
    },
  ])('is $what', async ({ body, answer }) => {
    expect(await evaluation(body)).toMatchObject({ status: 200, body: answer })
  })

  const withoutSubject = { action: view, resource: own }
  it.each([
    { what: 'no subject', body: withoutSubject, says: 'subject is missing' },
    { what: 'no action', body: { subject: bob, resource: own }, says: 'action is missing' },
    { what: 'no resource', body: { subject: bob, action: view }, says: 'resource is missing' },
    { what: 'no subject.type', body: { ...permitted, subject: { id: 'bob' } }, says: 'subject.type is missing' },
    { what: 'no subject.id', body: { ...permitted, subject: { type: 'Customer' } }, says: 'subject.id is missing' },
    { what: 'no action.name', body: { ...permitted, action: {} }, says: 'action.name is missing' },
    { what: 'no resource.type', body: { ...permitted, resource: { id: 'a' } }, says: 'resource.type is missing' },
    { what: 'no resource.id', body: { ...permitted, resource: { type: 'Account' } }, says: 'resource.id is missing' },
    { what: 'a subject that is text', body: { ...permitted, subject: 'bob' }, says: 'subject is not an object' },
    { what: 'an action that is a list', body: { ...permitted, action: [view] }, says: 'action is not an object' },
    {
      what: 'a name that is a number',
      body: { ...permitted, action: { name: 1 } },
      says: 'action.name is not a string',
    },
    {
      what: 'an id that is a number',
      body: { ...permitted, subject: { type: 'Customer', id: 7 } },
      says: 'subject.id is not a string',
    },
    { what: 'a context that is text', body: { ...permitted, context: 'now' }, says: 'context is not an object' },
    {
      what: 'properties that are a list',
      body: { ...permitted, resource: { ...own, properties: [] } },
      says: 'resource.properties is not an object',
    },
    { what: 'a list', body: [permitted], says: 'the body is not an object' },
    { what: 'half of a JSON text', body: '{"subject":', says: 'not JSON' },
    { what: 'an empty body', body: '', says: 'not JSON' },
    { what: 'a duplicate key', body: '{"subject":{},"subject":{}}', says: 'a duplicate key' },
  ])('is a 400 for $what', async ({ body, says }) => {
    expect(await evaluation(body)).toMatchObject({ status: 400, body: { message: says } })
    expect((await evaluations(body)).status).toBe(400)
  })

  it.each([
    { type: 'text/plain', status: 400 },
    { type: 'application/x-www-form-urlencoded', status: 400 },
    { type: 'application/json; charset=utf-8', status: 200 },
    { type: 'Application/JSON', status: 200 },
  ])('with content type $type is answered with $status', async ({ type, status }) => {
    expect((await evaluation(permitted, { 'content-type': type })).status).toBe(status)
  })

  it('carries the X-Request-ID back, also on a 400, and none when none was sent', async () => {
    expect((await evaluation(permitted, { 'x-request-id': 'r-1' })).headers.get('x-request-id')).toBe('r-1')
    expect((await evaluation('', { 'x-request-id': 'r-2' })).headers.get('x-request-id')).toBe('r-2')
    expect((await evaluation(permitted)).headers.get('x-request-id')).toBeNull()
  })
})

describe('a boxcar', () => {
  const semantics = (evaluations_semantic: unknown) => ({ options: { evaluations_semantic } })
  it.each([
    { what: 'keeps the order', body: { evaluations: [permitted, denied, permitted] }, answer: [yes, no, yes] },
    {
      what: 'fills items from the defaults',
      body: { ...permitted, evaluations: [{}, { resource: alices }] },
      answer: [yes, no],
    },
    {
      what: 'replaces a default as a whole',
      body: { ...denied, resource: { ...alices, properties: 5 }, evaluations: [{ resource: own }] },
      answer: [yes],
    },
    {
      what: 'takes the required parts that an item leaves out from the default',
      body: { ...permitted, evaluations: [{ resource: { type: 'Account' } }, { resource: { id: alices.id } }] },
      answer: [yes, no],
    },
    {
      what: 'may have a default that only the items complete',
      body: { ...permitted, resource: { type: 'Account' }, evaluations: [{ resource: { id: own.id } }, {}] },
      answer: [yes, fault('resource.id is missing')],
    },
    {
      what: 'shows the fault of one item in that item',
      body: { subject: bob, action: view, evaluations: [{ resource: own }, {}, 5, { resource: own, action: 'x' }] },
      answer: [
        yes,
        fault('resource is missing'),
        fault('the evaluation is not an object'),
        fault('action is not an object'),
      ],
    },
    {
      what: 'runs to the end with execute_all',
      body: { evaluations: [denied, permitted, denied], ...semantics('execute_all') },
      answer: [no, yes, no],
    },
    {
      what: 'stops at the first deny with deny_on_first_deny',
      body: { evaluations: [permitted, denied, permitted], ...semantics('deny_on_first_deny') },
      answer: [yes, no],
    },
    {
      what: 'stops at the first fault with deny_on_first_deny',
      body: { evaluations: [permitted, {}, permitted], ...semantics('deny_on_first_deny') },
      answer: [yes, fault('subject is missing')],
    },
    {
      what: 'stops at the first permit with permit_on_first_permit',
      body: { evaluations: [denied, permitted, denied], ...semantics('permit_on_first_permit') },
      answer: [no, yes],
    },
    { what: 'ignores other options', body: { evaluations: [permitted], options: { more: 1 } }, answer: [yes] },
  ])('$what', async ({ body, answer }) => {
    expect(await evaluations(body)).toMatchObject({ status: 200, body: { evaluations: answer } })
    expect(Object.keys((await evaluations(body)).body as object)).toEqual(['evaluations'])
  })

  it.each([
    { what: 'without evaluations', body: permitted, answer: yes },
    { what: 'with none', body: { ...permitted, evaluations: [] }, answer: yes },
    { what: 'with none, and a deny', body: { ...denied, evaluations: [] }, answer: no },
  ])('$what is a single evaluation', async ({ body, answer }) => {
    expect((await evaluations(body)).body).toEqual(answer)
  })

  it.each([
    { what: 'evaluations that are an object', body: { ...permitted, evaluations: {} } },
    { what: 'a default of a wrong type', body: { subject: 'bob', evaluations: [permitted] } },
    { what: 'a default action that is a list', body: { action: [], evaluations: [permitted] } },
    { what: 'a default context that is text', body: { context: '', evaluations: [permitted] } },
    { what: 'options that are text', body: { evaluations: [permitted], options: 'execute_all' } },
    { what: 'an unknown semantic', body: { evaluations: [permitted], ...semantics('first_wins') } },
  ])('is a 400 for $what', async ({ body }) => {
    expect((await evaluations(body)).status).toBe(400)
  })
})

describe('the client key', () => {
  const paths = ['/data-schema/v1', '/data-schema/v1/', '/access/v1/policies']
  it.each([
    { what: 'none', headers: {}, status: 401 },
    { what: 'a wrong one', headers: { 'x-ik-clientkey': 'key-2' }, status: 401 },
    { what: 'a longer one', headers: { 'x-ik-clientkey': 'key-11' }, status: 401 },
    { what: 'an empty one', headers: { 'x-ik-clientkey': '' }, status: 401 },
    { what: 'the right one', headers: { 'x-ik-clientkey': 'key-1' }, status: 200 },
  ])('$what gets $status', async ({ headers, status }) => {
    const { url } = await started(startIndykite({ bank: BANKS.canbank, clientKey: 'key-1' }))
    for (const path of paths) expect((await get(url + path, headers)).status).toBe(status)
    expect((await post(`${url}/access/v1/evaluation`, permitted, headers)).status).toBe(status)
    const boxcar = await post(`${url}/access/v1/evaluations`, permitted, { ...headers, 'x-request-id': 'r' })
    expect(boxcar.status).toBe(status)
    expect(boxcar.headers.get('x-request-id')).toBe('r')
    if (status === 401) expect(boxcar.body).toEqual({ message: 'The X-IK-ClientKey header is missing or wrong.' })
  })

  it('is not needed for the health and the discovery document', async () => {
    const { url } = await started(startIndykite({ bank: BANKS.canbank, clientKey: 'key-1' }))
    expect((await get(`${url}/health`)).body).toMatchObject({ status: 'ok' })
    expect((await get(`${url}/.well-known/authzen-configuration`)).body).toMatchObject({
      policy_decision_point: url,
      access_evaluation_endpoint: `${url}/access/v1/evaluation`,
      access_evaluations_endpoint: `${url}/access/v1/evaluations`,
    })
  })
})

describe("the policies of an app's own tools", () => {
  it('are served, in the schema, and decided by their own rule', async () => {
    const grant = {
      policy: {
        meta: { policy_version: '2.0-kbac' },
        subject: { type: 'Customer' },
        actions: ['USE'],
        resource: { type: 'Tool' },
        condition: { cypher: 'MATCH (subject:Customer), (resource:Tool)' },
      },
      permits: (subject: string, resource: string) => subject === 'bob' && resource === 'get_time',
    } as const
    const { url } = await started(startIndykite({ bank: BANKS.canbank, grants: [grant] }))
    const ask = (id: string) => ({ subject: bob, action: { name: 'USE' }, resource: { type: 'Tool', id } })
    expect((await post(`${url}/access/v1/evaluation`, ask('get_time'))).body).toEqual(yes)
    expect((await post(`${url}/access/v1/evaluation`, ask('reboot'))).body).toEqual(no)
    expect((await post(`${url}/access/v1/evaluation`, permitted)).body).toEqual(yes)
    expect((await get(`${url}/data-schema/v1`)).body).toHaveProperty('graph.nodes.Tool')
    expect((await get(`${url}/access/v1/policies`)).body).toHaveProperty('results[4].policy', grant.policy)
  })
})
