import { createHash } from 'node:crypto'
import type { Subject } from '../src/core/authzen.ts'
import { visibleLine } from '../src/core/visible.ts'
import { type Failure, type Knowledge, type ModelExtract, type ModelExtraction, offersFor, refuse } from './extract.ts'
import { type AskModel, type Messages, type ModelSettings, openModelClient, type Said } from './model-client.ts'
import { answerSchema, correction, PROMPT_VERSION, systemPrompt, type Topic } from './model-prompt.ts'
import { readModelAnswer, type Reading } from './model-reading.ts'

export interface IntentModel extends ModelSettings {
  /** More tries after an answer that cannot be validated. @defaultValue 1 */
  readonly maxRetries?: number | undefined
  /** Milliseconds for one sentence, all tries included; keep it below what the asker waits. */
  readonly timeoutMs: number
}

/** A model that reads sentences. */
export interface ModelReader {
  /** Made anew for each refresh of what the agent knows. */
  extractor(knowledge: Knowledge): ModelExtract
  /** Names knowledge, model and prompt together: a remembered extraction ends when one of them changes. */
  digest(knowledgeDigest: string): string
  /** Gives up what is under way, and ends every connection. */
  close(): Promise<void>
}

const MAX_RETRIES = 1
const MAX_SENTENCE = 4_096
const MAX_REPEATED = 4_096
const MAX_REASON = 300

const FAILURES = {
  timeout: { kind: 'failed', why: 'timeout', says: 'The model gave no answer in time.' },
  unavailable: { kind: 'failed', why: 'unavailable', says: 'The model gave no usable answer.' },
} as const satisfies Record<Failure['why'], Failure>

/**
 * Reads sentences with a model. What it answers is validated like the rules' own evaluations and grounded in the
 * sentence, so a model that errs, or obeys somebody else, causes a refusal and never another evaluation.
 */
export async function openModelReader(model: IntentModel): Promise<ModelReader> {
  const client = await openModelClient(model)
  const underWay = new Set<AbortController>()
  const within = async (read: (signal: AbortSignal) => Promise<ModelExtraction>): Promise<ModelExtraction> => {
    const controller = new AbortController()
    const timer = setTimeout(() => {
      controller.abort()
    }, model.timeoutMs)
    underWay.add(controller)
    try {
      return await read(controller.signal)
    } finally {
      clearTimeout(timer)
      underWay.delete(controller)
    }
  }
  return {
    extractor: (knowledge) => async (sentence, subject) => {
      const topic = subject === undefined ? undefined : topicFor(subject, knowledge)
      if (subject === undefined || topic === undefined) return { ...refuse('subject'), tries: 0 }
      if (topic.offers.length === 0) return { ...refuse('scope'), tries: 0 }
      if (sentence.length > MAX_SENTENCE) return { ...refuse('unclear'), tries: 0 }
      return within((signal) =>
        converse({ ask: client.ask, topic, sentence, subject, signal, retries: model.maxRetries }),
      )
    },
    digest: (knowledgeDigest) =>
      createHash('sha256')
        .update(JSON.stringify([knowledgeDigest, model.baseUrl, model.name, PROMPT_VERSION]))
        .digest('hex'),
    close: () => {
      for (const controller of underWay) controller.abort()
      return client.close()
    },
  }
}

const topicFor = (subject: Subject, knowledge: Knowledge): Topic => ({
  types: [...knowledge.types],
  offers: offersFor(subject, knowledge),
})

interface Conversation {
  readonly ask: AskModel
  readonly topic: Topic
  readonly sentence: string
  readonly subject: Subject
  readonly signal: AbortSignal
  readonly retries: number | undefined
}

async function converse(conversation: Conversation): Promise<ModelExtraction> {
  const { ask, topic, sentence, subject, signal, retries = MAX_RETRIES } = conversation
  const messages: Messages = [
    { role: 'system', content: systemPrompt(topic) },
    { role: 'user', content: sentence },
  ]
  const schema = answerSchema(topic)
  for (let tries = 1; ; tries++) {
    const said = await hear(ask, { messages, schema, signal })
    if (said.kind === 'failed') return { ...said, tries }
    const reading = readingOf(said, conversation)
    if (reading.kind !== 'unusable') return { ...concluded(reading, subject), tries }
    if (tries > retries) return { ...refuse('unvalidated', `In its last answer, ${reading.fault}`), tries }
    const content = said.kind === 'text' ? said.text.slice(0, MAX_REPEATED) : ''
    messages.push({ role: 'assistant', content }, { role: 'user', content: correction(reading.fault) })
  }
}

async function hear(ask: AskModel, question: Parameters<AskModel>[0]): Promise<Said | Failure> {
  const { signal } = question
  try {
    const said = await ask(question)
    return signal.aborted ? FAILURES.timeout : said
  } catch {
    // Whatever went wrong between us and the endpoint: nothing is known about the request. A message may hold the key.
    return signal.aborted ? FAILURES.timeout : FAILURES.unavailable
  }
}

const readingOf = (said: Said, { sentence, topic }: Conversation): Reading =>
  said.kind === 'refusal' ? { kind: 'refused' } : readModelAnswer(said.text, sentence, topic.offers)

function concluded(reading: Exclude<Reading, { kind: 'unusable' }>, subject: Subject) {
  if (reading.kind === 'refused') {
    const reason = reading.reason === undefined ? undefined : visibleLine(reading.reason.slice(0, MAX_REASON))
    return refuse('declined', reason)
  }
  const evaluations = reading.wanted.map(({ action, type, id }) => ({
    subject,
    action: { name: action },
    resource: { type, id },
  }))
  return { kind: 'extracted' as const, evaluations }
}
