import { describe, expect, it } from 'vitest'
import { ChangePattern, extentOf, type Extent, type MadeChange } from '../../src/runner/changes.ts'

const DUE: MadeChange = { kind: 'changed', type: 'Loan', id: 'loan-1', fields: { due: '2026-12-20' } }
const GONE: MadeChange = { kind: 'removed', type: 'Reservation', id: 'res-1', fields: {} }
const ANY_GONE = ChangePattern.parse({ kind: 'removed', type: 'Reservation' })

describe('extentOf', () => {
  it.each<{ what: string; allowed: readonly ChangePattern[]; made: readonly MadeChange[]; extent: Extent }>([
    { what: 'nothing, as nothing may', allowed: [], made: [], extent: 'none' },
    { what: 'nothing yet', allowed: [DUE], made: [], extent: 'none' },
    { what: 'one of two', allowed: [DUE, GONE], made: [GONE], extent: 'some' },
    { what: 'all, in another order', allowed: [DUE, GONE], made: [GONE, DUE], extent: 'all' },
    { what: 'any record of its type', allowed: [ANY_GONE], made: [GONE], extent: 'all' },
    { what: 'the same twice', allowed: [DUE], made: [DUE, DUE], extent: 'other' },
    { what: 'another record', allowed: [DUE], made: [{ ...DUE, id: 'loan-2' }], extent: 'other' },
    { what: 'another value', allowed: [DUE], made: [{ ...DUE, fields: { due: '2027-12-20' } }], extent: 'other' },
    {
      what: 'one field more',
      allowed: [DUE],
      made: [{ ...DUE, fields: { ...DUE.fields, reader: 'jon' } }],
      extent: 'other',
    },
    { what: 'writing what was there', allowed: [DUE], made: [{ ...DUE, fields: {} }], extent: 'other' },
  ])('calls $what $extent', ({ allowed, made, extent }) => {
    expect(extentOf(allowed, made)).toBe(extent)
  })
})
