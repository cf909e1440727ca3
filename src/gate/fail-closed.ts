import { TransportError } from '../core/transport-error.ts'
import type { Deadline } from '../core/world.ts'
import { REASONS, type ReasonCode } from '../core/reasons.ts'
import { refuse, type Verdict } from '../core/verdict.ts'

/** Which code each way to fail has in one stage. */
export interface StageFaults {
  readonly threw: ReasonCode
  readonly late: ReasonCode
}

/** Tells a person about breakage; the audit only gets its name. */
export type Report = (cause: unknown) => void

/** The deadline of one decision: all of its stages, one after the other, share one listener. */
export interface Patience {
  readonly deadline: Deadline
  /** The work's answer, or a rejection with the signal's reason as soon as the time is up. */
  readonly orAborted: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>
  /** Stops listening and clears the deadline. Call once, when the decision is made. */
  readonly end: () => void
}

/** Waits no longer than until the deadline. */
export function patience(deadline: Deadline): Patience {
  const { signal } = deadline
  let giveUp: (() => void) | undefined
  const late = (): void => giveUp?.()
  signal.addEventListener('abort', late)
  return {
    deadline,
    orAborted: (work) =>
      new Promise((resolve, reject) => {
        giveUp = () => {
          reject(signal.reason as Error)
        }
        if (signal.aborted) giveUp()
        else work(signal).then(resolve, reject)
      }),
    end: () => {
      signal.removeEventListener('abort', late)
      deadline.clear()
    },
  }
}

/**
 * Runs one stage that others implement, and turns every way to fail into a refusal: a throw, a rejection, a stage that
 * never answers or answers after the deadline.
 */
export async function stage<T>(
  work: (signal: AbortSignal) => Promise<Verdict<T>>,
  { deadline, orAborted }: Patience,
  faults: StageFaults,
  report: Report,
): Promise<Verdict<T>> {
  try {
    const verdict = await orAborted(work)
    if (deadline.expired()) return refuse(faults.late, 'answered after the deadline')
    return isVerdict(verdict) ? verdict : refuse(faults.threw, 'an answer that is no verdict')
  } catch (cause) {
    if (deadline.expired() || (cause instanceof TransportError && cause.kind === 'timeout')) {
      return refuse(faults.late, 'no answer before the deadline')
    }
    safely(report, cause)
    return refuse(faults.threw, nameOf(cause))
  }
}

/** An app's own port may answer anything. */
const isVerdict = (answer: Verdict<unknown>): boolean =>
  (answer.ok as unknown) === true ||
  ((answer.ok as unknown) === false && 'reason' in answer && answer.reason in REASONS)

/** The catch-all around a whole decision: whatever was thrown, the answer is what `onFault` gives. */
export async function failClosed<T>(
  decide: () => Promise<T>,
  onFault: (detail: string) => T,
  report: Report,
): Promise<T> {
  try {
    return await decide()
  } catch (cause) {
    safely(report, cause)
    return onFault(nameOf(cause))
  }
}

/** The name of an error without its message, which may quote a secret. */
export function nameOf(cause: unknown): string {
  try {
    return cause instanceof Error ? cause.name : typeof cause
  } catch {
    // What was thrown may itself throw when it is looked at.
    return typeof cause
  }
}

/** Reporting is best effort; the deny is not. */
export function safely(report: Report, cause: unknown): void {
  try {
    report(cause)
  } catch {
    // A broken reporter must not turn a deny into an exception.
  }
}
