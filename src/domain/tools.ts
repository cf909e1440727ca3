import { z } from 'zod'
import { defineTool } from '../core/define-tool.ts'
import type { Effect } from '../core/effect.ts'
import { SettingError } from '../core/setting-error.ts'
import { ToolRefusal, type ToolContext, type ToolDefinition } from '../core/tool.ts'
import type { ToolArguments } from '../core/tool-arguments.ts'
import { unreachable } from '../core/unreachable.ts'
import { argumentOf, CALLER } from './checks.ts'
import { domainError } from './domain.ts'
import type { Domain, DomainTool } from './schema.ts'
import type { RecordStore, StoredRecord } from './store.ts'

/**
 * The tools of a domain over one store. What a tool does to the records is also what its effect contract says.
 * @param file names the domain in errors.
 * @throws SettingError when a schema, a template or a role does not fit its tool.
 */
export const domainTools = (domain: Domain, store: RecordStore, file: string): readonly ToolDefinition[] =>
  domain.tools.map((tool, index) => {
    const { name, description, template, destinations, roles, obligations } = tool
    try {
      return defineTool({
        ...{ name, description, template, destinations, roles, obligations },
        resources: tool.resources,
        parameters: parametersOf(tool, file, index),
        effect: {
          ...{ class: tool.effect.class, tier: tool.effect.tier, reversible: tool.effect.reversible },
          ...{ untrustedOutput: tool.effect.untrusted_output, version: '1' },
          predict: (args) => effectOf(tool, args),
        },
        run: (args, context) => store.once(context.idempotencyKey, () => done(domain, tool, store, args, context)),
      })
    } catch (cause) {
      if (!(cause instanceof SettingError) || cause.message.startsWith(file)) throw cause
      throw domainError(file, `tools[${index}]`, cause.message)
    }
  })

function parametersOf({ parameters }: DomainTool, file: string, index: number): z.ZodObject {
  let schema: z.ZodType
  try {
    schema = z.fromJSONSchema(parameters)
  } catch (cause) {
    const says = `cannot be used as JSON Schema (${cause instanceof Error ? cause.message : String(cause)})`
    throw domainError(file, `tools[${index}].parameters`, says)
  }
  if (schema instanceof z.ZodObject) return schema
  throw domainError(file, `tools[${index}].parameters`, 'must describe an object with properties')
}

/** Pure and total: arguments have been through the parameters. */
function effectOf({ does, effect, destinations, roles }: DomainTool, args: ToolArguments): Effect {
  const given = (name: string): readonly string[] => {
    const value = args[name]
    return typeof value === 'string' ? [value] : []
  }
  const named = (role: string): string | undefined =>
    Object.keys(roles)
      .filter((argument) => roles[argument] === role)
      .flatMap(given)[0]
  const [amount, currency] = [named('amount'), named('currency')]
  return {
    mutations: 'set' in does || does.kind === 'remove' ? [`${effect.class}:${does.type}`] : [],
    resources: 'id' in does ? given(does.id) : [],
    rows: does.kind === 'list' ? MAX_ROWS : 1,
    ...(amount === undefined ? {} : { amount: { minor: minorOf(amount), currency: currency ?? '' } }),
    destinations: destinations.flatMap(given),
    egress: effect.egress,
  }
}

/** More are not listed. */
const MAX_ROWS = 100

const AMOUNT = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,2})?$/

/** Integer minor units; without a bound that anything admits, should it be no amount after all. */
function minorOf(amount: string): number {
  if (!AMOUNT.test(amount)) return Infinity
  const [whole = '', decimals = ''] = amount.split('.')
  return Number(whole + decimals.padEnd(2, '0'))
}

/** Whether the caller may was decided before; here a record is only looked up. */
function done(
  domain: Domain,
  { does }: DomainTool,
  store: RecordStore,
  args: ToolArguments,
  { login }: ToolContext,
): unknown {
  const caller = login.subject.id
  switch (does.kind) {
    case 'show':
      return { id: idOf(args, does.id), ...existing(store, does.type, idOf(args, does.id)) }
    case 'list':
      return ownOf(domain, store, does.type, caller).slice(0, MAX_ROWS)
    case 'add': {
      const id = freshId(store, does.type)
      store.put(does.type, id, written(does.set, args, caller))
      return { id, ...store.get(does.type, id) }
    }
    case 'change': {
      const id = idOf(args, does.id)
      store.put(does.type, id, { ...existing(store, does.type, id), ...written(does.set, args, caller) })
      return { id, ...store.get(does.type, id) }
    }
    case 'remove': {
      const id = idOf(args, does.id)
      existing(store, does.type, id)
      store.remove(does.type, id)
      return { removed: id }
    }
    default:
      return unreachable(does)
  }
}

/** An id that no record has, whatever ids the domain's own records have and whatever was removed. */
function freshId(store: RecordStore, type: string): string {
  const idAt = (count: number): string => `${type.toLowerCase()}-new-${count}`
  let count = store.list(type).length + 1
  while (store.get(type, idAt(count)) !== undefined) count += 1
  return idAt(count)
}

const idOf = (args: ToolArguments, argument: string): string => String(args[argument])

function existing(store: RecordStore, type: string, id: string): StoredRecord {
  const record = store.get(type, id)
  if (record === undefined) throw new ToolRefusal('record.unknown', 'There is no such record.')
  return record
}

function ownOf({ types }: Domain, store: RecordStore, type: string, caller: string): readonly object[] {
  const owner = types[type]?.owner
  return Object.entries(store.snapshot()[type] ?? {})
    .filter(([, record]) => owner === undefined || record[owner] === caller)
    .map(([id, record]) => ({ id, ...record }))
}

/** An argument that was left out writes nothing. */
const written = (set: StoredRecord, args: ToolArguments, caller: string): StoredRecord =>
  Object.fromEntries(
    Object.entries(set).flatMap(([field, value]): (readonly [string, StoredRecord[string]])[] => {
      const argument = argumentOf(value)
      if (argument === undefined) return [[field, value]]
      const given = argument === CALLER ? caller : args[argument]
      const isPlain = typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean'
      return isPlain ? [[field, given]] : []
    }),
  )
