import { createHash } from 'node:crypto'
import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs'
import { SettingError } from '../../src/core/setting-error.ts'
import type { CedarSource, CedarText } from './cedar-source.ts'
import { namedIn } from './cedar-slices.ts'

export type CedarEngine = typeof Cedar

/** An action of the schema. */
interface CedarAction {
  readonly uid: Cedar.TypeAndId
  /** The attributes of a request's context that policies can see. */
  readonly context: ReadonlySet<string>
}

/** Schema and policies that parse, agree with each other and are kept by the engine, so that no request parses them. */
export interface CedarModel {
  readonly schemaName: string
  readonly policySetId: string
  readonly types: ReadonlySet<string>
  /** By the name that an evaluation has. */
  readonly actions: ReadonlyMap<string, CedarAction>
  /** The entities that the policies name. */
  readonly literals: readonly Cedar.TypeAndId[]
}

/** @throws SettingError naming what does not parse, or does not validate strictly against the schema. */
export function parseModel(engine: CedarEngine, { schema, policies, entities }: CedarSource): CedarModel {
  const vocabulary = readSchema(engine, schema)
  const byId = readPolicies(engine, policies)
  const set = { staticPolicies: Object.fromEntries([...byId].map(([id, { text }]) => [id, text])) }
  validate(engine, schema.text, set, policies.setting)
  const list = entities.list.map((each) => ({ ...each, parents: [...each.parents] }))
  accept(engine.checkParseEntities({ entities: list, schema: schema.text }), entities.setting, FIX_ENTITIES)
  const schemaName = digest(schema.text)
  const policySetId = digest(policies.text)
  accept(engine.preparseSchema(schemaName, schema.text), schema.setting, FIX_SCHEMA)
  accept(engine.preparsePolicySet(policySetId, set), policies.setting, FIX_POLICIES)
  return { schemaName, policySetId, ...vocabulary, literals: namedIn([...byId.values()].map(({ json }) => json)) }
}

const FIX_SCHEMA = 'Correct the Cedar schema.'
const FIX_POLICIES = 'Correct the Cedar policies, or the schema that they are checked against.'
const FIX_ENTITIES = 'Correct the entities: a list in the JSON entity format of Cedar that fits the schema.'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

type Answer =
  { readonly type: 'success' } | { readonly type: 'failure'; readonly errors: readonly Cedar.DetailedError[] }

function accept(answer: Answer, setting: string, fix: string): asserts answer is { readonly type: 'success' } {
  if (answer.type === 'success') return
  throw new SettingError(setting, oneLine(answer.errors[0]?.message ?? 'is not accepted by Cedar'), fix)
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '')

function readSchema(engine: CedarEngine, { setting, text }: CedarText): Pick<CedarModel, 'types' | 'actions'> {
  const answer = engine.schemaToJsonWithResolvedTypes(text)
  accept(answer, setting, FIX_SCHEMA)
  const namespaces = Object.entries(answer.json)
  const common = new Map(
    namespaces.flatMap(([namespace, { commonTypes = {} }]) =>
      Object.entries(commonTypes).map(([name, type]) => [qualified(namespace, name), type]),
    ),
  )
  const actions = new Map<string, CedarAction>()
  for (const [namespace, definition] of namespaces) {
    for (const [id, { appliesTo }] of Object.entries(definition.actions)) {
      // An evaluation names its action without a namespace.
      if (actions.has(id)) throw new SettingError(setting, `has two actions with the name ${id}`, FIX_SCHEMA)
      const context = attributesOf(appliesTo?.context, common)
      if (context === undefined) throw new SettingError(setting, `the context of ${id} is no record`, FIX_SCHEMA)
      actions.set(id, { uid: { type: qualified(namespace, 'Action'), id }, context })
    }
  }
  const types = namespaces.flatMap(([namespace, { entityTypes }]) =>
    Object.keys(entityTypes).map((name) => qualified(namespace, name)),
  )
  return { types: new Set(types), actions }
}

const qualified = (namespace: string, name: string): string => (namespace === '' ? name : `${namespace}::${name}`)

function attributesOf(
  context: Cedar.Type<string> | undefined,
  common: ReadonlyMap<string, Cedar.Type<string>>,
): ReadonlySet<string> | undefined {
  if (context === undefined) return new Set()
  const record = 'attributes' in context ? context : common.get(context.type)
  if (record === undefined || !('attributes' in record)) return undefined
  const { attributes } = record
  return typeof attributes === 'object' && attributes !== null ? new Set(Object.keys(attributes)) : undefined
}

interface ParsedPolicy {
  readonly text: string
  readonly json: Cedar.PolicyJson
}

function readPolicies(engine: CedarEngine, { setting, text }: CedarText): ReadonlyMap<string, ParsedPolicy> {
  const parts = engine.policySetTextToParts(text)
  accept(parts, setting, FIX_POLICIES)
  if (parts.policy_templates.length > 0) throw new SettingError(setting, 'holds a template', 'Write static policies.')
  if (parts.policies.length === 0) throw new SettingError(setting, 'holds no policy', FIX_POLICIES)
  const byId = new Map<string, ParsedPolicy>()
  for (const [index, policy] of parts.policies.entries()) {
    const answer = engine.policyToJson(policy)
    accept(answer, setting, FIX_POLICIES)
    const { json } = answer
    const id = json.annotations?.['id'] ?? `policy ${index + 1}`
    if (byId.has(id)) throw new SettingError(setting, `has two policies with the id "${id}"`, 'Give each its own @id.')
    byId.set(id, { text: policy, json })
  }
  return byId
}

/** A warning counts too: it tells of a policy that can never apply, or of a name that only looks like another. */
function validate(engine: CedarEngine, schema: string, policies: Cedar.PolicySet, setting: string): void {
  const answer = engine.validate({ schema, policies, validationSettings: { mode: 'strict' } })
  accept(answer, setting, FIX_POLICIES)
  const { validationErrors, validationWarnings } = answer
  const [first] = [...validationErrors, ...validationWarnings]
  if (first !== undefined) throw new SettingError(setting, oneLine(first.error.message), FIX_POLICIES)
}
