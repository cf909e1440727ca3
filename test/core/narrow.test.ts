import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { clarify, deny, permit, type Decision } from '../../src/core/decision.ts'
import { narrow } from '../../src/core/narrow.ts'
import { anyDecision } from '../arbitraries.ts'
import { proves } from '../requirements.ts'

const wide: Record<Decision['kind'], number> = { permit: 2, clarify: 1, deny: 0 }
const obligationsOf = (decision: Decision): readonly string[] =>
  decision.kind === 'permit' ? [...decision.obligations].sort() : []

describe(proves('decision.only-narrows'), () => {
  test.prop([anyDecision, anyDecision])('never gives a wider kind than either opinion', (first, second) => {
    const both = wide[narrow(first, second).kind]
    expect(both).toBeLessThanOrEqual(Math.min(wide[first.kind], wide[second.kind]))
  })

  test.prop([anyDecision, anyDecision])('keeps every obligation of two permits', (first, second) => {
    fc.pre(first.kind === 'permit' && second.kind === 'permit')
    const union = [...new Set([...obligationsOf(first), ...obligationsOf(second)])].sort()
    expect(obligationsOf(narrow(first, second))).toEqual(union)
  })

  test.prop([anyDecision, anyDecision])('gives the same kind and obligations in either order', (first, second) => {
    const [one, other] = [narrow(first, second), narrow(second, first)]
    expect([one.kind, obligationsOf(one)]).toEqual([other.kind, obligationsOf(other)])
  })

  test.prop([anyDecision, anyDecision, anyDecision])('does not depend on grouping', (first, second, third) => {
    expect(narrow(narrow(first, second), third)).toEqual(narrow(first, narrow(second, third)))
  })

  test.prop([anyDecision])('changes nothing when an opinion is repeated', (decision) => {
    expect(narrow(decision, decision)).toEqual(decision)
  })
})

it.each([
  { first: permit(), second: deny('pdp.denied'), reported: deny('pdp.denied') },
  { first: deny('pdp.denied'), second: deny('gate.timeout'), reported: deny('pdp.denied') },
  { first: clarify('request.invalid'), second: deny('gate.timeout'), reported: deny('gate.timeout') },
  { first: deny('gate.timeout'), second: clarify('request.invalid'), reported: deny('gate.timeout') },
])('reports the first of the strictest opinions: $reported.reason', ({ first, second, reported }) => {
  expect(narrow(first, second)).toEqual(reported)
})
