import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Evaluation } from '../../src/core/authzen.ts'
import { questionProblem } from '../../src/pdp/question.ts'
import { transfer, view } from './questions.ts'

const mine = view('bob', 'Account', 'acc-bob-checking')
const joint = view('bob', 'Account', 'acc-joint')
const subjectWith = (properties: Record<string, unknown>): Evaluation => ({
  ...mine,
  subject: { ...mine.subject, properties },
})
const resourceWith = (properties: Record<string, unknown>, of: Evaluation = mine): Evaluation => ({
  ...of,
  resource: { ...of.resource, properties },
})
const actionWith = (properties: Record<string, unknown>): Evaluation => ({
  ...mine,
  action: { ...mine.action, properties },
})
const contextWith = (context: Record<string, unknown>, of: Evaluation = mine): Evaluation => ({ ...of, context })

describe('a boxcar with one meaning is sent', () => {
  it.each([
    { what: 'one evaluation', boxcar: [mine] },
    { what: 'two resources', boxcar: [mine, joint] },
    { what: 'two actions on one resource', boxcar: [mine, transfer('bob', 'acc-bob-checking')] },
    { what: 'the same evaluation twice', boxcar: [mine, { ...mine }] },
    { what: 'the same ids under two types', boxcar: [view('bob', 'Customer', 'x'), view('bob', 'Account', 'x')] },
    {
      what: 'the same properties in another order',
      boxcar: [resourceWith({ a: 1, b: 2 }), resourceWith({ b: 2, a: 1 })],
    },
    { what: 'empty properties beside none', boxcar: [mine, resourceWith({})] },
    { what: 'other contexts of other resources', boxcar: [contextWith({ a: 1 }), contextWith({ a: 2 }, joint)] },
    { what: 'other properties of other resources', boxcar: [resourceWith({ a: 1 }), resourceWith({ a: 2 }, joint)] },
    {
      what: 'ids that would run together',
      boxcar: [view('bob', 'A', 'b","c'), resourceWith({ a: 1 }, view('bob', 'A","b', 'c'))],
    },
    { what: 'an address and a URN as ids', boxcar: [view('bob@example.com', 'Account', 'urn:bank:1')] },
    { what: '50 evaluations', boxcar: Array.from({ length: 50 }, () => mine) },
  ])('$what', ({ boxcar }) => {
    expect(questionProblem(boxcar)).toBeUndefined()
  })
})

describe('a boxcar that a PDP could read in two ways is refused', () => {
  it.each([
    { what: 'no evaluation', boxcar: [] },
    { what: 'two subjects', boxcar: [mine, view('alice', 'Account', 'acc-joint')] },
    { what: 'two types of one subject', boxcar: [mine, { ...joint, subject: { type: 'Robot', id: 'bob' } }] },
    { what: 'a subject with and without properties', boxcar: [mine, subjectWith({ role: 'admin' })] },
    { what: 'a subject in another spelling', boxcar: [mine, view('Bob', 'Account', 'acc-joint')] },
    { what: 'two properties of one resource', boxcar: [resourceWith({ open: true }), resourceWith({ open: false })] },
    { what: 'a number and its text as property', boxcar: [resourceWith({ limit: 1 }), resourceWith({ limit: '1' })] },
    {
      what: 'one resource with other properties under another action',
      boxcar: [resourceWith({ open: true }), transfer('bob', 'acc-bob-checking')],
    },
    { what: 'one question with two contexts', boxcar: [contextWith({ at: 'noon' }), contextWith({ at: 'night' })] },
    { what: 'one question with and without a context', boxcar: [mine, joint, contextWith({ at: 'night' })] },
    {
      what: 'one question with two action properties',
      boxcar: [actionWith({ soft: true }), actionWith({ soft: false })],
    },
    {
      what: 'nested properties that differ',
      boxcar: [resourceWith({ a: [{ b: 1 }] }), resourceWith({ a: [{ b: 2 }] })],
    },
  ])('$what', ({ boxcar }) => {
    expect(questionProblem(boxcar)).toMatchObject({ ok: false, reason: 'pdp.conflicting' })
  })

  it.each([
    { what: 'everybody', word: '*' },
    { what: 'everybody of a type', word: 'Account:*' },
    { what: 'the members of a set', word: 'acc-joint#owner' },
    { what: 'an empty word', word: '' },
    { what: 'a space', word: 'acc-joint ' },
    { what: 'a newline', word: 'acc-joint\n' },
    { what: 'an escape sequence', word: '\u001b[31m' },
    { what: 'a mark that is not shown', word: 'acc-\u200bjoint' },
    { what: 'an override of the direction', word: 'acc-\u202ejoint' },
    { what: 'a letter of another script', word: '\u0430cc-joint' },
    { what: 'a lone surrogate', word: '\ud800' },
    { what: '501 characters', word: 'a'.repeat(501) },
  ])('$what, in any of its words', ({ word }) => {
    const unsafe: readonly Evaluation[] = [
      view(word, 'Account', 'acc-joint'),
      view('bob', word, 'acc-joint'),
      view('bob', 'Account', word),
      { ...mine, subject: { ...mine.subject, type: word } },
      { ...mine, action: { name: word } },
    ]
    for (const each of unsafe) {
      expect(questionProblem([mine, each])).toEqual({
        ok: false,
        reason: 'pdp.id_unsupported',
        detail: 'an id, type or action of evaluation 2',
      })
    }
  })

  it('51 evaluations, with a code of its own', () => {
    expect(questionProblem(Array.from({ length: 51 }, () => mine))).toMatchObject({ reason: 'pdp.too_many' })
  })
})

describe('whatever is asked', () => {
  const some = fc.constantFrom
  const properties = fc.option(some({ a: 1 }, { a: 2 }, { b: { c: [1] } }), { nil: undefined })
  const entity = (ids: readonly string[]) =>
    fc.record({ type: some('T', 'U'), id: some(...ids), properties }, { requiredKeys: ['type', 'id'] })
  const anyEvaluation = fc.record(
    {
      subject: entity(['s', 't']),
      action: fc.record({ name: some('x', 'y'), properties }, { requiredKeys: ['name'] }),
      resource: entity(['r', 'q']),
      context: some({ at: 1 }, { at: 2 }),
    },
    { requiredKeys: ['subject', 'action', 'resource'] },
  ) as fc.Arbitrary<Evaluation>
  const text = (value: unknown): string => JSON.stringify(value ?? {})
  type Part = (each: Evaluation) => string
  /** The most different parts that one key has. */
  const perKey = (keyOf: Part, partOf: Part, all: readonly Evaluation[]) =>
    Math.max(...all.map((one) => new Set(all.filter((each) => keyOf(each) === keyOf(one)).map(partOf)).size))

  test.prop([fc.array(anyEvaluation, { minLength: 1, maxLength: 6 })], { numRuns: 500 })(
    'is sent exactly when it has one subject, and one set of properties per resource and per question',
    (boxcar) => {
      const subjects = new Set(boxcar.map(({ subject }) => text([subject.type, subject.id, text(subject.properties)])))
      const one = subjects.size === 1
      const resourceOf = ({ resource: { type, id } }: Evaluation) => text([type, id])
      const resources = perKey(resourceOf, ({ resource }) => text(resource.properties), boxcar)
      const questionOf = (each: Evaluation) => text([resourceOf(each), each.action.name])
      const questions = perKey(
        questionOf,
        ({ action, context }) => text([text(action.properties), text(context)]),
        boxcar,
      )
      expect(questionProblem(boxcar) === undefined).toBe(one && resources === 1 && questions === 1)
    },
  )

  test.prop([fc.array(anyEvaluation, { minLength: 1, maxLength: 6 })])('may come in any order', (boxcar) => {
    const backwards = boxcar.toReversed()
    expect(questionProblem(backwards)?.reason).toBe(questionProblem(boxcar)?.reason)
  })
})
