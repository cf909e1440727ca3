import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openIdentity, type WorkspaceIdentity } from '../../src/compose/workspace.io.ts'
import { runCase } from '../../src/cli/corpus-case.io.ts'
import { loadCorpus } from '../../src/cli/corpus-files.io.ts'
import { REFUSING_RULES } from '../../src/firewall/rule-ids.ts'
import { checkCaseIds, filterCases, readCorpus } from '../../src/runner/corpus.ts'

const cases = loadCorpus([])
let identity: WorkspaceIdentity
beforeAll(async () => {
  identity = await openIdentity()
})
afterAll(() => identity.close())

describe('the corpus', () => {
  it.each(cases)('$family: $id comes out as it says', async (each) => {
    expect((await runCase(each, identity)).problems).toEqual([])
  })

  it('has a benign twin for the attacks of every family', () => {
    const families = new Set(cases.map(({ family }) => family))
    const lacking = [...families].filter(
      (family) => !cases.some((each) => each.family === family && each.benign === true),
    )
    expect([cases.length >= 150, lacking]).toEqual([true, []])
  })

  it('has every published case of shell, file, url and mcp calls', () => {
    const numbers = { SH: 75, FI: 25, UR: 27, MC: 21 }
    const odd = (last: number): number[] => Array.from({ length: (last + 1) / 2 }, (_, at) => 2 * at + 1)
    const wanted = Object.entries(numbers).flatMap(([area, last]) =>
      odd(last).map((number) => `${area}-${String(number).padStart(2, '0')}`),
    )
    const had = new Set(cases.map(({ from }) => from))
    expect(wanted.filter((id) => !had.has(id))).toEqual([])
  })

  it('shows every refusing rule that a single call can meet', () => {
    const met = new Set(cases.flatMap(({ steps }) => steps.flatMap(({ rule, also }) => [rule, ...also])))
    // A person's no and learning need more than a call; the other two belong to hosts that are not there yet.
    expect(REFUSING_RULES.filter((rule) => !met.has(rule))).toEqual(['approval-denied', 'learn-ask'])
  })

  it('finds a case that does not come out as it says, in each thing that is checked', async () => {
    const step = { request: { kind: 'read', path: '.env' }, decision: 'allow', rule: 'fs-read-ok', tainted: false }
    const wrong = { id: 'wrong', family: 'x', steps: [step, { ...step, decision: 'block', rule: 'fs-sandbox' }] }
    const [read] = readCorpus(JSON.stringify({ version: 1, description: 'x', cases: [wrong] }), 'x.json')
    const { problems } = read === undefined ? { problems: [] } : await runCase(read, identity)
    expect(problems).toEqual([
      'step 1: expected allow by fs-read-ok, got block by fs-protected',
      'step 1: the session is tainted',
      'step 2: fs-sandbox did not fire: block by fs-protected',
      'step 2: expected the code fs-sandbox, got fs-protected',
      'step 2: the session is tainted',
    ])
  })
})

describe('a file of cases', () => {
  const good = { id: 'a', family: 'f', steps: [{ request: {}, decision: 'block', rule: 'parse-error' }] }
  const text = (changes: object, one: object = good): string =>
    JSON.stringify({ version: 1, description: 'd', cases: [one], ...changes })

  it.each([
    { what: 'another version', given: text({ version: 2 }), says: 'version' },
    { what: 'an unknown field', given: text({}, { ...good, benigns: true }), says: 'cases[0]' },
    { what: 'a benign that is false', given: text({}, { ...good, benign: false }), says: 'benign' },
    { what: 'no steps', given: text({}, { ...good, steps: [] }), says: 'steps' },
    {
      what: 'a decision that is none',
      given: text({}, { ...good, steps: [{ ...good.steps[0], decision: 'ok' }] }),
      says: 'decision',
    },
    { what: 'no cases', given: text({ cases: [] }), says: 'cases' },
    { what: 'no JSON', given: '{', says: 'is no strict JSON' },
    { what: 'a key twice', given: '{"version":1,"version":1}', says: 'is no strict JSON' },
  ])('with $what is refused by file and field', ({ given, says }) => {
    expect(() => readCorpus(given, 'mine.json')).toThrow(new RegExp(`mine\\.json.*${says.replace('[', '\\[')}`, 's'))
  })

  it('must not use an id twice', () => {
    const twice = [...readCorpus(text({}), 'a.json'), ...readCorpus(text({}), 'b.json')]
    expect(() => {
      checkCaseIds(twice)
    }).toThrow('a')
  })

  it.each([
    { terms: 'SH-*', ids: ['SH-01', 'SH-03'] },
    { terms: 'net-userinfo, egr-query', ids: ['egr-query', 'net-userinfo'] },
    { terms: 'nothing', ids: [] },
  ])('is filtered by $terms', ({ terms, ids }) => {
    expect(filterCases(cases, terms).map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
    if (ids.length === 0) expect(filterCases(cases, terms)).toEqual([])
  })
})
