import { z } from 'zod'
import type { Evaluation } from '../../src/core/authzen.ts'
import type { NormalizedCall } from '../../src/core/call.ts'
import { defineTool } from '../../src/core/define-tool.ts'
import { sessionId, subjectId, tenantId, toolCallId } from '../../src/core/ids.ts'
import type { Login } from '../../src/core/login.ts'
import type { ResourceArgument, ToolDefinition } from '../../src/core/tool.ts'
import type { ToolArguments } from '../../src/core/tool-arguments.ts'
import type { IntentQuestion } from '../../src/intent/intent-source.ts'

const effect: ToolDefinition['effect'] = {
  class: 'read',
  tier: 'low',
  reversible: true,
  untrustedOutput: false,
  version: '1',
  predict: () => ({ mutations: [], resources: [], rows: 1, destinations: [], egress: 'user' }),
}

/** A tool whose parameters are whatever the template and the resources name. */
export function toolOf(name: string, template: string, resources: readonly ResourceArgument[]): ToolDefinition {
  const names = [...template.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1]!)
  const shape = Object.fromEntries(
    [...names, ...resources.map((each) => each.argument)].map((each) => [each, z.unknown().optional()]),
  )
  return defineTool({
    name,
    description: name,
    parameters: z.object(shape),
    template,
    resources,
    effect,
    run: () => null,
  })
}

export const balance = toolOf('get_account_balance', 'View the balance of Account {account_id}', [
  { argument: 'account_id', type: 'Account', actions: ['VIEW_ACCOUNT_BALANCE'] },
])
export const transfer = toolOf(
  'transfer_money',
  'Transfer {amount} {currency} from Account {from_account} to Account {to_account}',
  [{ argument: 'from_account', type: 'Account', actions: ['TRANSFER_FROM_ACCOUNT', 'MANAGE_ACCOUNT'] }],
)
export const invoice = toolOf('get_invoice', 'View Invoice {invoice_id}', [
  { argument: 'invoice_id', type: 'Invoice', actions: ['VIEW_INVOICE'] },
])
export const rates = toolOf('get_rates', 'View the rates', [])

interface Who {
  readonly id?: string
  readonly type?: string
  readonly tenant?: string
  readonly token?: string
}

/** As `login/verify.ts` would make it. */
export const loginOf = ({
  id = 'bob',
  type = 'Customer',
  tenant = 'canbank',
  token = 'login-token',
}: Who = {}): Login =>
  ({
    tenant: tenantId(tenant),
    subject: { type, id: subjectId(id) },
    token,
    expiresAtMs: Number.MAX_SAFE_INTEGER,
  }) as Login

/** As `firewall/normalize.ts` would make it. */
export const callOf = (definition: ToolDefinition, args: ToolArguments, who: Who = {}): NormalizedCall =>
  ({
    id: toolCallId('c1'),
    session: sessionId('s1'),
    turn: 1,
    login: loginOf(who),
    kind: 'custom-tool',
    tool: definition.name,
    definition,
    args,
    argsHash: '0'.repeat(64),
  }) as unknown as NormalizedCall

export const bobsBalance = (who: Who = {}): IntentQuestion => ({
  call: callOf(balance, { account_id: 'acc-bob-checking' }, who),
  sentence: 'View the balance of Account acc-bob-checking',
})

export const evaluationOf = (
  action: string,
  type: string,
  id: string,
  subject: Evaluation['subject'] = { type: 'Customer', id: 'bob' },
): Evaluation => ({ subject, action: { name: action }, resource: { type, id } })

export const viewBobs = evaluationOf('VIEW_ACCOUNT_BALANCE', 'Account', 'acc-bob-checking')

/** A signal that never aborts. */
export const patient = (): AbortSignal => new AbortController().signal
