import type { ReasonCode } from '../core/reasons.ts'
import { TransportError, type TransportFailure } from '../core/transport-error.ts'
import { pass, refuse, type Refusal, type Verdict } from '../core/verdict.ts'
import type { HttpAnswer, World } from '../core/world.ts'
import { type AskedIds, readA2aAnswer } from './a2a-answer.ts'
import { readAgentPayload } from './agent-payload.ts'
import type { AgentSource } from './agent-source.ts'
import type { IntentQuestion } from './intent-source.ts'

/** How to reach an intent-agent over A2A 1.0. */
export interface AgentSettings {
  /** The JSON-RPC endpoint. The bearer token goes to exactly this URL; no agent card is ever fetched. */
  readonly url: URL
  /** The bearer token. @defaultValue the token of the caller's login */
  readonly token?: string
  /** Milliseconds for one question; a shorter deadline of the caller wins. */
  readonly timeoutMs: number
  readonly world: Pick<World, 'deadline' | 'newId' | 'send'>
}

const FAILURES: Record<TransportFailure, ReasonCode> = {
  unreachable: 'intent.unavailable',
  timeout: 'intent.timeout',
  answer: 'intent.answer_invalid',
}

/**
 * Asks an intent-agent in one stateless `SendMessage`. Every fault of the agent or of the way to it is a refused verdict
 * with an `intent.*` code; rejects only for what `World.send` does not promise.
 */
export function agentSource(settings: AgentSettings): AgentSource {
  const ask: AgentSource['ask'] = async (question, signal) => {
    const ids = { requestId: settings.world.newId(), messageId: settings.world.newId() }
    const body = JSON.stringify(sendMessage(question, ids))
    const answer = await post(settings, settings.token ?? question.call.login.token, body, signal)
    if (!answer.ok) return answer
    const payload = readAnswer(answer.value, ids)
    return payload.ok ? readAgentPayload(payload.value) : payload
  }
  return {
    ask,
    extract: async (question, signal) => {
      const answer = await ask(question, signal)
      return answer.ok ? pass(answer.value.evaluations) : answer
    },
  }
}

/**
 * The request body. Who asks is in the message's metadata, from the login alone; without contextId and taskId each
 * question is a conversation of its own.
 */
const sendMessage = ({ call, sentence }: IntentQuestion, { requestId, messageId }: AskedIds): unknown => ({
  jsonrpc: '2.0',
  id: requestId,
  method: 'SendMessage',
  params: {
    message: {
      messageId,
      role: 'ROLE_USER',
      parts: [{ text: sentence, mediaType: 'text/plain' }],
      metadata: { subject_type: call.login.subject.type, subject_id: call.login.subject.id },
    },
    configuration: {},
  },
})

async function post(
  { url, timeoutMs, world }: AgentSettings,
  token: string,
  body: string,
  signal: AbortSignal,
): Promise<Verdict<HttpAnswer>> {
  const deadline = world.deadline(timeoutMs)
  try {
    const answer = await world.send(url, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'a2a-version': '1.0',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body,
      signal: AbortSignal.any([signal, deadline.signal]),
    })
    return signal.aborted || deadline.expired() ? refuse('intent.timeout', 'a late answer') : pass(answer)
  } catch (cause) {
    if (cause instanceof TransportError) return refuse(FAILURES[cause.kind], cause.message)
    throw cause
  } finally {
    deadline.clear()
  }
}

function readAnswer({ status, body }: HttpAnswer, ids: AskedIds): Verdict<unknown> {
  return status === 200 ? readA2aAnswer(body, ids) : refuseStatus(status)
}

function refuseStatus(status: number): Refusal {
  const detail = `HTTP ${status}`
  if (status === 401 || status === 403) return refuse('intent.unauthenticated', detail)
  return refuse(status >= 500 ? 'intent.unavailable' : 'intent.answer_invalid', detail)
}
