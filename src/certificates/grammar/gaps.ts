import type { Clause } from './clauses.ts'
import type { Reading } from './found.ts'
import { moneyAt } from './money.ts'
import { referenceAt } from './names.ts'
import { FILLERS, wordAt } from './words.ts'

/** "Pay Bob 500 kr and Oslo Bolig 1250 kr" is two wishes with one verb; anything else stays as it is. */
export function splitGaps(reading: Reading, clauses: readonly Clause[]): readonly Clause[] {
  return clauses.flatMap((clause) => {
    const parts = clause.verb?.class === 'move_money' ? partsOf(reading, clause) : undefined
    return parts === undefined ? [clause] : parts.map(([from, to]) => ({ ...clause, from, to }))
  })
}

type Part = readonly [from: number, to: number]

/** The clause in two or more parts that each hold one payee and one amount and nothing else. */
function partsOf(reading: Reading, { from, to: end }: Clause): readonly Part[] | undefined {
  const parts: Part[] = []
  const to = withoutFillers(reading.words, from, end)
  let at = from
  while (at < to) {
    const behind = partEnd(reading, at, to)
    if (behind === undefined) return undefined
    parts.push([at, behind])
    at = behind
    while (at < to && JOINS.test(wordAt(reading.words, at))) at += 1
  }
  return parts.length > 1 ? parts : undefined
}

function withoutFillers(words: readonly string[], from: number, to: number): number {
  let end = to
  while (end > from && (FILLERS.has(wordAt(words, end - 1)) || wordAt(words, end - 1) === ',')) end -= 1
  return end
}

const JOINS = /^(?:,|and|og|samt)$/
const LINK = /^(?:to|til)$/

function partEnd(reading: Reading, from: number, to: number): number | undefined {
  const seen: string[] = []
  let at = from
  while (at < to && !JOINS.test(wordAt(reading.words, at))) {
    const [kind, length] = pieceAt(reading, at)
    if (kind === 'other') return undefined
    if (kind !== 'link') seen.push(kind)
    at += length
  }
  return seen.toSorted().join(' ') === 'money payee' ? at : undefined
}

function pieceAt(
  { tokens, words, facts, index }: Reading,
  at: number,
): readonly ['payee' | 'money' | 'link' | 'other', number] {
  const reference = referenceAt(index, tokens, words, at)
  if (reference !== undefined) return [reference.kind === 'payee' ? 'payee' : 'other', reference.length]
  const found = moneyAt(tokens, words, at, facts.currency)
  if (found !== undefined) return [found.money === undefined ? 'other' : 'money', found.length]
  return [LINK.test(wordAt(words, at)) ? 'link' : 'other', 1]
}
