import { hash } from 'node:crypto'
import { deny, permit, type Decision } from '../core/decision.ts'
import type { Deadline } from '../core/world.ts'
import type { ApprovalAnswer, ApprovalRequest, Approver, Card } from './approver.ts'
import { isUnreadable } from './legible.ts'
import { cleanReason } from './reason.ts'

/** How long a person may think before the answer is a no. */
export const APPROVAL_MS = 5 * 60_000

/** The digest that binds an answer to exactly one call: its identity and every fact on the card. */
export const approvalDigest = (...facts: readonly unknown[]): string => hash('sha256', JSON.stringify(facts), 'hex')

/** What a person decided, and why not in their own words. */
export interface PersonAnswer {
  readonly decision: Decision
  /** One line of visible characters, at most 200; beside a refusal only. */
  readonly said?: string
}

/**
 * Puts one card to a person, who gets a copy of the facts and no token; nobody is asked about what cannot be read.
 * Resolves with a permit only for `approved: true` beside the card's own digest.
 */
export async function askPerson(
  approver: Approver,
  card: Card,
  deadline: Deadline,
  turnOver: AbortSignal,
): Promise<PersonAnswer> {
  if (isOver(turnOver)) return { decision: deny('gate.turn_over') }
  if (textsOf(card).some(isUnreadable)) return { decision: deny('approval.unreadable') }
  const signal = AbortSignal.any([deadline.signal, turnOver])
  const late = new Promise<'late'>((resolve) => {
    const giveUp = (): void => {
      resolve('late')
    }
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
  })
  const answer = await Promise.race([asked(approver, { ...structuredClone(card), signal }), late])
  if (isOver(turnOver)) return { decision: deny('gate.turn_over') }
  if (answer === 'late' || deadline.expired()) return { decision: deny('approval.timeout') }
  return judgeAnswer(answer, card.digest)
}

// Asked again after each wait.
const isOver = ({ aborted }: AbortSignal): boolean => aborted

/** Every text of a card, keys too: all of it is shown to somebody. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsOf(member)])
}

/** An approver that throws has not said yes: what it threw is not looked at. Each field of the answer is read once. */
async function asked(approver: Approver, request: ApprovalRequest): Promise<Partial<ApprovalAnswer> | undefined> {
  try {
    const { digest, approved, reason, nobody } = await approver.ask(request)
    return {
      digest,
      approved,
      ...(reason === undefined ? {} : { reason }),
      ...(nobody === undefined ? {} : { nobody }),
    }
  } catch {
    return undefined
  }
}

function judgeAnswer(answer: Partial<ApprovalAnswer> | undefined, digest: string): PersonAnswer {
  if (answer?.digest !== digest) return { decision: deny('approval.invalid') }
  switch (answer.approved as unknown) {
    case true:
      return { decision: answer.nobody === undefined ? permit() : deny('approval.invalid') }
    case false:
      return answer.nobody === true ? { decision: deny('approval.nobody') } : refused(answer.reason)
    default:
      return { decision: deny('approval.invalid') }
  }
}

function refused(reason: unknown): PersonAnswer {
  const said = typeof reason === 'string' ? cleanReason(reason) : ''
  return said === '' ? { decision: deny('approval.refused') } : { decision: deny('approval.refused'), said }
}
