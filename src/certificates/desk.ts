import type { NormalizedCall } from '../core/call.ts'
import type { Decision } from '../core/decision.ts'
import type { SessionId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import { assess, useOf, type Assessment } from './assess.ts'
import { take, type Entry } from './book.ts'
import type { SubjectBinding } from './certificate.ts'
import type { CertificateBrief, CertificateOpinion } from './certificates.ts'
import { isWrite } from './classes.ts'
import type { IssueRoom } from './issue-message.ts'
import { sessionPolicy, visibleTools } from './manifest.ts'
import { inMode } from './modes.ts'
import { predicted } from './predicted.ts'
import { provenanceOf } from './provenance.ts'
import type { Sessions } from './sessions.ts'

/** Everything that judging needs. */
export interface Desk extends IssueRoom {
  readonly sessions: Sessions
}

/** Whom and what a certificate of this login and session is bound to, but for the message. */
export const bindingOf = (
  { options }: IssueRoom,
  login: Login,
  session: SessionId,
): Omit<SubjectBinding, 'messageId'> => ({
  actorId: `${login.subject.type}:${login.subject.id}`,
  appId: options.appId ?? 'intent-gate',
  keyId: login.issuer,
  tenantId: login.tenant,
  workspaceId: null,
  sessionId: session,
})

/** The same for identical calls: tool and arguments. */
export const refusalKey = ({ tool, argsHash }: NormalizedCall): string => JSON.stringify([tool, argsHash])

/** The one decision function of all modes; which part of it counts is `inMode`'s. */
function decide(desk: Desk, call: NormalizedCall): Assessment {
  const known = desk.sessions.ownerAt(call.login, call.session)?.refusals.known(call.turn, refusalKey(call))
  if (known !== undefined) {
    return { decision: { kind: 'deny', reason: known }, check: 'repeated', ask: [], forbidden: true }
  }
  return assessed(desk, call)
}

/** The same without what was refused before. */
function assessed(desk: Desk, call: NormalizedCall): Assessment {
  const { sessions, settings, policy, options } = desk
  const owner = sessions.ownerAt(call.login, call.session)
  const session = sessions.at(call.session)
  const found = assess(owner, call, {
    subject: bindingOf(desk, call.login, call.session),
    nowMs: options.now().getTime(),
    tainted: session?.tainted === true,
    policy,
    settings,
  })
  if (options.mode === 'conformance') holdInvariants(found, call)
  const isSomebodyElses = found.message === undefined && session !== undefined && session.owners.size > 0
  // To the caller it looks like a session without a certificate; the audit learns that it is not theirs.
  return isSomebodyElses && owner === undefined ? { ...found, detail: 'binding:actorId' } : found
}

/** `conformance` only: what M1 to M4 promise of every single permit. */
function holdInvariants({ decision, entry }: Assessment, call: NormalizedCall): void {
  if (decision.kind !== 'permit') return
  const shown = visibleTools(sessionPolicy(entry?.prepared.certificate), [call.definition])
  if (shown.length !== 1) throw new TypeError('invariant: a permitted tool is not in the manifest of its certificate')
}

const NOT_EVALUATED: Assessment = { decision: { kind: 'permit', obligations: new Set() }, ask: [], forbidden: false }

/** The opinion on one call, and where its arguments come from. No side effect. */
export function judgeAt(desk: Desk, call: NormalizedCall): CertificateOpinion {
  const { mode } = desk.options
  const decided = mode === 'off' ? NOT_EVALUATED : decide(desk, call)
  const session = desk.sessions.at(call.session)
  const prepared = (decided.entry ?? newestEntry(desk, call))?.prepared
  const provenance = provenanceOf(call, {
    subjectId: call.login.subject.id,
    toolOf: (value) => session?.seen.toolOf(value),
    ...(prepared === undefined ? {} : { prepared }),
  })
  const writes = isWrite(call.definition.effect.class)
  const decision = inMode(mode, decided.decision, { writes, forbidden: decided.forbidden })
  return opinionOf(decided, decision, provenance, mode !== 'off')
}

/** What counts of a call that was permitted and has not run. No side effect. */
export function standsAt(desk: Desk, call: NormalizedCall): Decision {
  const { mode } = desk.options
  if (mode === 'off') return NOT_EVALUATED.decision
  const { decision, forbidden } = assessed(desk, call)
  return inMode(mode, decision, { writes: isWrite(call.definition.effect.class), forbidden })
}

function newestEntry({ sessions }: Desk, { login, session }: NormalizedCall): Entry | undefined {
  const message = sessions.ownerAt(login, session)?.messages.at(-1)
  return message?.entries[message.current]
}

function opinionOf(
  { decision: wouldBe, check, detail, ask, entry }: Assessment,
  decision: CertificateOpinion['decision'],
  provenance: CertificateOpinion['provenance'],
  evaluated: boolean,
): CertificateOpinion {
  return {
    ...{ decision, wouldBe, evaluated, ask, provenance },
    ...(check === undefined ? {} : { failedCheck: check }),
    ...(detail === undefined ? {} : { detail }),
    ...(entry === undefined ? {} : { certificate: briefOf(entry) }),
  }
}

const briefOf = (entry: Entry): CertificateBrief => ({
  id: entry.prepared.certificate.id,
  auditDigest: entry.prepared.certificate.auditDigest,
  state: stateOf(entry),
  classes: entry.prepared.certificate.intentClasses.allowed,
})

function stateOf({ revoked, superseded, left, reserved, prepared }: Entry): string {
  if (revoked) return 'revoked'
  if (superseded) return 'superseded'
  if (left.mutations >= prepared.certificate.effectBudget.mutations) return 'active'
  return reserved.size > 0 ? 'reserved' : 'consumed'
}

/** Takes what the call uses of its certificate. Decided again first, because time has passed since it was judged. */
export function reserveAt(desk: Desk, call: NormalizedCall): boolean {
  const { mode } = desk.options
  if (mode === 'off') return true
  const { decision, entry, message, forbidden } = decide(desk, call)
  if (decision.kind !== 'permit' || entry === undefined || message === undefined) {
    return inMode(mode, decision, { writes: isWrite(call.definition.effect.class), forbidden }).kind === 'permit'
  }
  const minor = predicted(call.definition, call.args)?.amount?.minor ?? 0
  if (!take(entry, useOf(call), minor)) return mode === 'shadow'
  desk.sessions.open(call.session).uses.set(call.id, { message, entry, turn: call.turn })
  return true
}
