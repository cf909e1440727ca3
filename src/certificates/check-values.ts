import type { ArgumentRole } from '../core/tool.ts'
import { eachOf, type ReadArgument } from './arguments.ts'
import { tierOf } from './classes.ts'
import { exceeds, statedAmount } from './check-targets.ts'
import type { Money } from './derivation.ts'
import { admitsAmount, exceeded, type EffectBounds } from './effect-order.ts'
import type { Fault, Findings } from './findings.ts'
import { isDate } from './ground.ts'
import { sameMoney } from './money.ts'
import type { Prepared } from './prepared.ts'
import { isQuoted, wordsOf } from './words.ts'

const kindsOf = (mutations: readonly string[]): readonly string[] => mutations.map((each) => each.split(':')[0] ?? '')

/** K3, for what the call would do whatever its tool is called. */
export function deniedEffect({ denied }: Prepared, { effect }: Findings): Fault | undefined {
  const forbidden: ReadonlySet<string> = denied
  return kindsOf(effect.mutations).some((kind) => forbidden.has(kind))
    ? { kind: 'deny', code: 'agent.intent_tool_mismatch', detail: 'denied_effect', ask: [] }
    : undefined
}

/** K7: dates are real days, a first one is not after a second one, and both lie in the window. */
export function windows({ certificate }: Prepared, { args }: Findings): Fault | undefined {
  const { window } = certificate.resourceBounds
  const days = args.filter(({ role }) => role === 'date').map(({ value }) => (typeof value === 'string' ? value : ''))
  const [first, second] = days
  const isReal = days.every(isDate)
  const isOrdered = first === undefined || second === undefined || first <= second
  const isInside = window === null || days.every((day) => window.from <= day && day <= window.to)
  return isReal && isOrdered && isInside ? undefined : exceeds('window_outside_bound')
}

/** K8: the rows that the call would read, the tool's own default included. */
export const rows = ({ certificate }: Prepared, { effect }: Findings): Fault | undefined =>
  effect.rows <= certificate.effectBounds.maxRows && effect.rows >= 0 ? undefined : exceeds('row_limit_exceeded')

/** K9: integer minor units, the currency that was said, at most the amount and what is left of it. */
export function amountWithin(prepared: Prepared, found: Findings): Fault | undefined {
  const { amount } = found.effect
  if (amount === undefined) return undefined
  if (!Number.isSafeInteger(amount.minor) || amount.minor < 0) return exceeds('amount_exceeded')
  const { maxAmount } = prepared.certificate.effectBounds
  // No amount was said: K6 has found it in a record, or a person sees it.
  if (maxAmount === null) return found.writes && isOpen(found, 'amount') ? undefined : exceeds('amount_exceeded')
  if (!admitsAmount(amount, maxAmount) || !isLeft(found, amount)) return exceeds('amount_exceeded')
  return isOwnCurrency(prepared, amount.currency) ? undefined : exceeds('currency_of_no_account')
}

const isLeft = ({ amountLeft }: Findings, { minor }: Money): boolean => amountLeft === null || minor <= amountLeft

/** Money leaves an account in the currency of that account. Where the facts tell of none, the bank's ledger does. */
function isOwnCurrency({ facts }: Prepared, currency: string): boolean {
  const own = facts.records.flatMap((record) => (record.isSource === true ? [record.currency] : []))
  const known = own.filter((each) => each !== undefined)
  return known.length === 0 || known.includes(currency)
}

/** True when an argument of this role was left open by the request and passed K6. */
const isOpen = ({ args, unbound, fromRecord }: Findings, wanted: 'amount' | 'payee'): boolean =>
  args.some(({ name, role }) => role === wanted && (unbound.includes(name) || fromRecord.includes(name)))

/** K10: what the user said is what the call has, exactly. A day that the tool cannot keep is a day that was not kept. */
export function pins(prepared: Prepared, found: Findings): Fault | undefined {
  if (!found.writes) return undefined
  const { payloadPins, missing } = prepared.certificate
  const isPlanned = payloadPins.date !== null || missing.includes('date')
  if (isPlanned && !found.args.some(({ role }) => role === 'date')) return mispinned('date')
  const wrong = found.args.find(
    (argument) => argument.role !== undefined && MISPINS[argument.role]?.(prepared, argument, found) === true,
  )
  return wrong?.role === undefined ? undefined : mispinned(wrong.role)
}

type Mispins = (prepared: Prepared, argument: ReadArgument, found: Findings) => boolean

/** Whether an argument differs from what was said for its role. A source and a record are K4's, texts K11's. */
const MISPINS: Partial<Record<ArgumentRole, Mispins>> = {
  date: ({ certificate: { payloadPins } }, { value }) => payloadPins.date !== null && value !== payloadPins.date,
  payee: ({ certificate: { payloadPins } }, { leaves }) =>
    payloadPins.payee !== null && !eachOf(leaves, (leaf) => leaf === payloadPins.payee),
  currency: ({ certificate: { payloadPins } }, { value }) =>
    payloadPins.amount !== null && value !== payloadPins.amount.currency,
  amount: (prepared, argument, found) => {
    const { amount } = prepared.certificate.payloadPins
    const stated = statedAmount(argument, found, prepared)
    return amount !== null && (stated === undefined || !sameMoney(stated, amount))
  },
}

const mispinned = (field: string): Fault => exceeds(`pin_mismatch:${field}`)

/** What looks like an account number or another id rather than a word. */
const ID_LIKE = /^(?=.*\d)(?=.*[a-z])[a-z0-9-]{10,}$/i
/** A short plain number names nothing by itself, also where a bank counts its records. */
const COUNT = /^\d{1,6}$/

/** K11: a text that nobody gave is short and brings no id along that the request does not name. */
export function freeText(prepared: Prepared, { args, writes }: Findings): Fault | undefined {
  if (!writes) return undefined
  const { settings, salt, certificate } = prepared
  const texts = args.filter(({ role }) => role === 'text').flatMap(({ leaves }) => leaves)
  const added = texts.filter((text) => !isQuoted(salt, text, certificate.payloadPins.texts))
  if (added.some((text) => text.length > settings.freeTextLimit)) return exceeds('field_outside_bound:length')
  const smuggled = added.flatMap(wordsOf).some((word) => isNewId(prepared, word))
  return smuggled ? exceeds('field_outside_bound:id') : undefined
}

function isNewId({ certificate, ownIds }: Prepared, word: string): boolean {
  if (!ID_LIKE.test(word) && (!ownIds.has(word) || COUNT.test(word))) return false
  const { payloadPins, resourceBounds } = certificate
  return ![payloadPins.source, payloadPins.payee, ...Object.values(resourceBounds.records).flat()].includes(word)
}

/** Bounds of a call that only reads, under whatever certificate. */
const readBounds = (maxRows: number): EffectBounds => ({
  mutations: [],
  resources: null,
  maxRows,
  maxMutations: 0,
  maxAmount: null,
  destinations: [],
  egress: 'user',
  irreversible: false,
})

/** The certificate's bounds with what K4 and K6 have let in: ids that passed, values that a person will see. */
function boundsFor({ certificate }: Prepared, found: Findings): EffectBounds {
  const { effectBounds } = certificate
  if (!found.writes) return readBounds(effectBounds.maxRows)
  const passed = found.args.filter(({ role, type }) => role === 'record' || type !== undefined)
  const { resources, maxAmount, destinations: said } = effectBounds
  const payees = found.args.filter(({ role }) => role === 'payee').flatMap(({ leaves }) => leaves)
  return {
    ...effectBounds,
    resources: resources === null ? null : [...resources, ...passed.flatMap(({ leaves }) => leaves)],
    maxAmount: maxAmount ?? (isOpen(found, 'amount') ? (found.effect.amount ?? null) : null),
    destinations: isOpen(found, 'payee') ? [...said, ...payees] : said,
  }
}

/** K12: the predicted effect lies within every other bound. Where it goes is K13's, undoing it K14's. */
export function contained(prepared: Prepared, found: Findings): Fault | undefined {
  const bounds = boundsFor(prepared, found)
  const over = exceeded({ ...found.effect, destinations: [], reversible: true }, bounds)
  return over === undefined ? undefined : exceeds(`effect_${over}`)
}

/** K13: nothing goes where the request does not send it. */
export function destinations(prepared: Prepared, found: Findings): Fault | undefined {
  const { destinations: admitted } = boundsFor(prepared, found)
  return found.effect.destinations.every((each) => admitted.includes(each))
    ? undefined
    : exceeds('destination_outside_bound')
}

/** K14: nothing risky passes as a read; what cannot be undone is put to a person. */
export function reviewable({ certificate }: Prepared, found: Findings): Fault | undefined {
  const { tool, effect, writes } = found
  if (!writes && tierOf(tool) !== 'low') {
    return { kind: 'deny', code: 'agent.intent_review_required', detail: 'risk_exceeds_review', ask: [] }
  }
  if (!effect.reversible && (!writes || !certificate.effectBounds.irreversible)) {
    found.notes.push({ check: 'K14', detail: 'risk_exceeds_review' })
    found.unbound.push('(irreversible)')
  }
  return undefined
}
