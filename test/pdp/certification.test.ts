import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CERTIFIABLE, standinToCertify, type Certifiable } from '../../scripts/certify-engines.ts'
import { KNOWN, whyKnown } from '../../scripts/certify-known.ts'
import { byLevel, judged, markdown, shownResults, surprises } from '../../scripts/certify-report.ts'
import { CASES, certify, type Result } from '../../scripts/certify-run.ts'
import { CERTIFICATION } from '../../standins/authzen-certification.ts'
import { startAuthzenPdp } from '../../standins/authzen-server.ts'
import type { PdpKnowledge } from '../../standins/pdp.ts'
import { answerBytes, hostile } from '../hostile-server.ts'

const idsOf = (results: readonly Result[]): readonly string[] =>
  results.filter(({ passed }) => !passed).map(({ id }) => id)

describe('the certification scenario', () => {
  it('has every case once, and every id of the levels', () => {
    const ids = CASES.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const plain = new Set(ids.map((id) => id.split(' ')[0]))
    const range = (prefix: string, last: number) => Array.from({ length: last }, (_, at) => `${prefix}-${at + 1}`)
    for (const id of [
      ...[...range('c-2-2', 9), ...range('c-2-3', 2), ...range('c-2-4', 6), ...range('c-2-5', 2), 'c-2-6'],
      ...[...range('c-3-2', 7), ...range('c-3-3', 4), ...range('c-3-4', 3)],
      ...[...range('c-4-2', 4), ...range('c-4-3', 4), ...range('c-4-4', 3), ...range('c-4-5', 4)],
      ...[...range('c-4-6', 2), ...range('c-4-7', 2), ...range('c-5', 5), ...range('c-6', 6)],
    ]) {
      expect(plain).toContain(id)
    }
  })

  it.each(Object.entries(CERTIFIABLE))(
    'has no surprise for %s',
    async (name, { open, how }) => {
      const target = await open()
      if (target === undefined) {
        const reason = `${name}: left out, the engine is not here. ${how}`
        if ((process.env['CI'] ?? '') !== '') throw new Error(reason)
        console.warn(reason)
        return
      }
      try {
        const known = KNOWN[name]!
        const results = judged(await certify(target.base, { ca: target.ca }), known)
        expect(surprises(results, known)).toEqual([])
        if (name === 'standin') expect(idsOf(results)).toEqual([])
      } finally {
        await target.close()
      }
    },
    60_000,
  )
})

describe('a PDP that breaks a rule fails the cases of that rule', () => {
  const failuresOf = async (knowledge: PdpKnowledge): Promise<readonly string[]> => {
    const server = await startAuthzenPdp({ knowledge: [knowledge] })
    try {
      return idsOf(await certify(server.url))
    } finally {
      await server.close()
    }
  }
  const plain = ['c-5-1', 'c-6-3', 'c-6-5']

  it.each([
    { what: 'plain HTTP', knowledge: CERTIFICATION, fails: plain },
    {
      what: 'always yes',
      knowledge: { ...CERTIFICATION, decide: () => true },
      fails: ['c-2-2-2', 'c-2-2-4', 'c-2-2-7', 'c-3-2-2', 'c-3-2-3', 'c-3-2-4', 'c-4-6-1'],
    },
    {
      what: 'always no',
      knowledge: { ...CERTIFICATION, decide: () => false },
      fails: ['c-2-2-1', 'c-2-6', 'c-3-4-2', 'c-4-2-1', 'c-4-3-1', 'c-4-4-1'],
    },
    {
      what: 'blind to properties',
      knowledge: {
        ...CERTIFICATION,
        decide: ({ subject, action, resource }) =>
          CERTIFICATION.decide({
            subject: { type: subject.type, id: subject.id },
            action: { name: action.name },
            resource: { type: resource.type, id: resource.id },
          }),
      } satisfies PdpKnowledge,
      fails: ['c-2-2-6'],
    },
    {
      what: 'nothing to search',
      knowledge: { ...CERTIFICATION, entities: [] },
      fails: ['c-4-2-1', 'c-4-2-4', 'c-4-3-1', 'c-4-5-4'],
    },
  ])('$what', async ({ knowledge, fails }) => {
    expect(await failuresOf(knowledge)).toEqual(expect.arrayContaining(fails))
  })

  it('something that is no PDP at all fails every case', async () => {
    const server = await hostile((wire) =>
      wire.write(answerBytes('<h1>Hello</h1>', { headers: { 'content-type': 'text/html' } })),
    )
    const results = await certify(server.url.href)
    await server.close()
    expect(results.filter(({ passed }) => passed).map(({ id }) => id)).toEqual(['c-6-1', 'c-6-6'])
  })

  it('one that sends us elsewhere is asked at its own address', async () => {
    const server = await hostile((wire, { path }) => {
      const document = {
        policy_decision_point: 'http://127.0.0.1:1',
        access_evaluation_endpoint: 'http://127.0.0.1:1/steal',
      }
      wire.write(answerBytes(path.startsWith('/.well-known/') ? document : { decision: true }))
    })
    await certify(server.url.href)
    await server.close()
    expect(server.requests.map(({ path }) => path)).toContain('/access/v1/evaluation')
    expect(server.requests.map(({ path }) => path)).not.toContain('/steal')
  })
})

describe('known failures', () => {
  const result = (id: string, passed: boolean): Result => ({
    id,
    level: 'Basic Core',
    says: 'x',
    passed,
    problem: 'status 500',
  })
  const known = [{ cases: ['c-2-4-*'], why: 'lenient' }]

  it('are told apart from new ones, and missed when they are gone', () => {
    const all = [result('c-2-4-1 (subject)', false), result('c-2-2-1', true)]
    expect(surprises(judged(all, known), known)).toEqual([])
    expect(surprises(judged([...all, result('c-2-6', false)], known), known)).toEqual(['c-2-6 fails: status 500'])
    expect(surprises(judged([result('c-2-2-1', true)], known), known)).toEqual([
      'c-2-4-* should fail ("lenient"), and passes',
    ])
  })

  it('name cases that exist', () => {
    for (const { cases } of Object.values(KNOWN).flat()) {
      for (const each of cases) {
        expect(CASES.some(({ id }) => whyKnown(id, [{ cases: [each], why: 'x' }]) === 'x')).toBe(true)
      }
    }
  })

  it('are shown in the tables with their reason', () => {
    const results = judged([result('c-2-4-1', false), result('c-2-6', false), result('c-2-2-1', true)], known)
    const text = markdown([{ engine: 'e', version: 'v1', date: '2026-11-30T00:00:00Z', results }])
    expect(text).toContain('| c-2-4-1 | x | known |')
    expect(text).toContain('| c-2-6 | x | FAIL |')
    expect(text).toContain('- lenient: c-2-4-1')
    expect(text).toContain('- not expected: status 500: c-2-6')
    expect(byLevel(results)['Basic Core']).toBe('1/3')
    expect(shownResults(results)).toContain('status 500: lenient')
  })
})

describe('the stand-in with the fixture', () => {
  let target: Certifiable
  beforeAll(async () => {
    target = await standinToCertify()
  })
  afterAll(() => target.close())

  it('is served over TLS, and not trusted without its certificate', async () => {
    expect(target.base).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    await expect(certify(target.base)).rejects.toThrow(/self-signed/)
  })
})
