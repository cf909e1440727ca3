import { hash } from 'node:crypto'
import { deny, permit, type Decision } from '../core/decision.ts'
import type { Deadline } from '../core/world.ts'
import type { ApprovalAnswer, ApprovalRequest, Approver } from './approver.ts'

/** How long a person may think before the answer is a no. */
export const APPROVAL_MS = 5 * 60_000

/** The digest that binds an answer to exactly one call: its identity and every fact on the card. */
export const approvalDigest = (...facts: readonly unknown[]): string => hash('sha256', JSON.stringify(facts), 'hex')

/**
 * Puts one card to a person, who gets a copy of the facts and no token. Resolves with a permit only for `approved: true` beside the
 * card's own digest.
 */
export async function askPerson(
  approver: Approver,
  card: Omit<ApprovalRequest, 'signal'>,
  deadline: Deadline,
  turnOver: AbortSignal,
): Promise<Decision> {
  const signal = AbortSignal.any([deadline.signal, turnOver])
  const late = new Promise<'late'>((resolve) => {
    const giveUp = (): void => {
      resolve('late')
    }
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
  })
  const answer = await Promise.race([asked(approver, { ...structuredClone(card), signal }), late])
  if (turnOver.aborted) return deny('gate.turn_over')
  if (answer === 'late' || deadline.expired()) return deny('approval.timeout')
  return judgeAnswer(answer, card.digest)
}

/** An approver that throws has not said yes: what it threw is not looked at. */
async function asked(approver: Approver, request: ApprovalRequest): Promise<ApprovalAnswer | undefined> {
  try {
    return await approver.ask(request)
  } catch {
    return undefined
  }
}

function judgeAnswer(answer: ApprovalAnswer | undefined, digest: string): Decision {
  if (answer?.digest !== digest) return deny('approval.invalid')
  switch (answer.approved as unknown) {
    case true:
      return permit()
    case false:
      return deny('approval.refused')
    default:
      return deny('approval.invalid')
  }
}
