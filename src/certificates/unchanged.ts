import type { ArgumentRole } from '../core/tool.ts'
import type { ReadArgument } from './arguments.ts'
import type { Money, OwnRecord } from './derivation.ts'
import type { Findings } from './findings.ts'
import { minorOf } from './money.ts'
import type { Prepared } from './prepared.ts'

/**
 * True for an update that would write into one own record what the bank's data says it holds already. It has no effect
 * that a person could be asked about. Whatever cannot be compared counts as a change.
 */
export function changesNothing({ facts }: Prepared, { tool, args }: Findings): boolean {
  if (tool.effect.class !== 'update') return false
  const [target, ...others] = args.filter(isTarget)
  const values = args.filter((each) => !isTarget(each))
  if (target === undefined || others.length > 0 || values.length === 0) return false
  const [id, ...more] = target.leaves
  const record = more.length > 0 ? undefined : facts.records.find((each) => each.type === target.type && each.id === id)
  return values.every((value) => isThere(value, record?.holds ?? NOTHING))
}

const isTarget = ({ role, type }: ReadArgument): boolean => role === 'record' && type !== undefined
const NOTHING = { payees: [], amounts: [] }

type Compares = (argument: ReadArgument, held: { readonly payee: string; readonly amount: Money }) => boolean

/** Of a payment; nothing else of a record is in its data. */
const THERE: Partial<Record<ArgumentRole, Compares>> = {
  payee: ({ leaves }, { payee }) => leaves.length === 1 && leaves[0] === payee,
  amount: ({ value }, { amount }) => minorOf(value) === amount.minor,
  currency: ({ value }, { amount }) => value === amount.currency,
}

function isThere(argument: ReadArgument, { payees, amounts }: NonNullable<OwnRecord['holds']>): boolean {
  const [payee, ...others] = payees
  const [amount, ...more] = amounts
  if (payee === undefined || amount === undefined || others.length + more.length > 0) return false
  return argument.role !== undefined && THERE[argument.role]?.(argument, { payee, amount }) === true
}
