import type { Evaluation, NonEmpty } from '../core/authzen.ts'
import type { Login } from '../core/login.ts'
import type { Verdict } from '../core/verdict.ts'

export interface Pdp {
  /**
   * One decision per evaluation, in the order asked (AuthZEN 1.0, Access Evaluations, `execute_all`). Everything but a
   * well-formed answer is a refused verdict with a `pdp.*` code, or a rejection; an implementation never guesses, never
   * caches a permit, and a `false` in the answer is not a refusal.
   */
  decide(question: PdpQuestion, signal: AbortSignal): Promise<Verdict<readonly boolean[]>>
}

export interface PdpQuestion {
  readonly evaluations: NonEmpty<Evaluation>
  /** For a kind that forwards the user's own token. */
  readonly login: Login
}
