import { REASONS } from '../core/reasons.ts'
import { pass, refuse, type Verdict } from '../core/verdict.ts'
import type { World } from '../core/world.ts'
import type { AgentAnswer, AgentSource } from './agent-source.ts'
import type { IntentQuestion, IntentSource } from './intent-source.ts'
import { answerMemory } from './memory.ts'
import { sharedRequests } from './shared-request.ts'

export interface RememberingOptions {
  /** Milliseconds from the question on. @defaultValue 60000, which is also the most */
  readonly maxAgeMs?: number
  /** @defaultValue 10000, which is also the most */
  readonly maxEntries?: number
}

const MAX_AGE_MS = 60_000
const MAX_ENTRIES = 10_000

/**
 * Remembers an agent's extraction for the identical tenant, sentence, subject and digest of schema and policies, and
 * lets identical questions that are under way share one request. Only what an agent answered with a digest is
 * remembered; a refusal, a fault and anything of a PDP never is. Coverage and PDP judge a remembered answer afresh.
 */
export function remembering(
  source: AgentSource,
  world: Pick<World, 'monotonicMs'>,
  options: RememberingOptions = {},
): IntentSource {
  const memory = answerMemory({
    maxAgeMs: Math.min(options.maxAgeMs ?? MAX_AGE_MS, MAX_AGE_MS),
    maxEntries: Math.min(options.maxEntries ?? MAX_ENTRIES, MAX_ENTRIES),
  })
  const shared = sharedRequests<AgentAnswer>()
  const askAndNote = async (
    question: IntentQuestion,
    key: string,
    signal: AbortSignal,
  ): Promise<Verdict<AgentAnswer>> => {
    const asked = memory.asking(question.call.login.tenant, key, world.monotonicMs())
    const answer = await source.ask(question, signal)
    if (answer.ok) memory.answered(asked, answer.value)
    return answer
  }
  const ask = async (question: IntentQuestion, signal: AbortSignal): Promise<Verdict<AgentAnswer>> => {
    if (isOver(signal)) return refuse('intent.timeout', 'the deadline of the call')
    const key = keyOf(question)
    const remembered = memory.recall(key, world.monotonicMs())
    if (remembered !== undefined) return pass(remembered)
    const request = (own: AbortSignal): Promise<Verdict<AgentAnswer>> => askAndNote(question, key, own)
    // A request carries its own caller's token, so only questions of one login share it.
    const { joined, answer } = shared.join(JSON.stringify([key, question.call.login.token]), request, signal)
    const verdict = await answer
    // The fault of a request that another caller started, with less time left or a login about to end, is not ours.
    return joined && isFault(verdict) && !isOver(signal) ? request(signal) : verdict
  }
  return {
    extract: async (question, signal) => {
      const answer = await ask(question, signal)
      return answer.ok ? pass(answer.value.evaluations) : answer
    },
  }
}

const isOver = (signal: AbortSignal): boolean => signal.aborted

const isFault = (verdict: Verdict<unknown>): boolean => !verdict.ok && REASONS[verdict.reason].cause === 'fault'

const keyOf = ({ call: { login }, sentence }: IntentQuestion): string =>
  JSON.stringify([login.tenant, login.subject.type, login.subject.id, sentence])
