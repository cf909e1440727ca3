import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { mutateCommand } from '../../src/cli/mutate.io.ts'
import { judgeNeighbours } from '../../src/cli/mutate-play.io.ts'
import { loadScenarios } from '../../src/cli/scenarios-files.io.ts'
import { readSettings } from '../../src/config.io.ts'
import { mutationFigures, type MutationFigures } from '../../src/runner/mutate-tally.ts'

const bank = fileURLToPath(new URL('../../scenarios/bank.json', import.meta.url))

describe('near-misses at the real gate', () => {
  it('are all decided, none breaks the gate, and no odd field or spelling is accepted', async () => {
    const faults: unknown[] = []
    const scenarios = loadScenarios([bank]).filter(({ id }) => ['C2', 'C3'].includes(id))
    const options = { settings: readSettings(), certificates: 'off', atLeast: 0, seed: 1 } as const
    const report = (cause: unknown): void => {
      faults.push(cause)
    }
    const judged = await judgeNeighbours(scenarios, { ...options, report }, new AbortController().signal)
    const { all, kinds } = mutationFigures(judged)
    expect(faults).toEqual([])
    expect(all.accepted + Object.values(all.refused).reduce((sum, count) => sum + count, 0)).toBe(all.mutants)
    expect(kinds['field added']).toMatchObject({ accepted: 0 })
    expect(kinds['look-alike']).toMatchObject({ accepted: 0 })
    // Identity alone lets the owner do what nobody asked for; certificates are what stops it.
    expect(kinds['amount x10']).toEqual({ mutants: 1, accepted: 1, unasked: 1, refused: {} })
    expect(Object.keys(all.refused)).not.toContain('gate.internal_error')
  })

  it('stop at an interrupt', async () => {
    const options = {
      settings: readSettings(),
      certificates: 'off',
      atLeast: 0,
      seed: 1,
      report: () => undefined,
    } as const
    expect(await judgeNeighbours(loadScenarios([bank]), options, AbortSignal.abort())).toEqual([])
  })
})

describe('scenarios mutate', () => {
  const written: string[] = []
  const options = { certificates: 'off', seed: '1', atLeast: '0' } as const
  const silent = (): void => {
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  }

  it('prints the figures, and fails only when more are accepted than it was told', async () => {
    silent()
    const folder = mkdtempSync(join(tmpdir(), 'mutate-'))
    onTestFinished(() => {
      rmSync(folder, { recursive: true })
    })
    const file = join(folder, 'one.json')
    const { items, ...head } = JSON.parse(readFileSync(bank, 'utf8')) as { items: { id: string }[] }
    writeFileSync(file, JSON.stringify({ ...head, items: items.filter(({ id }) => id === 'C2') }))
    await mutateCommand([file], { ...options, json: true })
    const { figures } = JSON.parse(written.splice(0).join('')) as { figures: MutationFigures }
    expect(figures.all.accepted).toBeGreaterThan(0)
    await mutateCommand([file], { ...options, maxAccepted: String(figures.all.accepted) })
    expect(written.splice(0).join('')).toContain('amount off by one')
    await expect(mutateCommand([file], { ...options, maxAccepted: '0' })).rejects.toThrow('more than 0 were accepted')
  })

  it.each([
    { given: { seed: 'x' }, says: '--seed: "x" is not a whole number' },
    { given: { atLeast: '-1' }, says: '--at-least: "-1" is not a whole number' },
    { given: { maxAccepted: '1.5' }, says: '--max-accepted: "1.5" is not a whole number' },
  ])('refuses $given', async ({ given, says }) => {
    await expect(mutateCommand([bank], { ...options, ...given })).rejects.toThrow(says)
  })
})
