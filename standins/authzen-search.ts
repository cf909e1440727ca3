import { createHash } from 'node:crypto'
import { BadRequest, entity, guarded, isObject, kind, named, optionalObject, type Fields } from './authzen-request.ts'
import type { PdpKnowledge } from './pdp.ts'
import { json, type Routes, type StandinAnswer } from './serve.ts'

/**
 * The three searches (AuthZEN 1.0, Search APIs): everything known that a decision would permit, in the order in which it
 * is known, in pages. Whatever is unknown finds nothing.
 */
export const searchRoutes = (knowledge: PdpKnowledge): Routes => ({
  'POST /access/v1/search/subject': guarded((body) => paged(body, subjects(body, knowledge))),
  'POST /access/v1/search/resource': guarded((body) => paged(body, resources(body, knowledge))),
  'POST /access/v1/search/action': guarded((body) => paged(body, actions(body, knowledge))),
})

function subjects(body: Fields, { entities, decide }: PdpKnowledge): readonly object[] {
  const asked = kind('subject', body['subject'])
  const rest = { action: named(body['action']), resource: entity('resource', body['resource']) }
  return entities.filter(({ type, id }) => type === asked.type && decide({ subject: { ...asked, id }, ...rest }))
}

function resources(body: Fields, { entities, decide }: PdpKnowledge): readonly object[] {
  const asked = kind('resource', body['resource'])
  const rest = { subject: entity('subject', body['subject']), action: named(body['action']) }
  return entities.filter(({ type, id }) => type === asked.type && decide({ resource: { ...asked, id }, ...rest }))
}

/** An action that is there is not looked at. */
function actions(body: Fields, { actions: known, decide }: PdpKnowledge): readonly object[] {
  const rest = { subject: entity('subject', body['subject']), resource: entity('resource', body['resource']) }
  return known.filter((name) => decide({ action: { name }, ...rest })).map((name) => ({ name }))
}

const PAGE = 100

interface Position {
  readonly from: number
  readonly limit: number
}

/** The part of `found` that the request asks for; an empty `next_token` says that it is the last one. */
function paged(body: Fields, found: readonly object[]): StandinAnswer {
  optionalObject('context', body['context'])
  const { page, ...search } = body
  const digest = createHash('sha256').update(canonical(search)).digest('base64url')
  const { from, limit } = position(optionalObject('page', page) ?? {}, digest)
  const results = found.slice(from, from + limit)
  const next = from + results.length
  const next_token = next < found.length ? tokenOf({ from: next, limit }, digest) : ''
  return json(200, { results, page: { next_token, count: results.length, total: found.length } })
}

function position({ token, limit }: Fields, digest: string): Position {
  if (limit !== undefined && !isCount(limit)) throw new BadRequest('page.limit is not a count')
  if (token === undefined || token === '') return { from: 0, limit: limit ?? PAGE }
  const kept = typeof token === 'string' ? readToken(token, digest) : undefined
  if (kept === undefined) throw new BadRequest('page.token is not of this search')
  return { from: kept.from, limit: limit ?? kept.limit }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** Names the search that it continues, so that it continues no other. */
const tokenOf = ({ from, limit }: Position, digest: string): string => `${from}.${limit}.${digest}`

function readToken(token: string, digest: string): Position | undefined {
  const [from = '', limit = '', of] = token.split('.')
  if (of !== digest || !/^\d{1,9}$/.test(from) || !/^\d{1,9}$/.test(limit)) return undefined
  return { from: Number(from), limit: Number(limit) }
}

/** The same text for the same search, in whatever order its keys come. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const entries = Object.keys(value).toSorted()
  return `{${entries.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`
}
