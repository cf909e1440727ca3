import { z } from 'zod'
import type { Evaluation, Subject } from '../core/authzen.ts'
import { SettingError } from '../core/setting-error.ts'
import { StrictJsonError, strictJson } from '../core/strict-json.ts'
import type { Verdict } from '../core/verdict.ts'
import type { AgentAnswer, AgentSource } from './agent-source.ts'
import type { IntentQuestion } from './intent-source.ts'

/** What an agent answered: evaluations, or that it refuses. A fault is no answer and is never recorded. */
type Answered =
  { readonly kind: 'extracted'; readonly evaluations: readonly Evaluation[] } | { readonly kind: 'refused' }

/** One answer of an intent-agent, and under what it was given. Holds no token. */
export interface RecordedAnswer {
  readonly tenant: string
  readonly subject: Pick<Subject, 'type' | 'id'>
  readonly sentence: string
  readonly answer: Answered
  /** The version of the agent, as its card says. */
  readonly agent: string
  /** What the agent itself calls schema and policies (payload field `schema_digest`); a refusal carries none. */
  readonly digest?: string
  /** SHA-256 of the data schema and the policies when this was recorded; a replay compares it with the present ones. */
  readonly knowledge: string
  /** ISO 8601 instant. */
  readonly at: string
}

/** The answers of one file. INVARIANT: one answer a question, and one agent, digest and knowledge a tenant. */
export type Recording = readonly RecordedAnswer[]

export interface RecorderOptions {
  readonly agent: string
  readonly knowledge: string
  readonly now: () => Date
  /** Called once for each new question; what it throws ends the question, which the gate turns into a deny. */
  readonly keep: (recorded: RecordedAnswer) => void
  /** What the file holds already, so that an interrupted run goes on. @defaultValue nothing */
  readonly known?: Recording
}

/** Around an agent: keeps the first answer to each question, and gives every answer on as it is. */
export function recording(source: AgentSource, options: RecorderOptions): AgentSource {
  const kept = new Set((options.known ?? []).map(questionKey))
  const ask: AgentSource['ask'] = async (question, signal) => {
    const verdict = await source.ask(question, signal)
    const recorded = recordedOf(question, verdict, options)
    if (recorded === undefined || kept.has(questionKey(recorded))) return verdict
    options.keep(recorded)
    kept.add(questionKey(recorded))
    return verdict
  }
  return {
    ask,
    extract: async (question, signal) => {
      const answer = await ask(question, signal)
      return answer.ok ? { ok: true, value: answer.value.evaluations } : answer
    },
  }
}

/** What a question is known by. Two questions with the same key have the same answer. */
export const questionKey = ({
  tenant,
  subject,
  sentence,
}: Pick<RecordedAnswer, 'tenant' | 'subject' | 'sentence'>): string =>
  JSON.stringify([tenant, subject.type, subject.id, sentence])

function recordedOf(
  { call: { login }, sentence }: IntentQuestion,
  verdict: Verdict<AgentAnswer>,
  { agent, knowledge, now }: RecorderOptions,
): RecordedAnswer | undefined {
  if (!verdict.ok && verdict.reason !== 'intent.refused') return undefined
  const { tenant, subject } = login
  return {
    ...{ tenant, subject: { type: subject.type, id: subject.id }, sentence },
    answer: verdict.ok ? { kind: 'extracted', evaluations: verdict.value.evaluations } : { kind: 'refused' },
    agent,
    ...(verdict.ok && verdict.value.digest !== undefined ? { digest: verdict.value.digest } : {}),
    ...{ knowledge, at: now().toISOString() },
  }
}

const VERSION = 1

// Strict, here and below: we write this file ourselves, so anything more is damage or another version.
const Header = z.strictObject({ recording: z.literal('intent-agent'), version: z.literal(VERSION) })
const Word = z.string().min(1)
const Properties = z.record(z.string(), z.unknown()).exactOptional()
const Entity = z.strictObject({ type: Word, id: Word, properties: Properties })
const Evaluated = z.strictObject({
  subject: Entity,
  action: z.strictObject({ name: Word, properties: Properties }),
  resource: Entity,
  context: Properties,
})
const Line = z.strictObject({
  tenant: Word,
  subject: z.strictObject({ type: Word, id: Word }),
  sentence: Word,
  answer: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('extracted'), evaluations: z.array(Evaluated) }),
    z.strictObject({ kind: z.literal('refused') }),
  ]),
  agent: Word,
  digest: Word.exactOptional(),
  knowledge: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.iso.datetime(),
})

/** The first line of a recording file. */
export const RECORDING_HEADER = JSON.stringify({ recording: 'intent-agent', version: VERSION })

/**
 * Reads the text of a recording file: the header, then one answer a line.
 * @throws SettingError that names the file and the line.
 */
export function parseRecording(text: string, file: string): Recording {
  const lines = text.split('\n')
  const last = lines.pop()
  if (last !== '') throw unusable(file, lines.length + 1, 'it has no end: the line was cut off')
  const [header = '', ...rest] = lines
  if (!Header.safeParse(jsonOf(header, file, 1)).success) {
    throw unusable(file, 1, `it is not the header of a recording of version ${VERSION}`)
  }
  const read: RecordedAnswer[] = []
  const under = new Map<string, Under>()
  const seen = new Set<string>()
  rest.forEach((line, index) => {
    const at = index + 2
    const recorded = lineOf(line, file, at)
    if (seen.has(questionKey(recorded))) throw unusable(file, at, 'its question is in an earlier line too')
    seen.add(questionKey(recorded))
    checkSame(recorded, under, file, at)
    read.push(recorded)
  })
  return read
}

function lineOf(line: string, file: string, at: number): RecordedAnswer {
  const parsed = Line.safeParse(jsonOf(line, file, at))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const field = issue === undefined ? '' : z.core.toDotPath(issue.path)
    throw unusable(file, at, `${field === '' ? 'it' : `its field ${field}`} is wrong (${issue?.code ?? 'invalid'})`)
  }
  return parsed.data
}

type Under = Pick<RecordedAnswer, 'agent' | 'digest' | 'knowledge'>

/** Answers of two schemas in one recording would be an answer that no agent ever gave. */
function checkSame(recorded: RecordedAnswer, under: Map<string, Under>, file: string, at: number): void {
  const first = under.get(recorded.tenant) ?? recorded
  const digest = recorded.digest ?? first.digest
  const known = first.digest ?? digest
  const isSame = recorded.agent === first.agent && recorded.knowledge === first.knowledge && digest === known
  if (!isSame) throw unusable(file, at, 'it was recorded under another agent, schema or policies than the lines before')
  under.set(recorded.tenant, { ...recorded, ...(known === undefined ? {} : { digest: known }) })
}

function jsonOf(line: string, file: string, at: number): unknown {
  try {
    return strictJson(line)
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    throw unusable(file, at, `it is not usable JSON (${cause.message})`)
  }
}

const unusable = (file: string, line: number, problem: string): SettingError =>
  new SettingError(`recording ${file}, line ${line}`, problem, 'Record again with --record, or restore a copy')
