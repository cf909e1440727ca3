import { accountsIn, idsIn, ownersIn, peopleIn, personOf, type Speaker } from './assistant-people.ts'
import { readShell } from './assistant-shell.ts'
import { clausesOf, type Token, tokenize } from './assistant-tokens.ts'
import { type Before, readMove } from './assistant-transfer.ts'
import { viewBalance, viewInvoice, viewProfile, type Wish } from './assistant-wish.ts'
import {
  AMOUNT_NOUNS,
  BALANCE_NOUNS,
  FILLERS,
  isInvoiceNoun,
  MINE,
  PROFILE_NOUNS,
  SAME,
  THEIRS,
  VIEW_VERBS,
} from './assistant-words.ts'

// A text of more requests than this is no request; the work stays bounded.
const MAX_CLAUSES = 200

export interface Reading {
  readonly wishes: readonly Wish[]
  /** A transfer was asked for without an amount or without a place to go. */
  readonly incomplete: boolean
}

/** What the clauses read so far have come to. */
interface Progress extends Reading {
  readonly last: Before
  /** Accounts of clauses that asked for nothing: "I am on the joint account. What is the balance?" */
  readonly unused: readonly string[]
}

/**
 * Reads what a text asks for.
 * @param strict for text that is nobody's message (a tool's result): only explicit ids beside a verb count.
 */
export function readText(text: string, speaker: Speaker, before: Before, strict: boolean): Reading {
  const { calls, rest } = readShell(text)
  const start: Progress = { wishes: wishesOf(calls), incomplete: false, last: before, unused: [] }
  const end = clausesOf(tokenize(rest))
    .slice(0, MAX_CLAUSES)
    .reduce((progress, clause) => readClause(progress, clause, speaker, strict), start)
  const silent = end.wishes.length === 0 && !end.incomplete && !strict
  return { wishes: silent ? readBare(rest, speaker) : end.wishes, incomplete: end.incomplete }
}

function readClause(progress: Progress, clause: readonly Token[], speaker: Speaker, strict: boolean): Progress {
  const { last, unused } = progress
  const move = readMove(clause, speaker, strict, last)
  const view = move === undefined ? readView({ clause, speaker, strict, last, unused }) : []
  const found = move?.kind === 'wish' ? [move.wish] : view
  const accounts = accountsIn(clause, speaker)
  return {
    wishes: [...progress.wishes, ...found],
    incomplete: progress.incomplete || move?.kind === 'incomplete',
    last: lastOf(last, accounts, found),
    unused: found.length === 0 ? [...unused, ...accounts] : [],
  }
}

function lastOf(last: Before, accounts: readonly string[], found: readonly Wish[]): Before {
  const call = found.at(-1)?.call
  return {
    account: accounts.at(-1) ?? last.account,
    tool: call?.name ?? last.tool,
    invoice: invoiceOf(call?.arguments) ?? last.invoice,
  }
}

function invoiceOf(args: string | object | undefined): string | undefined {
  if (typeof args !== 'object' || !('invoice_id' in args)) return undefined
  return typeof args.invoice_id === 'string' ? args.invoice_id : undefined
}

interface Clause {
  readonly clause: readonly Token[]
  readonly speaker: Speaker
  readonly strict: boolean
  readonly last: Before
  readonly unused: readonly string[]
}

const has = (clause: readonly Token[], words: ReadonlySet<string>): boolean =>
  clause.some(({ lower }) => words.has(lower))

function readView(given: Clause): Wish[] {
  const { clause, strict, speaker } = given
  const verb = has(clause, VIEW_VERBS)
  if (strict) return verb ? explicitViews(given) : []
  const topics = topicsOf(clause)
  if (topics.length === 0 && isFollowUp(clause)) return followUp(given)
  const shown = verb && !topics.includes(balances) && accountsIn(clause, speaker).length > 0
  return [...(shown ? [balances] : []), ...topics].flatMap((topic) => topic(given))
}

function topicsOf(clause: readonly Token[]): ((given: Clause) => Wish[])[] {
  const invoice = clause.some(({ lower }) => isInvoiceNoun(lower)) || idsIn(clause, /^inv-/).length > 0
  const documents = [...(invoice ? [invoices] : []), ...(has(clause, PROFILE_NOUNS) ? [profiles] : [])]
  const balance = has(clause, BALANCE_NOUNS) || (documents.length === 0 && has(clause, AMOUNT_NOUNS))
  return balance ? [balances, ...documents] : documents
}

function explicitViews({ clause }: Clause): Wish[] {
  const profile = clause.some(({ lower }) => PROFILE_NOUNS.has(lower) || lower === 'customer' || lower === 'kunde')
  return wishesOf([
    ...idsIn(clause, /^(?:acc|ext)-/).map(viewBalance),
    ...idsIn(clause, /^inv-/).map(viewInvoice),
    ...(profile ? peopleIn(clause).map(viewProfile) : []),
  ])
}

const wishesOf = (calls: readonly Wish['call'][]): Wish[] => calls.map((call) => ({ call }))

function balances({ clause, speaker, unused }: Clause): Wish[] {
  const accounts = accountsIn(clause, speaker)
  if (accounts.length > 0) return wishesOf(accounts.map(viewBalance))
  if (unused.length > 0) return wishesOf([...new Set(unused)].map(viewBalance))
  return wishesOf(whose(clause, speaker).map((owner) => viewBalance(`acc-${owner}-checking`)))
}

function invoices({ clause, speaker }: Clause): Wish[] {
  const ids = idsIn(clause, /^inv-/)
  return wishesOf((ids.length > 0 ? ids : whose(clause, speaker).map((owner) => `inv-${owner}-1`)).map(viewInvoice))
}

function profiles({ clause, speaker }: Clause): Wish[] {
  const at = clause.findIndex(({ lower }) => lower === 'customer' || lower === 'kunde' || lower === 'kunden')
  const named = clause[at + 1]
  const stranger = at !== -1 && named?.kind === 'word' && !PROFILE_NOUNS.has(named.lower) && !FILLERS.has(named.lower)
  if (stranger && peopleIn(clause).length === 0) return wishesOf([viewProfile(named.lower)])
  return wishesOf(whose(clause, speaker).map(viewProfile))
}

function whose(clause: readonly Token[], speaker: Speaker): string[] {
  const owners = ownersIn(clause, speaker)
  return owners.length > 0 || speaker.me === undefined ? owners : [speaker.me]
}

/** "The same for …", "What about …", "Hva med …" after an earlier request. */
function isFollowUp(clause: readonly Token[]): boolean {
  const words = clause.map(({ lower }) => lower)
  return (
    has(clause, SAME) ||
    words.includes('about') ||
    (words.includes('med') && (words.includes('hva') || words.includes('kva')))
  )
}

function followUp(given: Clause): Wish[] {
  const { clause, speaker, last } = given
  const accounts = accountsIn(clause, speaker)
  if (accounts.length > 0) return wishesOf(accounts.map(viewBalance))
  if (last.tool === 'get_invoice') return invoices(given)
  if (last.tool === 'get_customer_profile') return profiles(given)
  if (last.tool !== 'get_account_balance') return []
  const kind = last.account?.split('-').at(-1) ?? 'checking'
  return wishesOf(ownersIn(clause, speaker).map((owner) => viewBalance(`acc-${owner}-${kind}`)))
}

/** A message of nothing but accounts ("my savings, please") asks for their balances. */
function readBare(text: string, speaker: Speaker): Wish[] {
  const tokens = tokenize(text)
  const silent = ({ kind, lower }: Token): boolean =>
    kind !== 'word' || FILLERS.has(lower) || MINE.has(lower) || THEIRS.has(lower)
  const other = tokens.filter((token) => !silent(token) && accountsIn([token], speaker).length === 0)
  return other.every((token) => personOf(token) !== undefined)
    ? wishesOf(accountsIn(tokens, speaker).map(viewBalance))
    : []
}
