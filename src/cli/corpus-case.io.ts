import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { translate } from '../../adapters/hosts/translate.ts'
import { verifyAudit } from '../audit/verify.io.ts'
import { composeWorkspace, type Workspace, type WorkspaceIdentity } from '../compose/workspace.io.ts'
import type { ToolCall } from '../core/call.ts'
import { sessionId, toolCallId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import type { Judgement, RunResult } from '../gate/gate.ts'
import { auditProblems, stepProblems, type AuditLine, type StepResult } from '../runner/corpus-check.ts'
import { PLANTED } from '../runner/corpus-workspace.ts'
import { filledIn, type CorpusCase, type CorpusStep } from '../runner/corpus.ts'
import { makePlace, type CorpusPlace } from './corpus-place.io.ts'

/** What became of one case. */
export interface CaseResult {
  readonly id: string
  readonly family: string
  readonly benign: boolean
  /** Sentences; none when everything is as the case says. */
  readonly problems: readonly string[]
  readonly ms: number
}

const DEADLINE_MS = 20_000
const SESSION = sessionId('corpus')

/** Plays one case in a fresh workspace: decides each step, runs what is allowed, then checks audit and canaries. */
export async function runCase(given: CorpusCase, identity: WorkspaceIdentity): Promise<CaseResult> {
  const startedMs = performance.now()
  const place = makePlace(given)
  try {
    const problems = await played(given, place, identity)
    const { id, family, benign } = given
    return { id, family, benign: benign === true, problems, ms: performance.now() - startedMs }
  } finally {
    place.remove()
  }
}

async function played(
  { steps }: CorpusCase,
  place: CorpusPlace,
  identity: WorkspaceIdentity,
): Promise<readonly string[]> {
  const workspace = await composeWorkspace({
    policyFile: place.policy,
    audit: { file: place.audit, durable: false },
    tools: 'ours',
    deadlineMs: DEADLINE_MS,
    identity,
  })
  const results: StepResult[] = []
  const problems: string[] = []
  try {
    const login = await workspace.signIn(workspace.tenant, 'corpus')
    if (!login.ok) return ['the embedded issuer did not answer']
    workspace.gate.beginTurn(SESSION, 1)
    for (const [at, step] of steps.entries()) {
      const result = await decided(step, at, { workspace, login: login.value, place })
      if (typeof result === 'string') return [`step ${at + 1}: ${result}`]
      results.push(result)
      problems.push(...stepProblems(step, result).map((says) => `step ${at + 1}: ${says}`))
    }
    workspace.gate.endTurn(SESSION, 1)
  } finally {
    await workspace.close()
  }
  return [...problems, ...(await audited(results, place)), ...place.changes()]
}

interface Ground {
  readonly workspace: Workspace
  readonly login: Login
  readonly place: CorpusPlace
}

/** What the gate makes of a step; a text says why it could not be asked. */
async function decided(step: CorpusStep, at: number, ground: Ground): Promise<StepResult | string> {
  const { workspace, login, place } = ground
  const { workspace: root, outside, policy, audit } = place
  const request = filledIn(step.request, { workspace: root, outside, policy, audit })
  const translated = translate(request, new Set())
  if (!translated.ok) return `the request is not readable: ${translated.detail}`
  const { id = `c${at}`, ...asked } = translated.value
  const call = { ...asked, id: toolCallId(id), session: SESSION, turn: 1, login }
  const { gate } = workspace
  // What starts in another folder is only decided: our tools start where the session does.
  const isOurs = call.cwd === undefined && gate.tools(login).some(({ name }) => name === call.tool)
  if (step.decision !== 'allow' || !isOurs) return resultOf(await gate.judge(call), undefined)
  const judgement = await gate.authorize(call)
  return resultOf(judgement, judgement.decision.kind === 'permit' ? await ran(workspace, call) : undefined)
}

const ran = async ({ gate }: Workspace, call: ToolCall): Promise<string> => shown(await gate.run(call))

function shown(result: RunResult): string {
  switch (result.kind) {
    case 'done':
      return String(result.value)
    case 'refused':
      return `refused: ${result.code}: ${result.says}`
    case 'failed':
      return 'failed'
    case 'breached':
      return `breached: ${result.code}`
    case 'denied':
      return `denied: ${result.code}`
  }
}

function resultOf({ id, decision, screened }: Judgement, output: string | undefined): StepResult {
  const { rules = [], tainted = false } = screened ?? {}
  const base = { id, rules, tainted, output }
  if (decision.kind !== 'permit') return { ...base, decision: 'block', code: decision.reason }
  return { ...base, decision: decision.obligations.has('confirm') ? 'require_approval' : 'allow', code: undefined }
}

const Line = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  decision: z.string().optional(),
  code: z.string().nullish(),
  firewall: z.looseObject({ rules: z.array(z.string()) }).optional(),
})

async function audited(results: readonly StepResult[], { audit }: CorpusPlace): Promise<readonly string[]> {
  const { ok, problems } = await verifyAudit(audit)
  const text = readFileSync(audit, 'utf8')
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): AuditLine => {
      const { firewall, ...rest } = Line.parse(JSON.parse(line))
      return { ...rest, rules: firewall?.rules }
    })
  return [
    ...(ok ? [] : problems.map(({ line, says }) => `the audit's line ${line} ${says}`)),
    ...(PLANTED.some((secret) => text.includes(secret)) ? ['the audit holds a secret'] : []),
    ...auditProblems(results, lines),
  ]
}
