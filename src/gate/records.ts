import type {
  AuditedCall,
  BreachRecord,
  BypassRecord,
  CertificateRecord,
  DecisionRecord,
  OutcomeRecord,
} from '../audit/record.ts'
import type { ToolCall } from '../core/call.ts'
import type { Decision } from '../core/decision.ts'
import type { Effect } from '../core/effect.ts'
import type { Opinion } from '../core/opinion.ts'
import { reasonOf, type ReasonCode } from '../core/reasons.ts'
import type { Judgement, RunResult } from './gate.ts'

/** The longest tool name or call id that a record keeps; the model chooses both. */
const MAX_NAME = 128

const WITHHELD = { toolCallId: '', tool: '' } as const

/** What the audit keeps of one decision: ids, opinions and normalized arguments; no token, no text of the user. */
export function decisionRecord(call: ToolCall, judgement: Judgement, at: string): DecisionRecord {
  const { id, decision, opinions, args, argsHash, screened, certified, sentence, evaluations, decisions, ms } =
    judgement
  const code = decision.kind === 'permit' ? null : decision.reason
  const detail = opinions.find((opinion) => opinion.decision.kind !== 'permit')?.detail
  // Key by key, as in firewall/normalize.ts: a spread before new keys costs more than the rest of the record.
  const { tenant, caller, session, turn, kind, ...named } = audited(call)
  // The model chooses both: where the call carries a secret, either may be what carries it.
  const { toolCallId, tool } = code === 'secret-egress' ? WITHHELD : named
  return {
    type: 'decision',
    id,
    at,
    tenant,
    caller,
    session,
    turn,
    toolCallId,
    kind,
    tool,
    decision: decision.kind,
    code,
    cause: code === null ? null : reasonOf(code).cause,
    obligations: decision.kind === 'permit' ? [...decision.obligations] : [],
    opinions: opinions.map(recordedOpinion),
    detail,
    args,
    argsHash,
    firewall: screened,
    certificate: certified === undefined ? undefined : certificateRecord(certified),
    sentence,
    evaluations,
    decisions,
    ms: rounded(ms),
  }
}

/** What the audit and the transcripts keep of a certificate's opinion. */
export function certificateRecord(certified: NonNullable<Judgement['certified']>): CertificateRecord {
  const { mode, decision, wouldBe, failedCheck, certificate, provenance } = certified
  const counterfactual = decision.kind === wouldBe.kind ? {} : { wouldDeny: reasonIn(wouldBe) }
  return {
    mode,
    id: certificate?.id,
    auditDigest: certificate?.auditDigest,
    state: certificate?.state,
    classes: certificate?.classes,
    failedCheck,
    ...counterfactual,
    provenance: Object.fromEntries(Object.entries(provenance).map(([argument, { kind }]) => [argument, kind])),
  }
}

const reasonIn = (decision: Decision): ReasonCode | null => (decision.kind === 'permit' ? null : decision.reason)

/** What the audit keeps of a call that was refused before the gate could ask anybody; what is unknown is empty. */
export const refusedRecord = (call: AuditedCall, code: ReasonCode, id: string, at: string): DecisionRecord => ({
  type: 'decision',
  id,
  at,
  ...call,
  caller: { type: shortened(call.caller.type), id: shortened(call.caller.id) },
  toolCallId: shortened(call.toolCallId),
  decision: 'deny',
  code,
  cause: reasonOf(code).cause,
  obligations: [],
  opinions: [{ room: 'gate', kind: 'deny', code }],
  ms: 0,
})

/** What the audit keeps of one run: that it happened and how it ended, never its result. */
export function outcomeRecord(call: ToolCall, decision: string, ran: RunResult, at: string, ms: number): OutcomeRecord {
  const { tenant, caller, session, turn, toolCallId, kind, tool } = audited(call)
  return {
    type: 'outcome',
    decision,
    at,
    tenant,
    caller,
    session,
    turn,
    toolCallId,
    kind,
    tool,
    outcome: ran.kind === 'denied' ? 'not_run' : ran.kind,
    code: 'code' in ran ? ran.code : null,
    breach: ran.kind === 'breached' ? keptBreach(ran.breach) : undefined,
    ms: rounded(ms),
  }
}

const keptBreach = ({ component, predicted, realized }: BreachRecord): BreachRecord => ({
  component,
  predicted: keptEffect(predicted),
  ...(realized === undefined ? {} : { realized: keptEffect(realized) }),
})

/** What a receipt says is as long as its tool wants it to be; a line of the audit is not. */
const keptEffect = ({ amount, ...effect }: Effect): Effect => ({
  ...effect,
  mutations: keptList(effect.mutations),
  resources: keptList(effect.resources),
  destinations: keptList(effect.destinations),
  ...(amount === undefined ? {} : { amount: { minor: amount.minor, currency: shortened(amount.currency) } }),
})

/** The most entries of a list that a record keeps. */
const MAX_LISTED = 20

const keptList = (list: readonly string[]): readonly string[] => list.slice(0, MAX_LISTED).map(shortened)

/** What the audit keeps of a run that had no permit. */
export const bypassRecord = (call: ToolCall, code: ReasonCode, at: string): BypassRecord => ({
  type: 'bypass',
  at,
  ...audited(call),
  code,
})

/** An opinion as the audit and the transcripts show it. */
export const recordedOpinion = ({ room, decision }: Opinion): DecisionRecord['opinions'][number] => ({
  room,
  kind: decision.kind,
  code: decision.kind === 'permit' ? null : decision.reason,
})

const audited = ({ login, session, turn, id, kind, tool }: ToolCall): AuditedCall => ({
  tenant: login.tenant,
  caller: { type: login.subject.type, id: login.subject.id },
  session,
  turn,
  toolCallId: shortened(id),
  kind,
  tool: shortened(tool),
})

const shortened = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000
