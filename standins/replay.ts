import { AGENT_CARD_PATH } from '@a2a-js/sdk'
import { Agent } from 'undici'
import * as z from 'zod'
import type { Subject } from '../src/core/authzen.ts'
import { SettingError } from '../src/core/setting-error.ts'
import { questionKey, type RecordedAnswer, type Recording } from '../src/intent/recording.ts'
import { agentExecutor } from './agent-executor.ts'
import { agentRpc } from './agent-rpc.ts'
import { bearerCheck, bearerOf } from './bearer.ts'
import { type Extract, type Extraction, subjectOf } from './extract.ts'
import { readKnowledge } from './knowledge.ts'
import { json, type Listening, listening, type Routes, type Running, serve } from './serve.ts'

/** Where the present data schema and policies are read. */
export interface PresentKnowledge {
  readonly indykiteUrl: string
  readonly clientKey?: string | undefined
}

export interface ReplayOptions extends Listening, PresentKnowledge {
  /** Answers of other tenants in the recording are left alone. */
  readonly tenant: string
  readonly recording: Recording
  /** Named in errors. */
  readonly file: string
  /** RFC 7662 endpoint where the caller's bearer token is asked about, as the recorded agent did. */
  readonly introspectUrl: string
  /** Serves answers that were given under another schema or other policies. @defaultValue refuse to start */
  readonly evenIfOutdated?: boolean | undefined
}

/** A question that nobody has recorded. */
type UnknownQuestion = Pick<RecordedAnswer, 'subject' | 'sentence'>

export interface RunningReplay extends Running {
  /** Every unknown question so far, once each, in the order in which they came. */
  readonly unknown: () => readonly UnknownQuestion[]
}

/** The JSON-RPC error of a question that is not in the recording (server errors, -32000 to -32099, are ours to define). */
export const NOT_RECORDED = -32_050

/**
 * Serves recorded answers over A2A 1.0, through the real SDK. A question that is not in the recording is the error
 * `NOT_RECORDED` and is noted; nothing is ever worked out.
 * @throws SettingError when the port or IndyKite cannot be used, when the recording has nothing for the tenant, or when
 *   it was made under another schema or other policies.
 */
export async function startReplay(options: ReplayOptions): Promise<RunningReplay> {
  const answers = options.recording.filter(({ tenant }) => tenant === options.tenant)
  const [first] = answers
  if (first === undefined) throw refusal(options, `it holds no answer for ${options.tenant}`)
  const agent = new Agent({ connections: 4, keepAliveTimeout: 10_000 })
  const unknown = new Map<string, UnknownQuestion>()
  try {
    const present = await presentDigest(options, agent)
    if (present !== first.knowledge && options.evenIfOutdated !== true) {
      throw refusal(options, `it was made on ${first.at.slice(0, 10)} under another data schema or other policies`)
    }
    const served = { name: 'intent-agent replay', tenant: options.tenant, ...listening(options) }
    const running = await serve(served, (url) => routesOf(url, answers, first, unknown, options, agent))
    const close = async (): Promise<void> => {
      await running.close()
      await agent.destroy()
    }
    return { url: running.url, port: running.port, close, unknown: () => [...unknown.values()] }
  } catch (cause) {
    await agent.destroy()
    throw cause
  }
}

/**
 * The digest of the present data schema and policies, as a recording keeps it.
 * @throws SettingError when IndyKite gives no usable answer.
 */
export async function knowledgeDigest(where: PresentKnowledge): Promise<string> {
  const agent = new Agent()
  try {
    return await presentDigest(where, agent)
  } finally {
    await agent.destroy()
  }
}

const presentDigest = async ({ indykiteUrl, clientKey }: PresentKnowledge, agent: Agent): Promise<string> =>
  (await readKnowledge({ indykiteUrl, clientKey, agent })).digest

const refusal = ({ file }: ReplayOptions, problem: string): SettingError =>
  new SettingError(`recording ${file}`, problem, 'Record again with --record, or name another file')

function routesOf(
  url: string,
  answers: Recording,
  first: RecordedAnswer,
  unknown: Map<string, UnknownQuestion>,
  { tenant, introspectUrl }: ReplayOptions,
  agent: Agent,
): Routes {
  const byQuestion = new Map(answers.map((recorded) => [questionKey(recorded), recorded]))
  const find = (subject: Subject, sentence: string) => byQuestion.get(questionKey({ tenant, subject, sentence }))
  const extract: Extract = (sentence, subject) =>
    extractionOf(subject === undefined ? undefined : find(subject, sentence))
  const digest = answers.find((each) => each.digest !== undefined)?.digest ?? first.knowledge
  const { agent: version, at } = first
  const description = `Repeats what an intent-agent of version ${version} answered on ${at.slice(0, 10)}. ${SAYS}`
  const told = { url, name: 'intent-agent (replay)', description, version: `${version}+replay` }
  const rpc = agentRpc(told, agentExecutor({ mind: () => ({ extract, digest }), now: () => new Date() }))
  const check = bearerCheck({ introspectUrl, agent, now: () => Date.now() })
  const health = json(200, { status: 'ok', standin: SAYS, schema_digest: digest })
  return {
    [`GET /${AGENT_CARD_PATH}`]: () => rpc.card,
    'GET /health': () => health,
    'POST /': async (request) => {
      const token = bearerOf(request.headers.authorization)
      if (token === undefined || (await check(token)) !== 'active') return UNAUTHENTICATED
      const question = questionIn(request.body)
      if (question !== undefined && find(question.subject, question.sentence) === undefined) {
        unknown.set(questionKey({ tenant, ...question }), question)
        return json(200, { jsonrpc: '2.0', id: question.id, error: { code: NOT_RECORDED, message: UNKNOWN } })
      }
      return rpc.answer(request)
    },
  }
}

const SAYS = 'A stand-in: it repeats recorded answers of an intent-agent, and works nothing out.'
const UNKNOWN = 'This question is not in the recording.'
const UNAUTHENTICATED = json(401, { message: 'An active bearer token is needed.' }, { 'www-authenticate': 'Bearer' })

function extractionOf(recorded: RecordedAnswer | undefined): Extraction {
  // Only a message that is no question comes here without an answer; the executor refuses it by itself.
  if (recorded === undefined) return { kind: 'refused', why: 'subject', says: UNKNOWN }
  const { answer } = recorded
  if (answer.kind === 'extracted') return { kind: 'extracted', evaluations: answer.evaluations }
  return { kind: 'refused', why: 'declined', says: 'The agent refused this request when it was recorded.' }
}

// Loose: a request may hold more. Only what names the question is looked at, and only where there is exactly one.
const Request = z.looseObject({
  id: z.union([z.string(), z.number(), z.null()]).default(null),
  method: z.literal('SendMessage'),
  params: z.looseObject({
    message: z.looseObject({
      parts: z.tuple([z.looseObject({ text: z.string() })]),
      metadata: z.record(z.string(), z.unknown()),
    }),
  }),
})

interface AskedQuestion extends UnknownQuestion {
  readonly id: string | number | null
}

/** The question of a request; undefined for what is none, which the SDK or the executor refuses in its own words. */
function questionIn(body: string): AskedQuestion | undefined {
  try {
    const parsed = Request.safeParse(JSON.parse(body))
    const subject = parsed.success ? subjectOf(parsed.data.params.message.metadata) : undefined
    if (!parsed.success || subject === undefined) return undefined
    return { id: parsed.data.id, subject, sentence: parsed.data.params.message.parts[0].text }
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}
