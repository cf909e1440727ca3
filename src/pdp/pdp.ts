import type { Evaluation, NonEmpty } from '../core/authzen.ts'
import type { Login } from '../core/login.ts'
import type { Verdict } from '../core/verdict.ts'

/** Whoever decides. The port of this room: a kind of PDP is one implementation of it. */
export interface Pdp {
  /**
   * One decision per evaluation, in the order asked (AuthZEN 1.0, Access Evaluations, `execute_all`). Everything but a
   * well-formed answer is a refused verdict with a `pdp.*` code, or a rejection; an implementation never guesses, never
   * caches a permit, and a `false` in the answer is not a refusal.
   */
  decide(question: PdpQuestion, signal: AbortSignal): Promise<Verdict<readonly boolean[]>>
}

/** One boxcar: everything that one call needs decided (AuthZEN 1.0, Access Evaluations). */
export interface PdpQuestion {
  readonly evaluations: NonEmpty<Evaluation>
  /** For a kind that forwards the user's own token. */
  readonly login: Login
}
