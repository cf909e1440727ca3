import type { NormalizedCall } from '../core/call.ts'
import { clarify, deny, permit, type Decision, type Obligation } from '../core/decision.ts'
import type { ReasonCode } from '../core/reasons.ts'
import type { ArgumentRole } from '../core/tool.ts'
import { hasCallsLeft, isSilent, stateFor, type Entry, type Message, type Owner, type Use } from './book.ts'
import { CANON, type SubjectBinding } from './certificate.ts'
import { isWrite, tierOf } from './classes.ts'
import { consistency, type Consistent } from './consistency.ts'
import { predicted } from './predicted.ts'
import { bandOf, gateObligations, mergeRoutes, ROUTES, type Route } from './route.ts'
import type { CertificateSettings } from './settings.ts'
import { invalidity } from './validity.ts'

/** What a call is held against: the session's facts, nothing of the model's. */
interface Surroundings {
  readonly subject: Omit<SubjectBinding, 'messageId'>
  readonly nowMs: number
  readonly tainted: boolean
  /** The policy version of now. */
  readonly policy: string
  readonly settings: CertificateSettings
}

/** What `enforce` says of one call, with the certificate that it was held against. */
export interface Assessment {
  readonly decision: Decision
  readonly check?: string
  readonly detail?: string
  readonly ask: readonly ArgumentRole[]
  readonly entry?: Entry
  readonly message?: Message
  /** The message itself forbids it: no mode but off and shadow lets that pass. */
  readonly forbidden: boolean
}

const refusal = (code: ReasonCode, check: string, detail: string, entry?: Entry, message?: Message): Assessment => ({
  decision: deny(code),
  check,
  detail,
  ask: [],
  forbidden: false,
  ...(entry === undefined ? {} : { entry }),
  ...(message === undefined ? {} : { message }),
})

/** What a call takes from a budget: itself, once, and whether it changes something. */
export const useOf = ({ id, argsHash, turn, definition }: NormalizedCall): Use => ({
  callId: id,
  argsHash,
  turn,
  writes: isWrite(definition.effect.class),
})

/** The order of checks for one call, from the certificate on (intent-certificate model, order of checks). Pure. */
export function assess(owner: Owner | undefined, call: NormalizedCall, around: Surroundings): Assessment {
  const use = useOf(call)
  const message = owner?.messages.findLast(({ turn }) => turn <= call.turn)
  if (owner === undefined || message === undefined) return refusal('agent.intent_not_found', 'validity', 'none')
  const own = assessMessage(owner, message, call, use, around)
  if (own.decision.kind === 'permit') return own
  const ahead = use.writes ? askedAhead(message, call, own) : undefined
  if (ahead !== undefined) return ahead
  const earlier = owner.messages.slice(0, owner.messages.indexOf(message)).reverse()
  return use.writes
    ? (spentBefore([message, ...earlier], call, own) ?? own)
    : (readFromEarlier(owner, message, earlier, call, use, around) ?? own)
}

function assessMessage(
  owner: Owner,
  message: Message,
  call: NormalizedCall,
  use: Use,
  around: Surroundings,
): Assessment {
  const entry = message.entries[message.current]
  if (message.problem !== undefined || entry === undefined) {
    const { code, kind, detail } = message.problem ?? { code: 'agent.intent_not_found', kind: 'deny', detail: 'none' }
    return { ...refusal(code, 'validity', detail), decision: kind === 'clarify' ? clarify(code) : deny(code), message }
  }
  return assessEntry(owner, message, entry, call, use, around)
}

/** A write that a later stage of this message is about and the user has yet to decide on: it is asked, not refused. */
function askedAhead(message: Message, call: NormalizedCall, own: Assessment): Assessment | undefined {
  if (own.forbidden || message.problem !== undefined) return undefined
  const entry = message.entries
    .slice(message.current + 1)
    .find(
      ({ prepared: { certificate, reach } }) =>
        certificate.reviewMode === 'clarify' && reach.has(call.definition.effect.class),
    )
  if (entry === undefined) return undefined
  const refused = refusal('agent.intent_low_confidence', 'confidence', 'low_or_unknown', entry, message)
  return { ...refused, decision: clarify('agent.intent_low_confidence'), ask: entry.prepared.certificate.missing }
}

function readFromEarlier(
  owner: Owner,
  message: Message,
  earlier: readonly Message[],
  call: NormalizedCall,
  use: Use,
  around: Surroundings,
): Assessment | undefined {
  const forbids = message.entries[message.current]?.prepared.denied.has(call.definition.effect.class) === true
  if (!isSilent(message) || forbids) return undefined
  const meant = earlier.find((each) => !isSilent(each))
  if (meant === undefined) return undefined
  const assessed = assessMessage(owner, meant, call, use, around)
  return assessed.decision.kind === 'permit' ? assessed : undefined
}

/** A write that an earlier stage or message did ask for: it is done or replaced, which says more than "not asked for". */
function spentBefore(messages: readonly Message[], call: NormalizedCall, own: Assessment): Assessment | undefined {
  if (own.forbidden) return undefined
  for (const message of messages) {
    const spent = message.entries.find(
      (entry, index) => (entry.superseded || index < message.current) && consistency(entry.prepared, call, null).ok,
    )
    if (spent !== undefined) {
      return refusal('agent.intent_revoked', 'validity', spent.superseded ? 'superseded' : 'consumed', spent, message)
    }
  }
  return undefined
}

function assessEntry(
  owner: Owner,
  message: Message,
  entry: Entry,
  call: NormalizedCall,
  use: Use,
  around: Surroundings,
): Assessment {
  const stopped = beforeConsistency(owner, message, entry, call, use, around)
  if (stopped !== undefined) return stopped
  const context = { entry, message, forbidden: false }
  const amountLeft = use.writes && !entry.reserved.has(use.callId) ? entry.left.amountMinor : null
  const checked = consistency(entry.prepared, call, amountLeft)
  const { check, detail } = checked
  if (!checked.ok) {
    const decision = checked.kind === 'clarify' ? clarify(checked.code) : deny(checked.code)
    return { ...context, decision, check: checked.check, detail: checked.detail, ask: checked.ask }
  }
  if (!hasCallsLeft(entry, use)) {
    return refusal('agent.intent_payload_exceeds_bound', 'budget', 'calls_exceeded', entry, message)
  }
  const noted = { ...(check === undefined ? {} : { check }), ...(detail === undefined ? {} : { detail }) }
  return { ...context, ...noted, decision: permit(...obligationsOf(entry, call, checked, around)), ask: [] }
}

/** Validity, what the message forbids, contradiction, and confidence: nothing of the call's values is looked at yet. */
function beforeConsistency(
  owner: Owner,
  message: Message,
  entry: Entry,
  call: NormalizedCall,
  use: Use,
  around: Surroundings,
): Assessment | undefined {
  const { certificate, denied } = entry.prepared
  const invalid = invalidity(certificate, useContext(owner, entry, use, around))
  if (invalid !== undefined) return refusal(invalid.code, 'validity', invalid.detail, entry, message)
  if (denied.has(call.definition.effect.class)) {
    return { ...refusal('agent.intent_tool_mismatch', 'K3', 'denied_class', entry, message), forbidden: true }
  }
  if (certificate.reviewMode === 'deny') {
    return { ...refusal('agent.intent_conflicting', 'conflict', 'conflict', entry, message), forbidden: true }
  }
  if (certificate.reviewMode !== 'clarify') return undefined
  const decision = clarify('agent.intent_low_confidence')
  return {
    ...refusal('agent.intent_low_confidence', 'confidence', 'low_or_unknown', entry, message),
    ...{ decision, ask: certificate.missing },
  }
}

const useContext = (owner: Owner, entry: Entry, use: Use, around: Surroundings): Parameters<typeof invalidity>[1] => {
  const { registry, effects } = entry.snapshot
  const isSame = entry.snapshot.holds()
  const changed = isSame ? { registry, effects } : { registry: 'changed', effects: 'changed' }
  return {
    subject: around.subject,
    requestHashes: owner.requestHashes,
    state: stateFor(entry, use, around.settings.turnLimit),
    nowMs: around.nowMs,
    versions: { canon: CANON, policy: around.policy, ...changed },
    // Sealed when it was made, frozen since, and never out of this process.
    intact: true,
  }
}

const CONFIRM: Route = { effect: 'artifact', obligations: new Set<Obligation>(['confirm']) }
const EXECUTE: Route = { effect: 'execute', obligations: new Set<Obligation>() }

function obligationsOf(
  entry: Entry,
  call: NormalizedCall,
  checked: Consistent,
  around: Surroundings,
): readonly Obligation[] {
  const { certificate, settings } = entry.prepared
  const tier = tierOf(call.definition)
  const band = bandOf(certificate.confidence, settings.bands)
  if (tier === 'high' && isUnattended(entry, call, checked, around)) return []
  if (tier !== 'high' && isIdle(entry, checked)) return []
  // What a record holds is the record's word, not the user's: a person sees it before anything is written.
  const isSettled = checked.unbound.length + checked.fromRecord.length === 0
  const mayRunAlone = tier !== 'high' && isSettled && band === 'high'
  const reviewed = tier === 'low' ? EXECUTE : reviewRoute(entry)
  const route = mergeRoutes(mayRunAlone ? EXECUTE : ROUTES[tier][band], reviewed)
  return gateObligations(isSettled ? route : mergeRoutes(route, CONFIRM), tier, settings.discharges)
}

/** The bank's data is as old as the message: after a write of it, only the bank knows what is there. */
const isIdle = ({ prepared: { certificate } }: Entry, { changesNothing }: Consistent): boolean =>
  changesNothing && certificate.stepIndex === 0

/** The certificate's own review can only add to the table's. */
const reviewRoute = ({ prepared: { certificate } }: Entry): Route => {
  const { reviewMode } = certificate
  return reviewMode === 'draft' || reviewMode === 'preflight' || reviewMode === 'confirm'
    ? { effect: 'artifact', obligations: new Set([reviewMode]) }
    : EXECUTE
}

/** A transfer between the subject's own accounts that an operator has freed, with every value from the user's words. */
const isUnattended = (entry: Entry, call: NormalizedCall, checked: Consistent, { tainted }: Surroundings): boolean =>
  call.definition.effect.class === 'move_money' &&
  !tainted &&
  checked.unbound.length + checked.fromRecord.length === 0 &&
  isSure(entry) &&
  isBetweenOwn(entry) &&
  isFreed(entry, call)

const isSure = ({ prepared: { certificate, settings } }: Entry): boolean =>
  certificate.stepIndex === 0 && bandOf(certificate.confidence, settings.bands) === 'high'

function isBetweenOwn({ prepared: { certificate, sources } }: Entry): boolean {
  const { payee, source } = certificate.payloadPins
  return payee !== null && source !== null && sources.has(payee) && sources.has(source)
}

function isFreed({ prepared: { settings } }: Entry, { definition, args }: NormalizedCall): boolean {
  const { unattendedOwnTransfersUpTo: limit } = settings
  const amount = predicted(definition, args)?.amount
  if (limit === null || amount === undefined) return false
  return amount.currency === limit.currency && amount.minor <= limit.minor
}
