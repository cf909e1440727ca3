import type { Case, Check, Endpoint, Level, Problem, Reply, Target } from './certify-case.ts'
import { all, answers, finds, findsNothing, hasGoodPage, isJson, nextToken, resultsOf } from './certify-checks.ts'
import { admin, alice, archived, first, read, write } from './certify-evaluation.ts'

const search = (level: Level, endpoint: Endpoint, id: string, says: string, body: unknown, check: Check): Case => ({
  id,
  level,
  says,
  run: async ({ send }) => check(await send(endpoint, { body }), { body }),
})
const core = search.bind(undefined, 'Search Core')
const properties = search.bind(undefined, 'Search Properties')
const refused = (endpoint: Endpoint, id: string, says: string, body: unknown): Case =>
  core(endpoint, id, says, body, answers(400))

const user = { type: 'user' }
const record = { type: 'record' }
const readers = { subject: user, action: read, resource: first }
const readable = { subject: alice, action: read, resource: record }
const allowed = { subject: alice, resource: first }
const context = { time: '2025-06-27T18:03-07:00' }
const isPage = all(finds('user'), hasGoodPage)

/** Search certification. Ids in the searched entity and c-4-3-4 are of an earlier edition of the scenario. */
export const SEARCH: readonly Case[] = [
  core('subject', 'c-4-2-1', 'finds who may read', readers, finds('user', 'alice', 'bob')),
  core('subject', 'c-4-2-2', 'finds the same beside a context', { ...readers, context }, finds('user', 'alice', 'bob')),
  core(
    'subject',
    'c-4-2-3',
    'does not look at subject.id',
    { ...readers, subject: alice },
    finds('user', 'alice', 'bob'),
  ),
  properties(
    'subject',
    'c-4-2-4',
    'finds who may write what is archived (rule 6)',
    { subject: user, action: write, resource: archived },
    finds('user', 'bob'),
  ),
  core('resource', 'c-4-3-1', 'finds what alice may read', readable, finds('record', 'record-1')),
  core(
    'resource',
    'c-4-3-2',
    'does not look at resource.id',
    { ...readable, resource: { ...record, id: 'record-2' } },
    finds('record', 'record-1'),
  ),
  properties(
    'resource',
    'c-4-3-3',
    'finds what an admin may write (rule 6)',
    { subject: admin, action: write, resource: record },
    finds('record', 'record-2'),
  ),
  core('resource', 'c-4-3-4', 'finds the same beside a context', { ...readable, context }, finds('record', 'record-1')),
  core('action', 'c-4-4-1', 'finds what alice may do', allowed, finds(undefined, 'read', 'write')),
  core(
    'action',
    'c-4-4-2',
    'finds the same beside a context',
    { ...allowed, context },
    finds(undefined, 'read', 'write'),
  ),
  properties(
    'action',
    'c-4-4-3',
    'finds what an admin may do with what is archived',
    { subject: admin, resource: archived },
    finds(undefined, 'write'),
  ),
  core('subject', 'c-4-5-1', 'takes a page limit', { ...readers, page: { limit: 1 } }, isPage),
  {
    id: 'c-4-5-2',
    level: 'Search Core',
    says: 'goes on with the token of the page before, to an empty one',
    run: goesOn,
  },
  core('subject', 'c-4-5-3', 'has a page as it should be, if any', readers, isPage),
  {
    id: 'c-4-5-4',
    level: 'Search Core',
    says: 'gives everything, in one answer or over its pages',
    run: givesEverything,
  },
  core(
    'action',
    'c-4-6-1',
    'finds nothing for an unknown id',
    { subject: { ...user, id: 'nonexistent-user' }, resource: first },
    findsNothing,
  ),
  core(
    'subject',
    'c-4-6-2',
    'finds nothing for an unknown type',
    { ...readers, subject: { type: 'spaceship' } },
    findsNothing,
  ),
  refused('subject', 'c-4-7-1 (action)', '400 without an action', { subject: user, resource: first }),
  refused('resource', 'c-4-7-1 (subject)', '400 without a subject', { action: read, resource: record }),
  refused('action', 'c-4-7-1 (resource)', '400 without a resource', { subject: alice }),
  refused('subject', 'c-4-7-2 (resource.id)', '400 without resource.id', {
    subject: user,
    action: read,
    resource: record,
  }),
  refused('resource', 'c-4-7-2 (subject.id)', '400 without subject.id', {
    subject: user,
    action: read,
    resource: record,
  }),
  core('subject', 'c-5-2 (search)', 'answers 200 with JSON', readers, isJson),
]

/** Asks for one page after the other, by the token of the one before. */
async function pagesOf({ send }: Target): Promise<readonly Reply[] | string> {
  const replies: Reply[] = []
  for (let page: object | undefined = { limit: 1 }; page !== undefined;) {
    const body = { ...readers, page }
    const reply = await send('subject', { body })
    const problem = isPage(reply, { body })
    if (problem !== undefined) return problem
    replies.push(reply)
    if (replies.length > 100) return 'no end of pages'
    const token = nextToken(reply)
    page = token === undefined || token === '' ? undefined : { token }
  }
  return replies
}

async function goesOn(target: Target): Promise<Problem> {
  const replies = await pagesOf(target)
  if (typeof replies === 'string') return replies
  return replies.slice(1).some((reply) => nextToken(reply) === undefined) ? 'a page without next_token' : undefined
}

async function givesEverything(target: Target): Promise<Problem> {
  const replies = await pagesOf(target)
  if (typeof replies === 'string') return replies
  const results = replies.flatMap((reply) => resultsOf(reply) ?? [])
  const headers = { 'content-type': 'application/json' }
  return finds('user', 'alice', 'bob')({ status: 200, headers, body: { results } }, { body: readers })
}
