import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { deny, permit } from '../../src/core/decision.ts'
import { REASONS, type ReasonCode } from '../../src/core/reasons.ts'
import { TransportError } from '../../src/core/transport-error.ts'
import { pass, refuse } from '../../src/core/verdict.ts'
import type { Judgement } from '../../src/gate/gate.ts'
import { failClosed } from '../../src/gate/fail-closed.ts'
import { fold } from '../../src/gate/judge.ts'
import { definitionSource } from '../../src/intent/definition-source.ts'
import type { IntentSource } from '../../src/intent/intent-source.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { loginOf } from '../logins.ts'
import { proves } from '../requirements.ts'
import { bankGate, rules, transfer, type BankGateOptions } from './bank.ts'

const bob = await loginOf('bob')
const never = new Promise<never>(() => undefined)
const pdp = (decide: () => unknown): BankGateOptions => ({ services: { pdp: { decide } as unknown as Pdp } })
const intents = (extract: () => unknown): BankGateOptions => ({
  services: { intents: { extract } as unknown as IntentSource },
})
const throws = (cause: unknown) => () => {
  throw cause
}

async function decided(options: BankGateOptions): Promise<{ code: ReasonCode | null; moved: boolean }> {
  const { gate, balance } = bankGate(options)
  const judgement = await gate.authorize(transfer(bob))
  const ran = await gate.run(transfer(bob))
  const code = judgement.decision.kind === 'permit' ? null : judgement.decision.reason
  return { code, moved: ran.executed || balance('acc-bob-checking') !== 420_050 }
}

describe(proves('gate.fails-closed'), () => {
  it('runs the call when nothing is wrong, so that the faults below show something', async () => {
    expect(await decided({})).toEqual({ code: null, moved: true })
  })

  it.each<[string, BankGateOptions, ReasonCode]>([
    ['a PDP that throws', pdp(throws(new Error('secret'))), 'pdp.unavailable'],
    ['a PDP that throws no error', pdp(throws('permit')), 'pdp.unavailable'],
    ['a PDP that rejects', pdp(() => Promise.reject(new TypeError('x'))), 'pdp.unavailable'],
    ['a PDP that hangs', { ...pdp(() => never), deadlineMs: 100 }, 'pdp.timeout'],
    ['a PDP that reports a time-out', pdp(throws(new TransportError('timeout', 'late'))), 'pdp.timeout'],
    ['a PDP that answers nothing', pdp(() => Promise.resolve(undefined)), 'pdp.unavailable'],
    ['a PDP that refuses', pdp(() => Promise.resolve(refuse('pdp.error', 'x'))), 'pdp.error'],
    [
      'a PDP that refuses with a reason of its own',
      pdp(() => Promise.resolve({ ok: false, reason: 'my.reason' })),
      'pdp.unavailable',
    ],
    ['a PDP that says false', pdp(() => Promise.resolve(pass([false]))), 'pdp.denied'],
    ['a PDP that answers too few', pdp(() => Promise.resolve(pass([]))), 'pdp.count_mismatch'],
    ['a PDP that answers too many', pdp(() => Promise.resolve(pass([true, true]))), 'pdp.count_mismatch'],
    ['a PDP that says "true"', pdp(() => Promise.resolve(pass(['true']))), 'pdp.answer_invalid'],
    ['a PDP that says 1', pdp(() => Promise.resolve(pass([1]))), 'pdp.answer_invalid'],
    ['a PDP that says true without a list', pdp(() => Promise.resolve(pass(true))), 'pdp.answer_invalid'],
    [
      'a PDP that answers an array-like',
      pdp(() => Promise.resolve(pass({ 0: true, length: 1 }))),
      'pdp.answer_invalid',
    ],
    ['an intent source that throws', intents(throws(new Error('x'))), 'intent.unavailable'],
    ['an intent source that hangs', { ...intents(() => never), deadlineMs: 100 }, 'intent.timeout'],
    ['an intent source that answers nothing', intents(() => Promise.resolve(undefined)), 'intent.unavailable'],
    ['an intent source that answers no list', intents(() => Promise.resolve(pass({}))), 'intent.answer_invalid'],
    ['an intent source that refuses', intents(() => Promise.resolve(refuse('intent.refused', 'x'))), 'intent.refused'],
    ['an intent source that finds nothing', intents(() => Promise.resolve(pass([]))), 'coverage.no_evaluations'],
    ['an intent source that answers garbage', intents(() => Promise.resolve(pass([null]))), 'gate.internal_error'],
    ['an audit that throws', { audit: { append: throws(new Error('x')) } }, 'audit.unavailable'],
    ['an audit that rejects', { audit: { append: () => Promise.reject(new Error('ENOSPC')) } }, 'audit.unavailable'],
    ['a clock that throws', { world: { now: throws(new Error('x')) } }, 'gate.internal_error'],
    ['a deadline that throws', { world: { deadline: throws(new Error('x')) } }, 'gate.internal_error'],
    [
      'an obligation that nothing can meet',
      { adjust: (tool) => ({ ...tool, obligations: ['draft'] }) },
      'gate.obligation_unmet',
    ],
  ])('denies with %s', async (_what, options, code) => {
    expect(await decided(options)).toEqual({ code, moved: false })
  })

  it('denies an answer that a busy event loop brought after the deadline', async () => {
    const world = {
      deadline: () => ({ signal: new AbortController().signal, expired: () => true, clear: () => undefined }),
    }
    expect(await decided({ world })).toEqual({ code: 'intent.timeout', moved: false })
  })

  it('keeps what was thrown out of the judgement and gives it to the reporter', async () => {
    const secret = new Error('token abc')
    const { gate, reports } = bankGate(pdp(throws(secret)))
    const judgement: Judgement = await gate.authorize(transfer(bob))
    expect(JSON.stringify(judgement)).not.toContain('abc')
    expect(reports).toEqual([secret])
  })

  it('denies when no room has an opinion', () => {
    expect(fold([])).toEqual(deny('gate.internal_error'))
  })

  test.prop([fc.anything()])(
    'turns whatever is thrown into the fault, also when the reporter throws',
    async (thrown) => {
      const answer = await failClosed(
        () => Promise.reject(thrown),
        () => deny('gate.internal_error'),
        throws(new Error('full')),
      )
      expect(answer).toEqual(deny('gate.internal_error'))
    },
  )

  test.prop([fc.anything()])(
    'never permits on a PDP answer that is not a list with the literal true',
    async (value) => {
      const isPermit = Array.isArray(value) && value.length === 1 && value[0] === true
      const { code } = await decided(pdp(() => Promise.resolve(pass(value))))
      expect(code === null).toBe(isPermit)
    },
  )
})

describe(proves('gate.pdp-asked-each-time'), () => {
  it('asks the PDP again for the identical call of a later turn', async () => {
    let asked = 0
    const counting: Pdp = {
      decide: (question, signal) => {
        asked += 1
        return rules.decide(question, signal)
      },
    }
    const { gate } = bankGate({ services: { pdp: counting, intents: definitionSource() } })
    await gate.authorize(transfer(bob))
    gate.endTurn(transfer(bob).session, 1)
    gate.beginTurn(transfer(bob).session, 2)
    await gate.authorize(transfer(bob, { turn: 2 }))
    expect(asked).toBe(2)
  })
})

it('has a cause for each reason that a fault gives', () => {
  for (const code of ['pdp.unavailable', 'intent.timeout', 'audit.unavailable'] as const) {
    expect(REASONS[code].cause).toBe('fault')
  }
  expect(REASONS['pdp.denied'].cause).toBe('decision')
  expect(permit().kind).toBe('permit')
})
