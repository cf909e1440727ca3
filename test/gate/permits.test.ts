import { describe, expect, it, vi } from 'vitest'
import type { AuditRecord } from '../../src/audit/record.ts'
import { sessionId, toolCallId } from '../../src/core/ids.ts'
import type { ToolDefinition } from '../../src/core/tool.ts'
import type { Approver } from '../../src/approval/approver.ts'
import { pass } from '../../src/core/verdict.ts'
import { createPermits, PERMIT_MS, type Permits } from '../../src/gate/permits.ts'
import { loginOf, nowSeconds } from '../logins.ts'
import { proves } from '../requirements.ts'
import { bankGate, call, rules, SESSION, transfer, TRANSFER } from './bank.ts'

const [bob, alice, otherBob] = await Promise.all([loginOf('bob'), loginOf('alice'), loginOf('bob', 'canbank', 1800)])
const types = (records: readonly AuditRecord[]): string[] => records.map(({ type }) => type)

/** A clock that a test moves. */
function clock(): { readonly now: () => Date; forwardMs: (ms: number) => void } {
  let at = nowSeconds * 1000
  return {
    now: () => new Date(at),
    forwardMs: (ms) => {
      at += ms
    },
  }
}

describe(proves('gate.permit-once'), () => {
  it('moves the money once when the runtime runs the call twice, one after the other', async () => {
    const { gate, log, balance } = bankGate()
    await gate.authorize(transfer(bob))
    const first = await gate.run(transfer(bob))
    expect(await gate.run(transfer(bob))).toEqual(first)
    expect(balance('acc-bob-checking')).toBe(410_050)
    expect(types(log.records)).toEqual(['decision', 'outcome'])
  })

  it('moves the money once when the runtime runs the call twice at the same time', async () => {
    const { gate, balance } = bankGate()
    await gate.authorize(transfer(bob))
    const [first, second] = await Promise.all([gate.run(transfer(bob)), gate.run(transfer(bob))])
    expect(second).toEqual(first)
    expect(balance('acc-bob-checking')).toBe(410_050)
  })

  it('decides a call once when the runtime asks twice, also at the same time', async () => {
    const { gate, log } = bankGate()
    const [first, second] = await Promise.all([gate.authorize(transfer(bob)), gate.authorize(transfer(bob))])
    expect(second).toBe(first)
    expect(await gate.authorize(transfer(bob))).toBe(first)
    expect(types(log.records)).toEqual(['decision'])
  })
})

describe(proves('gate.no-permit-no-run'), () => {
  it('does nothing and records a bypass for a run that nobody decided', async () => {
    const { gate, log, balance } = bankGate()
    expect(await gate.run(transfer(bob))).toEqual({ kind: 'denied', executed: false, code: 'permit.missing' })
    expect(balance('acc-bob-checking')).toBe(420_050)
    expect(log.records).toMatchObject([{ type: 'bypass', code: 'permit.missing', caller: { id: 'bob' } }])
  })

  it('does nothing for a run that was denied', async () => {
    const { gate, balance } = bankGate()
    await gate.authorize(transfer(alice))
    expect(await gate.run(transfer(alice))).toMatchObject({ executed: false, code: 'permit.missing' })
    expect(balance('acc-bob-checking')).toBe(420_050)
  })
})

describe(proves('gate.permit-bound'), () => {
  it.each([
    ['other arguments', call(bob, 'transfer_money', { ...TRANSFER, amount: '4000.00' }), 'permit.arguments_changed'],
    ['another tool', call(bob, 'get_account_balance', { account_id: 'acc-bob-checking' }), 'permit.arguments_changed'],
    [
      'unparsable arguments',
      call(bob, 'transfer_money', { ...TRANSFER, on_behalf_of: 'x' }),
      'permit.arguments_changed',
    ],
    ['another call id', transfer(bob, { id: toolCallId('c-2') }), 'permit.missing'],
    ['another turn', transfer(bob, { turn: 2 }), 'permit.missing'],
    ['another session', transfer(bob, { session: sessionId('s-2') }), 'permit.missing'],
    ['another customer', transfer(alice), 'permit.missing'],
    ['another login of the same customer', transfer(otherBob), 'permit.missing'],
  ])('does not fit %s', async (_what, run, code) => {
    const { gate, balance } = bankGate()
    expect((await gate.authorize(transfer(bob))).decision.kind).toBe('permit')
    expect(await gate.run(run)).toEqual({ kind: 'denied', executed: false, code })
    expect(balance('acc-bob-checking')).toBe(420_050)
  })

  it('takes another spelling of the same amount for the same arguments', async () => {
    const { gate } = bankGate()
    await gate.authorize(transfer(bob))
    expect(await gate.run(call(bob, 'transfer_money', { ...TRANSFER, amount: '100' }))).toMatchObject({ kind: 'done' })
  })

  it('dies with its turn, and the audit says that it was not used', async () => {
    const { gate, log } = bankGate()
    await gate.authorize(transfer(bob))
    gate.endTurn(SESSION, 1)
    expect(await gate.run(transfer(bob))).toMatchObject({ code: 'permit.missing' })
    expect(log.records).toMatchObject([
      { type: 'decision' },
      { type: 'outcome', outcome: 'not_run' },
      { type: 'bypass' },
    ])
  })

  it('dies after 60 seconds', async () => {
    const { now, forwardMs } = clock()
    const { gate } = bankGate({ world: { now } })
    await gate.authorize(transfer(bob))
    forwardMs(PERMIT_MS)
    expect(await gate.run(transfer(bob))).toMatchObject({ code: 'permit.expired' })
  })

  it('is not given outside an open turn', async () => {
    const { gate } = bankGate()
    const judgement = await gate.authorize(transfer(bob, { turn: 2 }))
    expect(judgement.decision).toEqual({ kind: 'deny', reason: 'gate.turn_over' })
  })

  it('is not given when the turn ends while the call is being decided', async () => {
    const slow = {
      decide: async (...question: Parameters<typeof rules.decide>) => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        return rules.decide(...question)
      },
    }
    const { gate } = bankGate({ services: { pdp: slow } })
    const pending = gate.authorize(transfer(bob))
    gate.endTurn(SESSION, 1)
    expect((await pending).decision).toEqual({ kind: 'deny', reason: 'gate.turn_over' })
    expect(await gate.run(transfer(bob))).toMatchObject({ executed: false })
  })

  it('refuses a second call of the turn under the same id', async () => {
    const { gate } = bankGate()
    await gate.authorize(transfer(bob))
    const other = await gate.authorize(call(bob, 'transfer_money', { ...TRANSFER, amount: '4000.00' }))
    expect(other.decision).toEqual({ kind: 'deny', reason: 'permit.call_id_reused' })
    expect(await gate.run(transfer(bob))).toMatchObject({ kind: 'done' })
  })
})

describe('a login that the gate did not verify', () => {
  it.each([
    ['looks like one', { ...bob }],
    ['is of another issuer', undefined],
  ])('is refused when it %s', async (_what, forged) => {
    const { gate } = bankGate(forged === undefined ? { services: { issuer: 'https://other.test' } } : {})
    const { decision } = await gate.authorize(transfer(forged ?? bob))
    expect(decision).toEqual({ kind: 'deny', reason: 'login.invalid' })
  })

  it('cannot be made of a verified one, which is frozen', () => {
    expect(() => Object.assign(bob, { expiresAtMs: Infinity })).toThrow(TypeError)
    expect(() => Object.assign(bob.subject, { id: 'alice' })).toThrow(TypeError)
  })
})

describe(proves('login.expiry'), () => {
  it('permits nothing at the instant of expiry', async () => {
    const { now, forwardMs } = clock()
    const { gate } = bankGate({ world: { now } })
    forwardMs(3600 * 1000)
    expect((await gate.authorize(transfer(bob))).decision).toEqual({ kind: 'deny', reason: 'login.expired' })
  })

  it('runs nothing on a permit whose login has expired since', async () => {
    const { now, forwardMs } = clock()
    const short = await loginOf('bob', 'canbank', 10)
    const { gate, balance } = bankGate({ world: { now } })
    expect((await gate.authorize(transfer(short))).decision.kind).toBe('permit')
    forwardMs(10_000)
    expect(await gate.run(transfer(short))).toMatchObject({ executed: false, code: 'login.expired' })
    expect(balance('acc-bob-checking')).toBe(420_050)
  })
})

describe(proves('gate.record-first'), () => {
  it('has the decision on record before the permit is given', async () => {
    const order: string[] = []
    const { gate } = bankGate({
      audit: {
        append: async ({ type }) => {
          await new Promise((resolve) => setTimeout(resolve, 5))
          order.push(type)
        },
      },
    })
    await gate.authorize(transfer(bob))
    order.push('authorized')
    await gate.run(transfer(bob))
    expect(order).toEqual(['decision', 'authorized', 'outcome'])
  })

  it('keeps token, balance and result out of the record', async () => {
    const { gate, log } = bankGate()
    const view = call(bob, 'get_account_balance', { account_id: 'acc-bob-checking' })
    await gate.authorize(view)
    expect(await gate.run(view)).toMatchObject({ kind: 'done', value: { balance: '4200.50' } })
    const text = JSON.stringify(log.records)
    expect(text).not.toContain(bob.token)
    expect(text).not.toContain('4200.50')
  })
})

describe(proves('gate.obligation-unmet'), () => {
  const confirming = { adjust: (tool: ToolDefinition) => ({ ...tool, obligations: ['confirm'] as const }) }
  const approver = (answer: (digest: string) => unknown): Approver =>
    ({ ask: ({ digest }) => Promise.resolve(answer(digest)) }) as Approver

  it.each([
    ['yes, to this digest', approver((digest) => ({ digest, approved: true })), null],
    ['no', approver((digest) => ({ digest, approved: false })), 'approval.refused'],
    ['yes, to another digest', approver(() => ({ digest: 'x', approved: true })), 'approval.invalid'],
    ['"true"', approver((digest) => ({ digest, approved: 'true' })), 'approval.invalid'],
    ['nothing', approver(() => undefined), 'approval.invalid'],
    ['an exception', { ask: () => Promise.reject(new Error('closed')) }, 'approval.invalid'],
    ['nobody to ask', undefined, 'gate.obligation_unmet'],
  ])('a person who answers %s', async (_what, person, code) => {
    const { gate, balance } = bankGate(confirming)
    const { decision } = await gate.authorize(transfer(bob), person)
    expect(decision.kind === 'permit' ? null : decision.reason).toBe(code)
    expect((await gate.run(transfer(bob))).executed).toBe(code === null)
    expect(balance('acc-bob-checking')).toBe(code === null ? 410_050 : 420_050)
  })

  it('does not run on a yes when the policy has changed while the card was open', async () => {
    let permitted = true
    const changing = { decide: () => Promise.resolve(pass([permitted])) }
    const { gate, balance } = bankGate({ ...confirming, services: { pdp: changing } })
    const person = approver((digest) => {
      permitted = false
      return { digest, approved: true }
    })
    expect((await gate.authorize(transfer(bob), person)).decision).toEqual({ kind: 'deny', reason: 'pdp.denied' })
    expect(await gate.run(transfer(bob))).toMatchObject({ executed: false })
    expect(balance('acc-bob-checking')).toBe(420_050)
  })

  it('takes a card back when its turn ends', async () => {
    const { gate } = bankGate(confirming)
    let taken: AbortSignal | undefined
    const silent: Approver = {
      ask: ({ signal }) => {
        taken = signal
        return new Promise(() => undefined)
      },
    }
    const pending = gate.authorize(transfer(bob), silent)
    await vi.waitUntil(() => taken !== undefined)
    gate.endTurn(SESSION, 1)
    expect((await pending).decision).toEqual({ kind: 'deny', reason: 'gate.turn_over' })
    expect(taken?.aborted).toBe(true)
  })

  it.each([
    { when: 'ended', then: (permits: Permits) => permits.end(SESSION, 1) },
    { when: 'begun again', then: (permits: Permits) => permits.begin(SESSION, 1) },
    { when: 'followed by another', then: (permits: Permits) => permits.begin(SESSION, 2) },
  ])('puts no card in a turn that was $when before the card was ready', ({ then }) => {
    const permits = createPermits()
    permits.begin(SESSION, 1)
    const over = permits.over(transfer(bob))
    then(permits)
    expect(over().aborted).toBe(true)
  })

  it('gives the person a copy without the token, which changes nothing when it is changed', async () => {
    const { gate, log } = bankGate(confirming)
    const person: Approver = {
      ask: (card) => {
        expect(JSON.stringify(card)).not.toContain(bob.token)
        ;(card.args as Record<string, unknown>)['to_account'] = 'acc-harmless'
        return Promise.resolve({ digest: card.digest, approved: true })
      },
    }
    expect((await gate.authorize(transfer(bob), person)).decision.kind).toBe('permit')
    expect(log.records).toMatchObject([{ args: TRANSFER }])
  })

  it('gives no permit for a call that was only judged', async () => {
    const { gate } = bankGate(confirming)
    const { decision } = await gate.judge(transfer(bob))
    expect(decision.kind === 'permit' ? [...decision.obligations] : decision.reason).toEqual(['confirm'])
    expect(await gate.run(transfer(bob))).toMatchObject({ executed: false, code: 'permit.missing' })
  })
})
