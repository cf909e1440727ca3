import { permit, type Decision } from './decision.ts'

const strictness: Record<Decision['kind'], number> = { permit: 0, clarify: 1, deny: 2 }

/**
 * Combines two opinions on one call: the stricter wins, obligations add up, and of two equally strict ones the first
 * is reported. Commutative in `kind`, associative, idempotent; the result is never wider than either opinion.
 */
export function narrow(first: Decision, second: Decision): Decision {
  if (first.kind === 'permit' && second.kind === 'permit') {
    if (second.obligations.size === 0) return first
    return first.obligations.size === 0 ? second : permit(...first.obligations, ...second.obligations)
  }
  return strictness[second.kind] > strictness[first.kind] ? second : first
}
