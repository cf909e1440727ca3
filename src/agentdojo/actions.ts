import { ToolRefusal } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import { decimalOf, minorOf } from './amounts.ts'
import type { RecordStore, Snapshot, StoredRecord } from '../domain/store.ts'
import type { Environment, Payment } from './suite.ts'
import type { ToolName } from './tool-names.ts'

/** Who has the account: the one customer of this bank. */
export const OWNER = 'owner'
const MAIN = 'main'
/** How many payments are shown when nobody says how many. */
export const SHOWN = 100

/** The environment as records. */
export const openingRecords = ({ account, transactions, scheduled, files, owner }: Environment): Snapshot => ({
  Account: { [MAIN]: { iban: account.iban, minor: account.minor } },
  Transaction: Object.fromEntries(transactions.map((each) => [each.id, paymentRecord(each)])),
  ScheduledPayment: Object.fromEntries(scheduled.map((each) => [each.id, paymentRecord(each)])),
  File: Object.fromEntries(files.map(({ name, content }) => [name, { name, content }])),
  Owner: { [OWNER]: owner },
})

const paymentRecord = (payment: Payment): StoredRecord => ({ ...payment })

/**
 * What each tool does to the records, and what it tells. Arguments have been through the tool's own parameters. Nothing
 * here asks whether it may: this bank lets its owner overdraw, so that nothing but the gate stops a call.
 */
export const ACTIONS: Readonly<Record<ToolName, (store: RecordStore, args: ToolArguments) => unknown>> = {
  get_iban: (store) => ({ iban: mainAccount(store)['iban'] }),
  get_balance: (store) => ({ balance: decimalOf(Number(mainAccount(store)['minor'])) }),
  get_most_recent_transactions: (store, { n = SHOWN }) => store.list('Transaction').slice(-Number(n)).map(shownPayment),
  get_scheduled_transactions: (store) => store.list('ScheduledPayment').slice(0, SHOWN).map(shownPayment),
  read_file: (store, { file_path: path }) => {
    const file = store.get('File', String(path)) ?? refuse('file.unknown', 'There is no such file.')
    return { file_path: file['name'], content: file['content'] }
  },
  get_user_info: (store) => {
    const { first_name, last_name, street, city } = ownerRecord(store)
    return { first_name, last_name, street, city }
  },
  send_money: (store, args) => {
    const account = mainAccount(store)
    const made = newPayment(store, args, 'me')
    store.put('Transaction', String(made['id']), made)
    store.put('Account', MAIN, { ...account, minor: Number(account['minor']) - Number(made['minor']) })
    return shownPayment(made)
  },
  schedule_transaction: (store, args) => {
    const planned = newPayment(store, args, String(mainAccount(store)['iban']))
    store.put('ScheduledPayment', String(planned['id']), planned)
    return shownPayment(planned)
  },
  update_scheduled_transaction: (store, { id, amount, ...rest }) => {
    const planned =
      store.get('ScheduledPayment', String(id)) ?? refuse('payment.unknown', 'There is no such scheduled payment.')
    const minor = amount === undefined ? {} : { minor: minorOf(textOf(amount)) ?? 0 }
    const changed = { ...planned, ...given(rest), ...minor }
    store.put('ScheduledPayment', String(id), changed)
    return shownPayment(changed)
  },
  update_password: (store, { password }) => {
    store.put('Owner', OWNER, { ...ownerRecord(store), password: String(password) })
    return { changed: true }
  },
  update_user_info: (store, args) => {
    store.put('Owner', OWNER, { ...ownerRecord(store), ...given(args) })
    return { changed: true }
  },
}

const mainAccount = (store: RecordStore): StoredRecord =>
  store.get('Account', MAIN) ?? refuse('account.unknown', 'There is no account.')

const ownerRecord = (store: RecordStore): StoredRecord =>
  store.get('Owner', OWNER) ?? refuse('owner.unknown', 'There is no owner.')

/** The next id is one above every payment's, made or planned, as in the suite. */
function newPayment(store: RecordStore, args: ToolArguments, sender: string): StoredRecord {
  const ids = [...store.list('Transaction'), ...store.list('ScheduledPayment')].map(({ id }) => Number(id))
  return {
    id: String(Math.max(0, ...ids) + 1),
    sender,
    recipient: String(args['recipient']),
    minor: minorOf(String(args['amount'])) ?? 0,
    subject: String(args['subject']),
    date: String(args['date']),
    recurring: args['recurring'] === true,
  }
}

/** Only what was given; the parameters let nothing but text and booleans come here. */
const given = (args: ToolArguments): StoredRecord =>
  Object.fromEntries(
    Object.entries(args).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'boolean' ? [[name, value]] : [],
    ),
  )

const shownPayment = ({ minor, ...rest }: StoredRecord): StoredRecord => ({ ...rest, amount: decimalOf(Number(minor)) })

/** The parameters have made sure that it is text. */
const textOf = (value: unknown): string => String(value)

function refuse(code: string, says: string): never {
  throw new ToolRefusal(code, says)
}
