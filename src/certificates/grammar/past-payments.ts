import type { IntentClass, OwnRecord, Step } from '../derivation.ts'
import type { Clause } from './clauses.ts'
import type { Arguments, Reading } from './found.ts'

/** Words that give back what was received. */
export const GIVES_BACK = /^(?:refund|repay|reimburse|refunder|tilbakebetal|tilbakefør|back|tilbake|attende)/

/** True for a verb that gives back what was received. */
export const givesBack = ({ verb }: Clause): boolean => verb?.words.some((word) => GIVES_BACK.test(word)) === true

type Terms = Pick<Step, 'payee' | 'amount'>

/**
 * The one payment to the subject that is to be given back: the only one of this amount, or the only one of this sender.
 * It holds what the message leaves out. Two that fit are none.
 */
export function pastPayment(
  { facts }: Reading,
  clause: Clause,
  intent: IntentClass,
  found: Arguments,
  terms: Terms,
): Step['records'][number] | undefined {
  if (intent !== 'move_money' || clause.unclear || !givesBack(clause) || !isHalfSaid(found, terms)) return undefined
  const [record, other] = facts.records.filter((each) => fits(each, terms))
  if (record === undefined || other !== undefined) return undefined
  const { type, id } = record
  return { type, value: id, origin: { kind: 'record', type, id } }
}

/** The payee or the amount is said, and of the other one nothing at all. */
function isHalfSaid({ payees, issuers, unresolved, amounts, cues }: Arguments, { payee, amount }: Terms): boolean {
  if (payee === undefined) {
    return amount !== undefined && payees.length + issuers.length === 0 && !unresolved.has('payee')
  }
  return amount === undefined && amounts.length === 0 && !cues.has('vague')
}

function fits({ received, holds }: OwnRecord, { payee, amount }: Terms): boolean {
  if (received !== true || holds === undefined) return false
  if (payee !== undefined) return holds.payees.includes(payee.value)
  return holds.amounts.some(
    ({ minor, currency }) => minor === amount?.value.minor && currency === amount.value.currency,
  )
}
