import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { randoms } from '../../bench/randoms.ts'
import { foreignIn, marked, may } from '../../bench/soak-banks.ts'
import { effectFaults, lineFaults, memoryReport, turnFaults } from '../../bench/soak-checks.ts'
import { messageOf, plannedBrain, planOf, type Plan } from '../../bench/soak-plan.ts'
import { memoryLedger } from '../../src/canbank/ledger.io.ts'
import { BANKS } from '../../src/canbank/banks.ts'
import { newPlace, run } from '../cli/bin.ts'

const BOB = { tenant: 'canbank', customer: 'bob' } as const

describe('a value of somebody else', () => {
  it.each([
    { text: 'nothing', found: [] },
    { text: 'Bob Dahl, Strandveien 3, 9006 Tromsø', found: [] },
    { text: 'Bob Grieg', found: ['a value of bob of fjordbank'] },
    { text: '+47 400 00 101', found: ['a value of alice of canbank'] },
    { text: 'memo of canbank/inv-bob-1', found: [] },
    { text: 'memo of fjordbank/inv-bob-1', found: ['a value of bob of fjordbank'] },
    { text: '{"balance":"29999995.50"}', found: [] },
    { text: '{"balance":"20000010.00"}', found: ['the balance of acc-alice-savings of canbank'] },
    { text: '{"balance":"90000000.00"}', found: ['the balance of acc-bob-checking of fjordbank'] },
    { text: '{"amount":"9.99"}', found: [] },
  ])('in $text for Bob of Canbank is $found', ({ text, found }) => {
    expect(foreignIn(text, BOB)).toEqual(found)
  })
})

describe('who may do what', () => {
  it.each([
    { tool: 'get_account_balance', args: { account_id: 'acc-bob-closed' }, allowed: true },
    { tool: 'transfer_money', args: { from_account: 'acc-bob-closed' }, allowed: false },
    { tool: 'transfer_money', args: { from_account: 'acc-joint' }, allowed: true },
    { tool: 'transfer_money', args: { from_account: 'acc-alice-savings' }, allowed: false },
    { tool: 'get_invoice', args: { invoice_id: 'inv-bob-1' }, allowed: true },
    { tool: 'get_customer_profile', args: { customer_id: 'alice' }, allowed: false },
    { tool: 'bash', args: { command: 'id' }, allowed: false },
  ])('$tool $args by Bob of Canbank: $allowed', ({ tool, args, allowed }) => {
    expect(may(BOB, tool, args)).toBe(allowed)
  })
})

const LOOK = { name: 'get_account_balance', arguments: { account_id: 'acc-joint' } }
const PLAN: Plan = { who: BOB, turns: [[LOOK]] }
const evaluation = (id: string) => ({
  subject: { type: 'Customer', id },
  action: { name: 'VIEW_ACCOUNT_BALANCE' },
  resource: { type: 'Account', id: 'acc-joint' },
})
const attempted = (over: object, permitted = true, subject = 'bob') => ({
  ...{
    toolCallId: 'c',
    kind: 'custom-tool' as const,
    tool: LOOK.name,
    args: LOOK.arguments,
    ms: 1,
    executed: permitted,
  },
  judgement: {
    ...{ id: 'd', ms: 1, opinions: [], evaluations: [evaluation(subject)], decisions: [permitted] },
    decision: permitted
      ? { kind: 'permit' as const, obligations: new Set<never>() }
      : { kind: 'deny' as const, reason: 'pdp.denied' as const },
  },
  ...over,
})
const turn = (over: object = {}, ...calls: readonly ReturnType<typeof attempted>[]) => ({
  ...{ user: '', calls, assistant: '', ended: 'done' as const },
  ...over,
})

describe('a turn', () => {
  it.each([
    { title: 'that went well', record: turn({ assistant: '60000000.00' }, attempted({})), faults: [] },
    { title: 'that was refused', record: turn({}, attempted({}, false, 'carol')), faults: [] },
    {
      title: 'that failed',
      record: turn({ ended: 'failed', error: 'gone' }),
      faults: ['a turn of bob of canbank ended as failed: gone'],
    },
    {
      title: 'whose reply is somebody else’s',
      record: turn({ assistant: 'Alice Berg' }),
      faults: ['the reply to bob of canbank holds a value of alice of canbank'],
    },
    {
      title: 'with a call of another session',
      record: turn({}, attempted({ args: { account_id: 'acc-bob-closed' } })),
      faults: ['bob of canbank got a call that is not theirs'],
    },
    {
      title: 'in which a refused call ran',
      record: turn({}, attempted({ executed: true }, false)),
      faults: ['get_account_balance of bob of canbank ran and was not permitted'],
    },
    {
      title: 'permitted to somebody else',
      record: turn({}, attempted({}, true, 'carol')),
      faults: ['bob of canbank was permitted something by an evaluation of somebody else'],
    },
  ])('$title is found to have $faults', ({ record, faults }) => {
    expect(turnFaults(PLAN, 0, record)).toEqual(faults)
  })

  it('in which somebody was permitted what they may not is found', () => {
    const foreign = { name: LOOK.name, arguments: { account_id: 'acc-alice-savings' } }
    const record = turn({}, attempted({ args: foreign.arguments }))
    expect(turnFaults({ who: BOB, turns: [[foreign]] }, 0, record)).toEqual([
      'get_account_balance was permitted to bob of canbank, who may not',
    ])
  })
})

describe('a line of the audit', () => {
  const line = { session: 's', tenant: 'canbank', caller: { type: 'Customer', id: 'bob' } }
  it.each([
    { over: {}, faults: [] },
    { over: { session: 't' }, faults: ['a line of the audit is of no session'] },
    {
      over: { tenant: 'fjordbank' },
      faults: ['a line of the session of bob of canbank is on record for somebody else'],
    },
    { over: { detail: 'Carol Eide' }, faults: ['a line on bob of canbank holds a value of carol of canbank'] },
  ])('with $over has $faults', ({ over, faults }) => {
    expect(lineFaults([{ ...line, ...over }], new Map([['s', BOB]]))).toEqual(faults)
  })
})

describe('the books', () => {
  const transfer = { from: 'acc-bob-checking', to: 'acc-joint', minor: 100, currency: 'NOK' }
  const permit = {
    ...{ type: 'decision', decision: 'permit', tenant: 'canbank', tool: 'transfer_money', id: 'one' },
    args: { from_account: transfer.from, to_account: transfer.to, amount: '1.00', currency: 'NOK' },
  }
  it.each([
    { title: 'that the record explains', lines: [permit, { ...permit, id: 'never made' }], transfers: 1, wrong: 0 },
    { title: 'with a transfer that is not on record', lines: [], transfers: 0, wrong: 2 },
    { title: 'with a transfer on record as denied', lines: [{ ...permit, decision: 'deny' }], transfers: 0, wrong: 2 },
    { title: 'with one of the other bank', lines: [{ ...permit, tenant: 'fjordbank' }], transfers: 0, wrong: 2 },
  ])('$title have $wrong accounts that differ', async ({ lines, transfers, wrong }) => {
    const ledger = memoryLedger(marked(BANKS.canbank))
    await ledger.transfer({ ...transfer, key: 'one' })
    const found = effectFaults(ledger, lines)
    expect([found.transfers, found.faults.length]).toEqual([transfers, wrong])
  })
})

describe('memory', () => {
  const samples = (mbAt: (sessions: number) => number) =>
    Array.from({ length: 100 }, (_, n) => ({ sessions: n * 10, ownMb: mbAt(n * 10), runtimeMb: 100 + n }))
  it.each([
    { title: 'that stays', mbAt: () => 100, perThousand: 0, faults: 0 },
    { title: 'that grows only at first', mbAt: (n: number) => Math.min(n, 250), perThousand: 0, faults: 0 },
    { title: 'that grows', mbAt: (n: number) => 100 + n * 0.05, perThousand: 50, faults: 1 },
  ])('$title grows by $perThousand MB in 1,000 sessions', ({ mbAt, perThousand, faults }) => {
    const report = memoryReport(samples(mbAt), 1_000)
    expect([report.judged, report.ownMbPer1000, report.runtimeMbPer1000, report.faults.length]).toEqual([
      true,
      perThousand,
      100,
      faults,
    ])
  })

  it('of a few sessions is not judged', () => {
    expect(memoryReport(samples((n) => n).slice(0, 10), 100)).toMatchObject({ judged: false, faults: [] })
  })
})

describe('a plan', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(planOf(3, randoms(5))).toEqual(planOf(3, randoms(5)))
    expect(planOf(3, randoms(6))).not.toEqual(planOf(3, randoms(5)))
  })

  it('is played by the model, which repeats what it was told in this turn and nothing before it', () => {
    const asked = { role: 'user', content: messageOf([LOOK]) }
    const told = (content: string) => [asked, { role: 'assistant', content: null }, { role: 'tool', content }]
    expect(plannedBrain({ messages: [asked] })).toEqual({ calls: [LOOK] })
    expect(plannedBrain({ messages: [...told('old'), ...told('new')] })).toEqual({ text: 'new' })
  })
})

const place = newPlace()
afterAll(() => {
  place.remove()
})

describe('npm run soak', () => {
  const bin = fileURLToPath(new URL('../../dist/bench/soak.js', import.meta.url))

  it('runs sessions of two banks on the real runtime, finds nothing, and reports what it looked at', async () => {
    const report = place.file('soak.json')
    const args = ['--sessions', '24', '--minutes', '0', '--kills', '0', '--seed', '7', '--report', report]
    const { code, stdout, stderr } = await run(args, { place, bin })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.match(/^[✓✗] \w+/gm)).toEqual(['✓ memory', '✓ cross', '✓ effects', '✓ audit', '✓ kills'])
    const found = Report.parse(JSON.parse(readFileSync(report, 'utf8')))
    expect([found.ok, found.sessions.sessions, found.sessions.crossTalk]).toEqual([true, 24, []])
    expect(found.sessions.transfers).toBeGreaterThan(0)
    expect(found.sessions.decisions['permit']).toBeGreaterThan(0)
    expect(found.sessions.decisions['pdp.denied']).toBeGreaterThan(0)
  }, 60_000)

  it.each([
    { args: ['--kills', 'many'], says: 'soak: a number is not whole' },
    { args: ['--lanes', '0'], says: 'soak: --lanes is zero' },
    { args: ['--minutes', 'x'], says: 'soak: --minutes is not a number' },
    { args: ['--session', '1'], says: "soak: Unknown option '--session'" },
  ])('ends with 2 and a sentence for $args', async ({ args, says }) => {
    const { code, stdout, stderr } = await run(args, { place, bin })
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)])
    expect(stderr).toContain('Use: npm run soak -- [--sessions 1000]')
  })
})

const Report = z.looseObject({
  ok: z.boolean(),
  sessions: z.looseObject({
    sessions: z.number(),
    transfers: z.number(),
    decisions: z.record(z.string(), z.number()),
    crossTalk: z.array(z.string()),
  }),
})
