import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fc, test } from '@fast-check/vitest'
import { afterAll, describe, expect, it } from 'vitest'
import { readCedar } from '../../adapters/pdp/cedar-files.io.ts'
import { loadCedar } from '../../adapters/pdp/cedar-engine.ts'
import { bankEntities } from '../../adapters/pdp/cedar-bank.ts'
import { namedIn, slicesOf } from '../../adapters/pdp/cedar-slices.ts'
import type { CedarEntity, CedarSource } from '../../adapters/pdp/cedar-source.ts'
import { openCedar } from '../../adapters/pdp/cedar.ts'
import { BANKS } from '../../src/canbank/banks.ts'
import type { Evaluation } from '../../src/core/authzen.ts'
import { describePdp } from './pdp.contract.ts'
import { evaluation, loginOf, question, view } from './questions.ts'

const { signal } = new AbortController()

describePdp('Cedar', async () => ({
  pdp: await openCedar(readCedar({}, BANKS.canbank)),
  close: () => Promise.resolve(),
}))

const SCHEMA = `
  entity Team;
  entity Person in [Team] = { manager?: Person };
  entity Note in [Note] = { owner: Person, level: Long };
  entity Switch = { on: Bool };
  action READ appliesTo { principal: Person, resource: Note, context: { purpose?: String, by?: Person } };
  action WRITE appliesTo { principal: Person, resource: Note };
`
const person = (id: string, ...parents: readonly string[]): CedarEntity => ({
  uid: { type: 'Person', id },
  attrs: {},
  parents: parents.map((each) => ({ type: 'Team', id: each })),
})
const note = (id: string, owner: string): CedarEntity => ({
  uid: { type: 'Note', id },
  attrs: { owner: { __entity: { type: 'Person', id: owner } }, level: 3 },
  parents: [],
})
const ENTITIES: readonly CedarEntity[] = [
  person('ann', 'editors'),
  person('ben'),
  { uid: { type: 'Team', id: 'editors' }, attrs: {}, parents: [] },
  { uid: { type: 'Switch', id: 'freeze' }, attrs: { on: false }, parents: [] },
  note('n1', 'ann'),
]
const source = (policies: string, entities = ENTITIES, schema = SCHEMA): CedarSource => ({
  schema: { setting: 'SCHEMA', text: schema },
  policies: { setting: 'POLICIES', text: policies },
  entities: { setting: 'ENTITIES', list: entities },
})
const OWNER = '@id("owner") permit(principal, action == Action::"READ", resource) when { resource.owner == principal };'

const asks = (who: string, action: string, id: string, context?: Evaluation['context']): Evaluation => ({
  subject: { type: 'Person', id: who },
  action: { name: action },
  resource: { type: 'Note', id },
  ...(context === undefined ? {} : { context }),
})
const decide = async (policies: string, ...[first, ...others]: readonly Evaluation[]) =>
  (await openCedar(source(policies))).decide(question(first!, ...others), signal)

describe('a policy', () => {
  it.each([
    { what: 'that permits', policies: OWNER, asked: asks('ann', 'READ', 'n1'), decision: true },
    { what: 'that does not apply', policies: OWNER, asked: asks('ben', 'READ', 'n1'), decision: false },
    { what: 'for another action', policies: OWNER, asked: asks('ann', 'WRITE', 'n1'), decision: false },
    {
      what: 'over a team',
      policies: 'permit(principal in Team::"editors", action, resource);',
      asked: asks('ann', 'WRITE', 'n1'),
      decision: true,
    },
    {
      what: 'that reads an entity it names itself',
      policies: `permit(principal, action, resource) when { !Switch::"freeze".on };`,
      asked: asks('ben', 'WRITE', 'n1'),
      decision: true,
    },
    {
      what: 'that forbids over one that permits',
      policies: `permit(principal, action, resource); forbid(principal, action, resource) when { resource.level > 2 };`,
      asked: asks('ann', 'READ', 'n1'),
      decision: false,
    },
    {
      what: 'that reads the context',
      policies: `permit(principal, action == Action::"READ", resource) when { context has purpose && context.purpose == "audit" };`,
      asked: asks('ann', 'READ', 'n1', { purpose: 'audit' }),
      decision: true,
    },
    {
      what: 'over an entity that the context names',
      policies: `permit(principal, action == Action::"READ", resource) when { context has by && context.by in Team::"editors" };`,
      asked: asks('ben', 'READ', 'n1', { by: { type: 'Person', id: 'ann' } }),
      decision: true,
    },
    {
      what: 'with a context that the schema does not name, which it cannot see',
      policies: OWNER,
      asked: asks('ann', 'READ', 'n1', { purpose: 'audit', ip: '10.0.0.1', admin: true }),
      decision: true,
    },
    {
      what: 'asked with properties, which are not facts',
      policies: 'permit(principal, action, resource) when { resource has level && resource.level > 5 };',
      asked: {
        ...asks('ann', 'READ', 'n1'),
        resource: { type: 'Note', id: 'n1', properties: { level: 9, owner: 'ben' } },
      },
      decision: false,
    },
  ])('$what decides $decision', async ({ policies, asked, decision }) => {
    expect(await decide(policies, asked)).toEqual({ ok: true, value: [decision] })
  })
})

describe('a fault denies the whole question', () => {
  const failing = 'forbid(principal, action, resource) when { resource.owner.manager.manager == principal };'
  const unsafe = (policies: string) => policies.replace('resource.owner.manager', 'resource.owner')
  it.each([
    {
      what: 'a forbid that fails, which Cedar alone would skip',
      policies: `permit(principal, action, resource); @id("level") forbid(principal, action, resource) when { resource.level + 9223372036854775807 > 0 };`,
      asked: asks('ann', 'READ', 'n1'),
      detail: 'item 1: the policy "level" failed',
    },
    {
      what: 'a permit that fails beside one that permits',
      policies: `${OWNER} permit(principal, action, resource) when { resource.level * 9223372036854775807 > 0 };`,
      asked: asks('ann', 'READ', 'n1'),
      detail: 'item 1: the policy "policy 2" failed',
    },
    {
      what: 'an unknown resource that a policy reads without `has`',
      policies: OWNER,
      asked: asks('ann', 'READ', 'n2'),
      detail: 'item 1: the policy "owner" failed',
    },
    {
      what: 'an action that the schema does not have',
      policies: OWNER,
      asked: asks('ann', 'read', 'n1'),
      detail: 'item 1: the schema has no such action',
    },
    {
      what: 'a type of subject that the schema does not have',
      policies: OWNER,
      asked: { ...asks('ann', 'READ', 'n1'), subject: { type: 'person', id: 'ann' } },
      detail: 'item 1: the schema has no such type of subject',
    },
    {
      what: 'a type of resource that the schema does not have',
      policies: OWNER,
      asked: { ...asks('ann', 'READ', 'n1'), resource: { type: 'Note::"n1"', id: 'n1' } },
      detail: 'item 1: the schema has no such type of resource',
    },
    {
      what: 'a type that the action does not take',
      policies: OWNER,
      asked: { ...asks('ann', 'READ', 'n1'), resource: { type: 'Switch', id: 'freeze' } },
      detail: 'item 1: the question does not fit the schema',
    },
    {
      what: 'a context attribute of another type',
      policies: OWNER,
      asked: asks('ann', 'READ', 'n1', { purpose: 7 }),
      detail: 'item 1: the question does not fit the schema',
    },
    {
      what: 'an entity where the context has text',
      policies: OWNER,
      asked: asks('ann', 'READ', 'n1', { purpose: { __entity: { type: 'Person', id: 'ann' } } }),
      detail: 'item 1: the question does not fit the schema',
    },
    {
      what: 'text that is not Unicode',
      policies: OWNER,
      asked: asks('ann', 'READ', 'n1', { purpose: '\ud800' }),
      detail: 'item 1: the engine could not read the question',
    },
  ])('$what', async ({ policies, asked, detail }) => {
    expect(await decide(policies, asked)).toEqual({ ok: false, reason: 'pdp.error', detail })
  })

  it('also when every other item is permitted, in whatever place it stands', async () => {
    const good = asks('ann', 'READ', 'n1')
    const bad = asks('ann', 'READ', 'n2')
    expect(await decide(OWNER, good, good)).toEqual({ ok: true, value: [true, true] })
    expect(await decide(OWNER, bad, good)).toMatchObject({ reason: 'pdp.error' })
    expect(await decide(OWNER, good, bad)).toMatchObject({
      reason: 'pdp.error',
      detail: 'item 2: the policy "owner" failed',
    })
  })

  it('and goes on deciding afterwards', async () => {
    const pdp = await openCedar(source(OWNER))
    for (const id of ['\ud800', 'n2', 'x'.repeat(100_000)]) {
      expect((await pdp.decide(question(asks('ann', 'READ', id)), signal)).ok).toBe(false)
    }
    expect(await pdp.decide(question(asks('ann', 'READ', 'n1')), signal)).toEqual({ ok: true, value: [true] })
  })

  it('such a policy does not even pass validation when types show it', async () => {
    await expect(openCedar(source(unsafe(failing)))).rejects.toThrow(/POLICIES: .*manager/)
  })
})

describe('what is wrong is said at the start', () => {
  it.each([
    { what: 'a schema that does not parse', given: source(OWNER, ENTITIES, 'entity Person = {'), names: 'SCHEMA' },
    { what: 'a schema that names an unknown type', given: source(OWNER, [], 'entity A in [B];'), names: 'SCHEMA' },
    { what: 'a policy that does not parse', given: source('permit(principal, action);'), names: 'POLICIES' },
    { what: 'no policy', given: source('// nothing'), names: 'POLICIES: holds no policy' },
    {
      what: 'a policy for an action that the schema does not have',
      given: source('permit(principal, action == Action::"DELETE", resource);'),
      names: 'POLICIES: .*DELETE',
    },
    {
      what: 'a policy with a mistyped attribute',
      given: source('permit(principal, action, resource) when { resource.ownr == principal };'),
      names: 'POLICIES: .*ownr',
    },
    {
      what: 'a policy that can never apply',
      given: source('permit(principal is Note, action == Action::"READ", resource);'),
      names: 'POLICIES: ',
    },
    {
      what: 'a name that only looks like another',
      given: source(
        `permit(principal, action, resource) when { resource.owner == Person::"\u0430nn" && resource.level == 1 && "\u202e" == "x" };`,
      ),
      names: 'POLICIES: ',
    },
    { what: 'a template', given: source('permit(principal == ?principal, action, resource);'), names: 'a template' },
    { what: 'two policies with one id', given: source(`${OWNER}${OWNER}`), names: 'two policies with the id "owner"' },
    {
      what: 'an entity of an unknown type',
      given: source(OWNER, [{ uid: { type: 'Ghost', id: 'g' }, attrs: {}, parents: [] }]),
      names: 'ENTITIES: .*Ghost',
    },
    {
      what: 'an entity with a wrong attribute',
      given: source(OWNER, [{ uid: { type: 'Switch', id: 's' }, attrs: { on: 'yes' }, parents: [] }]),
      names: 'ENTITIES: ',
    },
    {
      what: 'two actions with one name in two namespaces',
      given: source(
        OWNER,
        [],
        `${SCHEMA} namespace Other { entity X; action READ appliesTo { principal: X, resource: X }; }`,
      ),
      names: 'SCHEMA: has two actions with the name READ',
    },
  ])('$what', async ({ given, names }) => {
    await expect(openCedar(given)).rejects.toThrow(new RegExp(names))
    await expect(openCedar(given)).rejects.toMatchObject({ name: 'SettingError' })
  })
})

it('takes a namespaced schema: types by their full name, actions by their own', async () => {
  const schema =
    'namespace Bank { type Ctx = { at?: String }; entity P; entity R = { of: P }; action GET appliesTo { principal: P, resource: R, context: Ctx }; }'
  const entities: readonly CedarEntity[] = [
    { uid: { type: 'Bank::R', id: 'r' }, attrs: { of: { __entity: { type: 'Bank::P', id: 'p' } } }, parents: [] },
  ]
  const policies =
    'permit(principal, action == Bank::Action::"GET", resource) when { resource.of == principal && context has at };'
  const pdp = await openCedar(source(policies, entities, schema))
  const asked = {
    subject: { type: 'Bank::P', id: 'p' },
    action: { name: 'GET' },
    resource: { type: 'Bank::R', id: 'r' },
    context: { at: 'noon', other: 1 },
  }
  expect(await pdp.decide(question(asked), signal)).toEqual({ ok: true, value: [true] })
})

it('keeps two banks with the same ids apart', async () => {
  const open = (bank: keyof typeof BANKS) => openCedar(readCedar({}, BANKS[bank]))
  const [canbank, fjordbank] = [await open('canbank'), await open('fjordbank')]
  const asked = question(view('alice', 'Account', 'acc-alice-savings'))
  expect(await canbank.decide(asked, signal)).toEqual({ ok: true, value: [true] })
  expect(await fjordbank.decide(asked, signal)).toEqual({ ok: true, value: [false] })
  expect(await canbank.decide(asked, signal)).toEqual({ ok: true, value: [true] })
})

it('never permits somebody whom the bank does not know, not even their own profile', async () => {
  const pdp = await openCedar(readCedar({}, BANKS.canbank))
  const asked = { evaluations: [evaluation('mallory', 'VIEW_CUSTOMER_PROFILE', 'Customer', 'mallory')] as const }
  expect(await pdp.decide({ ...asked, login: loginOf('mallory') }, signal)).toEqual({ ok: true, value: [false] })
})

describe('the entities of a request', () => {
  const everything = ENTITIES.map(({ uid }) => uid.id).toSorted()
  const idsOf = (entities: readonly { uid: unknown }[]) => entities.map(({ uid }) => namedIn({ uid })[0]?.id).toSorted()
  it('are those that it can reach, and those that the policies name', () => {
    const slices = slicesOf(ENTITIES, [{ type: 'Switch', id: 'freeze' }])
    expect(idsOf(slices([{ type: 'Person', id: 'ben' }]))).toEqual(['ben', 'freeze'])
    expect(idsOf(slices([{ type: 'Note', id: 'n1' }]))).toEqual(['ann', 'editors', 'freeze', 'n1'])
    expect(idsOf(slices(ENTITIES.map(({ uid }) => uid)))).toEqual(everything)
    expect(idsOf(slices([{ type: 'Person', id: 'nobody' }]))).toEqual(['freeze'])
  })
  it('end where they refer to each other in a circle', () => {
    const pair = (id: string, other: string): CedarEntity => ({
      uid: { type: 'Person', id },
      attrs: { manager: { __entity: { type: 'Person', id: other } } },
      parents: [],
    })
    expect(idsOf(slicesOf([pair('a', 'b'), pair('b', 'a')], [])([{ type: 'Person', id: 'a' }]))).toEqual(['a', 'b'])
  })

  const id = fc.constantFrom('a', 'b', 'c', 'd')
  const people = fc.uniqueArray(fc.record({ id, manager: fc.option(id) }), { selector: (each) => each.id })
  test.prop([people, id, id], { numRuns: 60 })(
    'give the decision that all entities together give',
    async (some, who, owner) => {
      const entities: readonly CedarEntity[] = [
        ...some.map(({ id: name, manager }): CedarEntity => ({
          uid: { type: 'Person', id: name },
          attrs: manager === null ? {} : { manager: { __entity: { type: 'Person', id: manager } } },
          parents: name === 'a' ? [{ type: 'Team', id: 'editors' }] : [],
        })),
        note('n1', owner),
      ]
      const policies = `permit(principal, action, resource) when {
        resource.owner has manager && resource.owner.manager has manager && resource.owner.manager.manager == principal };
        permit(principal, action, resource) when { resource.owner in Team::"editors" };`
      const engine = await loadCedar()
      const all = engine.isAuthorized({
        principal: { type: 'Person', id: who },
        action: { type: 'Action', id: 'READ' },
        resource: { type: 'Note', id: 'n1' },
        context: {},
        policies: { staticPolicies: policies },
        entities: entities.map((each) => ({ ...each, parents: [...each.parents] })),
      })
      expect(all).toMatchObject({ type: 'success', response: { diagnostics: { errors: [] } } })
      const sliced = await (
        await openCedar(source(policies, entities))
      ).decide(question(asks(who, 'READ', 'n1')), signal)
      expect(sliced).toEqual({ ok: true, value: [all.type === 'success' && all.response.decision === 'allow'] })
    },
  )
})

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cedar-'))
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const entities = (text: string) => () => readCedar({ CEDAR_ENTITIES_FILE: file('e.json', text) }, BANKS.canbank)

  it('of an app decide in place of the bank', async () => {
    const files = {
      CEDAR_SCHEMA_FILE: file('s.cedarschema', SCHEMA),
      CEDAR_POLICIES_FILE: file('p.cedar', OWNER),
      CEDAR_ENTITIES_FILE: file(
        'e.json',
        '[{"uid":{"__entity":{"type":"Note","id":"n1"}},"attrs":{"owner":{"__entity":{"type":"Person","id":"ann"}},"level":1},"parents":[]},{"uid":{"type":"Person","id":"ann"}}]',
      ),
    }
    const pdp = await openCedar(readCedar(files, BANKS.canbank))
    expect(await pdp.decide(question(asks('ann', 'READ', 'n1')), signal)).toEqual({ ok: true, value: [true] })
  })

  it('of the bank hold its customers, accounts and invoices, and nothing about people', () => {
    const list = bankEntities(BANKS.canbank)
    expect(list).toHaveLength(12)
    expect(JSON.stringify(list)).not.toMatch(/Berg|Storgata|\+47|memo/)
  })

  it.each([
    {
      what: 'a file that is not there',
      read: () => readCedar({ CEDAR_SCHEMA_FILE: join(folder, 'no') }, BANKS.canbank),
      says: /CEDAR_SCHEMA_FILE: cannot be read \(ENOENT\)/,
    },
    {
      what: 'a folder',
      read: () => readCedar({ CEDAR_POLICIES_FILE: folder }, BANKS.canbank),
      says: /CEDAR_POLICIES_FILE: is no regular file/,
    },
    {
      what: 'a device without an end',
      read: () => readCedar({ CEDAR_POLICIES_FILE: '/dev/zero' }, BANKS.canbank),
      says: /CEDAR_POLICIES_FILE: is no regular file/,
    },
    {
      what: 'bytes that are not UTF-8',
      read: () => readCedar({ CEDAR_POLICIES_FILE: file('b', Buffer.from([0xff, 0xfe])) }, BANKS.canbank),
      says: /CEDAR_POLICIES_FILE: is not UTF-8/,
    },
    {
      what: 'entities that are not JSON',
      read: entities('['),
      says: /CEDAR_ENTITIES_FILE: is not strict JSON: not JSON/,
    },
    {
      what: 'an entity with a key twice',
      read: entities('[{"uid":{"type":"A","id":"a","id":"b"}}]'),
      says: /CEDAR_ENTITIES_FILE: is not strict JSON/,
    },
    { what: 'entities that are no list', read: entities('{}'), says: /CEDAR_ENTITIES_FILE: is wrong at/ },
    {
      what: 'an entity without an id',
      read: entities('[{"uid":{"type":"A"}}]'),
      says: /CEDAR_ENTITIES_FILE: is wrong at 0.uid/,
    },
    {
      what: 'an entity with an unknown field',
      read: entities('[{"uid":{"type":"A","id":"a"},"attr":{}}]'),
      says: /CEDAR_ENTITIES_FILE: is wrong at 0/,
    },
  ])('are refused at the start: $what', ({ read, says }) => {
    expect(read).toThrow(says)
  })
})
