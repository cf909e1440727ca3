import { fc, test } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import type { HttpAnswer } from '../../src/core/world.ts'
import { readAnswer } from '../../src/pdp/answer.ts'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The rule in the words of AuthZEN 1.0, written without the code under test. */
function permitsAll({ status, body }: HttpAnswer, asked: number): boolean {
  if (status !== 200 || !isRecord(body)) return false
  const items = body['evaluations']
  if (!Array.isArray(items) || items.length !== asked) return false
  return items.every((each: unknown) => {
    if (!isRecord(each) || each['decision'] !== true) return false
    return !('context' in each) || (isRecord(each['context']) && !('error' in each['context']))
  })
}

const saysYes = (answer: HttpAnswer, asked: number): boolean => {
  const verdict = readAnswer(answer, asked)
  return verdict.ok && verdict.value.every((each) => each)
}

const context = fc.record({ reason: fc.string(), advice: fc.jsonValue() }, { requiredKeys: [] })
const goodItem = fc.record({ decision: fc.boolean(), context, note: fc.jsonValue() }, { requiredKeys: ['decision'] })
const goodBody = fc.record(
  { evaluations: fc.array(goodItem, { minLength: 1, maxLength: 4 }), decision: fc.boolean(), page: fc.jsonValue() },
  { requiredKeys: ['evaluations'] },
)

/** Every place in a JSON value, the whole of it included. */
function places(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, each]) => places(each, [...path, key]))]
}

const DROPPED = Symbol('dropped')

function changed(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by === DROPPED ? undefined : by
  const entries = Object.entries(value as object).flatMap(([name, each]): [string, unknown][] => {
    if (name !== key) return [[name, each]]
    return rest.length === 0 && by === DROPPED ? [] : [[name, changed(each, rest, by)]]
  })
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries)
}

const nearMisses = fc.constantFrom<unknown>(
  true,
  false,
  'true',
  1,
  null,
  [],
  {},
  [true],
  { error: {} },
  { decision: true },
)
const mutation = goodBody.chain((body) =>
  fc.record({
    asked: fc.constant(body.evaluations.length),
    answer: fc
      .tuple(fc.constantFrom(...places(body)), fc.oneof(fc.constant(DROPPED), nearMisses, fc.jsonValue()))
      .map(([place, by]) => changed(body, place, by)),
  }),
)

describe('reading an answer', () => {
  test.prop([goodBody])('gives the decisions of a good answer in its order', (body) => {
    expect(readAnswer({ status: 200, headers: {}, body }, body.evaluations.length)).toEqual({
      ok: true,
      value: body.evaluations.map((each) => each.decision),
    })
  })

  test.prop([mutation], { numRuns: 2000 })(
    'never says yes to all when a field was dropped or replaced, unless every decision still stands and is true',
    ({ answer, asked }) => {
      const given = { status: 200, headers: {}, body: answer }
      expect(saysYes(given, asked)).toBe(permitsAll(given, asked))
    },
  )

  test.prop([goodBody, fc.integer({ min: 100, max: 999 }).filter((each) => each !== 200)])(
    'refuses every status but 200, whatever the body says',
    (body, status) => {
      expect(readAnswer({ status, headers: {}, body }, body.evaluations.length).ok).toBe(false)
    },
  )

  test.prop([goodBody, fc.integer({ min: 1, max: 50 })])('refuses every count but the one asked', (body, asked) => {
    const verdict = readAnswer({ status: 200, headers: {}, body }, asked)
    if (asked === body.evaluations.length) expect(verdict.ok).toBe(true)
    else expect(verdict).toMatchObject({ ok: false, reason: 'pdp.count_mismatch' })
  })

  test.prop([fc.jsonValue(), fc.integer({ min: 1, max: 3 })])('says yes to no JSON value by chance', (body, asked) => {
    const given = { status: 200, headers: {}, body }
    expect(saysYes(given, asked)).toBe(permitsAll(given, asked))
  })
})
