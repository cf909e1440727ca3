import { hash } from 'node:crypto'
import type { Certificates } from '../certificates/certificates.ts'
import type { Evaluation, NonEmpty } from '../core/authzen.ts'
import type { NormalizedCall, ToolCall } from '../core/call.ts'
import { deny, permit, type Decision } from '../core/decision.ts'
import type { TenantId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import { narrow } from '../core/narrow.ts'
import type { Opinion, OpinionRoom } from '../core/opinion.ts'
import type { ToolDefinition } from '../core/tool.ts'
import { pass, refuse, type Verdict } from '../core/verdict.ts'
import type { World } from '../core/world.ts'
import type { Firewall } from '../firewall/firewall.ts'
import { normalize } from '../firewall/normalize.ts'
import type { Outcome } from '../firewall/outcome.ts'
import { checkCoverage } from '../intent/coverage.ts'
import type { IntentSource } from '../intent/intent-source.ts'
import { renderSentence } from '../intent/template.ts'
import { isVerified } from '../login/verify.ts'
import type { Pdp } from '../pdp/pdp.ts'
import { failClosed, patience, stage, type Patience, type Report } from './fail-closed.ts'
import type { Judgement } from './gate.ts'

interface Tenant {
  /** The issuer whose logins count here. */
  readonly issuer: string
  readonly tools: ReadonlyMap<string, ToolDefinition>
}

/** A tenant whose agent works on files and runs commands: the firewall's policy decides alone. */
interface WorkspaceServices extends Tenant {
  readonly firewall: Firewall
}

/** A tenant whose agent has tools of its own, and nothing else: who may, and what was asked. */
export interface ToolServices extends Tenant {
  /** `off`: identity alone decides, and what the user asked for bounds nothing. */
  readonly certificates: Certificates | 'off'
  readonly intents: IntentSource
  readonly pdp: Pdp
}

/** What one tenant has of its own. */
type TenantServices = ToolServices | WorkspaceServices

/** Everything that deciding needs; what is missing cannot be asked, and nothing is decided without it. */
export interface JudgeDeps {
  readonly world: World
  readonly tenants: ReadonlyMap<TenantId, TenantServices>
  /** Milliseconds that one whole decision may take, people's time not counted. */
  readonly deadlineMs: number
  readonly report: Report
  /** Tools that broke their effect contract, each as `toolKey`. @defaultValue none */
  readonly broken?: ReadonlySet<string>
}

/** True for a tool that did something else than its contract says. */
export const isBroken = ({ broken }: JudgeDeps, call: Pick<ToolCall, 'login' | 'tool'>): boolean =>
  broken !== undefined && broken.size > 0 && broken.has(toolKey(call))

/** One tool of one tenant. */
export const toolKey = ({ login, tool }: Pick<ToolCall, 'login' | 'tool'>): string =>
  JSON.stringify([login.tenant, tool])

/** What the stages have found so far; each adds, none takes away. */
interface Findings {
  readonly opinions: Opinion[]
  readonly found: Found
  /** Milliseconds since it was last asked. */
  readonly lap: () => number
  normalized?: NormalizedCall
}
type Found = {
  -readonly [
    Each in 'args' | 'argsHash' | 'screened' | 'certified' | 'sentence' | 'evaluations' | 'decisions'
  ]?: NonNullable<Judgement[Each]>
}

/** A judgement and the call that it is about, for the gate's own further steps. */
export interface Judged {
  readonly judgement: Judgement
  /** Absent when the call was refused before it had one spelling. */
  readonly normalized?: NormalizedCall
}

/** Puts one call through every opinion, in the order of the house: it stops at the first that does not permit. */
export async function judge(deps: JudgeDeps, call: ToolCall): Promise<Judged> {
  const startedMs = deps.world.monotonicMs()
  const findings: Findings = { opinions: [], found: {}, lap: laps(deps.world, startedMs) }
  await failClosed(
    () => inTime(deps, (limit) => ask(deps, call, findings, limit)),
    (detail) => {
      note(findings, 'gate', deny('gate.internal_error'), { detail })
    },
    deps.report,
  )
  const { opinions, found, normalized } = findings
  const judgement = {
    id: deps.world.newId(),
    decision: fold(opinions),
    opinions,
    ms: deps.world.monotonicMs() - startedMs,
    ...found,
  }
  return normalized === undefined ? { judgement } : { judgement, normalized }
}

/** All opinions as one decision. None at all is no permit. */
export function fold(opinions: readonly Opinion[]): Decision {
  const [first] = opinions
  if (first === undefined) return deny('gate.internal_error')
  return opinions.reduce((decision, opinion) => narrow(decision, opinion.decision), first.decision)
}

/** The same judgement with one more opinion. */
export function withOpinion(judgement: Judgement, opinion: Opinion): Judgement {
  const opinions = [...judgement.opinions, opinion]
  return { ...judgement, opinions, decision: fold(opinions) }
}

async function inTime(deps: JudgeDeps, work: (limit: Patience) => Promise<void>): Promise<void> {
  const limit = patience(deps.world.deadline(deps.deadlineMs))
  try {
    await work(limit)
  } finally {
    limit.end()
  }
}

async function ask(deps: JudgeDeps, call: ToolCall, findings: Findings, limit: Patience): Promise<void> {
  const services = record(findings, 'login', checkLogin(deps, call.login))
  if (services === undefined) return
  if ('firewall' in services) screen(services, call, findings)
  else await askAboutTool(deps, services, call, findings, limit)
  if (fold(findings.opinions).kind !== 'permit') return
  if (limit.deadline.expired()) note(findings, 'gate', deny('gate.timeout'))
  else if (loginExpired(deps.world, call.login)) {
    note(findings, 'login', deny('login.expired'))
  }
}

/**
 * The opinion of a workspace's policy. A tool of ours must parse as well, because that is what its run will get; but
 * whatever its form, what it names is looked at first.
 */
function screen({ firewall, tools }: WorkspaceServices, call: ToolCall, findings: Findings): void {
  const { outcome, args, ...screened } = firewall.screen(call)
  findings.found.screened = { ...screened, rules: outcome.rules }
  findings.found.args = args
  note(findings, 'firewall', decisionOf(outcome), outcome)
  const ours = tools.has(call.tool) ? normalize({ ...call, kind: 'custom-tool' }, tools) : undefined
  findings.found.argsHash = hash('sha256', JSON.stringify([call.kind, call.tool, args]), 'hex')
  if (ours === undefined) return
  const normalized = record(findings, 'firewall', ours)
  if (normalized === undefined) return
  findings.found.argsHash = normalized.argsHash
  findings.normalized = normalized
}

function decisionOf(outcome: Outcome): Decision {
  switch (outcome.decision) {
    case 'allow':
      return permit()
    case 'require_approval':
      return permit('confirm')
    case 'block':
      return deny(outcome.rule)
  }
}

async function askAboutTool(
  deps: JudgeDeps,
  services: ToolServices,
  call: ToolCall,
  findings: Findings,
  limit: Patience,
): Promise<void> {
  const normalized = record(findings, 'firewall', normalize(call, services.tools))
  if (normalized === undefined) return
  findings.found.args = normalized.args
  findings.found.argsHash = normalized.argsHash
  findings.normalized = normalized
  if (!isCertified(services, normalized, findings)) return
  const extracted = record(findings, 'intent', await extract(deps, services, normalized, findings, limit))
  if (extracted === undefined) return
  findings.found.evaluations = extracted
  const covered = record(findings, 'coverage', checkCoverage(normalized, extracted))
  if (covered === undefined) return
  findings.found.evaluations = covered
  const decided = record(findings, 'pdp', await decide(deps, services, call.login, covered, limit, findings))
  if (decided === undefined) return
  const broke = isBroken(deps, call)
  note(findings, 'effects', broke ? deny('effects.contract_breach') : permit(...normalized.definition.obligations))
}

/** Holds the call against what the user asked for; with certificates off there is no such opinion. */
function isCertified({ certificates }: ToolServices, call: NormalizedCall, findings: Findings): boolean {
  if (certificates === 'off') return true
  const certified = certificates.judge(call)
  findings.found.certified = { ...certified, mode: certificates.mode }
  const { decision, detail, ask } = certified
  const hint = ask.length === 0 ? undefined : `Ask the user for: ${ask.join(', ')}.`
  note(findings, 'certificates', decision, { detail, hint })
  return decision.kind === 'permit'
}

/** Notes a room's opinion; gives the next stage's input, or undefined when there is to be none. */
function record<T>(findings: Findings, room: OpinionRoom, verdict: Verdict<T>): T | undefined {
  if (verdict.ok) note(findings, room, permit())
  else note(findings, room, deny(verdict.reason), verdict)
  return verdict.ok ? verdict.value : undefined
}

/** What an opinion says beside its decision. */
interface Explanation {
  readonly detail?: string | undefined
  readonly hint?: string | undefined
}

// Key by key, as in firewall/normalize.ts: this runs for every room of every call.
function note({ opinions, lap }: Findings, room: OpinionRoom, decision: Decision, why: Explanation = NOTHING): void {
  const { detail, hint } = why
  const ms = lap()
  if (detail === undefined && hint === undefined) opinions.push({ room, decision, ms })
  else opinions.push({ room, decision, ms, detail: detail ?? '', ...(hint === undefined ? {} : { hint }) })
}
const NOTHING: Explanation = {}

/** A stop watch that starts again each time it is read. */
function laps({ monotonicMs }: World, startedMs: number): () => number {
  let last = startedMs
  return () => {
    const now = monotonicMs()
    const ms = now - last
    last = now
    return ms
  }
}

function checkLogin({ world, tenants }: JudgeDeps, login: Login): Verdict<TenantServices> {
  const services = tenants.get(login.tenant)
  if (services === undefined) return refuse('login.tenant_unknown', login.tenant)
  if (!isVerified(login) || login.issuer !== services.issuer) {
    return refuse('login.invalid', 'not a login of our issuer')
  }
  return loginExpired(world, login) ? refuse('login.expired', 'the token is past its exp') : pass(services)
}

/** True at and after the instant of the token's `exp`. */
const loginExpired = (world: World, login: Login): boolean => !(world.now().getTime() < login.expiresAtMs)

function extract(
  { report }: JudgeDeps,
  { intents }: ToolServices,
  call: NormalizedCall,
  findings: Findings,
  limit: Patience,
): Promise<Verdict<readonly Evaluation[]>> {
  const sentence = renderSentence(call.definition, call.args)
  if (!sentence.ok) return Promise.resolve(sentence)
  findings.found.sentence = sentence.value
  const faults = { threw: 'intent.unavailable', late: 'intent.timeout' } as const
  return stage(
    async (signal) => {
      const extracted = await intents.extract({ call, sentence: sentence.value }, signal)
      if (!extracted.ok || Array.isArray(extracted.value)) return extracted
      return refuse('intent.answer_invalid', 'no list of evaluations')
    },
    limit,
    faults,
    report,
  )
}

function decide(
  { report }: JudgeDeps,
  { pdp }: ToolServices,
  login: Login,
  evaluations: NonEmpty<Evaluation>,
  limit: Patience,
  findings: Findings,
): Promise<Verdict<true>> {
  const faults = { threw: 'pdp.unavailable', late: 'pdp.timeout' } as const
  return stage(
    async (signal) => {
      const answer = await pdp.decide({ evaluations, login }, signal)
      return answer.ok ? everyTrue(answer.value, evaluations.length, findings) : answer
    },
    limit,
    faults,
    report,
  )
}

/** Only a literal `true` for each evaluation permits; a PDP of the app's own is not believed more than one on the wire. */
function everyTrue(decisions: readonly unknown[], count: number, findings: Findings): Verdict<true> {
  if (!Array.isArray(decisions)) return refuse('pdp.answer_invalid', 'no list of decisions')
  if (decisions.length !== count) return refuse('pdp.count_mismatch', `${decisions.length} for ${count}`)
  const booleans = decisions.filter((decision) => typeof decision === 'boolean')
  if (booleans.length !== count) return refuse('pdp.answer_invalid', 'a decision that is no boolean')
  findings.found.decisions = booleans
  return booleans.every((decision) => decision)
    ? pass(true)
    : refuse('pdp.denied', `${booleans.filter((decision) => !decision).length} of ${count} evaluations`)
}
