import type { OwnRecord, SubjectFacts } from '../core/facts.ts'
import { OWNER } from './actions.ts'
import { CURRENCY } from './amounts.ts'
import { heldIn } from './documents.ts'
import type { Environment, Payment } from './suite.ts'

/**
 * What the owner may name in a message, read from the bank's own records: the account, files by their names, planned
 * payments by what they are for, and past payments by their amount or by who is at their other end. What a past payment
 * says it is for was often written by somebody else, so it is no name.
 */
export function ownerFacts({ account, files, scheduled, transactions }: Environment): SubjectFacts {
  return {
    records: [
      { type: 'Account', id: account.iban, names: ['account'], currency: CURRENCY, isSource: true },
      { type: 'Customer', id: OWNER, names: ['account information', 'address', 'profile'] },
      ...files.map(({ name, content }): OwnRecord => ({ type: 'File', id: name, names: [], holds: heldIn(content) })),
      ...scheduled.map(plannedRecord),
      ...transactions.map((payment) => pastRecord(payment, account.iban)),
    ],
    payees: [],
    payeesByName: true,
    currency: CURRENCY,
    // The suite's bank has no clock; its day is that of its latest payment.
    today: transactions.map(({ date }) => date).reduce((one, other) => (one > other ? one : other), '1970-01-01'),
  }
}

const plannedRecord = ({ id, subject, recipient, minor }: Payment): OwnRecord => ({
  type: 'ScheduledPayment',
  id,
  names: [subject.toLowerCase()],
  holds: { payees: [recipient], amounts: [{ minor, currency: CURRENCY }] },
})

/** Who has the account is written as its number or as a plain "me". */
function pastRecord({ id, sender, recipient, minor }: Payment, own: string): OwnRecord {
  const received = recipient === own || recipient === 'me'
  return {
    ...{ type: 'Transaction', id, names: [], received },
    holds: { payees: [received ? sender : recipient], amounts: [{ minor, currency: CURRENCY }] },
  }
}
