import { Pool, type Dispatcher } from 'undici'
import type { Case, Endpoint, Reply, Sent, Target } from './certify-case.ts'
import { isObject } from './certify-checks.ts'
import { DISCOVERY } from './certify-discovery.ts'
import { BASIC, BATCH, TRANSPORT } from './certify-evaluation.ts'
import { SEARCH } from './certify-search.ts'

/** Every case of the certification scenario of AuthZEN's Authorization API 1.0. */
export const CASES: readonly Case[] = [...BASIC, ...BATCH, ...SEARCH, ...TRANSPORT, ...DISCOVERY]

export interface Result {
  readonly id: string
  readonly level: Case['level']
  readonly says: string
  readonly passed: boolean
  /** What was wrong. */
  readonly problem?: string
}

export interface Access {
  /** PEM text of a certificate authority to trust. @defaultValue those of Node */
  readonly ca?: string | undefined
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>
}

const PATIENCE_MS = 10_000

/** Runs all cases against the PDP at `base`, one after the other. */
export async function certify(base: string, access: Access = {}): Promise<readonly Result[]> {
  const url = new URL(base)
  const pool = new Pool(url.origin, access.ca === undefined ? {} : { connect: { ca: access.ca } })
  try {
    const target = await open(url, pool, access.headers ?? {})
    const results: Result[] = []
    for (const each of CASES) results.push(await resultOf(each, target))
    return results
  } finally {
    await pool.destroy()
  }
}

async function resultOf({ id, level, says, run }: Case, target: Target): Promise<Result> {
  try {
    const problem = await run(target)
    return { id, level, says, passed: problem === undefined, ...(problem === undefined ? {} : { problem }) }
  } catch (cause) {
    const problem = `no answer: ${cause instanceof Error ? cause.message : String(cause)}`
    return { id, level, says, passed: false, problem }
  }
}

const PATHS: Readonly<Record<Endpoint, readonly [path: string, named: string]>> = {
  evaluation: ['/access/v1/evaluation', 'access_evaluation_endpoint'],
  evaluations: ['/access/v1/evaluations', 'access_evaluations_endpoint'],
  subject: ['/access/v1/search/subject', 'search_subject_endpoint'],
  resource: ['/access/v1/search/resource', 'search_resource_endpoint'],
  action: ['/access/v1/search/action', 'search_action_endpoint'],
}

async function open(url: URL, pool: Pool, headers: Readonly<Record<string, string>>): Promise<Target> {
  const path = url.pathname.replace(/\/+$/, '')
  const base = `${url.origin}${path}`
  const metadata = await exchange(pool, { method: 'GET', path: `/.well-known/authzen-configuration${path}`, headers })
  const pathOf = (endpoint: Endpoint): string => {
    const [standard, name] = PATHS[endpoint]
    const named = isObject(metadata.body) && metadata.status === 200 ? metadata.body[name] : undefined
    // Nothing is sent to another origin, whatever the document says.
    const elsewhere = typeof named === 'string' && URL.canParse(named) ? new URL(named) : undefined
    return elsewhere?.origin === url.origin ? elsewhere.pathname : `${path}${standard}`
  }
  const send = (endpoint: Endpoint, { body, headers: own }: Sent): Promise<Reply> =>
    exchange(pool, {
      method: 'POST',
      path: pathOf(endpoint),
      headers: { 'content-type': 'application/json', ...headers, ...own },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return { base, metadata, send }
}

async function exchange(pool: Pool, options: Dispatcher.RequestOptions): Promise<Reply> {
  const answer = await pool.request({ ...options, signal: AbortSignal.timeout(PATIENCE_MS) })
  const text = await answer.body.text()
  const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
  return { status: answer.statusCode, headers: Object.fromEntries(headers) as Reply['headers'], body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}
