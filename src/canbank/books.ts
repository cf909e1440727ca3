import { ToolRefusal } from '../core/tool.ts'
import { LEDGER_REFUSALS, balanceOf, transferred } from './ledger.ts'
import type { Ledger, LedgerState, Receipt, TransferRequest } from './ledger.ts'

/**
 * A ledger over one state. `save` resolves once the next state is durable; when it rejects, nothing has changed here
 * and the transfer is refused with `ledger.unavailable`.
 */
export function booksOf(opened: LedgerState, save: (next: LedgerState) => Promise<void>): Ledger {
  let state = opened
  let closed = false
  let last: Promise<unknown> = Promise.resolve()

  const step = async (request: TransferRequest): Promise<Receipt> => {
    const outcome = transferred(state, request)
    if (!outcome.ok) throw new ToolRefusal(outcome.code, outcome.says)
    if (outcome.state !== state) {
      await save(outcome.state).catch((cause: unknown) => Promise.reject(unavailable(cause)))
      state = outcome.state
    }
    return outcome.receipt
  }

  return {
    bank: opened.bank,
    account: (id) => {
      const account = state.bank.accounts.find((each) => each.id === id)
      return account && { ...account, minor: balanceOf(state, id) }
    },
    invoice: (id) => state.bank.invoices.find((invoice) => invoice.id === id),
    customer: (id) => state.bank.customers.find((customer) => customer.id === id),
    transfer: (request) => {
      if (closed) return Promise.reject(unavailable('closed'))
      const done = last.then(() => step(request))
      // The next in line waits for this one, however it ends.
      last = done.catch(() => undefined)
      return done
    },
    snapshot: () => Object.fromEntries(state.minor),
    hasTransfer: (key) => state.receipts.has(key),
    close: async () => {
      closed = true
      await last
    },
  }
}

function unavailable(cause: unknown): ToolRefusal {
  const refusal = new ToolRefusal('ledger.unavailable', LEDGER_REFUSALS['ledger.unavailable'])
  refusal.cause = cause
  return refusal
}
