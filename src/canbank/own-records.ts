import type { BankData } from './bank.ts'

/** The ids of the customer's own records of one AuthZEN resource type, in the order of the bank's data. */
export function ownRecords(bank: BankData, customer: string, type: string): readonly string[] {
  switch (type) {
    case 'Account':
      return bank.accounts.filter(({ owners }) => owners.includes(customer)).map(({ id }) => id)
    case 'Invoice':
      return bank.invoices.filter((invoice) => invoice.customer === customer).map(({ id }) => id)
    case 'Customer':
      return bank.customers.filter(({ id }) => id === customer).map(({ id }) => id)
    default:
      return []
  }
}
