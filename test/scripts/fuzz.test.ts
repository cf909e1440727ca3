import { describe, expect, it } from 'vitest'
import { commandTarget } from '../../scripts/fuzz-commands.ts'
import { lineTarget } from '../../scripts/fuzz-lines.ts'
import { pathTarget } from '../../scripts/fuzz-paths.ts'
import { policyTarget } from '../../scripts/fuzz-policies.ts'
import { fuzz, type FuzzTarget } from '../../scripts/fuzz-target.ts'
import { urlTarget } from '../../scripts/fuzz-urls.ts'

// The same inputs each time: a test that finds something new on another day is for `npm run fuzz`.
const SEED = 7

describe('of random inputs, no permit is contradicted', () => {
  it.each([
    { name: 'paths', inputs: 5_000, by: 'the kernel', open: pathTarget, reaches: { open: 200, created: 50 } },
    { name: 'lines', inputs: 6_000, by: 'bash', open: lineTarget, reaches: { compared: 500 } },
    { name: 'commands', inputs: 1_500, by: 'what bash shows', open: () => commandTarget(120), reaches: { run: 120 } },
    {
      name: 'urls',
      inputs: 6_000,
      by: 'WHATWG and curl',
      open: () => urlTarget(300),
      reaches: { listed: 300, curl: 300 },
    },
    { name: 'policies', inputs: 4_000, by: 'another reader', open: policyTarget, reaches: { loaded: 50 } },
  ])('$inputs $name by $by', async ({ name, inputs, open, reaches }) => {
    const { findings, counts } = await fuzz(name, open(), { inputs, seed: SEED })
    expect(findings).toEqual([])
    for (const [what, least] of Object.entries(reaches)) expect(counts[what]).toBeGreaterThanOrEqual(least)
  })
})

describe('the fuzzer', () => {
  const target = (check: FuzzTarget['check']): FuzzTarget => ({
    check,
    settle: () => Promise.resolve([]),
    counts: () => ({}),
    close: () => undefined,
  })

  it('reports what a target throws, with the seed that repeats it', async () => {
    const bad = target((random) => {
      if (random.below(10) === 3) throw new Error('boom')
      return undefined
    })
    const first = await fuzz('x', bad, { inputs: 50, seed: 1 })
    expect(first.findings[0]).toMatch(/^x, seed \d+: threw Error: boom/)
    expect((await fuzz('x', bad, { inputs: 50, seed: 1 })).findings.length).toBe(first.findings.length)
  })

  it('stops after enough findings', async () => {
    const { findings } = await fuzz(
      'x',
      target(() => 'wrong'),
      { inputs: 1_000, seed: 1 },
    )
    expect(findings).toHaveLength(20)
  })
})
