import type { Certificates } from '../certificates/certificates.ts'
import type { NormalizedCall, ToolCall } from '../core/call.ts'
import { deny } from '../core/decision.ts'
import type { SessionId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import type { ReasonCode } from '../core/reasons.ts'
import type { ToolDefinition } from '../core/tool.ts'
import { nameOf, safely } from './fail-closed.ts'
import type { Judgement, TurnMessage } from './gate.ts'
import { isBroken, withOpinion, type Judged, type JudgeDeps } from './judge.ts'
import type { Permit } from './permits.ts'

/** Of whichever tenant: a session belongs to one, and its id is unique. */
export const allCertificates = ({ tenants }: JudgeDeps): readonly Certificates[] =>
  [...tenants.values()].flatMap((services) =>
    'certificates' in services && services.certificates !== 'off' ? [services.certificates] : [],
  )

/** Of the login's tenant; undefined where they are off, or where a firewall policy decides. */
export const certificatesOf = ({ tenants }: JudgeDeps, { tenant }: Login): Certificates | undefined => {
  const services = tenants.get(tenant)
  if (services === undefined || !('certificates' in services)) return undefined
  return services.certificates === 'off' ? undefined : services.certificates
}

/** Makes the message's certificate; gives the names of the tools that it leaves visible. A fault leaves none. */
export function certified(
  deps: JudgeDeps,
  session: SessionId,
  turn: number,
  { login, text }: TurnMessage,
): readonly string[] {
  const tools = deps.tenants.get(login.tenant)?.tools ?? new Map<string, ToolDefinition>()
  const certificates = certificatesOf(deps, login)
  if (certificates === undefined) return [...tools.keys()]
  try {
    return certificates.issue({ login, session, turn, messageId: `${session}:${turn}`, text }, tools).visible
  } catch (cause) {
    safely(deps.report, cause)
    revoked(deps, certificates, session)
    return []
  }
}

/** Takes what the call would use of its certificate's budget, last of all; when another call has it, a deny. */
export function withBudget(deps: JudgeDeps, { judgement, normalized }: Judged): Judgement {
  if (judgement.decision.kind !== 'permit' || normalized === undefined) return judgement
  try {
    if (certificatesOf(deps, normalized.login)?.reserve(normalized) !== false) return judgement
    const decision = deny('agent.intent_revoked')
    return withOpinion(judgement, { room: 'certificates', decision, detail: 'another call has the budget' })
  } catch (cause) {
    safely(deps.report, cause)
    return withOpinion(judgement, { room: 'gate', decision: deny('gate.internal_error'), detail: nameOf(cause) })
  }
}

/** Notes a refusal for the rest of the turn; a call that is refused again is told to stop. */
export function remembered(deps: JudgeDeps, judgement: Judgement, call: NormalizedCall | undefined): Judgement {
  const { decision, opinions } = judgement
  if (decision.kind === 'permit' || call === undefined || !isRepeated(deps, call, decision.reason)) return judgement
  return {
    ...judgement,
    opinions: opinions.map((opinion) => (opinion.decision === decision ? { ...opinion, hint: STOP } : opinion)),
  }
}

function isRepeated(deps: JudgeDeps, call: NormalizedCall, reason: ReasonCode): boolean {
  try {
    return certificatesOf(deps, call.login)?.refused(call, reason).stopAndAsk === true
  } catch (cause) {
    safely(deps.report, cause)
    return true
  }
}

const STOP = 'This was refused before: stop, and ask the user.'

/** Why a permit counts no longer: its certificate has ended, its tool is not to be trusted, or more would be needed by now. */
export function lapsed(
  deps: JudgeDeps,
  call: NormalizedCall,
  { obligations: met }: Pick<Permit, 'obligations'>,
): ReasonCode | undefined {
  if (isBroken(deps, call)) return 'effects.contract_breach'
  try {
    const decision = certificatesOf(deps, call.login)?.stands(call)
    if (decision === undefined) return undefined
    if (decision.kind !== 'permit') return decision.reason
    return [...decision.obligations].every((each) => met.has(each)) ? undefined : 'gate.obligation_unmet'
  } catch (cause) {
    safely(deps.report, cause)
    return 'gate.internal_error'
  }
}

/** The session's authority ends: what was done is not what was asked for. */
export const withdraw = (deps: JudgeDeps, { login, session }: NormalizedCall): void => {
  revoked(deps, certificatesOf(deps, login), session)
}

/** What has happened has happened: a store that fails here changes nothing about it. */
export function settle(deps: JudgeDeps, call: ToolCall, outcome: 'done' | 'not_run'): void {
  try {
    certificatesOf(deps, call.login)?.settle(call, outcome)
  } catch (cause) {
    safely(deps.report, cause)
  }
}

/** Without knowing what the session has seen, it may not go on: its certificates end. */
export function saw(deps: JudgeDeps, { login, session, definition }: NormalizedCall, result: unknown): void {
  const certificates = certificatesOf(deps, login)
  try {
    certificates?.saw(session, definition, result)
  } catch (cause) {
    safely(deps.report, cause)
    revoked(deps, certificates, session)
  }
}

function revoked(deps: JudgeDeps, certificates: Certificates | undefined, session: SessionId): void {
  try {
    certificates?.revoke(session)
  } catch (cause) {
    safely(deps.report, cause)
  }
}
