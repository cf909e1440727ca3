import { describe, expect, it } from 'vitest'
import {
  auditDigestOf,
  CANON,
  requestHashOf,
  type Certificate,
  type SubjectBinding,
} from '../../src/certificates/certificate.ts'
import { digestOf, jcs } from '../../src/certificates/digest.ts'
import { issueCertificates, type IssueInput, type Stage } from '../../src/certificates/issue.ts'
import { certificateSettings } from '../../src/certificates/settings.ts'
import { invalidity, type CertificateState, type UseContext } from '../../src/certificates/validity.ts'
import type { Derivation } from '../../src/certificates/derivation.ts'
import { TEST_NOW } from '../worlds.ts'
import { aliceFacts, derivation, SAYS } from './support.ts'

const nowMs = Date.parse(TEST_NOW)
const binding: SubjectBinding = {
  actorId: 'Customer:alice',
  appId: 'app',
  keyId: 'https://issuer.test',
  tenantId: 'canbank',
  workspaceId: 'w1',
  sessionId: 's1',
  messageId: 'm1',
}
const versions = { canon: CANON, policy: 'p1', registry: 'r1', effects: 'e1' }
const whole = { kind: 'user', start: 0, end: SAYS.sendBob.length } as const

const reading = derivation([
  {
    class: 'move_money',
    records: [],
    source: { value: 'acc-alice-savings', origin: { kind: 'record', type: 'Account', id: 'acc-alice-savings' } },
    payee: { value: 'acc-bob-checking', origin: { kind: 'record', type: 'Payee', id: 'acc-bob-checking' } },
    amount: { value: { minor: 50_000, currency: 'NOK' }, origin: whole },
    texts: [{ value: 'Bob from', origin: whole }],
    missing: [],
  },
])

const input = (given: Derivation = reading, more: Partial<IssueInput> = {}): IssueInput => ({
  derivation: given,
  message: { text: SAYS.sendBob, hidden: false },
  binding,
  requestHash: requestHashOf('key', { canon: CANON, binding, text: SAYS.sendBob }),
  facts: aliceFacts,
  offered: new Set(['read', 'move_money']),
  versions,
  classifierSource: 'rule:literal@1',
  settings: certificateSettings(),
  nowMs,
  newId: () => '0123456789abcdef',
  salt: 'salt',
  ...more,
})
const certificate = issueCertificates(input())[0].certificate
const use: UseContext = {
  subject: binding,
  requestHashes: new Map([['m1', certificate.requestHash]]),
  state: 'active',
  nowMs,
  versions,
}

describe('a certificate', () => {
  it('is valid as it was made', () => {
    expect(invalidity(certificate, use)).toBeUndefined()
  })

  it('holds no word of the message', () => {
    const text = JSON.stringify(certificate)
    for (const word of ['Send', '500 kr', 'Bob from', SAYS.sendBob]) expect(text).not.toContain(word)
  })

  it('cannot be changed', () => {
    expect(() => Object.assign(certificate.effectBounds, { maxRows: 9 })).toThrow(TypeError)
  })

  const changed = (field: keyof Certificate, value: unknown): Certificate => ({ ...certificate, [field]: value })
  const every: Record<Exclude<keyof Certificate, 'subjectBinding' | 'versionBinding'>, unknown> = {
    id: 'crt_other',
    requestHash: 'f'.repeat(64),
    intentClasses: { allowed: ['admin'], denied: [] },
    resourceBounds: { records: {}, workspace: null, window: null },
    effectBounds: { ...certificate.effectBounds, maxRows: 10_000 },
    payloadPins: { ...certificate.payloadPins, payee: 'acc-carol-checking' },
    missing: ['payee'],
    confidence: 1,
    reviewMode: 'allow',
    issuedAt: '2026-06-01T12:00:01.000Z',
    expiresAt: '2026-06-01T12:14:00.000Z',
    turnLimit: 99,
    effectBudget: { mutations: 9, amountMinor: 50_000, calls: 64 },
    classifierSource: 'human',
    parentId: 'crt_parent',
    stepIndex: 1,
    auditDigest: '0'.repeat(64),
  }
  it.each(Object.entries(every))('that was changed in %s does not hold', (field, value) => {
    expect(invalidity(changed(field as keyof Certificate, value), use)?.code).toBe('agent.intent_invalid')
  })

  /** Sealed again after the change, as somebody with the code but without the session would. */
  const resealed = (part: object): Certificate => {
    const fields = { ...certificate, ...part }
    return { ...fields, auditDigest: auditDigestOf(fields) }
  }
  it.each([
    { field: 'actorId', code: 'agent.intent_not_found' },
    { field: 'appId', code: 'agent.intent_not_found' },
    { field: 'keyId', code: 'agent.intent_not_found' },
    { field: 'tenantId', code: 'agent.intent_not_found' },
    { field: 'workspaceId', code: 'agent.intent_binding_mismatch' },
    { field: 'sessionId', code: 'agent.intent_binding_mismatch' },
    { field: 'messageId', code: 'agent.intent_binding_mismatch' },
  ] as const)('of another $field gets $code', ({ field, code }) => {
    const other = resealed({ subjectBinding: { ...binding, [field]: 'other' } })
    expect(invalidity(other, use)).toMatchObject({ code, detail: `binding:${field}` })
  })

  it.each(['canon', 'policy', 'registry', 'effects'] as const)('is stale under another %s', (field) => {
    const now = { ...use, versions: { ...versions, [field]: 'new' } }
    expect(invalidity(certificate, now)).toEqual({ code: 'agent.intent_version_stale', detail: `version:${field}` })
  })

  it.each([
    ['expired_time', 'agent.intent_expired', 'time'],
    ['expired_turn', 'agent.intent_expired', 'turn'],
    ['expired_context', 'agent.intent_expired', 'context'],
    ['consumed', 'agent.intent_revoked', 'consumed'],
    ['superseded', 'agent.intent_revoked', 'superseded'],
    ['revoked', 'agent.intent_revoked', 'revoked'],
  ] satisfies [CertificateState, string, string][])('that is %s gets %s', (state, code, detail) => {
    expect(invalidity(certificate, { ...use, state })).toEqual({ code, detail })
  })

  it.each([
    { what: 'is not there', given: undefined, context: {}, code: 'agent.intent_not_found' },
    {
      what: 'rests on another text',
      given: resealed({ requestHash: 'f'.repeat(64) }),
      context: {},
      code: 'agent.intent_invalid',
    },
    {
      what: 'has reached its time',
      given: certificate,
      context: { nowMs: nowMs + 300_000 },
      code: 'agent.intent_expired',
    },
    { what: 'is a millisecond younger', given: certificate, context: { nowMs: nowMs + 299_999 }, code: undefined },
    {
      what: 'has a time that is none',
      given: resealed({ expiresAt: 'never' }),
      context: {},
      code: 'agent.intent_expired',
    },
    {
      what: 'holds what JSON cannot say',
      given: { ...certificate, confidence: Number.NaN },
      context: {},
      code: 'agent.intent_invalid',
    },
  ])('that $what gets $code', ({ given, context, code }) => {
    expect(invalidity(given, { ...use, ...context })?.code).toBe(code)
  })

  it('tells the first of several faults: whose it is comes before everything', () => {
    const bad = { ...resealed({ subjectBinding: { ...binding, actorId: 'x', sessionId: 'y' } }), confidence: 1 }
    expect(invalidity(bad, { ...use, state: 'revoked' })?.detail).toBe('binding:actorId')
  })
})

describe('issuing', () => {
  const stagesOf = (given: Derivation, more: Partial<IssueInput> = {}): readonly Stage[] =>
    issueCertificates(input(given, more))
  const only = (given: Derivation, more: Partial<IssueInput> = {}): Certificate =>
    stagesOf(given, more)[0]?.certificate ?? certificate

  it('binds the payload of a write and gives it one mutation for five minutes', () => {
    expect(certificate).toMatchObject({
      intentClasses: { allowed: ['move_money'], denied: [] },
      payloadPins: {
        source: 'acc-alice-savings',
        payee: 'acc-bob-checking',
        amount: { minor: 50_000, currency: 'NOK' },
      },
      effectBounds: { maxAmount: { minor: 50_000, currency: 'NOK' }, destinations: ['acc-bob-checking'] },
      effectBudget: { mutations: 1, amountMinor: 50_000 },
      reviewMode: 'confirm',
      expiresAt: '2026-06-01T12:05:00.000Z',
    })
  })

  it.each([
    { origin: { kind: 'tool', tool: 'get_invoice' } },
    { origin: { kind: 'model' } },
    { origin: { kind: 'card' } },
    { origin: { kind: 'user', start: 0, end: 9_999 } },
    { origin: { kind: 'user', start: 3, end: 3 } },
    { origin: { kind: 'user', start: -1, end: 4 } },
    { origin: { kind: 'user', start: 0.5, end: 4 } },
    { origin: { kind: 'record', type: 'Account', id: 'acc-carol-checking' } },
  ] as const)('leaves out a payee that a deriver took from $origin', ({ origin }) => {
    const [first] = reading.steps
    const made = only(
      derivation([
        {
          ...first,
          class: 'move_money',
          records: [],
          texts: [],
          missing: [],
          payee: { value: 'acc-carol-checking', origin },
        },
      ]),
    )
    expect(made.payloadPins.payee).toBeNull()
    expect(made.effectBounds.destinations).toEqual([])
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('leaves out an amount of %s', (minor) => {
    const made = only(
      derivation([
        {
          class: 'move_money',
          records: [],
          texts: [],
          missing: [],
          amount: { value: { minor, currency: 'NOK' }, origin: whole },
        },
      ]),
    )
    expect(made.payloadPins.amount).toBeNull()
  })

  it.each([
    { confidence: Number.NaN, hidden: false, want: 0 },
    { confidence: -3, hidden: false, want: 0 },
    { confidence: 7, hidden: false, want: 1 },
    { confidence: 0.9, hidden: true, want: 0.65 },
    { confidence: 0.4, hidden: true, want: 0.4 },
  ])('makes $want of confidence $confidence with hidden characters: $hidden', ({ confidence, hidden, want }) => {
    expect(only({ ...reading, confidence }, { message: { text: SAYS.sendBob, hidden } }).confidence).toBeCloseTo(want)
  })

  const bare = { records: [], texts: [], missing: [] }
  it.each([
    { what: 'a read', steps: ['read'], want: [['read', 'allow']] },
    { what: 'two reads', steps: ['read', 'summarize'], want: [['summarize', 'allow']] },
    { what: 'a read and a payment', steps: ['read', 'move_money'], want: [['move_money', 'confirm']] },
    {
      what: 'a read and a deletion',
      steps: ['read', 'delete'],
      want: [
        ['read', 'allow'],
        ['delete', 'confirm'],
      ],
    },
    {
      what: 'two payments',
      steps: ['move_money', 'move_money'],
      want: [
        ['move_money', 'confirm'],
        ['move_money', 'confirm'],
      ],
    },
    {
      what: 'a payment and something unclear',
      steps: ['move_money', 'unknown', 'delete'],
      want: [['move_money', 'confirm']],
    },
    { what: 'nothing understood', steps: ['unknown'], want: [['unknown', 'clarify']] },
    { what: 'nothing', steps: [], want: [['unknown', 'clarify']] },
  ] as const)('makes the stages of $what', ({ steps, want }) => {
    const offered = new Set(['read', 'move_money', 'delete'] as const)
    const made = stagesOf(derivation(steps.map((kind) => ({ class: kind, ...bare }))), { offered })
    expect(made.map(({ step, certificate: { reviewMode } }) => [step.class, reviewMode])).toEqual(want)
    expect(made.slice(1).every(({ certificate: { parentId } }) => parentId === made[0]?.certificate.id)).toBe(true)
  })

  it('allows nothing of a class that no tool offers, of a conflict, and of a bare yes', () => {
    expect(only(derivation([{ class: 'unknown', ...bare }])).intentClasses.allowed).toEqual([])
    expect(only(derivation([{ class: 'delete', ...bare }]), { offered: new Set() }).intentClasses.allowed).toEqual([])
    const conflict = only({ ...reading, denied: new Set(['move_money'] as const) })
    expect(conflict).toMatchObject({ intentClasses: { allowed: [] }, reviewMode: 'deny' })
    expect(only({ ...reading, affirmsOnly: true })).toMatchObject({
      intentClasses: { allowed: [] },
      reviewMode: 'clarify',
    })
  })

  it('gives the same authority for the same input', () => {
    expect(issueCertificates(input())).toEqual(issueCertificates(input()))
  })
})

describe('digests', () => {
  it('are over canonical JSON, whatever the order of the keys', () => {
    expect(jcs({ b: [3, 1.0, -0, 1e21, 1e-7], A: null })).toBe('{"A":null,"b":[3,1,0,1e+21,1e-7]}')
    expect(digestOf({ closed: false, id: 'acc-alice-savings', kind: 'account_version', version: 7 })).toBe(
      'b589c8c011e2e6c047af39adecaac993b3c23757ceb628896bf2171c6b0eaf71',
    )
  })

  it.each([[undefined], [{ x: Number.NaN }], [Number.POSITIVE_INFINITY], [{ x: '\ud800' }]])('refuse %j', (value) => {
    expect(() => jcs(value)).toThrow()
  })

  it('of one text differ by key, message, session, tenant and actor', () => {
    const of = (key: string, part: Partial<SubjectBinding>): string =>
      requestHashOf(key, { canon: CANON, binding: { ...binding, ...part }, text: 'x' })
    const all = [
      of('a', {}),
      of('b', {}),
      of('a', { messageId: 'm2' }),
      of('a', { sessionId: 's2' }),
      of('a', { tenantId: 't' }),
      of('a', { actorId: 'c' }),
    ]
    expect(new Set(all).size).toBe(all.length)
    expect(all[0]).toMatch(/^[0-9a-f]{64}$/)
  })
})
