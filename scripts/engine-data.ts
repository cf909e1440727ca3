import type { BankData } from '../src/canbank/bank.ts'

/** What the rules of Cerbos and OPA look at, by id. */
export interface BankFacts {
  readonly customers: Readonly<Record<string, object>>
  readonly accounts: Readonly<Record<string, { readonly owners: readonly string[]; readonly closed: boolean }>>
  readonly invoices: Readonly<Record<string, { readonly customer: string }>>
}

/** The facts of a bank that its policies need, and no others. */
export const bankFacts = ({ customers, accounts, invoices }: BankData): BankFacts => ({
  customers: Object.fromEntries(customers.map(({ id }) => [id, {}])),
  accounts: Object.fromEntries(accounts.map(({ id, owners, closed }) => [id, { owners, closed }])),
  invoices: Object.fromEntries(invoices.map(({ id, customer }) => [id, { customer }])),
})
