import { describe, expect, it } from 'vitest'
import { accuracyRows } from '../../src/cli/scenarios-accuracy.ts'
import { loadScenarios } from '../../src/cli/scenarios-files.io.ts'
import { createScores } from '../../src/cli/scenarios-scores.ts'
import type { RunRecord } from '../../src/runner/record.ts'
import { CertificateFields } from '../../src/runner/reference.ts'
import { facts, record } from '../runner/records.ts'

const ON = { certificates: 'enforce', setup: 'gate+certificates' } as const
const read = (id: string): CertificateFields =>
  CertificateFields.parse({ classes: ['read'], records: { Account: [id] }, review: 'allow' })

const rowsOf = (runs: readonly RunRecord[]) => {
  const scores = createScores()
  for (const run of runs) scores.add(run)
  return accuracyRows(scores.groups()[0]?.accuracy ?? [])
}

describe('the fields of certificates', () => {
  it('are counted beside the reference of each turn, with what is wrong in which direction', () => {
    const runs = [
      record([], { ...ON, facts: facts({ reference: [[read('a')], null] }), issued: [[read('a')], [read('b')]] }),
      record([], { ...ON, scenario: 'X2', facts: facts({ reference: [[read('a')]] }), issued: [[read('b')]] }),
    ]
    expect(rowsOf(runs)).toEqual([
      ['class', '2/2', '100.0 %', '> 0.0 %', '0', '0'],
      ['resource', '1/2', '50.0 %', '0.0–100.0 %', '1', '0'],
      ['mode', '2/2', '100.0 %', '> 0.0 %', '0', '0'],
    ])
  })

  it.each([
    { what: 'a scenario that states none', run: record([], { ...ON, issued: [[read('a')]] }) },
    { what: 'a run of before', run: record([], { ...ON, facts: facts({ reference: [[read('a')]] }) }) },
  ])('are not counted of $what', ({ run }) => {
    expect(rowsOf([run])).toEqual([])
  })

  it('are stated by every turn of the published scenarios, the L1 family and the natural wordings', () => {
    const silent = loadScenarios([])
      .filter(({ family }) => ['bank', 'l1-family', 'wordings'].includes(family))
      // What its message means cannot be read there: the customer's data is down.
      .filter(({ broken }) => !broken.includes('customer-data'))
      .filter(({ turns }) => turns.some(({ certificates }) => certificates === undefined))
    expect(silent.map(({ id }) => id)).toEqual([])
  })
})
