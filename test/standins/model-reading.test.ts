import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Offer } from '../../standins/extract.ts'
import { answerSchema, systemPrompt } from '../../standins/model-prompt.ts'
import { readModelAnswer } from '../../standins/model-reading.ts'

const offers: readonly Offer[] = [
  { action: 'VIEW_ACCOUNT_BALANCE', type: 'Account' },
  { action: 'VIEW_INVOICE', type: 'Invoice' },
]
const one = (id: string, action = 'VIEW_ACCOUNT_BALANCE', resource_type = 'Account') => ({
  action,
  resource_type,
  resource_id: id,
})
const read = (answer: unknown, sentence = 'View the balance of Account acc-bob-checking') =>
  readModelAnswer(typeof answer === 'string' ? answer : JSON.stringify(answer), sentence, offers)
const bobs = one('acc-bob-checking')

describe("a model's answer", () => {
  it.each([
    { what: 'with all fields', answer: { evaluations: [bobs], refused: false, reason: null } },
    { what: 'without the optional ones', answer: { evaluations: [bobs] } },
    { what: 'with white space around it', answer: `\n ${JSON.stringify({ evaluations: [bobs] })} \n` },
  ])('$what is taken', ({ answer }) => {
    const wanted = [{ action: 'VIEW_ACCOUNT_BALANCE', type: 'Account', id: 'acc-bob-checking' }]
    expect(read(answer)).toEqual({ kind: 'wanted', wanted })
  })

  it.each([
    { what: 'nothing', answer: '', fault: 'not exactly one JSON object' },
    { what: 'prose', answer: 'You may see the balance.', fault: 'not exactly one JSON object' },
    { what: 'prose before JSON', answer: `Sure: ${JSON.stringify({ evaluations: [bobs] })}`, fault: 'one JSON object' },
    {
      what: 'a code fence',
      answer: `\`\`\`json\n${JSON.stringify({ evaluations: [bobs] })}\n\`\`\``,
      fault: 'one JSON object',
    },
    { what: 'two objects', answer: '{"evaluations":[]}{"evaluations":[]}', fault: 'one JSON object' },
    { what: 'the same key twice', answer: '{"evaluations":[],"evaluations":[]}', fault: 'one JSON object' },
    { what: 'a list', answer: [bobs], fault: 'the object: invalid_type' },
    { what: 'names in another language', answer: { bewertungen: [bobs] }, fault: 'evaluations: invalid_type' },
    {
      what: 'an action in another language',
      answer: { evaluations: [one('acc-bob-checking', 'KONTOSTAND_ANZEIGEN')] },
      fault: 'an action or a type that is not in the list',
    },
    {
      what: 'a subject',
      answer: { evaluations: [{ ...bobs, subject: { type: 'Customer', id: 'alice' } }] },
      fault: 'evaluations.0: unrecognized_keys',
    },
    { what: 'a decision', answer: { evaluations: [bobs], decision: true }, fault: 'the object: unrecognized_keys' },
    { what: 'a number for an id', answer: { evaluations: [{ ...bobs, resource_id: 7 }] }, fault: 'resource_id: inval' },
    { what: 'an empty id', answer: { evaluations: [one('')] }, fault: 'resource_id: too_small' },
    { what: 'neither evaluations nor a refusal', answer: { evaluations: [] }, fault: 'neither refuses nor' },
    {
      what: 'an action on the type of another',
      answer: { evaluations: [one('acc-bob-checking', 'VIEW_INVOICE')] },
      fault: 'not in the list',
    },
    { what: 'the same evaluation twice', answer: { evaluations: [bobs, bobs] }, fault: 'the same evaluation twice' },
    {
      what: '51 evaluations',
      answer: { evaluations: Array.from({ length: 51 }, () => bobs) },
      fault: 'more than 50 evaluations',
    },
  ])('of $what cannot be used', ({ answer, fault }) => {
    expect(read(answer)).toEqual({ kind: 'unusable', fault: expect.stringContaining(fault) as string })
  })

  it('that refuses is a refusal, also beside evaluations', () => {
    expect(read({ evaluations: [bobs], refused: true, reason: 'No.' })).toEqual({ kind: 'refused', reason: 'No.' })
    expect(read({ evaluations: [], refused: true, reason: null })).toEqual({ kind: 'refused' })
  })

  it('never has its own words in the fault', () => {
    const secret = 'zq-secret-zq'
    for (const answer of [secret, { [secret]: 1 }, { evaluations: [one(secret, secret, secret)] }]) {
      expect(JSON.stringify(read(answer))).not.toContain(secret)
    }
  })
})

describe('the grounding of an id', () => {
  it.each([
    { id: 'acc-bob', sentence: 'View the balance of Account acc-bob', grounded: true },
    { id: 'acc-bob', sentence: 'Open "acc-bob".', grounded: true },
    { id: 'acc-bob', sentence: 'Open (acc-bob), please', grounded: true },
    { id: 'acc-bob.', sentence: 'Open acc-bob.', grounded: true },
    { id: 'acc-bob', sentence: 'View the balance of Account acc-bob-checking', grounded: false },
    { id: 'bob', sentence: 'View the balance of Account acc-bob', grounded: false },
    { id: 'ACC-BOB', sentence: 'View the balance of Account acc-bob', grounded: false },
    { id: 'acc-bob', sentence: 'View the balance of Account acc\u2011bob', grounded: false },
    { id: 'Account acc-bob', sentence: 'View the balance of Account acc-bob', grounded: false },
    { id: 'acc-alice', sentence: 'View the balance of Account acc-bob', grounded: false },
  ])('"$id" in "$sentence": $grounded', ({ id, sentence, grounded }) => {
    expect(read({ evaluations: [one(id)] }, sentence).kind).toBe(grounded ? 'wanted' : 'unusable')
  })

  test.prop([fc.string(), fc.string({ minLength: 1 })])('an id that is used is in the sentence', (sentence, id) => {
    const reading = read({ evaluations: [one(id)] }, sentence)
    if (reading.kind === 'wanted') expect(sentence).toContain(id)
  })
})

describe('what a model is asked', () => {
  it('names every action with its type, and the types', () => {
    const prompt = systemPrompt({ types: ['Customer', 'Account'], offers })
    expect(prompt).toContain('Node types: Customer, Account')
    for (const { action, type } of offers) expect(prompt).toContain(`- ${action} on ${type}`)
  })

  it('is a schema in which strict structured outputs allow every property: each is required, none is added', () => {
    const objects: { properties: object; required: string[]; additionalProperties: boolean }[] = []
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      if ('properties' in node) objects.push(node as (typeof objects)[number])
      Object.values(node).forEach(visit)
    }
    visit(answerSchema({ types: [], offers }))
    expect(objects).toHaveLength(2)
    for (const { properties, required, additionalProperties } of objects) {
      expect([...required].sort()).toEqual(Object.keys(properties).sort())
      expect(additionalProperties).toBe(false)
    }
  })
})
