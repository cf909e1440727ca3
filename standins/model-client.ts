import type { OpenAI } from 'openai'
import { Agent, fetch as undiciFetch } from 'undici'
import * as z from 'zod'

export interface ModelSettings {
  /** An OpenAI-compatible endpoint, usually ending in /v1. */
  readonly baseUrl: string
  /** @defaultValue no Authorization header */
  readonly apiKey?: string | undefined
  readonly name: string
}

export type Messages = OpenAI.ChatCompletionMessageParam[]

interface ModelQuestion {
  readonly messages: Messages
  /** The JSON schema of the answer. */
  readonly schema: Record<string, unknown>
  readonly signal: AbortSignal
}

export type Said = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'refusal' }

/** Rejects for every fault of the endpoint or of the way to it. */
export type AskModel = (question: ModelQuestion) => Promise<Said>

export interface ModelClient {
  readonly ask: AskModel
  /** Ends every connection. */
  close(): Promise<void>
}

const MAX_BODY_BYTES = 1_048_576
const JSON_TYPE = 'application/json'
/** The signal of each question ends earlier. */
const NEVER_MS = 2 ** 31 - 1

// Loose on purpose: endpoints add fields of their own.
const Completion = z.looseObject({
  choices: z.tuple([
    z.looseObject({
      message: z.looseObject({ content: z.string().nullish(), refusal: z.string().nullish() }),
    }),
  ]),
})

/** Opens the `openai` client, which takes a moment to load, for one endpoint and nothing of the environment. */
export async function openModelClient({ baseUrl, apiKey, name }: ModelSettings): Promise<ModelClient> {
  const { OpenAI } = await import('openai')
  // Set here, so that NODE_TLS_REJECT_UNAUTHORIZED=0 cannot turn it off.
  const agent = new Agent({ connect: { rejectUnauthorized: true } })
  const client = new OpenAI({
    baseURL: baseUrl,
    // Each is named, since the client would take what is absent from OPENAI_* variables, which are for another endpoint.
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: NEVER_MS,
    fetch: strictFetch(apiKey, agent),
  })
  const ask: AskModel = async ({ messages, schema, signal }) => {
    const body = {
      model: name,
      messages,
      response_format: {
        type: 'json_schema' as const,
        json_schema: { name: 'authorization_questions', strict: true, schema },
      },
    }
    const answer: unknown = await client.chat.completions.create(body, { signal })
    const { message } = Completion.parse(answer).choices[0]
    return typeof message.refusal === 'string' && message.refusal !== ''
      ? { kind: 'refusal' }
      : { kind: 'text', text: message.content ?? '' }
  }
  return { ask, close: () => agent.destroy() }
}

/** Sends no header but ours, follows no redirect, reads at most 1 MiB, and takes nothing but JSON with a 200. */
function strictFetch(apiKey: string | undefined, dispatcher: Agent): typeof fetch {
  const headers = {
    accept: JSON_TYPE,
    'accept-encoding': 'identity',
    'content-type': JSON_TYPE,
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  }
  return async (url, { method = 'GET', body, signal = null } = {}) => {
    if (typeof url !== 'string' || typeof body !== 'string') throw new Error('only text is sent, to a URL')
    const answer = await undiciFetch(url, { method, body, signal, headers, redirect: 'error', dispatcher })
    if (answer.status !== 200) {
      await answer.body?.cancel()
      throw new Error(`the endpoint answered ${answer.status}`)
    }
    if (mediaType(answer.headers.get('content-type')) !== JSON_TYPE) {
      throw new Error('the answer is not application/json')
    }
    return new Response(await bounded(answer), { headers: { 'content-type': JSON_TYPE } })
  }
}

const mediaType = (type: string | null): string => (type ?? '').replace(/;.*$/s, '').trim().toLowerCase()

async function bounded(answer: Awaited<ReturnType<typeof undiciFetch>>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error('the answer is over 1 MiB')
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
