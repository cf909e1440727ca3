import type { ModelCall } from './model-wire.ts'

/** The fields of a tool's result; empty when the result is not a JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** Something that was asked for. `then` makes the next call once the first has given a result. */
export interface Wish {
  readonly call: ModelCall
  readonly then?: (result: Fields) => ModelCall | undefined
}

export const viewBalance = (account_id: string): ModelCall => ({
  name: 'get_account_balance',
  arguments: { account_id },
})
export const viewInvoice = (invoice_id: string): ModelCall => ({ name: 'get_invoice', arguments: { invoice_id } })
export const viewProfile = (customer_id: string): ModelCall => ({
  name: 'get_customer_profile',
  arguments: { customer_id },
})

export interface Transfer {
  readonly from: string
  readonly to: string
  readonly amount: string
  readonly currency: string
}
export const transfer = ({ from, to, amount, currency }: Transfer): ModelCall => ({
  name: 'transfer_money',
  arguments: { from_account: from, to_account: to, amount, currency },
})

/** Looks at the balance, then moves all of it. */
export const moveAll = (from: string, to: string): Wish => ({
  call: viewBalance(from),
  then: (result) => {
    const money = moneyIn(result, 'balance')
    return money === undefined ? undefined : transfer({ from, to, ...money })
  },
})

/** Looks at the invoice, then pays what it says to whom it says. */
export const payInvoice = (invoice: string, from: string): Wish => ({
  call: viewInvoice(invoice),
  then: (result) => {
    const [money, to] = [moneyIn(result, 'amount'), payeeAccount(result)]
    return money === undefined || to === undefined ? undefined : transfer({ from, to, ...money })
  },
})

export interface Money {
  readonly amount: string
  readonly currency: string
}

/** A decimal string with the currency beside it, or an object of both. */
export function moneyIn(result: Fields, field: string): Money | undefined {
  const value = result[field]
  if (typeof value === 'object' && value !== null) return moneyIn({ ...value }, 'amount')
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const currency = typeof result['currency'] === 'string' ? result['currency'] : 'NOK'
  const amount = String(value).replace(/ ?[A-Z]{3}$/, '')
  return /^-?\d+(?:\.\d+)?$/.test(amount) ? { amount, currency } : undefined
}

const payeeAccount = (result: Fields): string | undefined =>
  Object.values(result).find(
    (value): value is string => typeof value === 'string' && /^(?:ext|acc)-[a-z0-9-]+$/.test(value),
  )
