import { APPROVAL_MS, approvalDigest, askPerson, type PersonAnswer } from '../approval/ask.ts'
import type { Asks } from '../approval/asks.ts'
import type { Approver, Card, ValueOrigin } from '../approval/approver.ts'
import { cardOf, type Grounds } from '../approval/card.ts'
import type { Origin } from '../certificates/derivation.ts'
import type { ToolCall } from '../core/call.ts'
import { deny } from '../core/decision.ts'
import type { Opinion } from '../core/opinion.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import type { Judgement } from './gate.ts'
import { judge, type Judged, type JudgeDeps } from './judge.ts'

/** What it takes to meet an obligation. */
export interface Discharge {
  readonly deps: JudgeDeps
  readonly asks: Asks
  readonly approver: Approver | undefined
  /** Gives a signal that aborts when the call's turn ends. */
  readonly over: () => AbortSignal
  /** Tells this call from one that looks the same; an answer counts for it alone. */
  readonly identity: (judged: Judged) => readonly unknown[]
}

/**
 * The opinion of whoever must agree to a permit with obligations. An obligation that nothing can meet is a deny: only
 * `confirm` can be met, and only by a person.
 */
export async function discharge(context: Discharge, call: ToolCall, judged: Judged): Promise<Opinion | undefined> {
  const { decision } = judged.judgement
  if (decision.kind !== 'permit' || decision.obligations.size === 0) return undefined
  const isConfirmable = [...decision.obligations].every((obligation) => obligation === 'confirm')
  if (!isConfirmable || context.approver === undefined) {
    return { room: 'approval', decision: deny('gate.obligation_unmet') }
  }
  const { decision: answer, said } = await confirmed(context, context.approver, call, judged)
  return { room: 'approval', decision: answer, ...(said === undefined ? {} : { hint: `They said: ${said}` }) }
}

/** A person's yes counts for what the call is afterwards: login, policy, certificate and evaluations may have changed. */
async function confirmed(
  { deps, asks, over, identity }: Discharge,
  approver: Approver,
  call: ToolCall,
  judged: Judged,
): Promise<PersonAnswer> {
  const { login, session, turn, tool } = call
  const { tenant, subject } = login
  const question = { tenant, session, turn, subject, tool, args: judged.judgement.args ?? {} }
  const answer = await asks.ask(question, async (hasWaited) => {
    // Nobody is asked about what the card before has settled.
    const settled = hasWaited ? await changedSince(deps, call, judged) : undefined
    return settled ?? put(deps, approver, cardFor(call, judged, identity(judged)), over())
  })
  if (answer.decision.kind !== 'permit') return answer
  return (await changedSince(deps, call, judged)) ?? answer
}

/** The refusal of a call that would be judged otherwise by now; undefined when nothing has changed. */
async function changedSince(deps: JudgeDeps, call: ToolCall, judged: Judged): Promise<PersonAnswer | undefined> {
  const { judgement: again } = await judge(deps, call)
  if (again.decision.kind !== 'permit') return { decision: again.decision }
  return factsOf(again) === factsOf(judged.judgement) ? undefined : { decision: deny('approval.stale') }
}

const factsOf = ({ argsHash, sentence, evaluations, certified, screened }: Judgement): string =>
  JSON.stringify([
    argsHash,
    sentence,
    evaluations,
    certified?.certificate?.auditDigest,
    certified?.provenance,
    screened,
  ])

async function put(deps: JudgeDeps, approver: Approver, card: Card, over: AbortSignal): Promise<PersonAnswer> {
  const deadline = deps.world.deadline(APPROVAL_MS)
  try {
    return await askPerson(approver, card, deadline, over)
  } finally {
    deadline.clear()
  }
}

/** What a person is shown of a call. */
export function cardFor(call: ToolCall, { judgement, normalized }: Judged, identity: readonly unknown[]): Card {
  const { args = {}, sentence = '', evaluations = [], certified, screened } = judgement
  const { tenant, subject } = call.login
  const asks = screened === undefined ? {} : { asks: screened.rules.join(', ') }
  const shown = { tenant, subject, sentence, evaluations, ...asks }
  if (normalized !== undefined && screened === undefined) {
    return cardOf(
      {
        ...shown,
        definition: normalized.definition,
        args: normalized.args,
        origins: grounds(certified, normalized.args),
      },
      identity,
    )
  }
  const values = Object.entries(args).map(([label, value]) => ({
    ...{ label, value: typeof value === 'string' ? value : JSON.stringify(value) },
    origin: 'model' as const,
  }))
  const card = {
    ...shown,
    tool: call.tool,
    args,
    values,
    changes: ['The policy asks about it; what else it changes is not bounded.'],
  }
  return { ...card, digest: approvalDigest(identity, card) }
}

function grounds(certified: Judgement['certified'], args: ToolArguments): ReadonlyMap<string, Grounds> {
  return new Map(
    Object.entries(certified?.provenance ?? {}).map(([argument, origin]) => [
      argument,
      groundsOf(origin, args[argument]),
    ]),
  )
}

const ORIGIN: Readonly<Record<Origin['kind'], ValueOrigin>> = {
  user: 'user',
  card: 'user',
  record: 'record',
  login: 'login',
  tool: 'tool',
  model: 'model',
}

function groundsOf(origin: Origin, value: unknown): Grounds {
  if (origin.kind === 'record') return recordGrounds(origin, value)
  if (origin.kind === 'user') return saidGrounds(origin)
  const kind = ORIGIN[origin.kind]
  return origin.kind === 'tool' ? { origin: kind, source: `what ${origin.tool} returned` } : { origin: kind }
}

const PAYEE = {
  saved: 'your saved payee',
  own: 'one of yours',
  new: 'not one of your saved payees',
} as const

function saidGrounds({ payee, called }: Extract<Origin, { kind: 'user' }>): Grounds {
  return {
    origin: 'user',
    ...(payee === undefined ? {} : { source: PAYEE[payee] }),
    ...(called === undefined ? {} : { called }),
  }
}

/** What the message names is said; what a named record holds is the record's; an own account that nobody named is neither. */
function recordGrounds({ type, id, named, called }: Extract<Origin, { kind: 'record' }>, value: unknown): Grounds {
  if (named === true) return { origin: 'user', ...(called === undefined ? {} : { source: 'your saved payee', called }) }
  if (value === id) return { origin: 'model', source: 'one of yours, but you did not name it' }
  return { origin: 'record', source: `${type} ${id}` }
}
