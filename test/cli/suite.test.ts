import { describe, expect, it, vi } from 'vitest'
import { runConfidence } from '../../src/certificates/suites/confidence.ts'
import { runSanity } from '../../src/certificates/suites/sanity.ts'
import { suiteCommand } from '../../src/cli/suite-command.io.ts'
import { confidenceTable, sanityTable } from '../../src/cli/suite-view.ts'

async function printed(suite: 'sanity' | 'confidence', json = false): Promise<string> {
  const written: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  await suiteCommand(suite, { json })
  return written.join('')
}

describe('scenarios suite', () => {
  it.each(['sanity', 'confidence'] as const)(
    'prints the table of the %s suite, what was counted first',
    async (suite) => {
      await expect(await printed(suite)).toMatchFileSnapshot(`../golden/cli/suite-${suite}.txt`)
    },
  )

  it.each([
    { suite: 'sanity', rows: 6 },
    { suite: 'confidence', rows: 12 },
  ] as const)('gives the $rows rows of $suite as JSON', async ({ suite, rows }) => {
    const found = JSON.parse(await printed(suite, true)) as { suite: string; rows: unknown[]; holds: boolean }
    expect([found.suite, found.rows.length, found.holds]).toEqual([suite, rows, true])
  })
})

describe('a suite that comes out otherwise', () => {
  it('does not hold when an attack has an effect under full protection', () => {
    expect(sanityTable(runSanity().slice(0, 1)).holds).toBe(false)
    expect(sanityTable([]).holds).toBe(false)
  })

  it('does not hold when one state goes elsewhere', () => {
    const [first, ...rest] = runConfidence()
    expect(first).toBeDefined()
    const other = first === undefined ? rest : [{ ...first, got: 'clarify' as const }, ...rest]
    expect(confidenceTable(other)).toMatchObject({ holds: false, sum: expect.stringContaining('11/12') as string })
  })
})
