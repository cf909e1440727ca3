import type { Evaluation } from '../core/authzen.ts'
import type { NormalizedCall } from '../core/call.ts'
import type { Verdict } from '../core/verdict.ts'

export interface IntentSource {
  /**
   * The evaluations that one call asks for, in the words of its sentence. A refusal of the source is a refused verdict;
   * breakage may also reject. Whatever comes back is still checked for coverage and put to the PDP.
   */
  extract(question: IntentQuestion, signal: AbortSignal): Promise<Verdict<readonly Evaluation[]>>
}

export interface IntentQuestion {
  readonly call: NormalizedCall
  /** Rendered from the tool's template; the caller is not in it. */
  readonly sentence: string
}
