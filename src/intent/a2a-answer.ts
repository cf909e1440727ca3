import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../core/json-object.ts'
import type { ReasonCode } from '../core/reasons.ts'
import { strictJson, StrictJsonError } from '../core/strict-json.ts'
import { pass, refuse, type Refusal, type Verdict } from '../core/verdict.ts'
import { olderTrace } from './a2a-older.ts'

/** VersionNotSupportedError (A2A 1.0, Error Handling), and how an agent of an older version answers `SendMessage`. */
const OTHER_VERSION = new Set([-32009, -32601])
/** Of our replay stand-in: nobody has recorded an answer to this question. */
const NOT_RECORDED = -32050
const CONTENT_KEYS = ['text', 'data', 'raw', 'url']

/** What each state of a task says about an answer; only a completed task has one. */
const STATES: ReadonlyMap<unknown, ReasonCode | 'completed'> = new Map<unknown, ReasonCode | 'completed'>([
  ['TASK_STATE_COMPLETED', 'completed'],
  ['TASK_STATE_SUBMITTED', 'intent.agent_failed'],
  ['TASK_STATE_WORKING', 'intent.agent_failed'],
  ['TASK_STATE_FAILED', 'intent.agent_failed'],
  ['TASK_STATE_CANCELED', 'intent.agent_failed'],
  // The agent says no, or asks back; the gate holds no conversation.
  ['TASK_STATE_REJECTED', 'intent.refused'],
  ['TASK_STATE_INPUT_REQUIRED', 'intent.refused'],
  ['TASK_STATE_AUTH_REQUIRED', 'intent.unauthenticated'],
])

// Loose on purpose, here and below: A2A lets a peer add fields. What is believed is spelled out.
const RpcError = z.looseObject({ code: z.int(), message: z.string() })
const Parts = z.array(z.looseObject({})).optional()
// An id that is empty is left out by some writers; one that is a number is of another protocol.
const Id = z.string().optional()
const Task = z.looseObject({
  id: Id,
  contextId: Id,
  status: z.looseObject({ state: z.string() }),
  artifacts: z.array(z.looseObject({ artifactId: Id, parts: Parts })).optional(),
  history: z.array(z.looseObject({ messageId: Id })).nullish(),
})
const Message = z.looseObject({
  messageId: Id,
  taskId: Id,
  contextId: Id,
  role: z.literal('ROLE_AGENT'),
  parts: Parts,
})

/** The ids of one question, which its answer must not contradict. */
export interface AskedIds {
  /** Of the JSON-RPC request. */
  readonly requestId: string
  /** Of the one message that was sent. */
  readonly messageId: string
}

type Part = JsonObject

const invalid = (detail: string): Refusal => refuse('intent.answer_invalid', detail)

/**
 * Finds the one JSON payload in the answer to `SendMessage` (A2A 1.0, JSON-RPC binding): of a completed task or of a
 * message of the agent. Everything else is a refusal whose detail quotes nothing of the agent's text.
 */
export function readA2aAnswer(body: unknown, { requestId, messageId }: AskedIds): Verdict<unknown> {
  if (!isJsonObject(body) || body['jsonrpc'] !== '2.0') return invalid('not a JSON-RPC 2.0 answer')
  const hasError = Object.hasOwn(body, 'error')
  if (hasError === Object.hasOwn(body, 'result')) return invalid('not exactly one of result and error')
  // JSON-RPC 2.0, Response object: the id is null when the server could not read the request.
  const ownId = body['id'] === requestId || (hasError && body['id'] === null)
  if (!ownId) return invalid('another id than that of the request')
  return hasError ? readError(body['error']) : readResult(body['result'], messageId)
}

function readError(error: unknown): Refusal {
  const parsed = RpcError.safeParse(error)
  if (!parsed.success) return invalid('a malformed JSON-RPC error')
  const { code } = parsed.data
  return refuse(reasonOf(code), `JSON-RPC error ${code}`)
}

function reasonOf(code: number): ReasonCode {
  if (code === NOT_RECORDED) return 'intent.not_recorded'
  return OTHER_VERSION.has(code) ? 'intent.version_unsupported' : 'intent.agent_failed'
}

function readResult(result: unknown, messageId: string): Verdict<unknown> {
  if (!isJsonObject(result)) return invalid('the result is not an object')
  const trace = olderTrace(result)
  if (trace !== undefined) return refuse('intent.version_unsupported', `${trace} is not of A2A 1.0`)
  const hasTask = Object.hasOwn(result, 'task')
  if (hasTask === Object.hasOwn(result, 'message')) return invalid('not exactly one of task and message')
  const parts = hasTask ? partsOfTask(result['task'], messageId) : partsOfMessage(result['message'])
  return parts.ok ? onePayload(parts.value) : parts
}

function partsOfTask(task: unknown, messageId: string): Verdict<readonly Part[]> {
  const parsed = Task.safeParse(task)
  if (!parsed.success) return invalid('a malformed task, or one without a state')
  const { status, artifacts = [], history } = parsed.data
  // Each question is a conversation of one message: a task that holds another one of the user answers somebody else.
  const isOthers = history?.some((said) => said['role'] === 'ROLE_USER' && (said.messageId ?? messageId) !== messageId)
  if (isOthers === true) return invalid('a task with another message of the user than ours')
  const meaning = STATES.get(status.state)
  if (meaning === undefined) return invalid('a state that A2A 1.0 does not have')
  if (meaning !== 'completed') return refuse(meaning, status.state)
  return pass(artifacts.flatMap(({ parts = [] }) => parts))
}

function partsOfMessage(message: unknown): Verdict<readonly Part[]> {
  const parsed = Message.safeParse(message)
  return parsed.success
    ? pass(parsed.data.parts ?? [])
    : invalid('a malformed message, or one that is not of ROLE_AGENT')
}

function onePayload(parts: readonly Part[]): Verdict<unknown> {
  const payloads: unknown[] = []
  for (const part of parts) {
    const found = payloadOf(part)
    if (!found.ok) return found
    payloads.push(...found.value)
  }
  return payloads.length === 1 ? pass(payloads[0]) : invalid(`${payloads.length} JSON payloads in place of one`)
}

/** A data part is a payload; a text part is one when its text is a JSON object or array, and a remark otherwise. */
function payloadOf(part: Part): Verdict<readonly unknown[]> {
  const [key, ...more] = CONTENT_KEYS.filter((content) => Object.hasOwn(part, content))
  if (more.length > 0) return invalid('a part with several contents')
  if (key === 'data') return pass([part['data']])
  const text = key === 'text' ? part['text'] : undefined
  return typeof text === 'string' ? payloadInText(text) : invalid('a part that is neither text nor data')
}

function payloadInText(text: string): Verdict<readonly unknown[]> {
  try {
    const value = strictJson(text)
    return pass(typeof value === 'object' && value !== null ? [value] : [])
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    // JSON that two readers may read in two ways is no remark.
    return isLenientJson(text) ? invalid(`JSON text with ${cause.message}`) : pass([])
  }
}

function isLenientJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (cause) {
    if (cause instanceof SyntaxError) return false
    throw cause
  }
}
