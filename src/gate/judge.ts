import type { Evaluation, NonEmpty } from '../core/authzen.ts'
import type { NormalizedCall, ToolCall } from '../core/call.ts'
import { deny, permit, type Decision } from '../core/decision.ts'
import type { TenantId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import { narrow } from '../core/narrow.ts'
import type { Opinion, OpinionRoom } from '../core/opinion.ts'
import type { ToolDefinition } from '../core/tool.ts'
import { pass, refuse, type Refusal, type Verdict } from '../core/verdict.ts'
import type { World } from '../core/world.ts'
import { normalize } from '../firewall/normalize.ts'
import { checkCoverage } from '../intent/coverage.ts'
import type { IntentSource } from '../intent/intent-source.ts'
import { renderSentence } from '../intent/template.ts'
import { isVerified } from '../login/verify.ts'
import type { Pdp } from '../pdp/pdp.ts'
import { failClosed, patience, stage, type Patience, type Report } from './fail-closed.ts'
import type { Judgement } from './gate.ts'

/** What one tenant has of its own. */
export interface TenantServices {
  /** The issuer whose logins count here. */
  readonly issuer: string
  readonly tools: ReadonlyMap<string, ToolDefinition>
  readonly intents: IntentSource
  readonly pdp: Pdp
}

export interface JudgeDeps {
  readonly world: World
  readonly tenants: ReadonlyMap<TenantId, TenantServices>
  /** Milliseconds that one whole decision may take, people's time not counted. */
  readonly deadlineMs: number
  readonly report: Report
}

/** What the stages have found so far; each adds, none takes away. */
type Findings = { readonly opinions: Opinion[] } & {
  -readonly [Found in 'args' | 'argsHash' | 'sentence' | 'evaluations' | 'decisions']?: NonNullable<Judgement[Found]>
}

/** Puts one call through every opinion, in the order of the house: it stops at the first that does not permit. */
export async function judge(deps: JudgeDeps, call: ToolCall): Promise<Judgement> {
  const startedMs = deps.world.monotonicMs()
  const findings: Findings = { opinions: [] }
  await failClosed(
    () => inTime(deps, (limit) => ask(deps, call, findings, limit)),
    (detail) => {
      findings.opinions.push({ room: 'gate', decision: deny('gate.internal_error'), detail })
    },
    deps.report,
  )
  return {
    id: deps.world.newId(),
    decision: fold(findings.opinions),
    ms: deps.world.monotonicMs() - startedMs,
    ...findings,
  }
}

/** All opinions as one decision. None at all is no permit. */
export function fold(opinions: readonly Opinion[]): Decision {
  const [first] = opinions
  if (first === undefined) return deny('gate.internal_error')
  return opinions.reduce((decision, opinion) => narrow(decision, opinion.decision), first.decision)
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
  const normalized = record(findings, 'firewall', normalize(call, services.tools))
  if (normalized === undefined) return
  findings.args = normalized.args
  findings.argsHash = normalized.argsHash
  const extracted = record(findings, 'intent', await extract(deps, services, normalized, findings, limit))
  if (extracted === undefined) return
  findings.evaluations = extracted
  const covered = record(findings, 'coverage', checkCoverage(normalized, extracted))
  if (covered === undefined) return
  findings.evaluations = covered
  const decided = record(findings, 'pdp', await decide(deps, services, call.login, covered, limit, findings))
  if (decided === undefined) return
  findings.opinions.push({ room: 'effects', decision: permit(...normalized.definition.obligations) })
  if (limit.deadline.expired()) findings.opinions.push({ room: 'gate', decision: deny('gate.timeout') })
  else if (loginExpired(deps.world, call.login)) {
    findings.opinions.push({ room: 'login', decision: deny('login.expired') })
  }
}

/** Notes a room's opinion; gives the next stage's input, or undefined when there is to be none. */
function record<T>(findings: Findings, room: OpinionRoom, verdict: Verdict<T>): T | undefined {
  findings.opinions.push(
    verdict.ok ? { room, decision: permit() } : { room, decision: deny(verdict.reason), ...explanation(verdict) },
  )
  return verdict.ok ? verdict.value : undefined
}

const explanation = ({ detail, hint }: Refusal): Pick<Opinion, 'detail' | 'hint'> =>
  hint === undefined ? { detail } : { detail, hint }

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
  { intents }: TenantServices,
  call: NormalizedCall,
  findings: Findings,
  limit: Patience,
): Promise<Verdict<readonly Evaluation[]>> {
  const sentence = renderSentence(call.definition, call.args)
  if (!sentence.ok) return Promise.resolve(sentence)
  findings.sentence = sentence.value
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
  { pdp }: TenantServices,
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
  findings.decisions = booleans
  return booleans.every((decision) => decision)
    ? pass(true)
    : refuse('pdp.denied', `${booleans.filter((decision) => !decision).length} of ${count} evaluations`)
}
