import type { Subject } from '../core/authzen.ts'
import { deny } from '../core/decision.ts'
import type { SessionId, TenantId } from '../core/ids.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import type { PersonAnswer } from './ask.ts'

/** How often one message may make a person decide. */
export const ASKS_PER_TURN = 5

/** What a question is about: two calls with the same of it are the same question to a person. */
export interface Question {
  readonly tenant: TenantId
  readonly session: SessionId
  readonly turn: number
  readonly subject: Subject
  readonly tool: string
  /** Normalized, so that equal calls are equal texts. */
  readonly args: ToolArguments
}

/** Puts the questions of all sessions, one card of a session and person at a time. */
export interface Asks {
  /**
   * Puts a question when it is its turn: one card of a session and person is open at a time. A question that was answered with a
   * refusal in this turn gets it again without anybody being asked; a yes is never remembered. Over the budget it is
   * refused. Rejects only with what `put` rejects with, and the next question goes on.
   * @param put asks for real, and is told whether another card was open when the question came; make its deadline inside, so that waiting for another card costs nothing.
   */
  ask(question: Question, put: (hasWaited: boolean) => Promise<PersonAnswer>): Promise<PersonAnswer>
  /** Forgets a session's turn; its questions that still wait are refused. A turn that is over must ask nothing more. */
  end(tenant: TenantId, session: SessionId, turn: number): void
}

interface Turn {
  readonly turn: number
  readonly refused: Map<string, PersonAnswer>
  /** Resolves when the card before is closed. */
  last: Promise<unknown>
  /** Questions that are not answered yet. */
  open: number
  asked: number
  over: boolean
}

/**
 * The questions of the turns under way, in memory.
 * @param perTurn cards that one turn may put. @defaultValue ASKS_PER_TURN
 */
export function createAsks(perTurn = ASKS_PER_TURN): Asks {
  // By person within a session: where two people use one name for it, neither ends the turn of the other.
  const sessions = new Map<string, Map<string, Turn>>()
  const turnOf = ({ tenant, session, subject, turn }: Question): Turn | undefined => {
    const turns = sessions.get(keyOf(tenant, session)) ?? new Map<string, Turn>()
    const person = keyOf(subject.type, subject.id)
    const current = turns.get(person)
    if (current !== undefined && current.turn >= turn) return current.turn === turn ? current : undefined
    if (current !== undefined) current.over = true
    const next: Turn = { turn, refused: new Map(), last: Promise.resolve(), open: 0, asked: 0, over: false }
    sessions.set(keyOf(tenant, session), turns.set(person, next))
    return next
  }
  return {
    ask: (question, put) => {
      const turn = turnOf(question)
      if (turn === undefined) return Promise.resolve({ decision: deny('gate.turn_over') })
      const hasWaited = turn.open > 0
      turn.open += 1
      const answer = turn.last.then(() => putInTurn(turn, question, perTurn, () => put(hasWaited)))
      turn.last = answer
        .catch(() => undefined)
        .then(() => {
          turn.open -= 1
        })
      return answer
    },
    end: (tenant, session, turn) => {
      if (sessions.size === 0) return
      const key = keyOf(tenant, session)
      const turns = sessions.get(key)
      for (const [person, current] of turns ?? []) {
        if (current.turn !== turn) continue
        current.over = true
        turns?.delete(person)
      }
      if (turns?.size === 0) sessions.delete(key)
    },
  }
}

// A list as JSON: no id can reach into its neighbour.
const keyOf = (...parts: readonly unknown[]): string => JSON.stringify(parts)

async function putInTurn(
  turn: Turn,
  { subject, tool, args }: Question,
  perTurn: number,
  put: () => Promise<PersonAnswer>,
): Promise<PersonAnswer> {
  if (turn.over) return { decision: deny('gate.turn_over') }
  const key = keyOf(subject.type, subject.id, tool, args)
  const before = turn.refused.get(key)
  if (before !== undefined) return before
  if (turn.asked >= perTurn) return { decision: deny('approval.too_many') }
  turn.asked += 1
  const answer = await put()
  if (answer.decision.kind !== 'permit') turn.refused.set(key, answer)
  return answer
}
