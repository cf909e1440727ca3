import { createHash } from 'node:crypto'
import { type Agent, request } from 'undici'
import * as z from 'zod'
import { SettingError } from '../src/core/setting-error.ts'
import type { Knowledge } from './extract.ts'

export interface KnowledgeOptions {
  /** Trailing slashes do not matter. */
  readonly indykiteUrl: string
  readonly clientKey?: string | undefined
  readonly agent: Agent
}

/** What was read, and the SHA-256 of the bytes that said so. */
export interface Read extends Knowledge {
  readonly digest: string
}

// Loose on purpose: IndyKite may say more about each.
const Policies = z.looseObject({
  results: z.array(
    z.looseObject({
      policy: z.looseObject({
        subject: z.looseObject({ type: z.string() }),
        actions: z.array(z.string()),
        resource: z.looseObject({ type: z.string() }),
      }),
    }),
  ),
})
const Schema = z.looseObject({ graph: z.looseObject({ nodes: z.record(z.string(), z.unknown()) }) })

const TIMEOUT_MS = 2_000

/**
 * Reads the data schema and the policies of a project.
 * @throws SettingError when IndyKite gives no usable answer.
 */
export async function readKnowledge(options: KnowledgeOptions): Promise<Read> {
  const [schema, policies] = await Promise.all([
    read('/data-schema/v1/', Schema, options),
    read('/access/v1/policies', Policies, options),
  ])
  return {
    policies: policies.value.results.map(({ policy }) => policy),
    types: new Set(Object.keys(schema.value.graph.nodes)),
    digest: createHash('sha256').update(schema.text).update('\n').update(policies.text).digest('hex'),
  }
}

async function read<T>(
  path: string,
  shape: z.ZodType<T>,
  { indykiteUrl, clientKey, agent }: KnowledgeOptions,
): Promise<{ readonly text: string; readonly value: T }> {
  try {
    const answer = await request(`${indykiteUrl.replace(/\/+$/, '')}${path}`, {
      headers: clientKey === undefined ? {} : { 'x-ik-clientkey': clientKey },
      dispatcher: agent,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`)
    return { text, value: shape.parse(JSON.parse(text)) }
  } catch (cause) {
    const why =
      cause instanceof z.ZodError || cause instanceof SyntaxError ? 'the answer has another shape' : String(cause)
    const fix = 'Check INDYKITE_BASE_URL and IK_APP_AGENT_KEY, and that IndyKite is running'
    throw new SettingError('INDYKITE_BASE_URL', `${path} cannot be read (${why})`, fix)
  }
}
