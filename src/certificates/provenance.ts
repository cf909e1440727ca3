import type { ArgumentRole } from '../core/tool.ts'
import { readArguments, type ReadArgument } from './arguments.ts'
import type { Proposal } from './consistency.ts'
import type { Grounded, Money, Origin, Step, SubjectFacts } from './derivation.ts'
import { minorOf } from './money.ts'
import { holderOf, type Prepared } from './prepared.ts'
import { hashedWords, isQuoted } from './words.ts'

/** Where to look: what the message grounds, who is signed in, what tools have returned. */
interface ProvenanceSources {
  readonly prepared?: Prepared
  readonly subjectId: string
  readonly toolOf: (value: string) => string | undefined
}

const MODEL: Origin = { kind: 'model' }

/** Where every argument's value came from: the first source that has it, and the model alone when none has. */
export function provenanceOf(proposal: Proposal, sources: ProvenanceSources): Readonly<Record<string, Origin>> {
  const { definition, args } = proposal
  const origins = readArguments(definition, args).map(
    (argument) => [argument.name, originOf(argument, sources)] as const,
  )
  return Object.fromEntries(origins)
}

function originOf(argument: ReadArgument, { prepared, subjectId, toolOf }: ProvenanceSources): Origin {
  const [value, ...others] = argument.leaves
  if (value === undefined) return MODEL
  if (others.length > 0) return originOfMany(argument.leaves, toolOf)
  const said = prepared === undefined ? undefined : saidBy(argument, value, prepared)
  if (said !== undefined) return said
  if (value === subjectId) return { kind: 'login' }
  const own = prepared === undefined ? undefined : ownOrigin(argument, value, prepared)
  return own ?? toolOrigin(toolOf(value))
}

const toolOrigin = (tool: string | undefined): Origin => (tool === undefined ? MODEL : { kind: 'tool', tool })

/** Of a list one origin can be told: the tool that has all its values, or the model that put them together. */
function originOfMany(values: readonly string[], toolOf: ProvenanceSources['toolOf']): Origin {
  const [first, ...others] = values.map(toolOf)
  return others.every((tool) => tool === first) ? toolOrigin(first) : MODEL
}

type Said = (step: Step, value: string, argument: ReadArgument, salt: string) => Origin | undefined

const quotedIn: Said = ({ texts }, value, _argument, salt) =>
  texts.find((given) => isQuoted(salt, value, [hashedWords(salt, given.value)]))?.origin

/** The origin of a value in the message, where the message has it for this role. */
const SAID: Record<ArgumentRole, Said> = {
  source: ({ source }, value) => same(source, value),
  payee: ({ payee }, value) => same(payee, value),
  date: ({ date }, value) => same(date, value),
  amount: ({ amount }, _value, argument) =>
    amount !== undefined && amount.value.minor === minorOf(argument.value) ? amount.origin : undefined,
  currency: ({ amount }, value) => (amount?.value.currency === value ? amount.origin : undefined),
  record: ({ records }, value) => records.find((record) => record.value === value)?.origin,
  text: quotedIn,
  choice: quotedIn,
}

function saidBy(argument: ReadArgument, value: string, prepared: Prepared): Origin | undefined {
  const { step, salt, facts, sources } = prepared
  const { role } = argument
  const said = role === undefined ? undefined : SAID[role](step, value, argument, salt)
  if (said?.kind === 'user' && role === 'payee') return knownPayee(said, value, facts)
  // The one account that money can leave needs no name.
  const needsNoName = role === 'source' && sources.size === 1
  return said?.kind !== 'record' || needsNoName ? said : namedRecord(said, prepared)
}

function namedRecord(said: Extract<Origin, { kind: 'record' }>, { facts }: Prepared): Origin {
  const payee = said.type === 'Payee' ? facts.payees.find(({ id }) => id === said.id) : undefined
  return { ...said, named: true, ...(payee === undefined ? {} : { called: payee.name }) }
}

/** A payee that the message spells out, with what the subject's own data says of it: it may be one that they never paid. */
function knownPayee(
  said: Extract<Origin, { kind: 'user' }>,
  value: string,
  { payees, records, payeesByName }: SubjectFacts,
): Origin {
  const saved = payees.find(({ id }) => id === value)
  if (saved !== undefined) return { ...said, payee: 'saved', called: saved.name }
  if (records.some(({ id }) => id === value)) return { ...said, payee: 'own' }
  // Where a name is enough, the bank alone knows whose it is.
  return payeesByName === true ? said : { ...said, payee: 'new' }
}

const same = (grounded: Grounded<string> | undefined, value: string): Origin | undefined =>
  grounded?.value === value ? grounded.origin : undefined

/** A value of the subject's own data: an id of it, or what a record holds that the message names. */
function ownOrigin({ role, value }: ReadArgument, text: string, prepared: Prepared): Origin | undefined {
  if (role === 'amount') return recordOrigin(holderOfMinor(prepared, minorOf(value)))
  if (role === 'currency') return recordOrigin(holderOfCurrency(prepared, text))
  const own = prepared.ownIds.get(text)
  if (own !== undefined) return { kind: 'record', ...own }
  return role === 'payee' ? recordOrigin(holderOf(prepared, { payee: text })) : undefined
}

const holderOfMinor = ({ holders }: Prepared, minor: number | undefined): { type: string; id: string } | undefined =>
  holders.find(({ holds }) => holds.amounts.some((held: Money) => held.minor === minor))

const holderOfCurrency = (
  { holders }: Prepared,
  currency: string,
): { readonly type: string; readonly id: string } | undefined =>
  holders.find(({ holds }) => holds.amounts.some((held: Money) => held.currency === currency))

const recordOrigin = (record: { readonly type: string; readonly id: string } | undefined): Origin | undefined =>
  record === undefined ? undefined : { kind: 'record', type: record.type, id: record.id }
