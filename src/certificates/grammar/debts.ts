import type { Grounded, Money } from '../derivation.ts'
import type { Clause } from './clauses.ts'
import { spanOf, type Ahead, type Arguments, type Reading } from './found.ts'
import { skipFillers } from './heads.ts'
import { moneyAt } from './money.ts'
import { referenceAt } from './names.ts'
import { pronounPayee } from './pronouns.ts'
import { wordAt } from './words.ts'

/** "I owe Bob 500 kr": what the subject says they owe, and where the words end. */
interface Debt {
  readonly payee: string
  readonly amount: Grounded<Money>
  readonly to: number
}

type Part = 'payee' | 'money' | RegExp

const TO = /^(?:to|til)$/
const FROM = /^(?:from|of|av|fra|frå|hos)$/
/** How somebody says that they owe. The first part is what opens it. */
const FORMS: readonly (readonly [RegExp, readonly (readonly Part[])[]])[] = [
  [
    /^(?:i|we) (?:still |also )?owe /,
    [
      ['payee', 'money'],
      ['money', TO, 'payee'],
    ],
  ],
  [
    /^(?:jeg|eg|vi) (?:ennå |fortsatt |også )?(?:skylder|skuldar|skylda) /,
    [
      ['payee', 'money'],
      ['money', TO, 'payee'],
    ],
  ],
  [/^(?:i|we) (?:have )?borrowed /, [['money', FROM, 'payee']]],
  [/^(?:jeg|eg|vi) (?:har )?(?:lånte|lånt) /, [['money', FROM, 'payee']]],
]
const LONGEST = 3
/** "Bob needs 200 kr". */
const NEEDS = /^(?:needs|trenger|treng)$/

/** A debt that is told at a place, up to the end of its words: "for the pizza" belongs to it. */
function debtAt(reading: Reading, at: number): Debt | undefined {
  const said = `${reading.words.slice(at, at + LONGEST).join(' ')} `
  for (const [opening, forms] of FORMS) {
    const [lead] = opening.exec(said) ?? []
    if (lead === undefined) continue
    const from = at + lead.trim().split(' ').length
    return firstOf(forms.map((form) => debtOf(reading, from, form)))
  }
  return debtOf(reading, at, ['payee', NEEDS, 'money'])
}

const firstOf = (debts: readonly (Debt | undefined)[]): Debt | undefined => debts.find((debt) => debt !== undefined)

interface Found {
  at: number
  payee?: string
  amount?: Grounded<Money>
}

function debtOf(reading: Reading, from: number, form: readonly Part[]): Debt | undefined {
  const found: Found = { at: from }
  if (!form.every((part) => takes(reading, found, part))) return undefined
  const { payee, amount } = found
  const to = tailEnd(reading, found.at)
  return payee === undefined || amount === undefined || to === undefined ? undefined : { payee, amount, to }
}

/** Reads one part of a form, and moves on behind it. */
function takes({ tokens, words, index, facts }: Reading, found: Found, part: Part): boolean {
  const { at } = found
  if (part instanceof RegExp) {
    found.at += 1
    return part.test(wordAt(words, at))
  }
  if (part === 'payee') {
    const reference = referenceAt(index, tokens, words, at)
    if (reference?.kind !== 'payee') return false
    found.payee = reference.id
    found.at += reference.length
    return true
  }
  const money = moneyAt(tokens, words, at, facts.currency)
  if (money?.money === undefined) return false
  found.amount = { value: money.money, origin: spanOf(tokens, at, at + money.length) }
  found.at += money.length
  return true
}

const REASON = /^(?:for|because|since|fordi|etter|from|fra|frå)$/

/** The end of the debt's words: at a comma or the end of the sentence, behind a plain reason. */
function tailEnd(reading: Reading, at: number): number | undefined {
  const { tokens, words, index, facts } = reading
  if (!isEnd(reading, at) && !REASON.test(wordAt(words, at))) return undefined
  let end = at
  while (!isEnd(reading, end)) {
    const isNamed = referenceAt(index, tokens, words, end) !== undefined
    if (isNamed || moneyAt(tokens, words, end, facts.currency) !== undefined) return undefined
    end += 1
  }
  return end
}

const isEnd = ({ tokens, words }: Reading, at: number): boolean => {
  const { kind } = tokens[at] ?? { kind: 'break' }
  return kind === 'break' || kind === 'block' || /^(?:,|so|and|og|så|-|–|—)$/.test(wordAt(words, at))
}

/** A debt before the first wish of its sentence: the wish begins behind its comma, or behind a "so". */
export function debtAhead(reading: Reading, at: number): Ahead | undefined {
  const debt = debtAt(reading, at)
  if (debt === undefined || reading.tokens[debt.to] === undefined) return undefined
  const isJoined =
    reading.tokens[debt.to]?.text === ',' && /^(?:so|and|og|så)$/.test(wordAt(reading.words, debt.to + 1))
  return { next: debt.to + (isJoined ? 2 : 1) }
}

/** "I owe Bob 500 kr. Pay him": the one debt that was told before, when it is the payee's and no other amount was said. */
export function owedIn(reading: Reading, clause: Clause, found: Arguments): Arguments['amounts'] {
  if (clause.verb?.class !== 'move_money' || !leavesAmount(found)) return []
  const [debt, other] = debtsBefore(reading, clause.from)
  if (debt === undefined || other !== undefined || countAmounts(reading, clause.from) !== 1) return []
  return debt.payee === pronounPayee(reading, clause)?.value ? [mentionOf(debt)] : []
}

const mentionOf = ({ amount: { value, origin } }: Debt): Arguments['amounts'][number] => ({
  value: { money: value, bare: false, length: 0 },
  origin,
})

/** It speaks of "him" and of no amount of its own. */
const leavesAmount = ({ amounts, payees, cues }: Arguments): boolean =>
  cues.has('them') && amounts.length + payees.length === 0 && !cues.has('vague') && !cues.has('repeated')

function debtsBefore(reading: Reading, to: number): readonly Debt[] {
  const starts = reading.tokens.slice(0, to).flatMap(({ kind }, at) => (kind === 'break' ? [at + 1] : []))
  return [0, ...starts].flatMap((start) => {
    const debt = debtAt(reading, skipFillers(reading.words, start).at)
    return debt === undefined ? [] : [debt]
  })
}

function countAmounts({ tokens, words, facts }: Reading, to: number): number {
  let count = 0
  for (let at = 0; at < to; at += 1) {
    const found = moneyAt(tokens, words, at, facts.currency)
    if (found === undefined) continue
    count += 1
    at += found.length - 1
  }
  return count
}
