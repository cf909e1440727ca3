import type { AttemptedCall, TurnRecord } from '../../adapters/hosts/session.ts'
import type { Login } from '../core/login.ts'
import type { Opinion } from '../core/opinion.ts'
import { says } from '../core/says.ts'
import { certificateRecord } from '../gate/records.ts'

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

function transcribed(call: AttemptedCall, gate: boolean): object {
  const { toolCallId, kind, tool, args, judgement, executed, breach, ms } = call
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
    ...(judgement.certified === undefined ? {} : { certificate: certificateRecord(judgement.certified) }),
    decision: gate || code !== null ? decided : { kind: 'ungated' },
    executed,
    ...(breach === undefined ? {} : { breach: { code: breach, says: says(breach, []) } }),
    stages: stagesOf(judgement.opinions),
    ms: Math.round(ms * 100) / 100,
  }
}

/** Milliseconds of each room that was asked, to the microsecond; of a room with two opinions the sum. */
function stagesOf(opinions: readonly Opinion[]): Readonly<Record<string, number>> {
  const stages: Record<string, number> = {}
  for (const { room, ms } of opinions) if (ms !== undefined) stages[room] = (stages[room] ?? 0) + ms
  return Object.fromEntries(Object.entries(stages).map(([room, ms]) => [room, Math.round(ms * 1000) / 1000]))
}
