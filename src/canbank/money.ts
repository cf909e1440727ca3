import { z } from 'zod'

/** Why a text is no amount. */
type AmountFault = 'malformed' | 'negative' | 'too_large' | 'too_many_decimals' | 'zero'

/** `minor` is a safe integer above zero. */
export type Amount = { readonly ok: true; readonly minor: number } | { readonly ok: false; readonly fault: AmountFault }

/** The longest text that is looked at; the longest amount has 15 characters. */
const MAX_LENGTH = 64

/** Tried in this order on a text that is no amount; each is linear in a text of bounded length. */
const faults: readonly (readonly [AmountFault, RegExp])[] = [
  ['negative', /^-[0-9]+(\.[0-9]+)?$/],
  ['too_large', /^[1-9][0-9]{12,}(\.[0-9]+)?$/],
  ['too_many_decimals', /^(0|[1-9][0-9]*)\.[0-9]{3,}$/],
]

const amountText = /^(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,2})?$/

/** Reads a decimal amount, at most 12 digits and 2 decimals, ASCII only. No float is ever made of it. */
export function parseAmount(text: string): Amount {
  if (text.length > MAX_LENGTH) return { ok: false, fault: 'malformed' }
  if (!amountText.test(text)) {
    return { ok: false, fault: faults.find(([, spelling]) => spelling.test(text))?.[0] ?? 'malformed' }
  }
  const [whole = '', decimals = ''] = text.split('.')
  const minor = Number(whole + decimals.padEnd(2, '0'))
  return minor === 0 ? { ok: false, fault: 'zero' } : { ok: true, minor }
}

/** The one spelling of integer minor units: `50000` is `500.00`. */
export function formatMinor(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, '0')
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

const says: Record<AmountFault, string> = {
  malformed: 'write it with ASCII digits and a dot only, such as 500.00',
  negative: 'it must be above zero, not negative',
  too_large: 'it has more than 12 digits before the dot',
  too_many_decimals: 'it has more than two decimals',
  zero: 'it must be above zero',
}

/**
 * An amount as text; its output is the one spelling, so `500` equals `500.00`. Everything in it can be said in JSON
 * Schema, because the host shows this schema to the model: hence `overwrite`, not `transform`.
 */
export const amountSchema = z
  .string()
  .check((context) => {
    const amount = parseAmount(context.value)
    if (amount.ok) return
    const message = `amount.${amount.fault}: ${says[amount.fault]}`
    context.issues.push({ code: 'custom', input: context.value, message, continue: false })
  })
  .regex(amountText)
  .overwrite((text) => {
    const amount = parseAmount(text)
    return amount.ok ? formatMinor(amount.minor) : text
  })

/** An id of the bank: compared exactly, so it has one spelling. */
export const bankId = z.string().regex(/^[a-z0-9-]{1,64}$/)

/** Whether it is the currency of the account is for the ledger to say. */
export const currencySchema = z.string().regex(/^[A-Z]{3}$/)
