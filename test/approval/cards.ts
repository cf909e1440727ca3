import { z } from 'zod'
import { BANKS } from '../../src/canbank/banks.ts'
import { memoryLedger } from '../../src/canbank/ledger.io.ts'
import { bankTools } from '../../src/canbank/tools.ts'
import { cardOf, type CardFacts, type Grounds } from '../../src/approval/card.ts'
import type { Approver, ApprovalAnswer, ApprovalRequest, Card } from '../../src/approval/approver.ts'
import { defineTool } from '../../src/core/define-tool.ts'
import type { ToolDefinition } from '../../src/core/tool.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import type { Deadline } from '../../src/core/world.ts'

const tools = new Map(bankTools(memoryLedger(BANKS.canbank)).map((tool) => [tool.name, tool]))

export function bankTool(name: string): ToolDefinition {
  const tool = tools.get(name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool
}

/** A tool with one argument of any text, for values that no bank would take. */
const noteTool = defineTool({
  name: 'leave_note',
  description: 'Leaves a note.',
  parameters: z.object({ note: z.string() }),
  template: 'Leave the note {note}',
  resources: [],
  effect: {
    class: 'create',
    tier: 'medium',
    reversible: true,
    untrustedOutput: false,
    version: '1',
    predict: () => ({ mutations: ['create:Note'], resources: [], rows: 1, destinations: [], egress: 'user' }),
  },
  run: () => 'left',
})

export const TRANSFER = {
  from_account: 'acc-alice-savings',
  to_account: 'acc-bob-checking',
  amount: '500.00',
  currency: 'NOK',
}

const said: Grounds = { origin: 'user' }
export const ALL_SAID: ReadonlyMap<string, Grounds> = new Map([
  ['from_account', said],
  ['to_account', { origin: 'user', source: 'your saved payee', called: 'Bob' }],
  ['amount', said],
  ['currency', { origin: 'record', source: 'account acc-alice-savings' }],
])

/** Alice's card of a transfer that she asked for in all but the currency. */
export function transferCard(changes: Partial<CardFacts> = {}): Card {
  const args = { ...TRANSFER, ...changes.args }
  return cardOf(
    {
      definition: bankTool('transfer_money'),
      origins: ALL_SAID,
      tenant: 'canbank',
      subject: { type: 'Customer', id: 'alice' },
      sentence: `Transfer ${args.amount} ${args.currency} from Account ${args.from_account} to Account ${args.to_account}`,
      evaluations: [
        {
          subject: { type: 'Customer', id: 'alice' },
          action: { name: 'TRANSFER_FROM_ACCOUNT' },
          resource: { type: 'Account', id: args.from_account },
        },
      ],
      asks: 'agent.intent_review_required',
      ...changes,
      args,
    },
    ['id-1', 's-1', 1, 'c-1'],
  )
}

/** Alice's card of a note, which only the model wrote. */
export const noteCard = (note: string, origin: Grounds = { origin: 'model' }): Card =>
  cardOf(
    {
      definition: noteTool,
      args: { note },
      origins: new Map([['note', origin]]),
      tenant: 'canbank',
      subject: { type: 'Customer', id: 'alice' },
      sentence: `Leave the note ${note}`,
      evaluations: [],
    },
    ['id-1', 's-1', 1, 'c-1'],
  )

/** A deadline that never comes, or has come. */
export const limit = (expired = false): Deadline => ({
  signal: expired ? AbortSignal.abort() : new AbortController().signal,
  expired: () => expired,
  clear: () => undefined,
})

/** A person who answers as told, and what they were asked. */
export function person(
  answer: (request: ApprovalRequest) => unknown,
): Approver & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = []
  return {
    asked,
    ask: async (request) => {
      asked.push(request)
      return (await answer(request)) as ApprovalAnswer
    },
  }
}

export const yes = ({ digest }: ApprovalRequest): ApprovalAnswer => ({ digest, approved: true })
export const no = ({ digest }: ApprovalRequest): ApprovalAnswer => ({ digest, approved: false })

/** What a person who must correct a file reads. */
export function complaint(act: () => unknown): string {
  try {
    act()
  } catch (cause) {
    if (cause instanceof SettingError) return cause.message
    throw cause
  }
  return 'no complaint'
}
