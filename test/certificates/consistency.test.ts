import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool, type ToolSource } from '../../src/core/define-tool.ts'
import type { Effect, EffectContract } from '../../src/core/effect.ts'
import type { ToolDefinition } from '../../src/core/tool.ts'
import type { ToolArguments } from '../../src/core/tool-arguments.ts'
import { CANON } from '../../src/certificates/certificate.ts'
import { consistency, type Proposal } from '../../src/certificates/consistency.ts'
import type { Derivation, Step, SubjectFacts } from '../../src/certificates/derivation.ts'
import { issueCertificates } from '../../src/certificates/issue.ts'
import { prepare } from '../../src/certificates/prepared.ts'
import { certificateSettings, type CertificateSettings } from '../../src/certificates/settings.ts'
import { aliceFacts, bankTools, derivation, openDesk, transfer } from './support.ts'

const MESSAGE =
  'Change rec-1 of acc-alice-savings to New Street 5, 0150 Oslo on 2026-07-01 for 250 NOK to acc-bob-checking'
const at = (span: string) => {
  const start = MESSAGE.indexOf(span)
  return { kind: 'user', start, end: start + span.length } as const
}
const said = (value: string) => ({ value, origin: at(value) })

const facts: SubjectFacts = {
  ...aliceFacts,
  records: [
    ...aliceFacts.records,
    {
      type: 'Record',
      id: 'rec-1',
      names: [],
      holds: { payees: ['ext-oslo-bolig'], amounts: [{ minor: 9_900, currency: 'NOK' }] },
    },
    { type: 'Record', id: 'rec-2', names: [] },
  ],
}

interface Shape {
  readonly kind: EffectContract['class']
  readonly tier?: EffectContract['tier']
  readonly reversible?: boolean
  readonly effect?: (args: ToolArguments) => Partial<Effect>
}

const tool = (
  { kind, tier = 'medium', reversible = true, effect = () => ({}) }: Shape,
  roles: NonNullable<ToolSource<z.ZodObject>['roles']> = {},
  more: Partial<Pick<ToolSource<z.ZodObject>, 'resources' | 'destinations'>> = {},
): ToolDefinition =>
  defineTool({
    name: 'tool',
    description: 'A tool.',
    parameters: z.object(
      Object.fromEntries(
        ['id', 'ids', 'to', 'from', 'amount', 'currency', 'day', 'end', 'text', 'choice', 'tenant', 'workspace_id'].map(
          (name) => [name, z.unknown()],
        ),
      ),
    ),
    template: 'Use it',
    resources: [],
    ...more,
    roles,
    effect: {
      class: kind,
      tier,
      reversible,
      untrustedOutput: false,
      version: '1',
      predict: (args) => ({
        mutations: tier === 'low' ? [] : [`${kind}:Record`],
        resources: [],
        rows: 1,
        destinations: [],
        egress: 'user',
        ...effect(args),
      }),
    },
    run: () => null,
  })

const reading = (fields: Partial<Step> & Pick<Step, 'class'>, more: Partial<Derivation> = {}): Derivation =>
  derivation([{ records: [], texts: [], missing: [], ...fields }], more)

function check(
  given: Derivation,
  proposal: Proposal,
  settings: Partial<CertificateSettings> = {},
  left: number | null = null,
  data: SubjectFacts = facts,
) {
  const whole = certificateSettings(settings)
  const [stage] = issueCertificates({
    derivation: given,
    message: { text: MESSAGE, hidden: false },
    binding: {
      actorId: 'a',
      appId: 'a',
      keyId: 'k',
      tenantId: 'canbank',
      workspaceId: null,
      sessionId: 's',
      messageId: 'm',
    },
    requestHash: '',
    facts: data,
    offered: new Set(['read', proposal.definition.effect.class]),
    versions: { canon: CANON, policy: '', registry: '', effects: '' },
    classifierSource: 'provided',
    settings: whole,
    nowMs: 0,
    newId: () => 'x',
    salt: 'salt',
  })
  return consistency(prepare(stage, data, whole, 'salt'), proposal, left)
}

const rec1 = [{ type: 'Record', ...said('rec-1') }]
const own2 = { kind: 'record', type: 'Record', id: 'rec-2' } as const
const both = [...rec1, { type: 'Record', value: 'rec-2', origin: own2 }]
const update = reading({ class: 'update', records: rec1, texts: [said('New Street 5, 0150 Oslo')] })
const pay = reading({
  class: 'move_money',
  source: said('acc-alice-savings'),
  payee: said('acc-bob-checking'),
  amount: { value: { minor: 25_000, currency: 'NOK' }, origin: at('250 NOK') },
})
const target = { resources: [{ argument: 'id', type: 'Record', actions: ['CHANGE'] as const }] }
const targets = { resources: [{ argument: 'ids', type: 'Record', actions: ['CHANGE'] as const }] }
const moneyRoles = { from: 'source', to: 'payee', amount: 'amount', currency: 'currency', day: 'date' } as const
const moves: Shape = {
  kind: 'move_money',
  tier: 'high',
  reversible: false,
  effect: ({ amount, currency = 'NOK', to }) => ({
    amount: { minor: Number(amount) * 100, currency: String(currency) },
    destinations: typeof to === 'string' ? [to] : [],
  }),
}
const money = (args: ToolArguments) => ({
  definition: tool(moves, moneyRoles),
  args: { from: 'acc-alice-savings', to: 'acc-bob-checking', amount: '250', currency: 'NOK', ...args },
})
const changes = (args: ToolArguments) => ({
  definition: tool({ kind: 'update' }, { text: 'text', choice: 'choice' }, target),
  args: { id: 'rec-1', ...args },
})
const reads = (args: ToolArguments, effect: Partial<Effect> = {}, shape: Partial<Shape> = {}) => ({
  definition: tool({ kind: 'read', tier: 'low', effect: () => effect, ...shape }, { day: 'date', end: 'date' }, target),
  args,
})
const look = reading({ class: 'read' })
const throwing = (): Effect => {
  throw new Error('no contract')
}

describe('the consistency checks', () => {
  it.each([
    {
      check: 'K1',
      what: 'a contract that throws',
      given: look,
      proposal: reads({}, {}, { effect: throwing }),
      detail: 'schema',
    },
    {
      check: 'K1',
      what: 'a contract without numbers',
      given: look,
      proposal: reads({}, { rows: '1' as unknown as number }),
      detail: 'schema',
    },
    { check: 'K2', what: 'another class', given: look, proposal: changes({}), detail: 'tool_not_covered' },
    { check: 'K2', what: 'money under an update', given: update, proposal: money({}), detail: 'tool_not_covered' },
    {
      check: 'K3',
      what: 'a forbidden class',
      given: reading({ class: 'read' }, { denied: new Set(['update']) }),
      proposal: changes({}),
      detail: 'denied_class',
    },
    {
      check: 'K3',
      what: 'a forbidden effect',
      given: reading({ class: 'read' }, { denied: new Set(['delete']) }),
      proposal: reads({}, { mutations: ['delete:Record'] }),
      detail: 'denied_effect',
    },
    {
      check: 'K4',
      what: 'another target',
      given: update,
      proposal: changes({ id: 'rec-2' }),
      detail: 'Record_outside_bound:id',
    },
    {
      check: 'K4',
      what: 'one stray id of several',
      given: update,
      proposal: { definition: tool({ kind: 'update' }, {}, targets), args: { ids: ['rec-1', { deep: ['rec-2'] }] } },
      detail: 'Record_outside_bound:ids',
    },
    {
      check: 'K4',
      what: 'an unnamed target of somebody else',
      given: reading({ class: 'update' }),
      proposal: changes({ id: 'rec-9' }),
      detail: 'Record_outside_bound:id',
    },
    {
      check: 'K4',
      what: 'another read than the named one',
      given: reading({ class: 'read', records: rec1 }),
      proposal: reads({ id: 'rec-2' }),
      detail: 'Record_outside_bound:id',
    },
    {
      check: 'K4',
      what: 'another source',
      given: pay,
      proposal: money({ from: 'acc-alice-checking' }),
      detail: 'source_outside_bound:from',
    },
    {
      check: 'K4',
      what: 'a source of somebody else',
      given: reading({ class: 'move_money', payee: said('acc-bob-checking') }),
      proposal: money({ from: 'acc-carol-checking' }),
      detail: 'source_outside_bound:from',
    },
    {
      check: 'K4',
      what: 'a list of no source',
      given: pay,
      proposal: money({ from: [] }),
      detail: 'source_outside_bound:from',
    },
    {
      check: 'K4',
      what: 'a list of no record, which may mean all',
      given: reading({ class: 'update', records: rec1 }),
      proposal: { definition: tool({ kind: 'update' }, {}, targets), args: { ids: [] } },
      detail: 'Record_outside_bound:ids',
    },
    {
      check: 'K5',
      what: 'another tenant',
      given: look,
      proposal: reads({ tenant: 'fjordbank' }),
      detail: 'workspace_outside_bound',
    },
    {
      check: 'K5',
      what: 'a workspace where there is none',
      given: look,
      proposal: reads({ workspace_id: 'w' }),
      detail: 'workspace_outside_bound',
    },
    {
      check: 'K7',
      what: 'a day that does not exist',
      given: look,
      proposal: reads({ day: '2026-02-30' }),
      detail: 'window_outside_bound',
    },
    {
      check: 'K7',
      what: 'a window that ends before it starts',
      given: look,
      proposal: reads({ day: '2026-02-02', end: '2026-02-01' }),
      detail: 'window_outside_bound',
    },
    {
      check: 'K8',
      what: 'too many rows',
      given: look,
      proposal: reads({}, { rows: 1_001 }),
      detail: 'row_limit_exceeded',
    },
    {
      check: 'K8',
      what: 'rows without a bound',
      given: look,
      proposal: reads({}, { rows: Number.POSITIVE_INFINITY }),
      detail: 'row_limit_exceeded',
    },
    { check: 'K9', what: 'more money', given: pay, proposal: money({ amount: '251' }), detail: 'amount_exceeded' },
    {
      check: 'K9',
      what: 'another currency',
      given: pay,
      proposal: money({ currency: 'EUR' }),
      detail: 'amount_exceeded',
    },
    {
      check: 'K9',
      what: 'money that a read moves',
      given: look,
      proposal: reads({}, { amount: { minor: 1, currency: 'NOK' } }),
      detail: 'amount_exceeded',
    },
    {
      check: 'K9',
      what: 'an amount below zero',
      given: pay,
      proposal: money({ amount: '-5' }),
      detail: 'amount_exceeded',
    },
    {
      check: 'K9',
      what: 'a fraction of the smallest unit',
      given: pay,
      proposal: money({ amount: '1.005' }),
      detail: 'amount_exceeded',
    },
    { check: 'K10', what: 'less money', given: pay, proposal: money({ amount: '249' }), detail: 'pin_mismatch:amount' },
    {
      check: 'K10',
      what: 'another payee',
      given: pay,
      proposal: money({ to: 'ext-oslo-bolig' }),
      detail: 'pin_mismatch:payee',
    },
    {
      check: 'K10',
      what: 'a list of no payee',
      given: pay,
      proposal: money({ to: [] }),
      detail: 'pin_mismatch:payee',
    },
    ...[undefined, null].flatMap((value) => [
      {
        ...{ check: 'K6', what: `${String(value)} where a payee was said`, given: pay },
        ...{ proposal: money({ to: value }), detail: 'pin_mismatch:payee' },
      },
      {
        ...{ check: 'K6', what: `${String(value)} where an amount was said`, given: pay },
        ...{ proposal: money({ amount: value }), detail: 'pin_mismatch:amount' },
      },
    ]),
    {
      check: 'K10',
      what: 'another day',
      given: reading({ ...pay.steps[0], class: 'move_money', date: said('2026-07-01') }),
      proposal: money({ day: '2026-07-02' }),
      detail: 'pin_mismatch:date',
    },
    {
      check: 'K10',
      what: 'no day where one was said',
      given: reading({ ...pay.steps[0], class: 'move_money', date: said('2026-07-01') }),
      proposal: money({}),
      detail: 'pin_mismatch:date',
    },
    {
      check: 'K11',
      what: 'an account number in a text',
      given: update,
      proposal: changes({ text: 'pay GB82WEST12345698765432' }),
      detail: 'field_outside_bound:id',
    },
    {
      check: 'K11',
      what: 'an own account in a text',
      given: update,
      proposal: changes({ text: 'see acc-joint' }),
      detail: 'field_outside_bound:id',
    },
    {
      check: 'K11',
      what: 'a long text that nobody gave',
      given: update,
      proposal: changes({ text: 'x '.repeat(101) }),
      detail: 'field_outside_bound:length',
    },
    {
      check: 'K12',
      what: 'another kind of change',
      given: update,
      proposal: {
        definition: tool({ kind: 'update', effect: () => ({ mutations: ['delete:Record'] }) }, {}, target),
        args: { id: 'rec-1' },
      },
      detail: 'effect_mutations',
    },
    {
      check: 'K12',
      what: 'two changes',
      given: update,
      proposal: {
        definition: tool({ kind: 'update', effect: () => ({ mutations: ['update:A', 'update:B'] }) }, {}, target),
        args: { id: 'rec-1' },
      },
      detail: 'effect_count',
    },
    {
      check: 'K12',
      what: 'another record that it touches',
      given: update,
      proposal: {
        definition: tool({ kind: 'update', effect: () => ({ resources: ['rec-1', 'rec-2'] }) }, {}, target),
        args: { id: 'rec-1' },
      },
      detail: 'effect_resources',
    },
    {
      check: 'K12',
      what: 'data that leaves',
      given: look,
      proposal: reads({}, { egress: 'third_party' }),
      detail: 'effect_egress',
    },
    {
      check: 'K12',
      what: 'a read that changes something',
      given: look,
      proposal: reads({}, { mutations: ['read:Log'] }),
      detail: 'effect_mutations',
    },
    {
      check: 'K13',
      what: 'a read that sends something',
      given: look,
      proposal: reads({}, { destinations: ['x'] }),
      detail: 'destination_outside_bound',
    },
    {
      check: 'K13',
      what: 'a destination that no argument names',
      given: pay,
      proposal: {
        definition: tool(
          { ...moves, effect: (args) => ({ ...moves.effect?.(args), destinations: ['acc-carol-checking'] }) },
          moneyRoles,
        ),
        args: money({}).args,
      },
      detail: 'destination_outside_bound',
    },
    {
      check: 'K14',
      what: 'a risky tool that calls itself a read',
      given: look,
      proposal: reads({}, { mutations: [] }, { tier: 'high' }),
      detail: 'risk_exceeds_review',
    },
  ])('$check refuses $what', ({ check: failed, given, proposal, detail }) => {
    expect(check(given, proposal)).toMatchObject({ ok: false, check: failed, kind: 'deny', detail })
  })

  it.each([
    { what: 'the call that was asked for', given: pay, proposal: money({}), unbound: [], fromRecord: [] },
    {
      what: 'words of a given text',
      given: update,
      proposal: changes({ text: '0150 Oslo' }),
      unbound: [],
      fromRecord: [],
    },
    {
      what: 'a text that nobody gave',
      given: update,
      proposal: changes({ text: 'Oslo 0150' }),
      unbound: ['text'],
      fromRecord: [],
    },
    {
      what: 'a choice that nobody made',
      given: update,
      proposal: changes({ choice: true }),
      unbound: ['choice'],
      fromRecord: [],
    },
    {
      what: 'an own target without a name',
      given: reading({ class: 'update' }),
      proposal: changes({ id: 'rec-2' }),
      unbound: ['id'],
      fromRecord: [],
    },
    {
      what: 'an own source without a name',
      given: reading({
        class: 'move_money',
        payee: said('acc-bob-checking'),
        amount: { value: { minor: 25_000, currency: 'NOK' }, origin: at('250 NOK') },
      }),
      proposal: money({}),
      unbound: ['from'],
      fromRecord: [],
    },
    {
      what: 'what a named record holds',
      given: reading({ class: 'move_money', source: said('acc-alice-savings'), records: rec1 }),
      proposal: money({ to: 'ext-oslo-bolig', amount: '99' }),
      unbound: [],
      fromRecord: ['to', 'amount'],
    },
    { what: 'a read beside a payment', given: pay, proposal: reads({ id: 'rec-2' }), unbound: [], fromRecord: [] },
    { what: 'the rows of the limit', given: look, proposal: reads({}, { rows: 1_000 }), unbound: [], fromRecord: [] },
    {
      what: 'something that cannot be undone',
      given: update,
      proposal: { definition: tool({ kind: 'update', reversible: false }, {}, target), args: { id: 'rec-1' } },
      unbound: ['(irreversible)'],
      fromRecord: [],
    },
  ])('take $what and say what is left open', ({ given, proposal, unbound, fromRecord }) => {
    expect(check(given, proposal)).toMatchObject({ ok: true, unbound, fromRecord })
  })

  it.each([
    {
      what: 'payee',
      args: { to: 'ext-nordlys-kraft' },
      step: { amount: { value: { minor: 25_000, currency: 'NOK' }, origin: at('250 NOK') } },
    },
    { what: 'amount', args: {}, step: { payee: said('acc-bob-checking') } },
    {
      what: 'amount',
      args: { to: 'ext-oslo-bolig', amount: '98' },
      step: { records: rec1 },
      both: ['payee', 'amount'],
    },
  ])('K6 asks for the $what that only the model supplies', ({ what, args, step, both }) => {
    const given = reading({ class: 'move_money', source: said('acc-alice-savings'), ...step })
    expect(check(given, money(args))).toMatchObject({
      ok: false,
      check: 'K6',
      kind: 'clarify',
      code: 'agent.intent_low_confidence',
      ask: both ?? [what],
    })
    expect(check(given, money(args), { modelValues: 'confirm' })).toMatchObject({ ok: true })
  })

  it.each([
    { what: 'the user says the payee', step: { payee: said('acc-bob-checking') }, to: 'acc-bob-checking' },
    { what: 'a named record holds the payee', step: { records: rec1 }, to: 'ext-oslo-bolig' },
  ])('K6 lets an operator have an amount shown that was worked out, when $what', ({ step, to }) => {
    const given = reading({ class: 'move_money', source: said('acc-alice-savings'), ...step })
    const worked = money({ to, amount: '98' })
    expect(check(given, worked)).toMatchObject({ ok: false, check: 'K6', kind: 'clarify' })
    const shown = check(given, worked, { modelValues: 'confirm_amounts' })
    expect(shown).toMatchObject({ ok: true, unbound: ['amount'] })
  })

  it.each([
    {
      what: 'with an amount of the user',
      amount: { value: { minor: 25_000, currency: 'NOK' }, origin: at('250 NOK') },
    },
    { what: 'with one of its own', amount: undefined },
  ])('K6 never has a payee shown that only the model supplies, $what', ({ amount }) => {
    const given = reading({
      ...{ class: 'move_money', source: said('acc-alice-savings') },
      ...(amount === undefined ? {} : { amount }),
    })
    for (const modelValues of ['clarify', 'confirm_amounts'] as const) {
      const checked = check(given, money({ to: 'ext-nordlys-kraft' }), { modelValues })
      expect(checked).toMatchObject({ ok: false, check: 'K6', kind: 'clarify' })
    }
  })

  it('K6 asks who is paid also where the tool is of medium risk', () => {
    const redirect = {
      definition: tool({ kind: 'update' }, { to: 'payee' }, target),
      args: { id: 'rec-1', to: 'ext-x' },
    }
    expect(check(update, redirect)).toMatchObject({ ok: false, check: 'K6', kind: 'clarify', ask: ['payee'] })
  })

  const terms = { to: 'payee', amount: 'amount', currency: 'currency', text: 'text' } as const
  const plan = (args: ToolArguments) => ({
    definition: tool({ kind: 'update', effect: moves.effect ?? (() => ({})) }, terms, target),
    args: { id: 'rec-1', currency: 'NOK', ...args },
  })

  it.each([
    { what: 'the amount that is there', args: { amount: '99' }, same: true },
    { what: 'all that is there', args: { amount: '99.00', to: 'ext-oslo-bolig' }, same: true },
    { what: 'another amount', args: { amount: '98' }, same: false },
    { what: 'a text, which no data of the bank has', args: { amount: '99', text: 'Rent' }, same: false },
    { what: 'into a record whose data nobody has', args: { id: 'rec-2', amount: '99' }, same: false },
  ])('tell an update that changes nothing: it writes $what ($same)', ({ args, same }) => {
    const given = reading({ class: 'update', records: both })
    expect(check(given, plan(args))).toMatchObject({ ok: true, changesNothing: same })
  })

  it('K11 takes a short number for what it is, also where a bank counts its records', () => {
    const counted = { ...facts, records: [...facts.records, { type: 'Record', id: '7', names: [] }] }
    expect(check(update, changes({ text: 'Floor 7' }), {}, null, counted)).toMatchObject({ ok: true })
    expect(check(update, changes({ text: 'see rec-2' }), {}, null, counted)).toMatchObject({ ok: false, check: 'K11' })
  })

  it.each([
    { what: 'payee', given: reading({ class: 'move_money', records: rec1 }), args: { to: undefined } },
    {
      what: 'amount',
      given: reading({ class: 'move_money', payee: said('acc-bob-checking') }),
      args: { amount: null },
    },
  ])(
    'K6 asks for the $what that a payment leaves to its tool, whatever an operator lets be shown',
    ({ what, given, args }) => {
      for (const modelValues of ['clarify', 'confirm_amounts', 'confirm'] as const) {
        const checked = check(given, money(args), { modelValues })
        expect(checked).toMatchObject({ ok: false, check: 'K6', kind: 'clarify', ask: [what] })
      }
    },
  )

  it('K6 lets a change of medium risk leave out what it does not change', () => {
    const redirect = {
      definition: tool({ kind: 'update' }, terms, target),
      args: { id: 'rec-1', to: 'ext-oslo-bolig' },
    }
    expect(check(reading({ class: 'update', records: rec1 }), redirect)).toMatchObject({ ok: true })
  })

  it('K6 asks which record is to be deleted', () => {
    const gone = {
      definition: tool({ kind: 'delete', tier: 'high', reversible: false }, {}, target),
      args: { id: 'rec-1' },
    }
    expect(check(reading({ class: 'delete' }), gone)).toMatchObject({ ok: false, check: 'K6', ask: ['record'] })
  })

  it('K9 counts what is left of the amount', () => {
    expect(check(pay, money({}), {}, 24_999)).toMatchObject({ ok: false, check: 'K9' })
    expect(check(pay, money({}), {}, 25_000)).toMatchObject({ ok: true })
  })

  it('two records together hold nothing', () => {
    const held = aliceFacts.records.find(({ id }) => id === 'inv-alice-1')
    expect(held).toBeDefined()
    const given = reading({
      class: 'move_money',
      source: said('acc-alice-savings'),
      records: [
        ...rec1,
        { type: 'Invoice', value: 'inv-alice-1', origin: { kind: 'record', type: 'Invoice', id: 'inv-alice-1' } },
      ],
    })
    expect(check(given, money({ to: 'ext-oslo-bolig', amount: '640' }))).toMatchObject({ ok: false, check: 'K6' })
    expect(check(given, money({ to: 'ext-nordlys-kraft', amount: '640' }))).toMatchObject({ ok: true })
  })
})

describe('near misses of a payment', () => {
  const other = (right: string) =>
    fc
      .constantFrom(
        'acc-alice-checking',
        'acc-alice-savings',
        'acc-joint',
        'acc-bob-checking',
        'acc-carol-checking',
        'ext-oslo-bolig',
        'acc-bob-checkin',
        'acc-bob-checkingg',
      )
      .filter((id) => id !== right)
  const wrong = fc.oneof(
    other('acc-alice-savings').map((from_account) => ({ from_account })),
    other('acc-bob-checking').map((to_account) => ({ to_account })),
    fc
      .integer({ min: 1, max: 999_999 })
      .filter((minor) => minor !== 50_000)
      .map((minor) => ({ amount: `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, '0')}` })),
    fc.constantFrom('EUR', 'SEK', 'NOX').map((currency) => ({ currency })),
  )

  const desk = openDesk()
  desk.say('sendBob')

  test.prop([wrong], { numRuns: 2_000 })('are refused, every one', (changed) => {
    expect(desk.room.judge(desk.call('transfer_money', transfer(changed))).decision).toEqual({
      kind: 'deny',
      reason: 'agent.intent_payload_exceeds_bound',
    })
  })

  test.prop([fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 })], { numRuns: 500 })(
    'of any shape never throw',
    (args) => {
      for (const definition of [
        ...bankTools.values(),
        tool(moves, moneyRoles),
        tool({ kind: 'update' }, { text: 'text' }, target),
      ]) {
        expect(typeof check(pay, { definition, args }).ok).toBe('boolean')
      }
    },
  )
})
