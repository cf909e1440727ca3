import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Evaluation } from '../../src/core/authzen.ts'
import { pass, refuse } from '../../src/core/verdict.ts'
import { checkCoverage } from '../../src/intent/coverage.ts'
import { proves } from '../requirements.ts'
import { balance, callOf, evaluationOf, invoice, loginOf, rates, toolOf, transfer, viewBobs } from './fixtures.ts'

const viewBalance = (id: string, subject?: Evaluation['subject']) =>
  evaluationOf('VIEW_ACCOUNT_BALANCE', 'Account', id, subject)
const bobsBalance = callOf(balance, { account_id: 'acc-bob-checking' })
const compare = toolOf('compare', 'Compare', [
  { argument: 'account_ids', type: 'Account', actions: ['VIEW_ACCOUNT_BALANCE'] },
  { argument: 'invoice_id', type: 'Invoice', actions: ['VIEW_INVOICE'] },
])
const useTool = (name: string) => evaluationOf('USE', 'Tool', name)

describe('checkCoverage passes', () => {
  it.each([
    { what: 'the one evaluation of the call', call: bobsBalance, evaluations: [viewBobs] },
    {
      what: 'A2-11: an extra evaluation, which stays for the PDP',
      call: bobsBalance,
      evaluations: [viewBobs, viewBalance('acc-alice-savings')],
    },
    {
      what: 'any of the expected actions',
      call: callOf(transfer, { from_account: 'acc-a', to_account: 'acc-b' }),
      evaluations: [evaluationOf('MANAGE_ACCOUNT', 'Account', 'acc-a')],
    },
    { what: 'a tool without resources as Tool/USE', call: callOf(rates, {}), evaluations: [useTool('get_rates')] },
    { what: 'absent optional resources as Tool/USE', call: callOf(compare, {}), evaluations: [useTool('compare')] },
    {
      what: 'an empty list as Tool/USE',
      call: callOf(compare, { account_ids: [] }),
      evaluations: [useTool('compare')],
    },
    {
      what: 'every element of a list',
      call: callOf(compare, { account_ids: ['acc-a', 'acc-b'] }),
      evaluations: [viewBalance('acc-b'), viewBalance('acc-a')],
    },
    {
      what: 'properties and context of an evaluation',
      call: bobsBalance,
      evaluations: [
        { ...viewBobs, context: { channel: 'chat' }, action: { ...viewBobs.action, properties: { a: 1 } } },
      ],
    },
  ])('$what', ({ call, evaluations }) => {
    expect(checkCoverage(call, evaluations)).toEqual(pass(evaluations))
  })

  it("and sends the login's own subject on, not the source's", () => {
    const embellished = { ...viewBobs, subject: { type: 'Customer', id: 'bob', properties: { role: 'admin' } } }
    const verdict = checkCoverage(bobsBalance, [embellished, embellished])
    expect(verdict.ok && verdict.value.map((each) => each.subject)).toEqual([loginOf().subject, loginOf().subject])
  })
})

describe('checkCoverage refuses', () => {
  const stranger = (subject: Evaluation['subject']) => [viewBobs, viewBalance('acc-bob-checking', subject)]
  it.each([
    { what: 'no evaluation at all', call: bobsBalance, evaluations: [], code: 'coverage.no_evaluations' },
    {
      what: 'another resource',
      call: bobsBalance,
      evaluations: [viewBalance('acc-bob-closed')],
      code: 'coverage.resource_missing',
    },
    {
      what: 'the right id of another type',
      call: bobsBalance,
      evaluations: [evaluationOf('VIEW_ACCOUNT_BALANCE', 'Invoice', 'acc-bob-checking')],
      code: 'coverage.resource_missing',
    },
    {
      what: 'an action that the tool does not expect',
      call: bobsBalance,
      evaluations: [evaluationOf('VIEW_CUSTOMER_PROFILE', 'Account', 'acc-bob-checking')],
      code: 'coverage.resource_missing',
    },
    {
      what: 'type and action spread over two evaluations',
      call: bobsBalance,
      evaluations: [
        evaluationOf('VIEW_ACCOUNT_BALANCE', 'Account', 'acc-other'),
        evaluationOf('OTHER', 'Account', 'acc-bob-checking'),
      ],
      code: 'coverage.resource_missing',
    },
    {
      what: 'an id in other letters',
      call: bobsBalance,
      evaluations: [viewBalance('ACC-BOB-CHECKING')],
      code: 'coverage.resource_missing',
    },
    {
      what: 'A2-09: the destination in place of the source account',
      call: callOf(transfer, { from_account: 'acc-alice-savings', to_account: 'acc-bob-checking' }),
      evaluations: [evaluationOf('TRANSFER_FROM_ACCOUNT', 'Account', 'acc-bob-checking')],
      code: 'coverage.resource_missing',
    },
    {
      what: 'A2-05: one of two resources left out',
      call: callOf(compare, { account_ids: ['acc-a'], invoice_id: 'inv-1' }),
      evaluations: [viewBalance('acc-a')],
      code: 'coverage.resource_missing',
    },
    {
      what: 'CT-25: one element of a list left out',
      call: callOf(compare, { account_ids: ['acc-bob-checking', 'acc-alice-savings'] }),
      evaluations: [viewBobs],
      code: 'coverage.resource_missing',
    },
    {
      what: 'CT-25: a list that prints as the id',
      call: callOf(compare, { account_ids: [['acc-a']] }),
      evaluations: [viewBalance('acc-a')],
      code: 'coverage.resource_missing',
    },
    {
      what: 'A2-19: a number that prints as the id',
      call: callOf(invoice, { invoice_id: 1001 }),
      evaluations: [evaluationOf('VIEW_INVOICE', 'Invoice', '1001')],
      code: 'coverage.resource_missing',
    },
    {
      what: 'null in place of an id',
      call: callOf(invoice, { invoice_id: null }),
      evaluations: [useTool('get_invoice')],
      code: 'coverage.resource_missing',
    },
    {
      what: 'Tool/USE for a call that names a resource',
      call: bobsBalance,
      evaluations: [useTool('get_account_balance')],
      code: 'coverage.resource_missing',
    },
    {
      what: 'Tool/USE of another tool',
      call: callOf(rates, {}),
      evaluations: [useTool('get_invoice')],
      code: 'coverage.resource_missing',
    },
    ...[
      { what: "A2-07: alice's id", subject: { type: 'Customer', id: 'alice' } },
      { what: 'another type', subject: { type: 'Robot', id: 'bob' } },
      { what: 'A2-17: a trailing space', subject: { type: 'Customer', id: 'bob ' } },
      { what: 'A2-17: a Cyrillic letter', subject: { type: 'Customer', id: 'b\u043eb' } },
      { what: 'CT-33: other letters', subject: { type: 'Customer', id: 'BOB' } },
      { what: 'a type in other letters', subject: { type: 'customer', id: 'bob' } },
      { what: 'a zero-width character', subject: { type: 'Customer', id: 'bob\u200b' } },
      { what: 'a combining mark', subject: { type: 'Customer', id: 'bob\u0301' } },
      { what: 'full-width letters', subject: { type: 'Customer', id: '\uff42\uff4f\uff42' } },
      { what: 'a NUL', subject: { type: 'Customer', id: 'bob\u0000' } },
      { what: 'a qualified id', subject: { type: 'Customer', id: 'Customer:bob' } },
    ].map(({ what, subject }) => ({
      what: `a second subject with ${what}`,
      call: bobsBalance,
      evaluations: stranger(subject),
      code: 'coverage.subject_not_caller',
    })),
  ] as const)('$what', ({ call, evaluations, code }) => {
    expect(checkCoverage(call, evaluations)).toMatchObject({ ok: false, reason: code })
  })

  it('without quoting what the source said', () => {
    const secret = viewBalance('acc-x', { type: 'Customer', id: 'the phone of alice' })
    expect(checkCoverage(bobsBalance, [viewBobs, secret])).toEqual(
      refuse('coverage.subject_not_caller', 'evaluation 1 of 2'),
    )
    expect(checkCoverage(bobsBalance, [viewBalance('the phone of alice')])).toEqual(
      refuse('coverage.resource_missing', 'account_id as Account'),
    )
  })
})

describe('coverage laws', () => {
  const word = fc.constantFrom('acc-a', 'acc-b', 'inv-1', 'compare')
  const anyEvaluation: fc.Arbitrary<Evaluation> = fc.record({
    subject: fc.record({
      type: fc.constantFrom('Customer', 'Robot'),
      id: fc.constantFrom('bob', 'bob', 'bob', 'alice', 'bob '),
    }),
    action: fc.record({ name: fc.constantFrom('VIEW_ACCOUNT_BALANCE', 'VIEW_INVOICE', 'USE') }),
    resource: fc.record({ type: fc.constantFrom('Account', 'Invoice', 'Tool'), id: word }),
  })
  const anyCall = fc
    .record(
      { account_ids: fc.uniqueArray(fc.constantFrom('acc-a', 'acc-b')), invoice_id: fc.constant('inv-1') },
      { requiredKeys: [] },
    )
    .map((args) => callOf(compare, args))
  const isStranger = ({ subject }: Evaluation) => subject.type !== 'Customer' || subject.id !== 'bob'

  test.prop([anyCall, fc.array(anyEvaluation, { maxLength: 8 }), fc.nat()])(
    'leaving an evaluation out never turns a refusal into a pass, unless it was about a stranger',
    (call, evaluations, at) => {
      const removed = evaluations[at % Math.max(1, evaluations.length)]
      if (removed === undefined || isStranger(removed)) return
      const fewer = evaluations.filter((each) => each !== removed)
      if (!checkCoverage(call, evaluations).ok) expect(checkCoverage(call, fewer).ok).toBe(false)
    },
  )

  test.prop([anyCall, fc.array(anyEvaluation, { maxLength: 8 })])(
    'what passes holds every evaluation in its order, each of the caller',
    (call, evaluations) => {
      const verdict = checkCoverage(call, evaluations)
      if (verdict.ok) expect(verdict.value).toEqual(evaluations)
      expect(verdict.ok && evaluations.some(isStranger)).toBe(false)
    },
  )

  test.prop([anyCall, fc.array(anyEvaluation, { maxLength: 8 }), anyEvaluation.filter(isStranger), fc.nat()])(
    proves('coverage.subject-is-caller'),
    (call, evaluations, stranger, at) => {
      expect(checkCoverage(call, evaluations.toSpliced(at % (evaluations.length + 1), 0, stranger)).ok).toBe(false)
    },
  )

  test.prop([fc.uniqueArray(fc.stringMatching(/^acc-[a-z0-9]{1,8}$/), { minLength: 1, maxLength: 5 }), fc.nat()])(
    proves('coverage.every-resource'),
    (ids, at) => {
      const call = callOf(compare, { account_ids: ids })
      const evaluations = ids.map((id) => viewBalance(id))
      expect(checkCoverage(call, evaluations).ok).toBe(true)
      expect(checkCoverage(call, evaluations.toSpliced(at % ids.length, 1)).ok).toBe(false)
    },
  )
})
