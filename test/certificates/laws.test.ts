import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../../src/core/define-tool.ts'
import type { EffectClass } from '../../src/core/effect.ts'
import { narrow } from '../../src/core/narrow.ts'
import type { ToolDefinition } from '../../src/core/tool.ts'
import { attenuated } from '../../src/certificates/attenuate.ts'
import { CANON, type Certificate } from '../../src/certificates/certificate.ts'
import { CLASSES, tierOf } from '../../src/certificates/classes.ts'
import { consistency } from '../../src/certificates/consistency.ts'
import type { IntentClass, Step } from '../../src/certificates/derivation.ts'
import { exceeded, precedes, type EffectBounds, type PredictedEffect } from '../../src/certificates/effect-order.ts'
import { issueCertificates } from '../../src/certificates/issue.ts'
import { policyOfClasses, sessionPolicy, visibleTools } from '../../src/certificates/manifest.ts'
import { prepare } from '../../src/certificates/prepared.ts'
import { bandOf, gateObligations, mergeRoutes, ROUTES, type Band, type Route } from '../../src/certificates/route.ts'
import { certificateSettings } from '../../src/certificates/settings.ts'
import { anyDecision } from '../arbitraries.ts'
import { aliceFacts, derivation } from './support.ts'

const CLASS_NAMES = Object.keys(CLASSES) as readonly IntentClass[]
const TOOL_CLASSES = CLASS_NAMES.filter((kind): kind is EffectClass => kind !== 'unknown')
const anyClass = fc.constantFrom(...CLASS_NAMES)
const someClasses = fc.uniqueArray(anyClass, { maxLength: 5 })

/** One tool of every class and tier. */
const TOOLS: readonly ToolDefinition[] = TOOL_CLASSES.flatMap((kind) =>
  (['low', 'medium', 'high'] as const).map((tier) =>
    defineTool({
      name: `${kind}_${tier}`,
      description: 'A tool.',
      parameters: z.object({ record: z.string(), n: z.number() }),
      template: 'Use it',
      resources: [],
      roles: { record: 'record' },
      effect: {
        class: kind,
        tier,
        reversible: true,
        untrustedOutput: false,
        version: '1',
        predict: ({ record, n }) => ({
          mutations: CLASSES[kind].tier === 'low' ? [] : [`${kind}:Thing`],
          resources: [String(record)],
          rows: Number(n),
          destinations: [],
          egress: 'user',
        }),
      },
      run: () => null,
    }),
  ),
)

const settings = certificateSettings()
const binding = {
  actorId: 'a',
  appId: 'a',
  keyId: 'k',
  tenantId: 't',
  workspaceId: null,
  sessionId: 's',
  messageId: 'm',
}

const stageOf = (kind: IntentClass, denied: readonly IntentClass[], confidence: number, named: readonly string[]) => {
  const step: Step = {
    class: kind,
    records: named.map((value) => ({ type: 'Thing', value, origin: { kind: 'user', start: 0, end: 12 } })),
    texts: [],
    missing: [],
  }
  return issueCertificates({
    derivation: derivation([step], { denied: new Set(denied), confidence }),
    message: { text: 'r1 r2 r3 r4 ', hidden: false },
    binding,
    requestHash: '',
    facts: aliceFacts,
    offered: new Set(TOOL_CLASSES),
    versions: { canon: CANON, policy: '', registry: '', effects: '' },
    classifierSource: 'provided',
    settings,
    nowMs: 0,
    newId: () => 'x',
    salt: '',
  })[0]
}

// Certificates are expensive to draw at random and cheap to keep: one of every kind, drawn from below.
const DENIALS: readonly (readonly IntentClass[])[] = [[], ['move_money'], ['read'], ['delete', 'update']]
const STAGES = CLASS_NAMES.flatMap((kind) =>
  DENIALS.flatMap((denied) =>
    [0.3, 0.6, 0.9].flatMap((confidence) =>
      [[], ['r1'], ['r1', 'r2']].map((named) => stageOf(kind, denied, confidence, named)),
    ),
  ),
)
const anyStage = fc.constantFrom(...STAGES)
const anyStatic = fc.subarray([...TOOLS])
const runs = { numRuns: 10_000 }

describe('the session manifest', () => {
  test.prop([anyStatic, anyStage], runs)(
    'M1: is a part of the static one, in its order',
    (offered, { certificate }) => {
      const shown = visibleTools(sessionPolicy(certificate), offered)
      expect(offered.filter((tool) => shown.includes(tool))).toEqual(shown)
    },
  )

  test.prop(
    [anyStage, fc.constantFrom(...TOOLS), fc.constantFrom('r1', 'r2', 'r3'), fc.integer({ min: -1, max: 2_000 })],
    runs,
  )('M2: a call that the certificate takes is of a tool that the manifest shows', (stage, definition, record, n) => {
    const { reviewMode } = stage.certificate
    if (reviewMode === 'deny' || reviewMode === 'clarify') return
    const checked = consistency(prepare(stage, aliceFacts, settings, ''), { definition, args: { record, n } }, null)
    if (!checked.ok) return
    expect(visibleTools(sessionPolicy(stage.certificate), [definition])).toEqual([definition])
  })

  test.prop([anyDecision, anyDecision], runs)(
    'M3: what static policy refuses stays refused',
    (byPolicy, byCertificate) => {
      const both = narrow(byPolicy, byCertificate)
      if (both.kind === 'permit') expect([byPolicy.kind, byCertificate.kind]).toEqual(['permit', 'permit'])
      if (byPolicy.kind === 'permit' && both.kind === 'permit') {
        expect([...both.obligations]).toEqual(expect.arrayContaining([...byPolicy.obligations]))
      }
    },
  )

  const anyWish = fc.record(
    {
      allowed: someClasses,
      denied: someClasses,
      maxRows: fc.nat(5_000),
      mutations: fc.nat(5),
      amountMinor: fc.nat(),
      calls: fc.nat(500),
      expiresAt: fc.constantFrom('1970-01-01T00:00:01.000Z', '2999-01-01T00:00:00.000Z', 'never'),
    },
    { requiredKeys: [] },
  )
  test.prop([anyStage, anyWish], runs)('M4: a child is in no field more than its parent', ({ certificate }, wish) => {
    const child = attenuated(certificate, { id: 'child', ...wish })
    const within = (narrower: Certificate, wider: Certificate): boolean =>
      narrower.intentClasses.allowed.every((kind) => wider.intentClasses.allowed.includes(kind)) &&
      wider.intentClasses.denied.every((kind) => narrower.intentClasses.denied.includes(kind)) &&
      narrower.effectBounds.maxRows <= wider.effectBounds.maxRows &&
      narrower.effectBudget.mutations <= wider.effectBudget.mutations &&
      narrower.effectBudget.calls <= wider.effectBudget.calls &&
      (wider.effectBudget.amountMinor === null ||
        (narrower.effectBudget.amountMinor ?? Infinity) <= wider.effectBudget.amountMinor) &&
      Date.parse(narrower.expiresAt) <= Date.parse(wider.expiresAt)
    expect(within(child, certificate)).toBe(true)
    expect(child.parentId).toBe(certificate.id)
  })

  test.prop([someClasses, someClasses, anyClass], runs)(
    'shows no more with a class less or a denial more',
    (allowed, denied, kind) => {
      const shown = visibleTools(policyOfClasses({ allowed, denied }), TOOLS)
      const fewer = visibleTools(policyOfClasses({ allowed: allowed.filter((each) => each !== kind), denied }), TOOLS)
      const forbidden = visibleTools(policyOfClasses({ allowed, denied: [...denied, kind] }), TOOLS)
      expect([...fewer, ...forbidden].filter((tool) => !shown.includes(tool))).toEqual([])
    },
  )

  it('is the static one for all classes without a denial', () => {
    expect(visibleTools(policyOfClasses({ allowed: CLASS_NAMES, denied: [] }), TOOLS)).toEqual(TOOLS)
  })

  it.each(TOOL_CLASSES)('reaches moving money from %s only when it is that', (kind) => {
    expect(policyOfClasses({ allowed: [kind], denied: [] }).reach.has('move_money')).toBe(kind === 'move_money')
  })
})

const someOf = (all: readonly string[]): fc.Arbitrary<string[]> => fc.subarray([...all])
const anyEffect: fc.Arbitrary<PredictedEffect> = fc
  .record({
    mutations: someOf(['update:A', 'create:A', 'delete:B']),
    resources: someOf(['r1', 'r2', 'r3']),
    rows: fc.nat(50),
    amount: fc.option(fc.record({ minor: fc.nat(900), currency: fc.constantFrom('NOK', 'EUR') }), { nil: undefined }),
    destinations: someOf(['d1', 'd2']),
    egress: fc.constantFrom('none', 'user', 'third_party'),
    reversible: fc.boolean(),
  })
  .map(({ amount, ...rest }) => (amount === undefined ? rest : { ...rest, amount }))
const anyBounds: fc.Arbitrary<EffectBounds> = fc.record({
  mutations: someOf(['update', 'create', 'delete']),
  resources: fc.option(someOf(['r1', 'r2', 'r3'])),
  maxRows: fc.nat(50),
  maxMutations: fc.nat(3),
  maxAmount: fc.option(fc.record({ minor: fc.nat(900), currency: fc.constantFrom('NOK', 'EUR') })),
  destinations: someOf(['d1', 'd2']),
  egress: fc.constantFrom('none', 'user', 'third_party'),
  irreversible: fc.boolean(),
})
/** A bound that admits the effect, so that the law below is not about nothing. */
const roomFor = (effect: PredictedEffect): EffectBounds => ({
  mutations: ['update', 'create', 'delete'],
  resources: null,
  maxRows: effect.rows,
  maxMutations: 3,
  maxAmount: effect.amount ?? null,
  destinations: effect.destinations,
  egress: effect.egress,
  irreversible: !effect.reversible,
})
const smaller = (effect: PredictedEffect): fc.Arbitrary<PredictedEffect> =>
  fc
    .record({
      mutations: someOf(effect.mutations),
      resources: someOf(effect.resources),
      rows: fc.nat(effect.rows),
      destinations: someOf(effect.destinations),
      egress: fc.constantFrom(
        ...(['none', 'user', 'third_party'] as const).slice(
          0,
          ['none', 'user', 'third_party'].indexOf(effect.egress) + 1,
        ),
      ),
      reversible: effect.reversible ? fc.constant(true) : fc.boolean(),
      minor: fc.nat(effect.amount?.minor ?? 0),
      still: fc.boolean(),
    })
    .map(({ minor, still, ...rest }) =>
      effect.amount === undefined || still ? rest : { ...rest, amount: { ...effect.amount, minor } },
    )

describe('the order of effects', () => {
  const pair = anyEffect.chain((effect) => fc.tuple(fc.constant(effect), smaller(effect)))

  test.prop([pair, anyBounds], runs)(
    'is downward closed: what is admitted stays so when it shrinks',
    ([effect, less], bounds) => {
      expect(precedes(less, effect)).toBe(true)
      expect(exceeded(effect, roomFor(effect))).toBeUndefined()
      for (const limit of [bounds, roomFor(effect)]) {
        if (exceeded(effect, limit) === undefined) expect(exceeded(less, limit)).toBeUndefined()
      }
    },
  )

  test.prop([anyEffect, anyEffect, anyEffect])('is reflexive and transitive', (one, two, three) => {
    expect(precedes(one, one)).toBe(true)
    if (precedes(one, two) && precedes(two, three)) expect(precedes(one, three)).toBe(true)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1.5, 2 ** 60])('admits an amount of %s under no bound', (minor) => {
    const effect: PredictedEffect = {
      mutations: [],
      resources: [],
      rows: 0,
      destinations: [],
      egress: 'none',
      reversible: true,
      amount: { minor, currency: 'NOK' },
    }
    const wide = { ...roomFor(effect), maxAmount: { minor: Number.POSITIVE_INFINITY, currency: 'NOK' } }
    expect(exceeded(effect, wide)).toBe('amount')
  })
})

const anyRoute: fc.Arbitrary<Route> = fc.constantFrom(...Object.values(ROUTES).flatMap((row) => Object.values(row)))
const sets = ({ effect, obligations, outcome }: Route): unknown => ({
  effect,
  outcome,
  obligations: [...obligations].sort(),
})
const EFFECT_RANK: Record<Route['effect'], number> = { none: 0, artifact: 1, execute: 2 }

describe('merging routes', () => {
  test.prop([anyRoute, anyRoute, anyRoute])('is commutative, associative and idempotent', (one, two, three) => {
    expect(sets(mergeRoutes(one, two))).toEqual(sets(mergeRoutes(two, one)))
    expect(sets(mergeRoutes(mergeRoutes(one, two), three))).toEqual(sets(mergeRoutes(one, mergeRoutes(two, three))))
    expect(sets(mergeRoutes(one, one))).toEqual(sets(one))
  })

  test.prop([anyRoute, anyRoute])('only tightens', (one, two) => {
    const both = mergeRoutes(one, two)
    for (const each of [one, two]) {
      expect(EFFECT_RANK[both.effect]).toBeLessThanOrEqual(EFFECT_RANK[each.effect])
      expect([...both.obligations]).toEqual(expect.arrayContaining([...each.obligations]))
      if (each.outcome === 'deny') expect(both.outcome).toBe('deny')
    }
  })
})

describe('bands', () => {
  it.each([
    [0.49, 'low'],
    [0.5, 'medium'],
    [0.79, 'medium'],
    [0.8, 'high'],
    [1, 'high'],
    [Number.NaN, 'low'],
  ] satisfies [number, Band][])('puts %s into %s', (confidence, band) => {
    expect(bandOf(confidence, settings.bands)).toBe(band)
  })

  it.each([
    { bands: { medium: 0, high: 0.8 } },
    { bands: { medium: 0.8, high: 0.5 } },
    { bands: { medium: 0.5, high: 1.1 } },
    { bands: { medium: Number.NaN, high: 0.8 } },
    { readTtlMs: 16 * 60_000 },
    { writeTtlMs: 9_999 },
    { turnLimit: 0 },
    { maxRows: { medium: 100, high: 99 } },
    { refusalsPerTurn: 1.5 },
    { unattendedOwnTransfersUpTo: { minor: 0, currency: 'NOK' } },
  ])('refuses to start with %j', (given) => {
    expect(() => certificateSettings(given)).toThrow(expect.objectContaining({ name: 'SettingError' }))
  })

  it('never lets a high-risk cell of the table run alone', () => {
    for (const route of Object.values(ROUTES.high)) expect(route.effect).not.toBe('execute')
  })

  it.each([
    { row: 'medium', band: 'medium', want: ['confirm'] },
    { row: 'high', band: 'high', want: ['confirm'] },
    { row: 'low', band: 'medium', want: [] },
  ] as const)(
    'asks a person for what nothing else here can meet: $row risk in the $band band',
    ({ row, band, want }) => {
      expect(gateObligations(ROUTES[row][band], row, ['confirm'])).toEqual(want)
    },
  )

  it('keeps drafts and preflights where they can be met', () => {
    expect(gateObligations(ROUTES.high.high, 'high', ['confirm', 'draft', 'preflight'])).toEqual([
      'confirm',
      'preflight',
      'draft',
    ])
  })
})

it('takes the higher risk of a tool and its class', () => {
  expect(TOOLS.filter((tool) => tierOf(tool) === 'low').map(({ name }) => name)).toEqual([
    'read_low',
    'summarize_low',
    'transform_low',
  ])
})
