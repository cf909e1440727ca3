import type { Evaluation } from '../core/authzen.ts'
import type { Verdict } from '../core/verdict.ts'
import type { IntentQuestion, IntentSource } from './intent-source.ts'

/** What an intent-agent found in one sentence. */
export interface AgentAnswer {
  readonly evaluations: readonly Evaluation[]
  /**
   * Names the schema and the policies that the extraction was made with (payload field `schema_digest`). Absent: the
   * answer must not be remembered.
   */
  readonly digest?: string
}

/** An intent source that also says under which schema and policies it answered. */
export interface AgentSource extends IntentSource {
  /** As `extract`, with the digest. */
  ask(question: IntentQuestion, signal: AbortSignal): Promise<Verdict<AgentAnswer>>
}
