import type { Grounded } from '../derivation.ts'
import { spanOf, type Reading } from './found.ts'
import type { Clause } from './clauses.ts'
import { referenceAt } from './names.ts'
import type { Token } from './tokens.ts'
import { isKnown } from './vocabulary.ts'

/** Whom "them" means: the only payee that the user's own words have named before it, and no other name beside. */
export function pronounPayee(reading: Reading, clause: Clause): Grounded<string> | undefined {
  const found = new Map<string, Grounded<string>>()
  for (let at = 0; at < clause.from; at += 1) {
    const named = namedAt(reading, at)
    if (named === 'somebody') return undefined
    if (named?.payee !== undefined) found.set(named.payee.value, named.payee)
    at += (named?.length ?? 1) - 1
  }
  const [first, second] = found.values()
  return second === undefined ? first : undefined
}

type Named = { readonly payee: Grounded<string> | undefined; readonly length: number } | 'somebody' | undefined

/** Who or what a place names: a payee, something else of the subject's, or somebody whom nothing settles. */
function namedAt(reading: Reading, at: number): Named {
  const { tokens, words, index } = reading
  const reference = referenceAt(index, tokens, words, at)
  if (reference === undefined) {
    if (!isName(tokens, at)) return undefined
    const payee = literalPayee(reading, at)
    return payee === undefined ? 'somebody' : { payee, length: 1 }
  }
  if (reference.kind === 'unresolved') return 'somebody'
  const { kind, id, origin, length } = reference
  return { payee: kind === 'payee' ? { value: id, origin } : undefined, length }
}

/** One name of one plain word, where the bank takes a payee as it is written. A longer name settles nothing. */
export function literalPayee({ tokens, words, index, facts }: Reading, at: number): Grounded<string> | undefined {
  const token = tokens[at]
  if (facts.payeesByName !== true || token === undefined || !isPlainName(token)) return undefined
  const isAlone = [at - 1, at + 1].every((near) => !isName(tokens, near))
  if (!isName(tokens, at) || !isAlone || referenceAt(index, tokens, words, at) !== undefined) return undefined
  return { value: token.text, origin: spanOf(tokens, at, at + 1) }
}
const isPlainName = ({ plain, text }: Token): boolean => plain && /^\p{L}[\p{L}\p{N}]*$/u.test(text)

/** Capitals throughout are an abbreviation: VAT, NOK. */
function isName(tokens: readonly Token[], at: number): boolean {
  const { text, lower, kind } = tokens[at] ?? NO_TOKEN
  return kind === 'word' && /^\p{Lu}/u.test(text) && !/^\p{Lu}{2,5}$/u.test(text) && !isKnown(lower)
}
const NO_TOKEN = { text: '', lower: '', kind: 'mark' } as const
