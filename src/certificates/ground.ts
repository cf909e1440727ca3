import type { Grounded, Money, Origin, Step, SubjectFacts } from './derivation.ts'
import { sameMoney } from './money.ts'

const spanOf = (origin: Origin, text: string): string | undefined => {
  if (origin.kind !== 'user') return undefined
  const { start, end } = origin
  const inside = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= text.length
  return inside ? text.slice(start, end) : undefined
}

const bare = (text: string): string => text.toLowerCase().replace(/\s+/g, '')

/** True for an id of the subject's own data. */
const isOwn = (id: string, facts: SubjectFacts): boolean =>
  facts.records.some((record) => record.id === id) || facts.payees.some((payee) => payee.id === id)

/** An id is spelled in the message, or its name there resolves in the subject's own data. */
function hasGround({ value, origin }: Grounded<string>, text: string, facts: SubjectFacts): boolean {
  switch (origin.kind) {
    case 'user': {
      const span = spanOf(origin, text)
      return span !== undefined && (bare(span).includes(bare(value)) || isOwn(value, facts))
    }
    case 'record':
      return isOwn(value, facts) || heldBy(origin.id, facts).payees.includes(value)
    case 'login':
      return isOwn(value, facts)
    case 'card':
    case 'tool':
    case 'model':
      return false
  }
}

const heldBy = (id: string, { records }: SubjectFacts): { payees: readonly string[]; amounts: readonly Money[] } =>
  records.find((record) => record.id === id)?.holds ?? { payees: [], amounts: [] }

const amountHasGround = ({ value, origin }: Grounded<Money>, text: string, facts: SubjectFacts): boolean => {
  if (!Number.isSafeInteger(value.minor) || value.minor <= 0) return false
  if (origin.kind === 'record') return heldBy(origin.id, facts).amounts.some((held) => sameMoney(held, value))
  return spanOf(origin, text) !== undefined
}

const wordsHaveGround = (given: Grounded<string>, text: string): boolean =>
  spanOf(given.origin, text)?.includes(given.value) === true

const dateHasGround = ({ value, origin }: Grounded<string>, text: string): boolean =>
  spanOf(origin, text) !== undefined && isDate(value)

/** True for a day that exists, as ISO 8601. */
export function isDate(value: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value)) return false
  const at = Date.parse(`${value}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(value)
}

/**
 * A step with the values that stand in the message or in the subject's own data, and no other: what a deriver made up is
 * gone, and so it is missing. Never wider than the step.
 */
export function grounded(step: Step, text: string, facts: SubjectFacts): Step {
  const { source, payee, amount, date, ...rest } = step
  const kept: Step = {
    ...rest,
    records: step.records.filter((record) => hasGround(record, text, facts)),
    texts: step.texts.filter((given) => wordsHaveGround(given, text)),
  }
  return {
    ...kept,
    ...(source !== undefined && hasGround(source, text, facts) ? { source } : {}),
    ...(payee !== undefined && hasGround(payee, text, facts) ? { payee } : {}),
    ...(amount !== undefined && amountHasGround(amount, text, facts) ? { amount } : {}),
    ...(date !== undefined && dateHasGround(date, text) ? { date } : {}),
  }
}
