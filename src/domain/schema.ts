import { z } from 'zod'

const word = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be one word of letters, digits, _ and -')
const id = z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/, 'must be one word')
const text = z.string().min(1).max(2_000)
const Value = z.union([z.string().max(2_000), z.number(), z.boolean()])
const values = z.record(word, Value)

const Type = z.strictObject({
  /** The field that holds the customer whose record it is. Absent: it is everybody's. */
  owner: word.optional(),
  /** What a customer may call any record of the type, lower case. */
  names: z.array(text).default([]),
  /** Fields whose text a customer may name a record by. */
  named_by: z.array(word).default([]),
  /** AuthZEN actions on it, and who may. */
  actions: z.record(word, z.enum(['owner', 'everyone'], { error: 'must be owner or everyone' })).default({}),
})

const Does = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('show'), type: word, id: word }),
  z.strictObject({ kind: z.literal('list'), type: word }),
  z.strictObject({ kind: z.literal('add'), type: word, set: values }),
  z.strictObject({ kind: z.literal('change'), type: word, id: word, set: values }),
  z.strictObject({ kind: z.literal('remove'), type: word, id: word }),
])

const CLASSES = [
  ...(['read', 'summarize', 'transform', 'create', 'update', 'delete'] as const),
  ...(['export', 'delegate', 'admin', 'move_money'] as const),
] as const
const ROLES = ['source', 'payee', 'amount', 'currency', 'record', 'date', 'text', 'choice'] as const

const Tool = z.strictObject({
  name: word,
  description: text,
  /** JSON Schema of an object. */
  parameters: z.looseObject({ type: z.literal('object', { error: 'must be "object"' }) }),
  template: text,
  resources: z.array(z.strictObject({ argument: word, type: word, actions: z.tuple([word], word) })).default([]),
  destinations: z.array(word).default([]),
  roles: z.record(word, z.enum(ROLES)).default({}),
  effect: z.strictObject({
    class: z.enum(CLASSES),
    tier: z.enum(['low', 'medium', 'high']),
    reversible: z.boolean().default(true),
    untrusted_output: z.boolean().default(false),
    egress: z.enum(['none', 'user', 'third_party']).default('user'),
  }),
  obligations: z.array(z.enum(['draft', 'preflight', 'confirm'])).default([]),
  does: Does,
})

// Strict all the way down, because the files are ours: a misspelt field would silently change what is protected.
/** A whole domain. */
export const DomainFields = z.strictObject({
  domain: z.literal(1, { error: 'must be 1, the version of the form' }),
  name: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be a lower-case word'),
  /** What the model is told about its job. */
  prompt: text,
  customers: z.array(id).min(1),
  /** Saved payees of a customer: where something may go by name. */
  payees: z.record(id, z.array(z.strictObject({ name: text, id }))).default({}),
  types: z.record(word, Type),
  records: z.record(word, z.record(id, values)),
  tools: z.array(Tool).min(1),
  /** Scenarios, as in the files of `scenarios/`. */
  scenarios: z.array(z.unknown()).default([]),
})

export type Domain = Readonly<z.output<typeof DomainFields>>
export type DomainTool = Domain['tools'][number]
