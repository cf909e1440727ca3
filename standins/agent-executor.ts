import { type Message, Role, type Task, TaskState } from '@a2a-js/sdk'
import { AgentEvent, type AgentExecutor } from '@a2a-js/sdk/server'
import { type Extraction, type Extract, type Failure, type ModelExtract, refuse, subjectOf } from './extract.ts'

/** What the agent knows now; replaced as a whole by a refresh. */
export interface Mind {
  readonly extract: Extract | ModelExtract
  readonly digest: string
}

/** What came of one message, without the words of anybody. */
export interface Note {
  readonly answer: 'extracted' | 'refused' | 'failed'
  readonly evaluations: number
  /** Why not; absent for an extraction. */
  readonly why?: string
  /** How often a model was asked; absent without one. */
  readonly tries?: number
}

export interface ExecutorOptions {
  /** Read once per message, so that a refresh counts from the next message on. */
  readonly mind: () => Mind
  readonly log?: ((line: string, note: Note) => void) | undefined
  readonly now: () => Date
}

type Outcome = (Extraction | Failure) & { readonly tries?: number }

/**
 * Answers a message with one COMPLETED task that holds one data part; a refusal is the same with no evaluations. Where
 * nothing could be found out, the task is FAILED.
 */
export function agentExecutor({ mind, log, now }: ExecutorOptions): AgentExecutor {
  return {
    async execute({ taskId, contextId, userMessage }, bus) {
      const { extract, digest } = mind()
      const outcome = await readMessage(userMessage, extract)
      if (log !== undefined) write(log, userMessage, outcome, digest, now())
      const task = outcome.kind === 'failed' ? failedTask(outcome.says) : completedTask(outcome, digest)
      bus.publish(AgentEvent.task({ id: taskId, contextId, history: [], metadata: undefined, ...task }))
      bus.finished()
    },
    cancelTask: () => Promise.resolve(),
  }
}

function readMessage({ parts, metadata }: Message, extract: Mind['extract']): Outcome | Promise<Outcome> {
  const subject = subjectOf(metadata)
  if (subject === undefined) return refuse('subject')
  const [part, ...more] = parts
  if (part?.content?.$case !== 'text') return refuse('unclear')
  return more.length > 0 ? refuse('several') : extract(part.content.value, subject)
}

type Ending = Pick<Task, 'status' | 'artifacts'>

function completedTask(extraction: Extraction, digest: string): Ending {
  const extracted = extraction.kind === 'extracted'
  const value = {
    evaluations: extracted ? extraction.evaluations : [],
    reasons: extracted ? [] : [extraction.says],
    schema_digest: digest,
  }
  const part = partOf({ $case: 'data', value }, 'application/json')
  return {
    status: { state: TaskState.TASK_STATE_COMPLETED, message: undefined, timestamp: undefined },
    artifacts: [
      {
        artifactId: 'evaluations',
        name: 'evaluations',
        description: '',
        extensions: [],
        metadata: undefined,
        parts: [part],
      },
    ],
  }
}

function failedTask(says: string): Ending {
  const message: Message = {
    messageId: 'failure',
    role: Role.ROLE_AGENT,
    parts: [partOf({ $case: 'text', value: says }, 'text/plain')],
    contextId: '',
    taskId: '',
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  }
  return { status: { state: TaskState.TASK_STATE_FAILED, message, timestamp: undefined }, artifacts: [] }
}

type Part = Message['parts'][number]

const partOf = (content: Part['content'], mediaType: string): Part => ({
  content,
  mediaType,
  filename: '',
  metadata: undefined,
})

function noteOf(outcome: Outcome): Note {
  const tries = outcome.tries === undefined ? {} : { tries: outcome.tries }
  return outcome.kind === 'extracted'
    ? { answer: 'extracted', evaluations: outcome.evaluations.length, ...tries }
    : { answer: outcome.kind, evaluations: 0, why: outcome.why, ...tries }
}

/** The sentence is in the evaluations; of a refused one only the reason is kept, since it may hold anything. */
function lineOf({ metadata }: Message, outcome: Outcome, digest: string, at: Date): string {
  const subject = subjectOf(metadata)
  const evaluations =
    outcome.kind === 'extracted'
      ? { evaluations: outcome.evaluations.map(({ action, resource }) => ({ action, resource })) }
      : {}
  const { answer, why, tries } = noteOf(outcome)
  return JSON.stringify({
    ...{ at: at.toISOString(), subject: subject ?? null, answer, ...evaluations, why, tries },
    schema_digest: digest,
  })
}

function write(
  log: NonNullable<ExecutorOptions['log']>,
  message: Message,
  outcome: Outcome,
  digest: string,
  at: Date,
): void {
  try {
    log(lineOf(message, outcome, digest, at), noteOf(outcome))
  } catch {
    // A log that fails is no reason to fail the answer: the gate has its own audit.
  }
}
