import type { Brain, ModelCall } from '../standins/model-wire.ts'
import { contentText } from '../standins/model-wire.ts'
import { oneOf } from './randoms.ts'
import { IDS, TENANTS, type Who } from './soak-banks.ts'

interface PlannedCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** What one session does: who it is, and the calls of each of its turns. */
export interface Plan {
  readonly who: Who
  readonly turns: readonly (readonly PlannedCall[])[]
}

const MAX_TURNS = 3
const MAX_CALLS = 3
/** The share of calls that no customer may make in any form. */
const ODD = 0.1

type Random = () => number

/** The plan of the n-th session; the banks take turns. */
export function planOf(n: number, random: Random): Plan {
  const who: Who = { tenant: n % 2 === 0 ? TENANTS[0] : TENANTS[1], customer: oneOf(random, ['alice', 'bob', 'carol']) }
  return { who, turns: upTo(MAX_TURNS, random, () => upTo(MAX_CALLS, random, () => callOf(who, random))) }
}

function upTo<T>(most: number, random: Random, make: () => T): readonly T[] {
  return Array.from({ length: 1 + Math.floor(random() * most) }, make)
}

function callOf(who: Who, random: Random): PlannedCall {
  return random() < ODD ? oddCall(random) : oneOf(random, CALLS)(who, random)
}

/** One's own in half of the cases, by name; else anybody's. */
const accountFor = ({ customer }: Who, random: Random): string => {
  const named = IDS.account.find((id) => id.includes(customer))
  return named !== undefined && random() < 0.5 ? named : oneOf(random, ids(IDS.account))
}

const CALLS = [
  (who: Who, random: Random) => ({ name: 'get_account_balance', arguments: { account_id: accountFor(who, random) } }),
  transfer,
  transfer,
  (_: Who, random: Random) => ({ name: 'get_invoice', arguments: { invoice_id: oneOf(random, ids(IDS.invoice)) } }),
  (_: Who, random: Random) => ({
    name: 'get_customer_profile',
    arguments: { customer_id: oneOf(random, ids(IDS.customer)) },
  }),
] as const

function transfer(who: Who, random: Random): PlannedCall {
  const to_account = random() < 0.3 ? 'ext-oslo-bolig' : oneOf(random, ids(IDS.account))
  const amount = (0.01 + random() * 9).toFixed(2)
  return {
    name: 'transfer_money',
    arguments: { from_account: accountFor(who, random), to_account, amount, currency: 'NOK' },
  }
}

/** Hidden and unknown tools, and arguments that are none. */
const oddCall = (random: Random): PlannedCall =>
  oneOf<PlannedCall>(random, [
    { name: 'bash', arguments: { command: 'id' } },
    { name: 'close_account', arguments: { account_id: 'acc-joint' } },
    { name: 'get_account_balance', arguments: { account_id: 'acc-joint', caller: 'alice' } },
    { name: 'get_account_balance', arguments: { account_id: 'acc-joint or acc-alice-savings' } },
    { name: 'transfer_money', arguments: { from_account: 'acc-joint', to_account: 'acc-joint', amount: '-1' } },
  ])

const ids = (all: readonly string[]): readonly [string, ...string[]] => {
  const [first = '', ...others] = all
  return [first, ...others]
}

/** The message that has the brain make these calls. */
export const messageOf = (calls: readonly PlannedCall[]): string => JSON.stringify({ calls })

/**
 * A model that makes the calls that the latest message of the user lists, all at once, and then repeats every result
 * that it was given in this turn: whatever reaches a model of somebody else's is in its reply.
 */
export const plannedBrain: Brain = ({ messages }) => {
  const from = messages.findLastIndex(({ role }) => role === 'user')
  const since = messages.slice(from + 1)
  if (since.length === 0) {
    const { calls } = JSON.parse(contentText(messages[from]?.content)) as { readonly calls: readonly ModelCall[] }
    return { calls }
  }
  return { text: since.flatMap(({ role, content }) => (role === 'tool' ? [contentText(content)] : [])).join('\n') }
}
