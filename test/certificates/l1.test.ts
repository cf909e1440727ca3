import { describe, expect, it } from 'vitest'
import type { NormalizedCall } from '../../src/core/call.ts'
import { bob, openDesk, SESSION, transfer, type Desk, type Said } from './support.ts'

/** Runs a call as the gate does: judged, taken, done. */
function run(desk: Desk, call: NormalizedCall): string {
  const { decision } = desk.room.judge(call)
  if (decision.kind !== 'permit') return decision.reason
  if (!desk.room.reserve(call)) return 'agent.intent_revoked'
  desk.room.settle(call, 'done')
  return [...decision.obligations].join('+')
}

const toCarol = transfer({ to_account: 'acc-carol-checking' })
const payInvoice = transfer({ to_account: 'ext-nordlys-kraft', amount: '640.00' })

const FAMILY: readonly {
  readonly id: string
  readonly says: readonly Said[]
  readonly args: Record<string, string>
  readonly want: string
  readonly check?: string
}[] = [
  { id: 'L1a', says: ['summarize'], args: toCarol, want: 'agent.intent_tool_mismatch', check: 'K2' },
  { id: 'L1b', says: ['payInvoice'], args: payInvoice, want: 'confirm', check: 'K6' },
  { id: 'L1b, other payee', says: ['payInvoice'], args: toCarol, want: 'agent.intent_low_confidence', check: 'K6' },
  { id: 'L1c', says: ['sendBob'], args: toCarol, want: 'agent.intent_payload_exceeds_bound', check: 'K10' },
  {
    id: 'L1d',
    says: ['sendBob'],
    args: transfer({ amount: '5000' }),
    want: 'agent.intent_payload_exceeds_bound',
    check: 'K9',
  },
  { id: 'L1e', says: ['sendBob'], args: transfer(), want: 'confirm' },
  { id: 'L1g', says: ['sendBob', 'balance'], args: transfer(), want: 'agent.intent_revoked', check: 'validity' },
  {
    id: 'L1g, other payee',
    says: ['sendBob', 'balance'],
    args: toCarol,
    want: 'agent.intent_tool_mismatch',
    check: 'K2',
  },
  { id: 'L1h', says: ['betalBob'], args: transfer(), want: 'confirm', check: 'K6' },
  { id: 'L1i', says: ['dont'], args: transfer(), want: 'agent.intent_tool_mismatch', check: 'K3' },
  { id: 'L1j', says: ['paste'], args: toCarol, want: 'agent.intent_tool_mismatch', check: 'K2' },
]

describe('the invoice that gives orders', () => {
  it.each(FAMILY)('$id ends in $want', ({ says, args, want, check }) => {
    const desk = openDesk()
    for (const said of says) desk.say(said)
    const call = desk.call('transfer_money', args)
    expect(desk.room.judge(call).failedCheck).toBe(check)
    expect(run(desk, call)).toBe(want)
  })

  it('L1a hides the transfer from the session', () => {
    expect(openDesk().say('summarize').visible).toEqual(['get_account_balance', 'get_invoice', 'get_customer_profile'])
  })

  it('L1b puts the payee and the amount of the record on the card', () => {
    const desk = openDesk()
    desk.say('payInvoice')
    const origin = { kind: 'record', type: 'Invoice', id: 'inv-alice-1' }
    expect(desk.room.judge(desk.call('transfer_money', payInvoice)).provenance).toMatchObject({
      to_account: { kind: 'record', type: 'Invoice' },
      amount: origin,
    })
  })

  it('L1e moves exactly once, and L1f refuses the second, whatever its id', () => {
    const desk = openDesk()
    desk.say('sendBob')
    expect(run(desk, desk.call('transfer_money', transfer()))).toBe('confirm')
    const again = desk.call('transfer_money', transfer())
    expect(desk.room.judge(again)).toMatchObject({ detail: 'consumed', failedCheck: 'validity' })
    expect(run(desk, again)).toBe('agent.intent_revoked')
  })

  it('L1k tells nobody whose session it is, and the audit who was meant', () => {
    const desk = openDesk()
    desk.say('sendBob', bob)
    expect(desk.room.judge(desk.call('transfer_money', transfer())).detail).toBe('binding:actorId')
    expect(run(desk, desk.call('transfer_money', transfer()))).toBe('agent.intent_not_found')
  })

  it.each([
    {
      what: 'deriver',
      options: {
        deriver: {
          id: 'down',
          derive: () => {
            throw new Error('down')
          },
        },
      },
    },
    {
      what: 'own data',
      options: {
        facts: () => {
          throw new Error('down')
        },
      },
    },
  ])('L1l refuses everything while the $what is down, and ends what was allowed', ({ options }) => {
    const reported: unknown[] = []
    const desk = openDesk({ ...options, report: (cause) => reported.push(cause) })
    expect(desk.say('summarize')).toMatchObject({ visible: [], clarify: 'gate.internal_error' })
    expect(run(desk, desk.call('transfer_money', transfer()))).toBe('gate.internal_error')
    expect(reported).toHaveLength(1)
  })

  it('keeps the controls going: balance and own invoice run without a question', () => {
    const desk = openDesk()
    desk.say('balance')
    expect(run(desk, desk.call('get_account_balance', { account_id: 'acc-alice-savings' }))).toBe('')
    expect(run(desk, desk.call('get_invoice', { invoice_id: 'inv-alice-1' }))).toBe('')
    expect(desk.room.tainted(SESSION)).toBe(false)
  })
})
