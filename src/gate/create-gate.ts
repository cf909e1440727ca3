import { APPROVAL_MS, approvalDigest, askPerson } from '../approval/ask.ts'
import type { Approver } from '../approval/approver.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { ToolCall } from '../core/call.ts'
import { deny, type Decision } from '../core/decision.ts'
import type { Opinion } from '../core/opinion.ts'
import { ToolRefusal } from '../core/tool.ts'
import { normalize } from '../firewall/normalize.ts'
import { failClosed, nameOf, safely } from './fail-closed.ts'
import type { Gate, Judgement, RunResult } from './gate.ts'
import { fold, judge, type JudgeDeps } from './judge.ts'
import { createPermits, PERMIT_MS, type Permit, type Permits } from './permits.ts'
import { bypassRecord, decisionRecord, outcomeRecord } from './records.ts'

export interface GateDeps extends JudgeDeps {
  readonly audit: AuditLog
}

/** The PEP: every tool call is decided by `authorize` and run by `run`, and by nothing else. */
export function assembleGate(deps: GateDeps): Gate {
  const permits = createPermits()
  return {
    tools: (login) => [...(deps.tenants.get(login.tenant)?.tools.values() ?? [])],
    judge: (call) =>
      failClosed(
        () => rehearse(deps, call),
        (detail) => refusal(deps, 'gate.internal_error', detail),
        deps.report,
      ),
    authorize: (call, approver) =>
      failClosed(
        () => authorize(deps, permits, call, approver),
        (detail) => refusal(deps, 'gate.internal_error', detail),
        deps.report,
      ),
    run: (call) =>
      failClosed<RunResult>(
        () => run(deps, permits, call),
        () => denied('gate.internal_error'),
        deps.report,
      ),
    beginTurn: (session, turn) => {
      for (const { call, permit: unused } of permits.begin(session, turn)) noteUnused(deps, call, unused)
    },
    endTurn: (session, turn) => {
      for (const { call, permit: unused } of permits.end(session, turn)) noteUnused(deps, call, unused)
    },
  }
}

/** One call is decided once: the runtime may ask again about the same call, and gets the same answer. */
function authorize(deps: GateDeps, permits: Permits, call: ToolCall, approver?: Approver): Promise<Judgement> {
  if (!permits.isOpen(call)) return written(deps, call, refusal(deps, 'gate.turn_over'))
  const asked = permits.asked(call)
  if (!asked.ok) return written(deps, call, refusal(deps, asked.reason))
  if (asked.value !== undefined) return asked.value
  const judgement = decideForReal(deps, permits, call, approver)
  permits.deciding(call, judgement)
  return judgement
}

async function rehearse(deps: GateDeps, call: ToolCall): Promise<Judgement> {
  const judgement = await written(deps, call, await judge(deps, call))
  if (judgement.decision.kind === 'permit') {
    await noted(deps, outcomeRecord(call, judgement.id, NOT_RUN, deps.world.now().toISOString(), 0))
  }
  return judgement
}

async function decideForReal(
  deps: GateDeps,
  permits: Permits,
  call: ToolCall,
  approver: Approver | undefined,
): Promise<Judgement> {
  const judged = await judge(deps, call)
  const discharged = await discharge(deps, permits, call, judged, approver)
  const open = permits.isOpen(call)
    ? discharged
    : withOpinion(discharged, { room: 'gate', decision: deny('gate.turn_over') })
  const judgement = await written(deps, call, open)
  if (judgement.decision.kind !== 'permit') return judgement
  const given: Permit = {
    decision: judgement.id,
    argsHash: judgement.argsHash ?? '',
    login: call.login,
    expiresAtMs: deps.world.now().getTime() + PERMIT_MS,
  }
  if (permits.give(call, given)) return judgement
  noteUnused(deps, call, given)
  return withOpinion(judgement, { room: 'gate', decision: deny('gate.turn_over') })
}

/** Meets the obligations of a permit, or turns it into a deny: an obligation that nothing can meet never runs. */
async function discharge(
  deps: GateDeps,
  permits: Permits,
  call: ToolCall,
  judged: Judgement,
  approver: Approver | undefined,
): Promise<Judgement> {
  if (judged.decision.kind !== 'permit' || judged.decision.obligations.size === 0) return judged
  const unmet = [...judged.decision.obligations].filter((obligation) => obligation !== 'confirm')
  const decision =
    unmet.length > 0 || approver === undefined
      ? deny('gate.obligation_unmet')
      : await confirmed(deps, permits, call, judged, approver)
  const judgement = withOpinion(judged, { room: 'approval', decision })
  return decision.kind === 'permit' ? { ...judgement, decision } : judgement
}

/** A person's yes counts for what the call is afterwards: login, policy and evaluations may have changed meanwhile. */
async function confirmed(
  deps: GateDeps,
  permits: Permits,
  call: ToolCall,
  judged: Judgement,
  approver: Approver,
): Promise<Decision> {
  const answer = await answered(deps, permits, call, judged, approver)
  if (answer.kind !== 'permit') return answer
  const again = await judge(deps, call)
  if (again.decision.kind !== 'permit') return again.decision
  const facts = ({ argsHash, sentence, evaluations }: Judgement): string =>
    JSON.stringify([argsHash, sentence, evaluations])
  return facts(again) === facts(judged) ? answer : deny('approval.stale')
}

async function answered(
  deps: GateDeps,
  permits: Permits,
  call: ToolCall,
  judged: Judgement,
  approver: Approver,
): Promise<Decision> {
  const { login, session, turn, tool } = call
  const { args = {}, sentence = '', evaluations = [] } = judged
  const { tenant, subject } = login
  const digest = approvalDigest(judged.id, tenant, subject, session, turn, call.id, tool, args, evaluations)
  const deadline = deps.world.deadline(APPROVAL_MS)
  try {
    const card = { tenant, subject, tool, args, sentence, evaluations, digest }
    return await askPerson(approver, card, deadline, permits.over(call))
  } finally {
    deadline.clear()
  }
}

/** Writes the decision; one that cannot be written is a deny, because nothing runs that is not on record. */
async function written(deps: GateDeps, call: ToolCall, judgement: Judgement): Promise<Judgement> {
  try {
    await deps.audit.append(decisionRecord(call, judgement, deps.world.now().toISOString()))
    return judgement
  } catch (cause) {
    safely(deps.report, cause)
    return withOpinion(judgement, { room: 'gate', decision: deny('audit.unavailable'), detail: nameOf(cause) })
  }
}

async function run(deps: GateDeps, permits: Permits, call: ToolCall): Promise<RunResult> {
  const tools = deps.tenants.get(call.login.tenant)?.tools
  const normalized = tools === undefined ? undefined : normalize(call, tools)
  const argsHash = normalized?.ok === true ? normalized.value.argsHash : ''
  const taken = permits.take(call, argsHash, deps.world.now().getTime())
  if (!taken.ok || normalized?.ok !== true) return bypassed(deps, call, taken.ok ? 'permit.missing' : taken.reason)
  const permitted = taken.value
  permitted.run ??= execute(deps, { ...call, args: normalized.value.args }, permitted, normalized.value.definition.run)
  return permitted.run
}

async function execute(
  deps: GateDeps,
  call: ToolCall & { readonly args: Readonly<Record<string, unknown>> },
  permitted: Permit,
  tool: (
    args: Readonly<Record<string, unknown>>,
    context: { login: ToolCall['login']; idempotencyKey: string },
  ) => unknown,
): Promise<RunResult> {
  const startedMs = deps.world.monotonicMs()
  const result = await ranOnce(deps, () => tool(call.args, { login: call.login, idempotencyKey: permitted.decision }))
  await noted(
    deps,
    outcomeRecord(
      call,
      permitted.decision,
      result,
      deps.world.now().toISOString(),
      deps.world.monotonicMs() - startedMs,
    ),
  )
  return result
}

async function ranOnce(deps: GateDeps, tool: () => unknown): Promise<RunResult> {
  try {
    return { kind: 'done', executed: true, value: await tool() }
  } catch (cause) {
    if (cause instanceof ToolRefusal) return { kind: 'refused', executed: true, code: cause.code, says: cause.message }
    safely(deps.report, cause)
    return { kind: 'failed', executed: true }
  }
}

async function bypassed(deps: GateDeps, call: ToolCall, code: Parameters<typeof bypassRecord>[1]): Promise<RunResult> {
  await noted(deps, bypassRecord(call, code, deps.world.now().toISOString()))
  return denied(code)
}

/** A line about something that has already happened, or has not: it is missed in the audit, but changes nothing. */
async function noted(deps: GateDeps, record: Parameters<AuditLog['append']>[0]): Promise<void> {
  try {
    await deps.audit.append(record)
  } catch (cause) {
    safely(deps.report, cause)
  }
}

function noteUnused(deps: GateDeps, call: ToolCall, unused: Permit): void {
  void noted(deps, outcomeRecord(call, unused.decision, NOT_RUN, deps.world.now().toISOString(), 0))
}

const NOT_RUN: RunResult = { kind: 'denied', executed: false, code: 'gate.turn_over' }

const denied = (code: Parameters<typeof bypassRecord>[1]): RunResult => ({ kind: 'denied', executed: false, code })

function withOpinion(judgement: Judgement, opinion: Opinion): Judgement {
  const opinions = [...judgement.opinions, opinion]
  return { ...judgement, opinions, decision: fold(opinions) }
}

function refusal(deps: GateDeps, reason: Parameters<typeof deny>[0], detail?: string): Judgement {
  const decision: Decision = deny(reason)
  const opinion: Opinion = detail === undefined ? { room: 'gate', decision } : { room: 'gate', decision, detail }
  return { id: deps.world.newId(), decision, opinions: [opinion], ms: 0 }
}
