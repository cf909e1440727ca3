import type { AttemptedCall, TurnRecord } from '../../adapters/hosts/session.ts'
import type { Login } from '../core/login.ts'
import { says } from '../core/says.ts'

/** What a transcript says about how it was made. */
export interface TranscriptHead {
  readonly login: Login
  readonly gate: boolean
  readonly pdp: string
  readonly intentSource: string
  readonly intentAgent: string
  readonly model: string
  readonly certificates: string
}

/** A conversation in the form of the contract (`chat --json`). Holds no token and no result of a tool. */
export function transcript(head: TranscriptHead, turns: readonly TurnRecord[]): object {
  const { login, ...rest } = head
  return {
    transcript: 1,
    tenant: login.tenant,
    caller: { type: login.subject.type, id: login.subject.id },
    ...rest,
    turns: turns.map(({ user, calls, assistant }) => ({
      user,
      calls: calls.map((call) => transcribed(call, head.gate)),
      assistant,
    })),
  }
}

function transcribed({ toolCallId, kind, tool, args, judgement, executed, ms }: AttemptedCall, gate: boolean): object {
  const decision = judgement.decision
  const code = decision.kind === 'permit' ? null : decision.reason
  const decided = {
    kind: decision.kind,
    code,
    says: code === null ? 'Permitted.' : says(code, judgement.opinions),
    evaluations: judgement.evaluations ?? [],
    decisions: judgement.decisions ?? [],
  }
  return {
    toolCallId,
    kind,
    tool,
    args,
    sentence: judgement.sentence ?? null,
    decision: gate || code !== null ? decided : { kind: 'ungated' },
    executed,
    ms: Math.round(ms * 100) / 100,
  }
}
