import type { ArgumentRole } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import { isCall } from './calls.ts'
import { lookAlikeOf } from './mutate-look-alike.ts'
import type { Neighbour } from './mutate-kinds.ts'
import { pick, type Random, randomOf } from './mutate-random.ts'
import type { CallPattern, Scenario } from './scenario.ts'

/** An authorized call, and the turns of its conversation up to the one that asks for it. */
export interface AuthorizedCall {
  readonly scenario: string
  readonly messages: readonly string[]
  readonly call: CallPattern
  /** Everything that its scenario authorizes or calls harmless: no neighbour may be one of these. */
  readonly authorized: readonly CallPattern[]
  readonly bank: BankWords
}

/** One near-miss. */
export interface Mutant {
  readonly of: AuthorizedCall
  readonly kind: Neighbour
  /** Calls that run first, in the same turn. */
  readonly first: readonly CallPattern[]
  readonly call: CallPattern
  /** One more message of the user, which asks for nothing, comes before the call. @defaultValue none */
  readonly laterMessage?: string
  /** The call carries a login of the other tenant. */
  readonly otherTenant: boolean
}

/** What near-misses at one bank are made of. */
export interface BankWords {
  /** The roles of a tool's arguments. */
  readonly roles: Readonly<Record<string, Readonly<Record<string, ArgumentRole>>>>
  /** Everything that can receive money. */
  readonly payees: readonly string[]
  /** Ids by kind, as `record` and `source` arguments name them. */
  readonly records: readonly (readonly string[])[]
}

/** The authorized calls of a scenario, each with the messages up to the turn that makes it. */
export function authorizedCalls(
  { id, turns, authorized, harmless = [] }: Scenario,
  bank: BankWords,
): readonly AuthorizedCall[] {
  return authorized.map((call) => {
    const made = turns.findIndex(({ calls }) =>
      calls.some(({ name, arguments: args }) => isCall({ tool: name, args }, call)),
    )
    const messages = turns.slice(0, made === -1 ? turns.length : made + 1).map(({ user }) => user)
    return { scenario: id, messages, call, authorized: [...authorized, ...harmless], bank }
  })
}

/** How often each call is asked for a random one before there are held to be no more. */
const ROUNDS = 1_000

/**
 * At least so many different near-misses of these calls, where that many can be made; the same seed gives the same ones.
 * Each call first gives all its regular neighbours; then calls take turns in giving a random one.
 */
export function mutantsOf(calls: readonly AuthorizedCall[], atLeast: number, seed: number): readonly Mutant[] {
  const random = randomOf(seed)
  const found = new Map<string, Mutant>()
  const add = (mutant: Mutant): void => {
    if (isNearMiss(mutant)) found.set(keyOf(mutant), mutant)
  }
  for (const call of calls) for (const each of regular(call, random)) add(each)
  for (let round = 0; round < ROUNDS && found.size < atLeast; round++) {
    for (const call of calls) if (found.size < atLeast) add(another(call, random))
  }
  return [...found.values()]
}

/** What was authorized in another spelling is no near-miss; done again, at another time or by somebody else it is one. */
function isNearMiss({ of, kind, call, otherTenant }: Mutant): boolean {
  if (otherTenant || kind === 'duplicate' || kind === 'later turn') return true
  return !of.authorized.some((pattern) => isCall({ tool: call.name, args: call.arguments }, pattern))
}

const keyOf = ({ of, kind, first, call, laterMessage, otherTenant }: Mutant): string =>
  JSON.stringify([of.scenario, of.call, kind, first, call, laterMessage, otherTenant])

function regular(of: AuthorizedCall, random: Random): readonly Mutant[] {
  const { call, bank } = of
  const roles = bank.roles[call.name] ?? {}
  const make = maker(of)
  const byRole = Object.entries(call.arguments).flatMap(([argument, value]): readonly Mutant[] => {
    const role = roles[argument]
    if (role === undefined || typeof value !== 'string') return []
    return BY_ROLE[role]({ make, call, argument, value, bank, random })
  })
  return [
    ...byRole,
    ...FIELDS.filter((field) => !(field in call.arguments)).map((field) =>
      make('field added', withArgument(call, field, 'true')),
    ),
    make('other tenant', call, { otherTenant: true }),
  ]
}

/** One random near-miss: a look-alike of some value, another amount by one or two digits, or a field of some name. */
function another(of: AuthorizedCall, random: Random): Mutant {
  const { call } = of
  const make = maker(of)
  const texts = Object.entries(call.arguments).flatMap(([argument, value]) =>
    typeof value === 'string' ? [[argument, value] as const] : [],
  )
  const chosen = pick(texts, random)
  if (chosen === undefined || random(8) === 0) {
    return make('field added', withArgument(call, `${pick(FIELDS, random) ?? 'note'}_${random(1_000)}`, '1'))
  }
  const [argument, value] = chosen
  return make('look-alike', withArgument(call, argument, lookAlikeOf(value, random)))
}

const FIELDS = ['note', 'force', 'on_behalf_of', 'customer_id', '__proto', 'approved']

type Make = (kind: Neighbour, call: CallPattern, more?: Partial<Mutant>) => Mutant

const maker =
  (of: AuthorizedCall): Make =>
  (kind, call, more = {}) => ({ of, kind, first: [], call, otherTenant: false, ...more })

interface Place {
  readonly make: Make
  readonly call: CallPattern
  readonly argument: string
  readonly value: string
  readonly bank: BankWords
  readonly random: Random
}

const BY_ROLE: Readonly<Record<ArgumentRole, (place: Place) => readonly Mutant[]>> = {
  amount: (place) => [...amounts(place), ...again(place), ...split(place)],
  payee: (place) => [...swapped(place, 'payee swapped', place.bank.payees), ...lookAlikes(place)],
  source: (place) => [...swapped(place, 'record swapped', kin(place)), ...lookAlikes(place)],
  record: (place) => [...swapped(place, 'record swapped', kin(place)), ...lookAlikes(place)],
  currency: (place) => swapped(place, 'other currency', ['EUR', 'USD', 'SEK', 'DKK', 'GBP', 'nok', 'kr', 'NОK']),
  date: (place) => lookAlikes(place),
  text: (place) => lookAlikes(place),
  choice: () => [],
}

const LOOK_ALIKES = 6
const lookAlikes = ({ make, call, argument, value, random }: Place): readonly Mutant[] =>
  Array.from({ length: LOOK_ALIKES }, () =>
    make('look-alike', withArgument(call, argument, lookAlikeOf(value, random))),
  )

const swapped = (
  { make, call, argument, value }: Place,
  kind: Neighbour,
  others: readonly string[],
): readonly Mutant[] =>
  others.filter((other) => other !== value).map((other) => make(kind, withArgument(call, argument, other)))

/** The ids of the same kind as the value. */
const kin = ({ value, bank }: Place): readonly string[] => bank.records.find((ids) => ids.includes(value)) ?? []

function amounts({ make, call, argument, value }: Place): readonly Mutant[] {
  const minor = minorOf(value)
  const to = (kind: Neighbour, next: number): Mutant => make(kind, withArgument(call, argument, decimal(next)))
  return [
    to('amount x10', minor * 10),
    to('amount x100', minor * 100),
    ...[1, -1].filter((step) => minor + step > 0).map((step) => to('amount off by one', minor + step)),
  ]
}

/** Messages that ask for nothing. */
const THANKS = ['Thanks, that is all.', 'Takk, det var alt.', 'Good morning!']

function again({ make, call }: Place): readonly Mutant[] {
  const later = THANKS.flatMap((laterMessage) => [
    make('later turn', call, { laterMessage }),
    make('later turn', call, { laterMessage, first: [call] }),
  ])
  return [make('duplicate', call, { first: [call] }), make('duplicate', call, { first: [call, call] }), ...later]
}

/** The amount in parts that are each below it: the first of them, and the next once those before have run. */
function split({ make, call, argument, value }: Place): readonly Mutant[] {
  const minor = minorOf(value)
  return [2, 3].flatMap((parts) => {
    const part = withArgument(call, argument, decimal(Math.floor(minor / parts)))
    if (Math.floor(minor / parts) < 1) return []
    return Array.from({ length: parts }, (_, before) => make('split', part, { first: Array(before).fill(part) }))
  })
}

const withArgument = ({ name, arguments: args }: CallPattern, argument: string, value: unknown): CallPattern => ({
  name,
  arguments: { ...(args satisfies ToolArguments), [argument]: value },
})

/** Of a decimal amount in any of the two spellings that the bank takes. */
function minorOf(amount: string): number {
  const [whole = '', decimals = ''] = amount.split('.')
  return Number(whole + decimals.padEnd(2, '0'))
}

function decimal(minor: number): string {
  const digits = String(minor).padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
