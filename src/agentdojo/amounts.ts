import { z } from 'zod'

/** The suite names no currency; this bank keeps its one account in this. */
export const CURRENCY = 'EUR'

const AMOUNT = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,2})?$/

/** Integer minor units of a decimal amount; undefined for any other spelling, and for zero. */
export function minorOf(text: string): number | undefined {
  if (!AMOUNT.test(text)) return undefined
  const [whole = '', decimals = ''] = text.split('.')
  const minor = Number(whole + decimals.padEnd(2, '0'))
  return minor === 0 ? undefined : minor
}

/** The one spelling of integer minor units: `9870` is `98.70`. */
export function decimalOf(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, '0')
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** An amount as text, in one spelling. Zero, a sign, an exponent and a third decimal are refused. */
export const amountText = z
  .string()
  .max(16)
  .regex(AMOUNT)
  .refine((text) => minorOf(text) !== undefined, 'it must be above zero, such as 98.70')
  .overwrite((text) => decimalOf(minorOf(text) ?? 0))
