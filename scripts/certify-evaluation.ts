import type { Case, Check, Level, Problem, Sent, Target } from './certify-case.ts'
import { all, answers, decides, decidesAll, echoesId, isJson } from './certify-checks.ts'

export const alice = { type: 'user', id: 'alice' }
export const bob = { type: 'user', id: 'bob' }
export const admin = { ...bob, properties: { role: 'admin' } }
export const first = { type: 'record', id: 'record-1' }
export const second = { type: 'record', id: 'record-2' }
export const archived = { ...second, properties: { status: 'archived' } }
export const [read, write] = [{ name: 'read' }, { name: 'write' }]
const context = { time: '2025-06-27T18:03-07:00', ip: '192.168.1.1' }

/** Rule 1, which is permitted. */
export const rule1 = { subject: alice, action: read, resource: first }
const rule4 = { subject: bob, action: write, resource: first }

const one = (level: Level, id: string, says: string, body: unknown, check: Check, headers?: Sent['headers']): Case => {
  const sent: Sent = headers === undefined ? { body } : { body, headers }
  return { id, level, says, run: async ({ send }) => check(await send('evaluation', sent), sent) }
}
const core = one.bind(undefined, 'Basic Core')
const properties = one.bind(undefined, 'Basic Properties')
const refused = (id: string, says: string, body: unknown, headers?: Sent['headers']): Case =>
  core(id, says, body, answers(400), headers)

const several = (level: Level, id: string, says: string, body: unknown, check: Check): Case => ({
  id,
  level,
  says,
  run: async ({ send }) => check(await send('evaluations', { body }), { body }),
})
const batch = several.bind(undefined, 'Batch Core')
const batchProperties = several.bind(undefined, 'Batch Properties')

/** Basic certification: Access Evaluation. */
export const BASIC: readonly Case[] = [
  core('c-2-2-1', 'permits rule 1', rule1, decides(true)),
  core('c-2-2-2', 'denies rule 4', rule4, decides(false)),
  core('c-2-2-3', 'decides the same beside a context', { ...rule1, context }, decides(true)),
  properties(
    'c-2-2-4',
    'denies by the status of the resource (rule 5)',
    { subject: alice, action: write, resource: archived },
    decides(false),
  ),
  properties(
    'c-2-2-5',
    'permits by the role of the subject (rule 6)',
    { subject: admin, action: write, resource: archived },
    decides(true),
  ),
  properties('c-2-2-6', 'permits a soft delete (rule 7)', deleting(true), decides(true)),
  properties('c-2-2-7', 'denies a hard delete (rule 8)', deleting(false), decides(false)),
  core(
    'c-2-2-8',
    'takes further properties',
    {
      subject: { ...alice, properties: { department: 'Sales', role: 'manager' } },
      action: { ...read, properties: { method: 'GET' } },
      resource: { ...first, properties: { status: 'active', owner: 'bob' } },
    },
    decides(true),
  ),
  core('c-2-2-9', 'ignores unknown fields', { ...rule1, foo: 'bar', futureField: { nested: true } }, decides(true)),
  core('c-2-3-1', 'answers JSON with a boolean decision', rule4, decides()),
  core('c-2-3-2', 'has an object as context, if any', rule1, decides()),
  refused('c-2-4-1 (subject)', '400 without a subject', { action: read, resource: first }),
  refused('c-2-4-1 (action)', '400 without an action', { subject: alice, resource: first }),
  refused('c-2-4-1 (resource)', '400 without a resource', { subject: alice, action: read }),
  refused('c-2-4-2 (subject.type)', '400 without subject.type', { ...rule1, subject: { id: 'alice' } }),
  refused('c-2-4-2 (subject.id)', '400 without subject.id', { ...rule1, subject: { type: 'user' } }),
  refused('c-2-4-2 (action.name)', '400 without action.name', { ...rule1, action: {} }),
  refused('c-2-4-2 (resource.type)', '400 without resource.type', { ...rule1, resource: { id: 'record-1' } }),
  refused('c-2-4-2 (resource.id)', '400 without resource.id', { ...rule1, resource: { type: 'record' } }),
  refused('c-2-4-3', '400 for another content type', JSON.stringify(rule1), { 'content-type': 'text/plain' }),
  refused('c-2-4-4', '400 for a body that is not JSON', '{"subject": {'),
  refused('c-2-4-5', '400 for an empty body', ''),
  refused('c-2-4-6 (subject)', '400 for a subject that is text', { ...rule1, subject: 'alice' }),
  refused('c-2-4-6 (action.name)', '400 for a name that is a number', { ...rule1, action: { name: 123 } }),
  core('c-2-5-1', 'sends the X-Request-ID back', rule1, all(decides(true), echoesId), {
    'x-request-id': 'bfe9eb29-ab87',
  }),
  core('c-2-5-2', 'needs no X-Request-ID', rule1, decides(true)),
  {
    id: 'c-2-6',
    level: 'Basic Core',
    says: 'decides the same each time',
    run: decidesTheSame,
  },
]

async function decidesTheSame({ send }: Target): Promise<Problem> {
  for (let round = 0; round < 5; round++) {
    const problem = decides(true)(await send('evaluation', { body: rule1 }), { body: rule1 })
    if (problem !== undefined) return `round ${round + 1}: ${problem}`
  }
  return undefined
}

function deleting(soft: boolean): object {
  return { subject: alice, action: { name: 'delete', properties: { soft } }, resource: first }
}

const twoRecords = { subject: alice, action: read, evaluations: [{ resource: first }, { resource: second }] }
const bobsTwo = { subject: bob, resource: first, evaluations: [{ action: read }, { action: write }] }

/** Batch certification: Access Evaluations. */
export const BATCH: readonly Case[] = [
  batch('c-3-2-1', 'answers each evaluation', twoRecords, decidesAll(undefined, undefined)),
  batch('c-3-2-2', 'decides rules 3 and 4 in their order', bobsTwo, decidesAll(true, false)),
  batchProperties(
    'c-3-2-3',
    'reads the properties of each resource',
    {
      subject: alice,
      action: write,
      evaluations: [{ resource: { ...first, properties: { status: 'active' } } }, { resource: archived }],
    },
    decidesAll(true, false),
  ),
  batchProperties(
    'c-3-2-4',
    'reads the properties of each subject',
    { action: write, resource: archived, evaluations: [{ subject: alice }, { subject: admin }] },
    decidesAll(false, true),
  ),
  batch('c-3-2-5', 'needs no defaults', { evaluations: [rule1, rule4] }, decidesAll(true, false)),
  batch(
    'c-3-2-6',
    'takes a context for all, and for one',
    {
      ...twoRecords,
      context: { time: '2025-06-27T18:03-07:00' },
      evaluations: [{ resource: first }, { resource: second, context: { source: 'batch-override' } }],
    },
    decidesAll(undefined, undefined),
  ),
  batchProperties(
    'c-3-2-7',
    'takes a required part that an item leaves out from the default (advisory)',
    {
      subject: alice,
      action: write,
      resource: { type: 'record' },
      evaluations: [{ resource: { id: 'record-1', properties: { status: 'active' } } }, { resource: archived }],
    },
    decidesAll(true, false),
  ),
  batch(
    'c-3-3-1',
    'answers as many decisions as were asked',
    { ...bobsTwo, evaluations: [{ action: read }, { action: write }, { action: read }] },
    decidesAll(true, false, true),
  ),
  batch(
    'c-3-3-2',
    'answers in the order asked',
    { ...bobsTwo, evaluations: [{ action: write }, { action: read }] },
    decidesAll(false, true),
  ),
  batch('c-3-3-3', 'has a boolean decision in each', twoRecords, decidesAll(undefined, undefined)),
  batch(
    'c-3-3-4',
    'has evaluations, with or without a decision beside them',
    twoRecords,
    decidesAll(undefined, undefined),
  ),
  batch(
    'c-3-4-1',
    'denies an item that lacks its resource, and only that',
    { subject: alice, action: read, evaluations: [{ resource: first }, {}] },
    decidesAll(undefined, false),
  ),
  batch('c-3-4-2', 'is a single evaluation without evaluations', rule1, decides(true)),
  batch('c-3-4-3', 'is a single evaluation with none', { ...rule1, evaluations: [] }, decides(true)),
]

const transport = one.bind(undefined, 'Transport')

/** Transport, which belongs to every level. */
export const TRANSPORT: readonly Case[] = [
  {
    id: 'c-5-1',
    level: 'Transport',
    says: 'takes JSON over HTTPS',
    run: takesHttps,
  },
  transport('c-5-2', 'answers 200 with JSON', rule1, isJson),
  transport('c-5-3', '400 where a required field is missing', {}, answers(400)),
  transport('c-5-4', 'sends the X-Request-ID back', rule4, echoesId, { 'x-request-id': 'a-b-c' }),
  transport(
    'c-5-5',
    'ignores unknown fields in entities too',
    { ...rule1, resource: { ...first, label: 'x' } },
    decides(true),
  ),
]

async function takesHttps({ base, send }: Target): Promise<Problem> {
  if (!base.startsWith('https:')) return 'plain HTTP'
  return decides(true)(await send('evaluation', { body: rule1 }), { body: rule1 })
}
