import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { answerOf, toolAnswerOf } from '../../adapters/hosts/answers.ts'
import { clarify, deny, permit, type Decision } from '../../src/core/decision.ts'
import { REASONS, type ReasonCode } from '../../src/core/reasons.ts'
import type { Judgement } from '../../src/gate/gate.ts'

const judged = (decision: Decision): Judgement => ({ id: 'j', decision, opinions: [], ms: 0 })
const codes = Object.keys(REASONS) as ReasonCode[]

describe('the answer to a permission request', () => {
  it('is once for a permit without obligations, and nothing more', () => {
    expect(answerOf(judged(permit()))).toEqual({ kind: 'approve-once' })
  })

  it.each(['confirm', 'draft', 'preflight'] as const)(
    'is no for a permit with the open obligation %s',
    (obligation) => {
      expect(answerOf(judged(permit(obligation)))).toMatchObject({ kind: 'reject' })
    },
  )

  it.each(codes)('for %s has feedback that says what and what next', (code) => {
    for (const decision of [deny(code), clarify(code)]) {
      const answer = answerOf(judged(decision))
      expect(answer.kind).toBe('reject')
      if (answer.kind === 'reject') expect(answer.feedback).toContain(`Denied (${code}): ${REASONS[code].says} D`)
    }
  })

  it('has the hint of the opinion that denied', () => {
    const decision = deny('agent.action_invalid')
    const opinions = [{ room: 'firewall', decision, detail: 'secret detail', hint: 'Wrong: id.' }] as const
    const answer = answerOf({ ...judged(decision), opinions })
    expect(answer).toMatchObject({ feedback: expect.stringContaining('Wrong: id.') as string })
    expect(JSON.stringify(answer)).not.toContain('secret detail')
  })

  const anyDecision = fc.oneof(
    fc.subarray(['confirm', 'draft', 'preflight'] as const).map((obligations) => permit(...obligations)),
    fc.constantFrom(...codes).map(deny),
    fc.constantFrom(...codes).map(clarify),
  )
  test.prop([anyDecision])('approves nothing but a permit without obligations', (decision) => {
    const approved = answerOf(judged(decision)).kind === 'approve-once'
    expect(approved).toBe(decision.kind === 'permit' && decision.obligations.size === 0)
  })

  it.each([[[]], [{}], [null], [undefined], [{ size: '0' }], [{ size: 1 }]])(
    'never approves obligations that are no set: %j',
    (obligations) => {
      const decision = { kind: 'permit', obligations } as unknown as Decision
      const answer = (() => {
        try {
          return answerOf(judged(decision)).kind
        } catch {
          return 'threw'
        }
      })()
      expect(answer).not.toBe('approve-once')
    },
  )
})

const MOVES = { mutations: [], resources: [], rows: 0, destinations: [], egress: 'none' } as const

describe('the answer of a tool', () => {
  it.each([
    { result: { kind: 'done', executed: true, value: { a: 1 } }, text: '{"a":1}', type: 'success' },
    { result: { kind: 'done', executed: true, value: undefined }, text: 'null', type: 'success' },
    { result: { kind: 'done', executed: true, value: 'text' }, text: '"text"', type: 'success' },
    { result: { kind: 'done', executed: true, value: 1n }, text: /cannot be shown/, type: 'failure' },
    {
      result: { kind: 'refused', executed: true, code: 'account.closed', says: 'It is closed.' },
      text: 'account.closed: It is closed.',
      type: 'failure',
    },
    { result: { kind: 'failed', executed: true }, text: /failed.*do not repeat/, type: 'failure' },
    {
      result: {
        kind: 'breached',
        executed: true,
        code: 'effects.contract_breach',
        breach: { component: 'amount', predicted: MOVES },
      },
      text: /effects\.contract_breach.*do not retry.*tell the user/i,
      type: 'failure',
    },
    {
      result: { kind: 'denied', executed: false, code: 'permit.missing' },
      text: /^Denied \(permit.missing\)/,
      type: 'denied',
    },
  ] as const)('of $result.kind is $type', ({ result, text, type }) => {
    const answer = toolAnswerOf(result)
    expect(answer.resultType).toBe(type)
    if (typeof text === 'string') expect(answer.textResultForLlm).toBe(text)
    else expect(answer.textResultForLlm).toMatch(text)
  })
})
