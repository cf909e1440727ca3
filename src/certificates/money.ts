import type { Money } from './derivation.ts'

const decimal = /^(0|[1-9][0-9]{0,11})(?:\.([0-9]{1,2}))?$/

/** Integer minor units of a decimal text or a JSON number with at most two decimals; undefined for anything else. */
export function minorOf(value: unknown): number | undefined {
  const match = decimal.exec(typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '')
  if (match === null) return undefined
  const [, whole = '', decimals = ''] = match
  return Number(whole + decimals.padEnd(2, '0'))
}

/** Equal in amount and currency; nothing is converted. */
export const sameMoney = (one: Money, other: Money): boolean =>
  one.minor === other.minor && one.currency === other.currency
