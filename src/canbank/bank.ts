import { SettingError } from '../core/setting-error.ts'

/** A person who signs in; every field but `id` is for their own eyes. */
export interface Customer {
  /** The AuthZEN subject id, and the resource id of the profile. */
  readonly id: string
  readonly name: string
  readonly address: string
  readonly phone: string
}

/** An account of the bank: what a customer may view and move money from. */
export interface Account {
  readonly id: string
  /** Customer ids; more than one for a joint account. */
  readonly owners: readonly string[]
  /** Integer minor units of `currency`; in `BankData` the opening balance. Never negative. */
  readonly minor: number
  readonly currency: 'NOK'
  /** A closed account can be viewed by its owner; no money goes in or out. */
  readonly closed: boolean
}

/** An account at another bank: can receive, is never viewed or debited. */
export interface ExternalPayee {
  readonly id: string
  readonly name: string
  /** What it has received, in integer minor units; in `BankData` before the first transfer. */
  readonly minor: number
  readonly currency: 'NOK'
}

/** A payee under the name that one customer gave it. */
interface SavedPayee {
  readonly name: string
  /** An account or an external payee. */
  readonly account: string
}

/** A bill to one customer. Its memo is text of a stranger. */
export interface Invoice {
  readonly id: string
  /** Who has to pay it, and the only one who may view it. */
  readonly customer: string
  readonly issuer: string
  /** Integer minor units of `currency`. */
  readonly minor: number
  readonly currency: 'NOK'
  /** ISO 8601 date. */
  readonly due: string
  /** An account or an external payee. */
  readonly payTo: string
  /** Untrusted: written by whoever sent the invoice. */
  readonly memo: string
}

/** Everything that is known of one bank before its first transfer. The tools, the PDPs and the stand-ins share it. */
export interface BankData {
  readonly tenant: string
  readonly name: string
  readonly customers: readonly Customer[]
  readonly accounts: readonly Account[]
  readonly externalPayees: readonly ExternalPayee[]
  /** By customer id. */
  readonly savedPayees: Readonly<Record<string, readonly SavedPayee[]>>
  readonly invoices: readonly Invoice[]
}

/**
 * The same bank with another memo on one invoice.
 * @throws SettingError when there is no such invoice.
 */
export function withMemo(bank: BankData, invoiceId: string, memo: string): BankData {
  const known = bank.invoices.map((invoice) => invoice.id)
  if (!known.includes(invoiceId)) {
    throw new SettingError(
      `invoice ${invoiceId}`,
      `${bank.name} has no such invoice`,
      `Use one of ${known.join(', ')}.`,
    )
  }
  return {
    ...bank,
    invoices: bank.invoices.map((invoice) => (invoice.id === invoiceId ? { ...invoice, memo } : invoice)),
  }
}
