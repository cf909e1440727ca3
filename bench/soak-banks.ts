import type { BankData } from '../src/canbank/bank.ts'
import { BANKS } from '../src/canbank/banks.ts'

/** Somebody who is signed in at one of the two banks. */
export interface Who {
  readonly tenant: keyof typeof BANKS
  readonly customer: string
}

export const TENANTS = ['canbank', 'fjordbank'] as const

/** What an account holds at first, times its place among all accounts: no transfer of a soak comes near the next one. */
const STEP_MINOR = 1_000_000_000
const NEAR_MINOR = STEP_MINOR / 10

/**
 * The bank with values that tell whose they are: balances far from each other over both banks, and memos with the name
 * of bank and invoice in them. Names, addresses and phone numbers differ already.
 */
export const marked = (bank: BankData): BankData => ({
  ...bank,
  accounts: bank.accounts.map((account) => ({ ...account, minor: openingMinor(bank.tenant, account.id) })),
  invoices: bank.invoices.map((invoice) => ({ ...invoice, memo: `memo of ${bank.tenant}/${invoice.id}` })),
})

const ACCOUNTS = TENANTS.flatMap((tenant) => BANKS[tenant].accounts.map(({ id, owners }) => ({ tenant, id, owners })))

const openingMinor = (tenant: string, id: string): number =>
  STEP_MINOR * (1 + ACCOUNTS.findIndex((account) => account.tenant === tenant && account.id === id))

interface Secret {
  readonly text: string
  readonly tenant: string
  readonly customer: string
}

const SECRETS: readonly Secret[] = TENANTS.flatMap((tenant) => {
  const { customers, invoices } = marked(BANKS[tenant])
  return [
    ...customers.flatMap(({ id, name, address, phone }) =>
      [name, address, phone].map((text) => ({ text, tenant, customer: id })),
    ),
    ...invoices.map(({ memo, customer }) => ({ text: memo, tenant, customer })),
  ]
})

/** Whose values are in a text that are not this customer's own, one sentence each. */
export function foreignIn(text: string, who: Who): readonly string[] {
  const told = SECRETS.filter((secret) => text.includes(secret.text)).filter(
    ({ tenant, customer }) => tenant !== who.tenant || customer !== who.customer,
  )
  const balances = [...text.matchAll(/\d+\.\d\d/g)].flatMap(([amount]) => {
    const account = accountWith(Math.round(Number(amount) * 100))
    return account === undefined || isOwn(account, who) ? [] : [account]
  })
  return [
    ...told.map(({ tenant, customer }) => `a value of ${customer} of ${tenant}`),
    ...balances.map(({ tenant, id }) => `the balance of ${id} of ${tenant}`),
  ]
}

function accountWith(minor: number): (typeof ACCOUNTS)[number] | undefined {
  const place = Math.round(minor / STEP_MINOR)
  return Math.abs(minor - place * STEP_MINOR) < NEAR_MINOR ? ACCOUNTS[place - 1] : undefined
}

const isOwn = ({ tenant, owners }: (typeof ACCOUNTS)[number], who: Who): boolean =>
  tenant === who.tenant && owners.includes(who.customer)

/** Every id that a call may name; both banks have the same ones, and the last one neither has. */
export const IDS = {
  account: [...new Set(ACCOUNTS.map(({ id }) => id)), 'acc-nobody'],
  invoice: ['inv-alice-1', 'inv-bob-1', 'inv-carol-1', 'inv-nobody-1'],
  customer: ['alice', 'bob', 'carol', 'nobody'],
} as const

/** Written out once more, apart from the policies: whether the customer may do this at all. */
export function may({ tenant, customer }: Who, tool: string, args: Readonly<Record<string, unknown>>): boolean {
  const bank = BANKS[tenant]
  const account = (id: unknown) => bank.accounts.find((each) => each.id === id && each.owners.includes(customer))
  switch (tool) {
    case 'get_account_balance':
      return account(args['account_id']) !== undefined
    case 'transfer_money':
      return account(args['from_account'])?.closed === false
    case 'get_invoice':
      return bank.invoices.some((each) => each.id === args['invoice_id'] && each.customer === customer)
    case 'get_customer_profile':
      return args['customer_id'] === customer
    default:
      return false
  }
}
