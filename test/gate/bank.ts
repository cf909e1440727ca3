import type { BankData } from '../../src/canbank/bank.ts'
import { BANKS } from '../../src/canbank/banks.ts'
import { memoryLedger } from '../../src/canbank/ledger.io.ts'
import type { Ledger } from '../../src/canbank/ledger.ts'
import { bankTools } from '../../src/canbank/tools.ts'
import type { AuditLog } from '../../src/audit/audit-log.ts'
import type { ToolCall } from '../../src/core/call.ts'
import { sessionId, tenantId, toolCallId } from '../../src/core/ids.ts'
import type { Login } from '../../src/core/login.ts'
import type { ToolDefinition } from '../../src/core/tool.ts'
import { pass } from '../../src/core/verdict.ts'
import type { World } from '../../src/core/world.ts'
import { assembleGate } from '../../src/gate/create-gate.ts'
import type { Gate } from '../../src/gate/gate.ts'
import type { ToolServices } from '../../src/gate/judge.ts'
import { definitionSource } from '../../src/intent/definition-source.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { bankPdp } from '../../standins/pdp.ts'
import { memoryLog, type MemoryLog } from '../../src/audit/memory-log.ts'
import { ISSUER } from '../logins.ts'
import { testWorld } from '../worlds.ts'

export const SESSION = sessionId('s-1')

const decide = bankPdp(BANKS.canbank)

/** The stand-in's rules without their server. */
export const rules: Pdp = {
  decide: ({ evaluations }) => Promise.resolve(pass(evaluations.map((evaluation) => decide(evaluation)))),
}

export interface BankGate {
  readonly gate: Gate
  readonly log: MemoryLog
  readonly balance: (account: string) => number | undefined
  readonly reports: unknown[]
}

export interface BankGateOptions {
  /** The bank's own data. @defaultValue canbank */
  readonly data?: BankData
  readonly services?: Partial<ToolServices>
  readonly world?: Partial<World>
  readonly audit?: AuditLog
  readonly deadlineMs?: number
  readonly adjust?: (tool: ToolDefinition) => ToolDefinition
  /** The books as the tools see them. @defaultValue the books as they are */
  readonly books?: (ledger: Ledger) => Ledger
}

/** A gate over canbank in one process: real tools, ledger and rules. */
export function bankGate(options: BankGateOptions = {}): BankGate {
  const { data = BANKS.canbank, adjust = (tool: ToolDefinition): ToolDefinition => tool } = options
  const ledger = memoryLedger(data)
  const tools = new Map(bankTools(options.books?.(ledger) ?? ledger).map((tool) => [tool.name, adjust(tool)]))
  const log = memoryLog()
  const reports: unknown[] = []
  const gate = assembleGate({
    world: testWorld(options.world),
    tenants: new Map([
      [
        tenantId('canbank'),
        { issuer: ISSUER, tools, certificates: 'off', intents: definitionSource(), pdp: rules, ...options.services },
      ],
    ]),
    deadlineMs: options.deadlineMs ?? 1_000,
    audit: options.audit ?? log,
    report: (cause) => reports.push(cause),
  })
  gate.beginTurn(SESSION, 1)
  return { gate, log, balance: (account) => ledger.account(account)?.minor, reports }
}

export function call(login: Login, tool: string, args: unknown, changes: Partial<ToolCall> = {}): ToolCall {
  return { id: toolCallId('c-1'), session: SESSION, turn: 1, login, kind: 'custom-tool', tool, args, ...changes }
}

export const TRANSFER = {
  from_account: 'acc-bob-checking',
  to_account: 'acc-alice-checking',
  amount: '100.00',
  currency: 'NOK',
}
export const transfer = (login: Login, changes: Partial<ToolCall> = {}): ToolCall =>
  call(login, 'transfer_money', TRANSFER, changes)
