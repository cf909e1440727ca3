import type { OwnRecord } from '../core/facts.ts'
import { CURRENCY, minorOf } from './amounts.ts'

/** An account number in its one spelling, as a word of its own. */
const ACCOUNT = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}[A-Z0-9]{10,30}(?![A-Za-z0-9])/g
/** An amount as bills write it: with two decimals. A count, a day and a share are none. */
const AMOUNT = /(?<![\w.,+-])(?:0|[1-9]\d{0,8})\.\d{2}(?![.,]?\w|%)/g
/** A text with more of them is a list, and paying "it" means nothing. */
const MAX_AMOUNTS = 32

/**
 * What a payment of a document would use, read from its text by the bank and by nobody else. A document that names
 * several accounts does not say whom to pay, so it holds none.
 */
export function heldIn(content: string): NonNullable<OwnRecord['holds']> {
  const accounts = new Set(content.match(ACCOUNT) ?? [])
  const amounts = new Set((content.match(AMOUNT) ?? []).flatMap((text) => minorOf(text) ?? []))
  return {
    payees: accounts.size === 1 ? [...accounts] : [],
    amounts: amounts.size > MAX_AMOUNTS ? [] : [...amounts].map((minor) => ({ minor, currency: CURRENCY })),
  }
}
