import { z } from 'zod'
import { defineTool } from '../core/define-tool.ts'
import { readEffect, type Effect } from '../core/effect.ts'
import { ToolRefusal, type ToolDefinition } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import { LEDGER_REFUSALS, type Ledger, type LedgerCode } from './ledger.ts'
import { amountSchema, bankId, currencySchema, formatMinor, parseAmount } from './money.ts'

const balanceFacts = {
  name: 'get_account_balance',
  description: 'Shows the current balance of one account.',
  parameters: z.object({
    account_id: bankId.describe('Id of the account, exactly as given, such as acc-bob-checking.'),
  }),
  template: 'View the balance of Account {account_id}',
  resources: [{ argument: 'account_id', type: 'Account', actions: ['VIEW_ACCOUNT_BALANCE'] }],
  roles: { account_id: 'record' },
  effect: { ...readEffect('account_id'), realized: readBack('account_id') },
} as const

const transferFacts = {
  name: 'transfer_money',
  description: 'Moves money from one account to another account or to an external payee. It cannot be undone.',
  parameters: z.object({
    from_account: bankId.describe('Id of the account that is debited, such as acc-bob-checking.'),
    to_account: bankId.describe('Id of the account or external payee that receives, such as ext-oslo-bolig.'),
    amount: amountSchema.describe('Decimal text above zero, at most two decimals, such as "500.00".'),
    currency: currencySchema.describe('Currency of the accounts, three upper-case letters, such as NOK.'),
  }),
  template: 'Transfer {amount} {currency} from Account {from_account} to Account {to_account}',
  resources: [{ argument: 'from_account', type: 'Account', actions: ['TRANSFER_FROM_ACCOUNT'] }],
  destinations: ['to_account'],
  roles: { from_account: 'source', to_account: 'payee', amount: 'amount', currency: 'currency' },
  effect: {
    class: 'move_money',
    tier: 'high',
    reversible: false,
    untrustedOutput: false,
    version: '1',
    predict: transferEffect,
    realized: transferMade,
  },
} as const

const invoiceFacts = {
  name: 'get_invoice',
  description: 'Shows one invoice: who sent it, amount, due date, whom to pay, and the memo that the sender wrote.',
  parameters: z.object({ invoice_id: bankId.describe('Id of the invoice, exactly as given, such as inv-bob-1.') }),
  template: 'View Invoice {invoice_id}',
  resources: [{ argument: 'invoice_id', type: 'Invoice', actions: ['VIEW_INVOICE'] }],
  roles: { invoice_id: 'record' },
  effect: { ...readEffect('invoice_id', { untrustedOutput: true }), realized: readBack('invoice_id') },
} as const

const profileFacts = {
  name: 'get_customer_profile',
  description: 'Shows the name, address and phone number of one customer.',
  parameters: z.object({ customer_id: bankId.describe('Id of the customer, exactly as given, such as bob.') }),
  template: 'View the profile of Customer {customer_id}',
  resources: [{ argument: 'customer_id', type: 'Customer', actions: ['VIEW_CUSTOMER_PROFILE'] }],
  roles: { customer_id: 'record' },
  effect: { ...readEffect('customer_id'), realized: readBack('customer_id') },
} as const

function transferEffect(args: ToolArguments): Effect {
  const amount = parseAmount(String(args['amount']))
  return {
    mutations: ['move_money:Account'],
    resources: [String(args['from_account'])],
    rows: 1,
    // Without an amount the effect has no bound that anything admits.
    amount: { minor: amount.ok ? amount.minor : Infinity, currency: String(args['currency']) },
    destinations: [String(args['to_account'])],
    egress: 'user',
  }
}

const Receipt = z.object({ from_account: z.string(), to_account: z.string(), amount: z.string(), currency: z.string() })

/** What the ledger's receipt says was moved. */
function transferMade(result: unknown): Effect | undefined {
  const receipt = Receipt.safeParse(result)
  return receipt.success ? transferEffect(receipt.data) : undefined
}

/** The record that a result is about is the one that was asked for. */
function readBack(argument: string): (result: unknown) => Effect | undefined {
  const Result = z.looseObject({ [argument]: z.string() })
  return (result) => {
    const read = Result.safeParse(result)
    return read.success ? readEffect(argument).predict(read.data) : undefined
  }
}

/** What the four tools are, without a bank behind them: names, sentences, resources, effects. */
export const BANK_TOOL_FACTS = [balanceFacts, transferFacts, invoiceFacts, profileFacts] as const

/** The four tools of a bank over its books. What they return holds nothing of any customer but the one asked about. */
export const bankTools = (ledger: Ledger): readonly ToolDefinition[] => [
  defineTool({
    ...balanceFacts,
    run: ({ account_id }) => {
      const { id, minor, currency, closed } = ledger.account(account_id) ?? refuse('ledger.account_unknown')
      return { account_id: id, balance: formatMinor(minor), currency, closed }
    },
  }),
  defineTool({
    ...transferFacts,
    run: async ({ from_account: from, to_account: to, amount, currency }, { idempotencyKey: key }) => {
      const parsed = parseAmount(amount)
      if (!parsed.ok) return refuse('ledger.amount_invalid')
      const receipt = await ledger.transfer({ from, to, minor: parsed.minor, currency, key })
      return {
        from_account: receipt.from,
        to_account: receipt.to,
        amount: formatMinor(receipt.minor),
        currency: receipt.currency,
      }
    },
  }),
  defineTool({
    ...invoiceFacts,
    run: ({ invoice_id }) => {
      const { id, issuer, minor, currency, due, payTo, memo } =
        ledger.invoice(invoice_id) ?? refuse('ledger.invoice_unknown')
      return { invoice_id: id, issuer, amount: formatMinor(minor), currency, due, pay_to: payTo, memo }
    },
  }),
  defineTool({
    ...profileFacts,
    run: ({ customer_id }) => {
      const { id, name, address, phone } = ledger.customer(customer_id) ?? refuse('ledger.customer_unknown')
      return { customer_id: id, name, address, phone }
    },
  }),
]

function refuse(code: LedgerCode): never {
  throw new ToolRefusal(code, LEDGER_REFUSALS[code])
}
