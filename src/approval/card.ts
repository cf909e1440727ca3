import type { Evaluation, Subject } from '../core/authzen.ts'
import type { Effect, EffectClass } from '../core/effect.ts'
import type { ArgumentRole, ToolDefinition } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import type { Card, CardValue, ValueOrigin } from './approver.ts'
import { approvalDigest } from './ask.ts'
import { moneyInWords } from './words.ts'

/** Where one argument came from, as the certificates found it. */
export interface Grounds {
  readonly origin: ValueOrigin
  /** What exactly it was read from, such as `invoice inv-alice-1`. */
  readonly source?: string
  /** The name that the subject's own records have for the value, such as a saved payee's. Never the model's. */
  readonly called?: string
}

/** What a card is made of. */
export interface CardFacts {
  readonly definition: ToolDefinition
  /** Normalized. */
  readonly args: ToolArguments
  /** By argument; one that is missing came from the model. */
  readonly origins: ReadonlyMap<string, Grounds>
  readonly tenant: string
  readonly subject: Subject
  readonly sentence: string
  readonly evaluations: readonly Evaluation[]
  readonly asks?: string
}

/**
 * The card of one call. Its digest covers the identity and everything that the card says.
 * @param identity decision, session, turn and call id: whatever tells this call from one that looks the same.
 */
export function cardOf(facts: CardFacts, identity: readonly unknown[]): Card {
  const { definition, args, tenant, subject, sentence, evaluations, asks } = facts
  const said = {
    ...{ tenant, subject, tool: definition.name, args, sentence, evaluations },
    ...{ values: valuesOf(facts), changes: changesOf(facts) },
    ...(asks === undefined ? {} : { asks }),
  }
  return { ...said, digest: approvalDigest(identity, said) }
}

const LABEL: Readonly<Record<ArgumentRole, string | undefined>> = {
  source: 'From',
  payee: 'To, who receives',
  amount: 'Amount',
  currency: 'Currency',
  record: undefined,
  date: 'Date',
  text: undefined,
  choice: undefined,
}

function valuesOf({ definition, args, origins }: CardFacts): readonly CardValue[] {
  const known = Object.keys(definition.parameters.shape)
  const given = Object.keys(args)
  const ordered = [...known.filter((name) => given.includes(name)), ...given.filter((name) => !known.includes(name))]
  return ordered.map((name) => {
    const { origin, source, called } = origins.get(name) ?? { origin: 'model' }
    const holder = origin === 'record' ? 'the account holder' : undefined
    const from = [source ?? holder, called === undefined ? undefined : `called ${called}`].filter(
      (each) => each !== undefined,
    )
    return {
      label: labelOf(name, definition),
      value: valueOf(name, definition, args),
      origin,
      ...(from.length === 0 ? {} : { source: from.join('; ') }),
    }
  })
}

const roleOf = (name: string, { roles }: ToolDefinition): ArgumentRole | undefined =>
  Object.hasOwn(roles, name) ? roles[name] : undefined

function labelOf(name: string, definition: ToolDefinition): string {
  const role = roleOf(name, definition)
  const words = name.replaceAll('_', ' ')
  return (role === undefined ? undefined : LABEL[role]) ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

function valueOf(name: string, definition: ToolDefinition, args: ToolArguments): string {
  const text = textOf(args[name])
  if (roleOf(name, definition) !== 'amount') return text
  const currency = Object.keys(args).find((other) => roleOf(other, definition) === 'currency')
  return currency === undefined ? text : `${text} ${textOf(args[currency])}`
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const DOES: Readonly<Record<EffectClass, string>> = {
  read: 'Nothing is changed: something is read.',
  summarize: 'Nothing is changed: something is read and summed up.',
  transform: 'Nothing is changed: what was read is put into another form.',
  create: 'Something new is made.',
  update: 'Something that exists is changed.',
  delete: 'Something is deleted.',
  export: 'Data is copied to somewhere else.',
  delegate: 'Somebody else is given authority.',
  admin: 'Rules, keys or users are changed.',
  move_money: 'Money is moved.',
}
const HARMLESS: ReadonlySet<EffectClass> = new Set(['read', 'summarize', 'transform'])

function changesOf({ definition, args, origins }: CardFacts): readonly string[] {
  const { class: does, reversible, predict } = definition.effect
  const effect = predict(args)
  const names = namesOf(args, origins)
  return [
    DOES[does],
    ...(does === 'move_money' ? moneyChanges(effect, names) : otherChanges(effect, names)),
    ...(effect.egress === 'third_party' ? ['What it returns goes to a third party.'] : []),
    ...(HARMLESS.has(does) ? [] : [reversible ? 'It can be undone.' : 'It cannot be undone.']),
  ]
}

function moneyChanges(effect: Effect, names: (ids: readonly string[]) => string): readonly string[] {
  const { amount, resources, destinations } = effect
  return [
    `${moneyOf(amount)} leaves ${names(resources)}.`,
    destinations.length === 0 ? 'Who receives it is not bounded.' : `${names(destinations)} receives it.`,
  ]
}

function otherChanges(effect: Effect, names: (ids: readonly string[]) => string): readonly string[] {
  const { amount, resources, rows, destinations } = effect
  return [
    ...(amount === undefined ? [] : [`Up to ${moneyOf(amount)} is at stake.`]),
    ...(resources.length === 0 ? [] : [`It is about ${names(resources)}, ${rowsOf(rows)}.`]),
    ...(destinations.length === 0 ? [] : [`It goes to ${names(destinations)}.`]),
  ]
}

const moneyOf = (amount: Effect['amount']): string =>
  (amount === undefined ? undefined : moneyInWords(amount.minor, amount.currency)) ?? 'An amount without a bound'

const rowsOf = (rows: number): string => {
  if (!Number.isFinite(rows)) return 'without a bound'
  return `at most ${rows} ${rows === 1 ? 'record' : 'records'}`
}

/** Ids with the names that the subject's own records have for them; for a value of no argument, the id alone. */
function namesOf(args: ToolArguments, origins: ReadonlyMap<string, Grounds>): (ids: readonly string[]) => string {
  const called = new Map(
    [...origins].flatMap(([name, grounds]) =>
      grounds.called === undefined || !Object.hasOwn(args, name) ? [] : [[textOf(args[name]), grounds.called] as const],
    ),
  )
  return (ids) =>
    ids.map((id) => (called.has(id) ? `${id} (${called.get(id) ?? ''})` : id)).join(', ') || 'something unnamed'
}
