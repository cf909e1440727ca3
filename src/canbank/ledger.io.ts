import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { SettingError } from '../core/setting-error.ts'
import { StrictJsonError, strictJson } from '../core/strict-json.ts'
import type { BankData } from './bank.ts'
import { booksOf } from './books.ts'
import { openingState } from './ledger.ts'
import type { Ledger, LedgerState, Receipt } from './ledger.ts'
import { bankId, currencySchema } from './money.ts'
import { readWhole, replaceWhole, sweep } from './whole-file.io.ts'
import type { FileVersion } from './whole-file.io.ts'

/** Books that end with the process. */
export const memoryLedger = (bank: BankData): Ledger => booksOf(openingState(bank), () => Promise.resolve())

/**
 * Books in one file, made when it is not there. Every transfer replaces the whole file in one step, so a process that
 * is killed loses only what it has not yet confirmed. One process at a time writes: a transfer on a file that another
 * process has written meanwhile is refused with `ledger.unavailable`.
 *
 * @throws SettingError when the folder is missing, or the file cannot be read or made, is damaged, or is of another bank.
 */
export async function openFileLedger(path: string, bank: BankData): Promise<Ledger> {
  const file = resolve(path)
  requireFolder(file)
  const opened = load(file, bank) ?? (await create(file, bank))
  let { version } = opened
  return booksOf(opened.state, async (next) => {
    version = await replaceWhole(file, version, render(next))
  })
}

interface Opened {
  readonly state: LedgerState
  readonly version: FileVersion
}

function requireFolder(file: string): void {
  const folder = dirname(file)
  const isFolder = usable(folder, () => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true)
  if (!isFolder) throw new SettingError(ledgerFile(file), `the folder ${folder} does not exist`, 'Create it first.')
}

function load(file: string, bank: BankData): Opened | undefined {
  const found = usable(file, () => {
    sweep(file)
    return readWhole(file)
  })
  return found && { version: found.version, state: stateOf(file, bank, found.text) }
}

async function create(file: string, bank: BankData): Promise<Opened> {
  const state = openingState(bank)
  try {
    return { state, version: await replaceWhole(file, undefined, render(state)) }
  } catch (cause) {
    // Another process may have been first; then its file counts.
    const opened = load(file, bank)
    if (opened !== undefined) return opened
    throw unusable(file, cause)
  }
}

// Strict: we write this file ourselves, so anything more is damage.
const LedgerFile = z.strictObject({
  version: z.literal(1),
  tenant: bankId,
  balances: z.record(bankId, z.int().nonnegative()),
  transfers: z.array(
    z.strictObject({
      key: z.string().min(1),
      from: bankId,
      to: bankId,
      minor: z.int().positive(),
      currency: currencySchema,
    }),
  ),
})

const render = ({ bank, minor, receipts }: LedgerState): string =>
  `${JSON.stringify({
    version: 1,
    tenant: bank.tenant,
    balances: Object.fromEntries(minor),
    transfers: [...receipts.values()],
  })}\n`

function stateOf(file: string, bank: BankData, text: string): LedgerState {
  const parsed = LedgerFile.safeParse(jsonOf(file, text))
  if (!parsed.success) {
    const where = parsed.error.issues.map((issue) => issue.path.join('.')).find((at) => at !== '')
    throw damaged(file, `it is damaged${where === undefined ? '' : ` at ${where}`}`)
  }
  const { tenant, balances, transfers } = parsed.data
  if (tenant !== bank.tenant) {
    throw new SettingError(
      ledgerFile(file),
      `it holds the books of ${tenant}, not of ${bank.tenant}`,
      'Name another file for this bank.',
    )
  }
  const minor = new Map(Object.entries(balances))
  const receipts = new Map(transfers.map((receipt) => [receipt.key, receipt]))
  if (receipts.size !== transfers.length || !isSameBalances(minor, balancesAfter(bank, transfers))) {
    throw damaged(file, `its balances do not follow from its transfers and the opening balances of ${bank.name}`)
  }
  return { bank, minor, receipts }
}

function jsonOf(file: string, text: string): unknown {
  try {
    return strictJson(text)
  } catch (cause) {
    throw cause instanceof StrictJsonError ? damaged(file, `it is damaged: ${cause.message}`) : cause
  }
}

function balancesAfter(bank: BankData, transfers: readonly Receipt[]): ReadonlyMap<string, number> {
  const minor = new Map(openingState(bank).minor)
  for (const { from, to, minor: moved } of transfers) {
    minor.set(from, (minor.get(from) ?? 0) - moved)
    minor.set(to, (minor.get(to) ?? 0) + moved)
  }
  return minor
}

const isSameBalances = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean =>
  one.size === other.size && [...one].every(([id, minor]) => other.get(id) === minor)

const ledgerFile = (file: string): string => `ledger file ${file}`

const damaged = (file: string, problem: string): SettingError =>
  new SettingError(ledgerFile(file), problem, 'Move the file away to start with new books, or restore a copy.')

function usable<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw unusable(file, cause)
  }
}

function unusable(file: string, cause: unknown): SettingError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
  return new SettingError(
    ledgerFile(file),
    `it cannot be read or written (${code})`,
    'Name a regular file in a folder of your own, with space left.',
  )
}
