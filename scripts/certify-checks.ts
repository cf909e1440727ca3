import type { Check, Problem, Reply } from './certify-case.ts'

type Fields = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The first problem of several checks. */
export const all =
  (...checks: readonly Check[]): Check =>
  (reply, sent) => {
    for (const check of checks) {
      const problem = check(reply, sent)
      if (problem !== undefined) return problem
    }
    return undefined
  }

export const answers =
  (status: number): Check =>
  (reply) =>
    reply.status === status ? undefined : `status ${reply.status}`

/** 200 with a JSON object. */
export const isJson: Check = ({ status, headers, body }) => {
  if (status !== 200) return `status ${status}`
  if (headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') return 'content type'
  return isObject(body) ? undefined : 'not a JSON object'
}

/** One decision: of this value when one is given. */
export const decides = (expected?: boolean): Check => all(isJson, ({ body }) => decisionProblem(body, expected))

function decisionProblem(item: unknown, expected?: boolean): Problem {
  const decision = isObject(item) ? item['decision'] : undefined
  if (typeof decision !== 'boolean') return 'no decision'
  if (isObject(item) && 'context' in item && !isObject(item['context'])) return 'context is not an object'
  return expected === undefined || decision === expected ? undefined : `decision is ${String(decision)}`
}

/** A list of decisions of this length; a value where one is given. */
export const decidesAll = (...expected: readonly (boolean | undefined)[]): Check =>
  all(isJson, ({ body }) => {
    const items = isObject(body) ? body['evaluations'] : undefined
    if (!Array.isArray(items)) return 'no evaluations'
    if (items.length !== expected.length) return `${items.length} decisions for ${expected.length}`
    for (const [index, value] of expected.entries()) {
      const problem = decisionProblem(items[index], value)
      if (problem !== undefined) return `item ${index + 1}: ${problem}`
    }
    return undefined
  })

/** Search results of one type, or action names, with at least these. */
export const finds = (type: string | undefined, ...expected: readonly string[]): Check =>
  all(isJson, (reply) => {
    const results = resultsOf(reply)
    if (results === undefined) return 'no results'
    const key = type === undefined ? 'name' : 'id'
    for (const each of results) {
      if (!isObject(each) || typeof each[key] !== 'string') return `a result without ${key}`
      if (type !== undefined && each['type'] !== type) return 'a result of another type'
    }
    const missing = expected.find((name) => !results.some((each) => isObject(each) && each[key] === name))
    return missing === undefined ? undefined : `${missing} is not found`
  })

export const findsNothing: Check = all(isJson, (reply) => {
  const results = resultsOf(reply)
  if (results === undefined) return 'no results'
  return results.length === 0 ? undefined : `${results.length} results`
})

/** A `page`, where there is one, is an object with a `next_token`. */
export const hasGoodPage: Check = ({ body }) => {
  const page = pageOf(body)
  if (page === undefined) return undefined
  if (!isObject(page)) return 'page is not an object'
  if (typeof page['next_token'] !== 'string') return 'page.next_token is not a string'
  for (const count of ['count', 'total']) {
    if (page[count] !== undefined && !Number.isInteger(page[count])) return `page.${count} is not a number`
  }
  return page['properties'] === undefined || isObject(page['properties'])
    ? undefined
    : 'page.properties is not an object'
}

export const resultsOf = ({ body }: Reply): readonly unknown[] | undefined => {
  const results = isObject(body) ? body['results'] : undefined
  return Array.isArray(results) ? (results as readonly unknown[]) : undefined
}

const pageOf = (body: unknown): unknown => (isObject(body) ? body['page'] : undefined)

/** The token of the next page; empty or undefined at the end. */
export const nextToken = ({ body }: Reply): string | undefined => {
  const page = pageOf(body)
  return isObject(page) && typeof page['next_token'] === 'string' ? page['next_token'] : undefined
}

/** The id that the request had comes back. */
export const echoesId: Check = ({ headers }, sent) => {
  const echo = headers['x-request-id']
  if (echo === sent.headers?.['x-request-id']) return undefined
  return echo === undefined ? 'no X-Request-ID' : 'another X-Request-ID'
}
