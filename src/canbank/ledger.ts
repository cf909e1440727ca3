import type { Account, BankData, Customer, Invoice } from './bank.ts'

/** What is asked of the ledger. */
export interface TransferRequest {
  readonly from: string
  /** An account or an external payee. */
  readonly to: string
  /** Integer minor units of `currency`, above zero. */
  readonly minor: number
  readonly currency: string
  /** Idempotency key: the same key and request is the same transfer, made once. */
  readonly key: string
}

/** A transfer that was made. Holds no balance: the payee's is nobody's business but the payee's. */
export type Receipt = TransferRequest

/** The state of one bank. `minor` holds the balance of each account and external payee. */
export interface LedgerState {
  readonly bank: BankData
  readonly minor: ReadonlyMap<string, number>
  /** By idempotency key, in the order they were made. */
  readonly receipts: ReadonlyMap<string, Receipt>
}

/**
 * A refusal by name. Sentences name no id, owner or balance; an account that is not there and one that cannot be
 * debited read the same.
 */
export const LEDGER_REFUSALS = {
  'ledger.account_unknown': 'There is no such account.',
  'ledger.account_closed': 'The account is closed.',
  'ledger.same_account': 'Both accounts are the same.',
  'ledger.amount_invalid': 'The amount is not a whole number of minor units above zero.',
  'ledger.overdraft': 'The account does not hold that much.',
  'ledger.currency_mismatch': 'The accounts are kept in another currency.',
  'ledger.key_invalid': 'The idempotency key is empty, too long or not valid Unicode.',
  'ledger.key_conflict': 'Another transfer was already made under the same idempotency key.',
  'ledger.customer_unknown': 'There is no such customer.',
  'ledger.invoice_unknown': 'There is no such invoice.',
  'ledger.unavailable': 'The ledger cannot be written right now; the transfer is not confirmed.',
} as const satisfies Record<`ledger.${string}`, string>
/** Why the books did not do something; stable, and in the audit. */
export type LedgerCode = keyof typeof LEDGER_REFUSALS

/** `state` is the very same object when nothing changed. */
export type Transferred =
  | { readonly ok: true; readonly state: LedgerState; readonly receipt: Receipt }
  | { readonly ok: false; readonly code: LedgerCode; readonly says: string }

/** One bank's books. Reads are of this process's memory and never fail. */
export interface Ledger {
  /** Facts that no transfer changes; its balances are the opening ones. */
  readonly bank: BankData
  /** With the balance of now. External payees are not accounts. */
  account(id: string): Account | undefined
  invoice(id: string): Invoice | undefined
  customer(id: string): Customer | undefined
  /**
   * Resolves once the money has moved and, on a file, is durable; a repeated key resolves with the first receipt.
   * Rejects with a `ToolRefusal` that has a `LedgerCode`. Transfers happen one after the other, in the order asked.
   */
  transfer(request: TransferRequest): Promise<Receipt>
  /** Minor units by id, external payees included. */
  snapshot(): Readonly<Record<string, number>>
  /** True when a transfer was made under this idempotency key. */
  hasTransfer(key: string): boolean
  /** Resolves when the last transfer is through; later ones are refused with `ledger.unavailable`. */
  close(): Promise<void>
}

/** The bank before its first transfer. */
export function openingState(bank: BankData): LedgerState {
  const holdings = [...bank.accounts, ...bank.externalPayees]
  return { bank, minor: new Map(holdings.map((holding) => [holding.id, holding.minor])), receipts: new Map() }
}

/** Makes one transfer, or says by name why not. The sum of all balances stays as it is, and none goes below zero. */
export function transferred(state: LedgerState, request: TransferRequest): Transferred {
  if (!isKey(request.key)) return refuse('ledger.key_invalid')
  const earlier = state.receipts.get(request.key)
  if (earlier !== undefined) {
    return isSame(earlier, request) ? { ok: true, state, receipt: earlier } : refuse('ledger.key_conflict')
  }
  const code = objection(state, request)
  if (code !== undefined) return refuse(code)
  const { from, to, minor, currency, key } = request
  const receipt = { from, to, minor, currency, key }
  const balances = new Map(state.minor)
  balances.set(from, balanceOf(state, from) - minor)
  balances.set(to, balanceOf(state, to) + minor)
  return {
    ok: true,
    receipt,
    state: { ...state, minor: balances, receipts: new Map(state.receipts).set(key, receipt) },
  }
}

function objection(state: LedgerState, { from, to, minor, currency }: TransferRequest): LedgerCode | undefined {
  if (!Number.isSafeInteger(minor) || minor <= 0) return 'ledger.amount_invalid'
  if (from === to) return 'ledger.same_account'
  const { accounts, externalPayees } = state.bank
  const debited = accounts.find((account) => account.id === from)
  const credited = [...accounts, ...externalPayees].find((holding) => holding.id === to)
  if (debited === undefined || credited === undefined) return 'ledger.account_unknown'
  const both = [debited, credited]
  if (both.some((holding) => 'closed' in holding && holding.closed)) return 'ledger.account_closed'
  if (both.some((holding) => holding.currency !== currency)) return 'ledger.currency_mismatch'
  return balanceOf(state, from) < minor ? 'ledger.overdraft' : undefined
}

/** Of an account or an external payee of this bank. */
export const balanceOf = (state: LedgerState, id: string): number => state.minor.get(id) ?? 0

/** Longer than any hash; what is kept must also survive being written as JSON. */
const isKey = (key: string): boolean => key !== '' && key.length <= 256 && key.isWellFormed()

const isSame = (one: Receipt, other: TransferRequest): boolean =>
  one.from === other.from && one.to === other.to && one.minor === other.minor && one.currency === other.currency

const refuse = (code: LedgerCode): Transferred => ({ ok: false, code, says: LEDGER_REFUSALS[code] })
