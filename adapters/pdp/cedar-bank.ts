import type { TypeAndId } from '@cedar-policy/cedar-wasm/nodejs'
import type { CedarEntity } from './cedar-source.ts'

/** The facts of a bank that the policies in `pdp/cedar/` look at. */
export interface BankFacts {
  readonly tenant: string
  readonly customers: readonly { readonly id: string }[]
  readonly accounts: readonly { readonly id: string; readonly owners: readonly string[]; readonly closed: boolean }[]
  readonly invoices: readonly { readonly id: string; readonly customer: string }[]
}

/** A bank's customers, accounts and invoices as entities of `pdp/cedar/bank.cedarschema`. */
export const bankEntities = ({ tenant, customers, accounts, invoices }: BankFacts): readonly CedarEntity[] => [
  ...customers.map(({ id }) => entity('Customer', id, { bank: tenant })),
  ...accounts.map(({ id, owners, closed }) => entity('Account', id, { owners: owners.map(customer), closed })),
  ...invoices.map((invoice) => entity('Invoice', invoice.id, { billedTo: customer(invoice.customer) })),
]

const customer = (id: string): { __entity: TypeAndId } => ({ __entity: { type: 'Customer', id } })

const entity = (type: string, id: string, attrs: CedarEntity['attrs']): CedarEntity => ({
  uid: { type, id },
  attrs,
  parents: [],
})
