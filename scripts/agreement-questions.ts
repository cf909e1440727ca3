import type { BankData } from '../src/canbank/bank.ts'
import type { Evaluation, NonEmpty } from '../src/core/authzen.ts'

/** One question to all engines. */
export type Boxcar = NonEmpty<Evaluation>

const ACTIONS = ['VIEW_ACCOUNT_BALANCE', 'TRANSFER_FROM_ACCOUNT', 'VIEW_INVOICE', 'VIEW_CUSTOMER_PROFILE'] as const

type Resource = readonly [type: string, id: string]

const resourcesOf = ({ accounts, invoices, customers }: BankData): readonly Resource[] => [
  ...accounts.map(({ id }): Resource => ['Account', id]),
  ...invoices.map(({ id }): Resource => ['Invoice', id]),
  ...customers.map(({ id }): Resource => ['Customer', id]),
]

const evaluation = (who: string, action: string, [type, id]: Resource): Evaluation => ({
  subject: { type: 'Customer', id: who },
  action: { name: action },
  resource: { type, id },
})

/** Every customer, every action, every resource: 144 single questions for a demo bank. */
export const grid = (bank: BankData): readonly Boxcar[] =>
  bank.customers.flatMap(({ id }) =>
    ACTIONS.flatMap((action) => resourcesOf(bank).map((resource): Boxcar => [evaluation(id, action, resource)])),
  )

/** What can be asked of each type; any other action on it is one more word that nobody knows. */
const FITTING: Readonly<Record<string, readonly string[]>> = {
  Account: ['VIEW_ACCOUNT_BALANCE', 'TRANSFER_FROM_ACCOUNT'],
  Invoice: ['VIEW_INVOICE'],
  Customer: ['VIEW_CUSTOMER_PROFILE'],
}

const STRANGERS = [
  'zoe',
  'Bob',
  'bob ',
  'BOB',
  'mallory',
  '*',
  'Customer:bob',
  'bob#owner',
  'alice,bob',
  '',
  'ünknown',
  '0',
]
const STRANGE_TYPES = ['account', 'Vault', 'Accounts', 'Customer:bob', 'Tool', '', '*']
// Words of the engines' own models are among them: a part of an action is no action.
const STRANGE_ACTIONS = ['view_account_balance', 'DELETE', 'VIEW', '*', '', 'READ', 'owner', '_owner', 'open', '_open']
const STRANGE_IDS = [
  'acc-nobody',
  'ACC-JOINT',
  'acc-joint ',
  '*',
  'ext-oslo-bolig',
  'acc-bob-checking#owner',
  '../acc-joint',
  '',
  'inv-0',
]
const MOST_IN_ONE = 6

/** Numbers from 0 to 1 that a seed decides (mulberry32): the same seed asks the same questions everywhere. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Questions without end: single ones and boxcars, about own and foreign resources, joint and closed accounts, and ids,
 * types and actions that nobody knows.
 */
export function generated(bank: BankData, count: number, seed: number): readonly Boxcar[] {
  const random = seeded(seed)
  const one = <T>(list: readonly T[]): T => {
    const chosen = list[Math.floor(random() * list.length)]
    if (chosen === undefined) throw new Error('a list to choose from is empty')
    return chosen
  }
  const some = <T>(usual: readonly T[], strange: readonly T[], share: number): T =>
    one(random() < share ? strange : usual)
  const customers = bank.customers.map(({ id }) => id)
  const resources = resourcesOf(bank)
  const permitted = permittedIn(bank)
  const next = (who: string): Evaluation => {
    const own = permitted.filter(({ subject }) => subject.id === who)
    // Without these hardly anything would be permitted, and engines that always deny would agree.
    if (own.length > 0 && random() < 0.6) return one(own)
    const [type, id] = one(resources)
    const action = some(FITTING[type] ?? ACTIONS, [...ACTIONS, ...STRANGE_ACTIONS], 0.1)
    return evaluation(who, action, [some([type], STRANGE_TYPES, 0.05), some([id], STRANGE_IDS, 0.15)])
  }
  return Array.from({ length: count }, (): Boxcar => {
    const who = some(customers, STRANGERS, 0.08)
    const subject = { type: some(['Customer'], ['Robot', 'customer', 'Account'], 0.03), id: who }
    const [first, ...others] = Array.from({ length: 1 + Math.floor(random() * MOST_IN_ONE) }, () => next(who))
    return [{ ...(first ?? next(who)), subject }, ...others.map((each) => ({ ...each, subject }))]
  })
}

/** What a bank's facts permit, as questions to choose from. */
function permittedIn({ customers, accounts, invoices }: BankData): readonly Evaluation[] {
  return [
    ...customers.map(({ id }) => evaluation(id, 'VIEW_CUSTOMER_PROFILE', ['Customer', id])),
    ...invoices.map(({ id, customer }) => evaluation(customer, 'VIEW_INVOICE', ['Invoice', id])),
    ...accounts.flatMap(({ id, owners, closed }) =>
      owners.flatMap((owner) => [
        evaluation(owner, 'VIEW_ACCOUNT_BALANCE', ['Account', id]),
        ...(closed ? [] : [evaluation(owner, 'TRANSFER_FROM_ACCOUNT', ['Account', id])]),
      ]),
    ),
  ]
}
