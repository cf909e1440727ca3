import type { OwnRecord, SubjectFacts } from '../core/facts.ts'
import type { Account, BankData, Customer, Invoice } from './bank.ts'

/** What a customer may call an account whose id ends in this, in English, bokmål and nynorsk. */
const ACCOUNT_NAMES: Readonly<Record<string, readonly string[]>> = {
  checking: ['checking', 'current account', 'brukskonto', 'brukskontoen', 'lønnskonto', 'lønnskontoen'],
  savings: ['savings', 'saving account', 'sparekonto', 'sparekontoen'],
  joint: ['joint', 'joint account', 'shared account', 'felleskonto', 'felleskontoen'],
  closed: ['closed account', 'avsluttet konto', 'avsluttede konto'],
}

const INVOICE_NAMES = ['invoice', 'bill', 'faktura', 'fakturaen', 'rekning', 'rekninga', 'regning', 'regningen']

/**
 * What one customer may name in a message, read from the bank's own data: own accounts, invoices, profile and saved
 * payees. Holds nothing of anybody else.
 * @param today ISO 8601 date.
 */
export function subjectFacts(bank: BankData, customer: string, today: string): SubjectFacts {
  const accounts = bank.accounts.filter(({ owners }) => owners.includes(customer))
  const records = [
    ...accounts.map(accountRecord),
    ...bank.invoices.filter((invoice) => invoice.customer === customer).map(invoiceRecord),
    ...bank.customers.filter(({ id }) => id === customer).map(profileRecord),
  ]
  const saved = Object.hasOwn(bank.savedPayees, customer) ? bank.savedPayees[customer] : undefined
  const payees = (saved ?? []).map(({ name, account }) => ({ name, id: account }))
  const [currency, ...others] = new Set(accounts.map((account) => account.currency))
  return currency === undefined || others.length > 0 ? { records, payees, today } : { records, payees, currency, today }
}

const accountRecord = ({ id, currency, closed }: Account): OwnRecord => ({
  type: 'Account',
  id,
  names: ACCOUNT_NAMES[id.split('-').at(-1) ?? ''] ?? [],
  currency,
  closed,
  isSource: !closed,
})

const invoiceRecord = ({ id, issuer, payTo, minor, currency }: Invoice): OwnRecord => ({
  type: 'Invoice',
  id,
  names: [...INVOICE_NAMES, ...INVOICE_NAMES.map((name) => `${issuer.toLowerCase()} ${name}`)],
  holds: { payees: [payTo], amounts: [{ minor, currency }] },
})

const profileRecord = ({ id }: Customer): OwnRecord => ({
  type: 'Customer',
  id,
  names: ['profile', 'my details', 'profil', 'profilen', 'opplysningene mine', 'opplysningane mine'],
})
