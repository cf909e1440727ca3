import { createAsks, type Asks } from '../approval/asks.ts'
import type { Approver } from '../approval/approver.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { NormalizedCall, ToolCall } from '../core/call.ts'
import { deny, type Decision } from '../core/decision.ts'
import type { Opinion } from '../core/opinion.ts'
import { ToolRefusal } from '../core/tool.ts'
import type { World } from '../core/world.ts'
import { normalize } from '../firewall/normalize.ts'
import {
  allCertificates,
  certificatesOf,
  certified,
  lapsed,
  remembered,
  saw,
  settle,
  withBudget,
  withdraw,
} from './certified.ts'
import { cardFor, discharge, type Discharge } from './discharge.ts'
import { failClosed, nameOf, safely } from './fail-closed.ts'
import type { Gate, Judgement, RunResult } from './gate.ts'
import { judge, toolKey, withOpinion, type Judged, type JudgeDeps } from './judge.ts'
import { createPermits, PERMIT_MS, type Permit, type Permits } from './permits.ts'
import { breachOf } from './receipt.ts'
import { bypassRecord, decisionRecord, outcomeRecord } from './records.ts'

/** Everything that a gate is made of. */
export interface GateParts extends JudgeDeps {
  readonly audit: AuditLog
}

interface GateDeps extends GateParts {
  /** The time of a line: ISO 8601, UTC. */
  readonly at: () => string
}

/** What the gate keeps of the turns under way. */
interface Memory {
  readonly permits: Permits
  readonly asks: Asks
}

/** The PEP: every tool call is decided by `authorize` and run by `run`, and by nothing else. */
export function assembleGate(parts: GateParts): Gate {
  const broken = new Set<string>()
  const deps = { ...parts, at: isoClock(parts.world), broken }
  const held = allCertificates(deps)
  const permits = createPermits()
  const asks = createAsks()
  const memory = { permits, asks }
  return {
    tools: (login) => [...(deps.tenants.get(login.tenant)?.tools.values() ?? [])],
    judge: (call, approver) =>
      failClosed(
        () => rehearse(deps, asks, call, approver),
        (detail) => refusal(deps, 'gate.internal_error', detail),
        deps.report,
      ),
    authorize: (call, approver) =>
      failClosed(
        () => authorize(deps, memory, call, approver),
        (detail) => refusal(deps, 'gate.internal_error', detail),
        deps.report,
      ),
    run: (call) =>
      failClosed<RunResult>(
        () => run(deps, permits, call, broken),
        () => denied('gate.internal_error'),
        deps.report,
      ),
    beginTurn: (session, turn, message) => {
      for (const { call, permit: unused } of permits.begin(session, turn)) noteUnused(deps, call, unused)
      return message === undefined ? { visible: [] } : { visible: certified(deps, session, turn, message) }
    },
    revoke: (session) => {
      for (const certificates of held) certificates.revoke(session)
    },
    forget: (session) => {
      for (const certificates of held) certificates.forget(session)
    },
    heard: (login, session, tool, text) => {
      const services = deps.tenants.get(login.tenant)
      const definition = services?.tools.get(tool)
      if (definition !== undefined) certificatesOf(deps, login)?.saw(session, definition, text)
    },
    endTurn: (session, turn) => {
      for (const { call, permit: unused } of permits.end(session, turn)) noteUnused(deps, call, unused)
      for (const certificates of held) certificates.endTurn(session, turn)
      for (const tenant of deps.tenants.keys()) asks.end(tenant, session, turn)
    },
  }
}

/** One call is decided once: the runtime may ask again about the same call, and gets the same answer. */
function authorize(deps: GateDeps, memory: Memory, call: ToolCall, approver?: Approver): Promise<Judgement> {
  const { permits } = memory
  if (!permits.isOpen(call)) return written(deps, call, refusal(deps, 'gate.turn_over'))
  const asked = permits.asked(call)
  if (!asked.ok) return written(deps, call, refusal(deps, asked.reason))
  if (asked.value !== undefined) return asked.value
  const judgement = decideForReal(deps, memory, call, approver)
  permits.deciding(call, judgement)
  return judgement
}

async function rehearse(
  deps: GateDeps,
  asks: Asks,
  call: ToolCall,
  approver: Approver | undefined,
): Promise<Judgement> {
  const judged = await judge(deps, call)
  // The same line has the same card each time, so that a file can say yes to it.
  const identity = (): readonly unknown[] => ['judge', call.id]
  const answered =
    approver === undefined
      ? withDigest(judged.judgement, () => cardFor(call, judged, identity()).digest)
      : await discharged({ deps, asks, approver, over: () => NEVER, identity }, call, judged)
  const settled = remembered(deps, withBudget(deps, { ...judged, judgement: answered }), judged.normalized)
  const judgement = await written(deps, call, settled)
  if (judgement.decision.kind === 'permit') {
    await noted(deps, outcomeRecord(call, judgement.id, NOT_RUN, deps.at(), 0))
  }
  return judgement
}

async function decideForReal(
  deps: GateDeps,
  { permits, asks }: Memory,
  call: ToolCall,
  approver: Approver | undefined,
): Promise<Judgement> {
  const judged = await judge(deps, call)
  const answered = asksForMore(judged.judgement)
    ? await discharged({ deps, asks, approver, over: permits.over(call), identity: identityOf(call) }, call, judged)
    : judged.judgement
  const open = permits.isOpen(call)
    ? answered
    : withOpinion(answered, { room: 'gate', decision: deny('gate.turn_over') })
  const final = remembered(deps, withBudget(deps, { ...judged, judgement: open }), judged.normalized)
  const judgement = await written(deps, call, final)
  if (judgement.decision.kind !== 'permit') {
    settle(deps, call, 'not_run')
    return judgement
  }
  const given: Permit = {
    decision: judgement.id,
    argsHash: judgement.argsHash ?? '',
    login: call.login,
    obligations: judged.judgement.decision.kind === 'permit' ? judged.judgement.decision.obligations : new Set(),
    expiresAtMs: deps.world.now().getTime() + PERMIT_MS,
  }
  if (permits.give(call, given)) return judgement
  noteUnused(deps, call, given)
  return withOpinion(judgement, { room: 'gate', decision: deny('gate.turn_over') })
}

/** Most permits have nothing left to meet, and most refusals never had. */
const asksForMore = ({ decision }: Judgement): boolean => decision.kind === 'permit' && decision.obligations.size > 0

const asTool = (call: ToolCall): ToolCall => (call.kind === 'custom-tool' ? call : { ...call, kind: 'custom-tool' })

/** Making the text takes longer than reading the clock, and many lines share a millisecond. */
function isoClock({ now }: World): () => string {
  let [lastMs, text] = [NaN, '']
  return () => {
    const date = now()
    if (date.getTime() !== lastMs) [lastMs, text] = [date.getTime(), date.toISOString()]
    return text
  }
}

const identityOf =
  ({ session, turn, id }: ToolCall) =>
  ({ judgement }: Judged): readonly unknown[] => [judgement.id, session, turn, id]

/** Names the card that is still to be answered. */
const withDigest = (judgement: Judgement, digest: () => string): Judgement =>
  judgement.decision.kind === 'permit' && judgement.decision.obligations.has('confirm')
    ? { ...judgement, digest: digest() }
    : judgement

/** Meets the obligations of a permit, or turns it into a deny: an obligation that nothing can meet never runs. */
async function discharged(context: Discharge, call: ToolCall, judged: Judged): Promise<Judgement> {
  const opinion = await discharge(context, call, judged)
  if (opinion === undefined) return judged.judgement
  const judgement = withOpinion(judged.judgement, opinion)
  return opinion.decision.kind === 'permit' ? { ...judgement, decision: opinion.decision } : judgement
}

/** Writes the decision; one that cannot be written is a deny, because nothing runs that is not on record. */
async function written(deps: GateDeps, call: ToolCall, judgement: Judgement): Promise<Judgement> {
  try {
    await deps.audit.append(decisionRecord(call, judgement, deps.at()))
    return judgement
  } catch (cause) {
    safely(deps.report, cause)
    return withOpinion(judgement, { room: 'gate', decision: deny('audit.unavailable'), detail: nameOf(cause) })
  }
}

async function run(deps: GateDeps, permits: Permits, call: ToolCall, broken: Set<string>): Promise<RunResult> {
  const tools = deps.tenants.get(call.login.tenant)?.tools
  // Only tools of ours are run here, also where they take a built-in's place.
  const normalized = tools === undefined ? undefined : normalize(asTool(call), tools)
  const argsHash = normalized?.ok === true ? normalized.value.argsHash : ''
  const taken = permits.take(call, argsHash, deps.world.now().getTime())
  if (!taken.ok || normalized?.ok !== true) return bypassed(deps, call, taken.ok ? 'permit.missing' : taken.reason)
  const permitted = taken.value
  permitted.run ??= execute(deps, normalized.value, permitted, broken)
  return permitted.run
}

async function execute(
  deps: GateDeps,
  call: NormalizedCall,
  permitted: Permit,
  broken: Set<string>,
): Promise<RunResult> {
  const startedMs = deps.world.monotonicMs()
  const { definition, args, login, session } = call
  const why = lapsed(deps, call, permitted)
  const run = (): unknown => definition.run(args, { login, session, idempotencyKey: permitted.decision })
  const result = why === undefined ? checked(call, await ranOnce(deps, run)) : denied(why)
  // A tool's own refusal had no effect, so it gives its budget back.
  settle(deps, call, result.kind === 'refused' || result.kind === 'denied' ? 'not_run' : 'done')
  if (result.kind === 'done') saw(deps, call, result.value)
  if (result.kind === 'breached') {
    broken.add(toolKey(call))
    withdraw(deps, call)
  }
  await noted(deps, outcomeRecord(call, permitted.decision, result, deps.at(), deps.world.monotonicMs() - startedMs))
  return result
}

/** Whatever a tool throws, it has begun: nothing that it throws makes it a tool that did not run. */
const ranOnce = (deps: GateDeps, tool: () => unknown): Promise<RunResult> =>
  failClosed<RunResult>(
    () => done(tool),
    () => ({ kind: 'failed', executed: true }),
    deps.report,
  )

async function done(tool: () => unknown): Promise<RunResult> {
  try {
    return { kind: 'done', executed: true, value: await tool() }
  } catch (cause) {
    if (!(cause instanceof ToolRefusal)) throw cause
    return { kind: 'refused', executed: true, code: cause.code, says: cause.message }
  }
}

/** What is done is done; but what it did is held against what it was to do. */
function checked(call: NormalizedCall, ran: RunResult): RunResult {
  const breach = ran.kind === 'done' ? breachOf(call, ran.value) : undefined
  return breach === undefined ? ran : { kind: 'breached', executed: true, code: 'effects.contract_breach', breach }
}

async function bypassed(deps: GateDeps, call: ToolCall, code: Parameters<typeof bypassRecord>[1]): Promise<RunResult> {
  await noted(deps, bypassRecord(call, code, deps.at()))
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
  settle(deps, call, 'not_run')
  void noted(deps, outcomeRecord(call, unused.decision, NOT_RUN, deps.at(), 0))
}

/** For a call that belongs to no turn. */
const NEVER = new AbortController().signal

const NOT_RUN: RunResult = { kind: 'denied', executed: false, code: 'gate.turn_over' }

const denied = (code: Parameters<typeof bypassRecord>[1]): RunResult => ({ kind: 'denied', executed: false, code })

function refusal(deps: GateDeps, reason: Parameters<typeof deny>[0], detail?: string): Judgement {
  const decision: Decision = deny(reason)
  const opinion: Opinion = detail === undefined ? { room: 'gate', decision } : { room: 'gate', decision, detail }
  return { id: deps.world.newId(), decision, opinions: [opinion], ms: 0 }
}
