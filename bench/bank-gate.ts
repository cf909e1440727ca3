import type { AuditLog } from '../src/audit/audit-log.ts'
import { BANKS } from '../src/canbank/banks.ts'
import { memoryLedger } from '../src/canbank/ledger.io.ts'
import { bankTools } from '../src/canbank/tools.ts'
import type { ToolCall } from '../src/core/call.ts'
import { sessionId, tenantId, toolCallId } from '../src/core/ids.ts'
import type { Login } from '../src/core/login.ts'
import type { ToolDefinition } from '../src/core/tool.ts'
import { pass } from '../src/core/verdict.ts'
import type { World } from '../src/core/world.ts'
import { assembleGate } from '../src/gate/create-gate.ts'
import type { Gate } from '../src/gate/gate.ts'
import { definitionSource } from '../src/intent/definition-source.ts'
import { createIssuer } from '../src/login/issuer.ts'
import type { Pdp } from '../src/pdp/pdp.ts'
import { AUDIENCE, startIssuer } from '../standins/issuer.ts'
import { bankPdp } from '../standins/pdp.ts'

const bank = BANKS.canbank
const TENANT = tenantId(bank.tenant)
const DEADLINE_MS = 20_000

/** The bank's real tools over books in memory. */
export const realTools = (): ReadonlyMap<string, ToolDefinition> =>
  new Map(bankTools(memoryLedger(bank)).map((tool) => [tool.name, tool]))

const decideOne = bankPdp(bank)
/** The rules of the stand-in PDP without their server. */
const rules: Pdp = { decide: ({ evaluations }) => Promise.resolve(pass(evaluations.map(decideOne))) }

/** The whole gate without a network: real tools, their definitions as the source of evaluations, the bank's rules. */
export const localGate = (world: World, audit: AuditLog, { issuer }: Login): Gate =>
  assembleGate({
    world,
    tenants: new Map([
      [TENANT, { issuer, tools: realTools(), certificates: 'off', intents: definitionSource(), pdp: rules }],
    ]),
    deadlineMs: DEADLINE_MS,
    audit,
    report: () => undefined,
  })

/** Bob, as the embedded issuer signs him in. */
export async function signInBob(world: World): Promise<Login> {
  const running = await startIssuer({ bank })
  const policy = { audience: AUDIENCE, subjectType: 'Customer', tenants: new Set([TENANT]) }
  try {
    const login = await createIssuer({ ...policy, issuer: running.url }, world).signInDemo('bob')
    if (!login.ok) throw new Error(login.detail)
    return login.value
  } finally {
    await running.close()
  }
}

/** The call that is measured: Bob looks at his own account, in a turn of its own. */
export const balanceCall = (login: Login, turn: number, session = 'bench'): ToolCall => ({
  id: toolCallId(`call-${turn}`),
  session: sessionId(session),
  turn,
  login,
  kind: 'custom-tool',
  tool: 'get_account_balance',
  args: { account_id: 'acc-bob-checking' },
})

/**
 * Decides and runs one call as a host does, in a turn of its own.
 * @throws Error when the gate did anything but permit and run it: a fast refusal is no figure.
 */
export async function gatedCall(gate: Gate, login: Login, turn: number, session?: string): Promise<void> {
  const call = balanceCall(login, turn, session)
  gate.beginTurn(call.session, turn)
  const { decision } = await gate.authorize(call)
  const ran = await gate.run(call)
  gate.endTurn(call.session, turn)
  if (decision.kind !== 'permit') throw new Error(`the measured call was refused: ${decision.reason}`)
  if (ran.kind !== 'done') throw new Error(`the measured call was not run: ${ran.kind}`)
}
