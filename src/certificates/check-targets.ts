import type { ArgumentRole } from '../core/tool.ts'
import { eachOf, type ReadArgument } from './arguments.ts'
import { isWrite, tierOf } from './classes.ts'
import type { Money } from './derivation.ts'
import type { Fault, Findings } from './findings.ts'
import { minorOf } from './money.ts'
import { holderOf, type Prepared } from './prepared.ts'
import { isQuoted } from './words.ts'

/** A value that is over a bound of the request. The bound itself is told to nobody but the audit. */
export const exceeds = (detail: string): Fault => ({
  kind: 'deny',
  code: 'agent.intent_payload_exceeds_bound',
  detail,
  ask: [],
})

/** K4: every id is one that the request names, where it names any of its type; a source is the subject's own. */
export function outsideRecords(prepared: Prepared, { args, writes }: Findings): Fault | undefined {
  const stray = args.find((argument) => !staysInside(prepared, argument, writes))
  return stray === undefined ? undefined : exceeds(`${stray.type ?? stray.role ?? ''}_outside_bound:${stray.name}`)
}

function staysInside(prepared: Prepared, argument: ReadArgument, writes: boolean): boolean {
  if (argument.role === 'source' && writes) return isSource(prepared, argument)
  const isRecord = argument.role === 'record' || (argument.type !== undefined && argument.role !== 'payee')
  if (!isRecord) return true
  return writes ? isTarget(prepared, argument) : isReadable(prepared, argument)
}

function isSource({ certificate, sources }: Prepared, { leaves }: ReadArgument): boolean {
  const { source } = certificate.payloadPins
  return eachOf(leaves, (id) => (source === null ? sources.has(id) : id === source))
}

/** Only a request to see these very records binds what is read; a write may look around among the subject's own. */
function isReadable(prepared: Prepared, { type, leaves }: ReadArgument): boolean {
  const named = namedOf(prepared, type)
  return isWrite(prepared.step.class) || named.length === 0 || eachOf(leaves, (id) => named.includes(id))
}

function isTarget(prepared: Prepared, { type, leaves }: ReadArgument): boolean {
  const named = namedOf(prepared, type)
  if (named.length > 0) return eachOf(leaves, (id) => named.includes(id))
  const own = type === undefined ? undefined : prepared.ownByType.get(type)
  return own === undefined || eachOf(leaves, (id) => own.has(id))
}

const namedOf = ({ certificate }: Prepared, type: string | undefined): readonly string[] => {
  const { records } = certificate.resourceBounds
  if (type === undefined) return Object.values(records).flat()
  return Object.hasOwn(records, type) ? (records[type] ?? []) : []
}

const TENANT = new Set(['tenant', 'tenant_id', 'tenantId'])
const WORKSPACE = new Set(['workspace', 'workspace_id', 'workspaceId'])

/** K5: a tenant or workspace among the arguments is the one of the login. */
export function outsideWorkspace({ certificate }: Prepared, { args }: Findings): Fault | undefined {
  const { tenantId, workspaceId } = certificate.subjectBinding
  const stray = args.find(
    ({ name, value }) =>
      (TENANT.has(name) && value !== tenantId) || (WORKSPACE.has(name) && value !== (workspaceId ?? undefined)),
  )
  return stray === undefined ? undefined : exceeds('workspace_outside_bound')
}

/** The amount that an argument states, in the currency of the call. */
export function statedAmount(
  argument: ReadArgument,
  { args, effect }: Findings,
  prepared: Prepared,
): Money | undefined {
  if (effect.amount !== undefined) return effect.amount
  const minor = minorOf(argument.value)
  const stated = args.find(({ role }) => role === 'currency')?.value
  const currency =
    typeof stated === 'string' ? stated : (prepared.certificate.payloadPins.amount?.currency ?? prepared.facts.currency)
  return minor === undefined || currency === undefined ? undefined : { minor, currency }
}

type IsSaid = (prepared: Prepared, argument: ReadArgument) => boolean

const isPinned =
  (field: 'source' | 'payee' | 'amount' | 'date'): IsSaid =>
  ({ certificate }) =>
    certificate.payloadPins[field] !== null

const isGiven: IsSaid = ({ certificate, salt }, { leaves }) =>
  eachOf(leaves, (leaf) => isQuoted(salt, leaf, certificate.payloadPins.texts))

/** Whether the user's words settle an argument of this role; its value is for K4 and K10. */
const SAID: Record<ArgumentRole, IsSaid> = {
  source: isPinned('source'),
  payee: isPinned('payee'),
  amount: isPinned('amount'),
  date: isPinned('date'),
  record: (prepared, { type }) => namedOf(prepared, type).length > 0,
  text: isGiven,
  choice: isGiven,
  // Said with the amount, or open with it.
  currency: () => true,
}

/** An argument without a role is nobody's to settle. */
const isOpen = (prepared: Prepared, argument: ReadArgument): boolean =>
  argument.role !== undefined && !SAID[argument.role](prepared, argument)

/** K6: what the request leaves out is held by a record that it names, is shown to a person, or is asked. */
export function unbound(prepared: Prepared, found: Findings): Fault | undefined {
  if (!found.writes) return undefined
  const without = leftToTheTool(prepared, found)
  if (without !== undefined) return without
  const open = found.args.filter((argument) => isOpen(prepared, argument))
  const heldNames = heldAmong(prepared, open, found)
  for (const { name } of open) (heldNames.has(name) ? found.fromRecord : found.unbound).push(name)
  if (open.length === 0) return undefined
  found.notes.push({ check: 'K6', detail: `bound_missing:${open.map(({ name }) => name).join(',')}` })
  if (prepared.settings.modelValues === 'confirm') return undefined
  const modelOnly = open.filter(({ name }) => !heldNames.has(name))
  const ask = modelOnly.filter(({ role }) => role !== undefined && isAsked(role, prepared, found, modelOnly))
  if (ask.length === 0) return undefined
  return {
    kind: 'clarify',
    code: 'agent.intent_low_confidence',
    detail: `bound_missing:${ask.map(({ name }) => name).join(',')}`,
    ask: [...new Set(ask.flatMap(({ role }) => (role === undefined ? [] : [role])))],
  }
}

/**
 * An argument that a risky call leaves out is the tool's to fill in, and shown on no card: where money goes and how much of
 * it must be in the call.
 */
function leftToTheTool({ certificate }: Prepared, { tool, args }: Findings): Fault | undefined {
  if (tierOf(tool) !== 'high') return undefined
  const roles = new Set<ArgumentRole>([
    ...Object.values(tool.roles),
    ...tool.destinations.filter((name) => !Object.hasOwn(tool.roles, name)).map(() => 'payee' as const),
  ])
  const role = (['payee', 'amount'] as const).find((each) => roles.has(each) && !args.some((arg) => arg.role === each))
  if (role === undefined) return undefined
  if (certificate.payloadPins[role] !== null) return exceeds(`pin_mismatch:${role}`)
  return { kind: 'clarify', code: 'agent.intent_low_confidence', detail: `bound_missing:${role}`, ask: [role] }
}

/**
 * Whether no card can make good that only the model supplies a role. Where money goes is never the model's to say,
 * whatever the risk of the tool; how much and which record matter for a high-risk effect.
 */
function isAsked(
  role: ArgumentRole,
  { settings }: Prepared,
  { tool }: Findings,
  modelOnly: readonly ReadArgument[],
): boolean {
  if (role === 'payee') return true
  if (tierOf(tool) !== 'high') return false
  if (role === 'record') return true
  if (role !== 'amount') return false
  return settings.modelValues === 'clarify' || modelOnly.some((argument) => argument.role === 'payee')
}

/** Names of the open payees and amounts that one named record holds together. */
function heldAmong(prepared: Prepared, open: readonly ReadArgument[], found: Findings): ReadonlySet<string> {
  const payee = open.find(({ role }) => role === 'payee')
  const amount = open.find(({ role }) => role === 'amount')
  const money = amount === undefined ? undefined : statedAmount(amount, found, prepared)
  if (amount !== undefined && money === undefined) return new Set()
  const to = payee === undefined ? {} : { payee: payee.leaves.join(' ') }
  if (holderOf(prepared, { ...to, ...(money === undefined ? {} : { amount: money }) }) !== undefined) {
    return new Set([payee, amount].flatMap((argument) => (argument === undefined ? [] : [argument.name])))
  }
  // Its payee with another amount: one that was worked out from it, where such a one may be shown at all.
  const isPayeeHeld = prepared.settings.modelValues !== 'clarify' && holderOf(prepared, to) !== undefined
  return new Set(isPayeeHeld && payee !== undefined ? [payee.name] : [])
}
