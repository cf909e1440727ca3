import { describe, expect, it } from 'vitest'
import { CertificateFields, readingsOf, type Field, type Reading } from '../../src/runner/reference.ts'

const fields = (change: object): CertificateFields => CertificateFields.parse({ review: 'allow', ...change })
const READ = { classes: ['read'], records: { Account: ['a'] } }
const PAY = { classes: ['move_money'], source: 'a', payee: 'b', amount: '500.00', currency: 'NOK', review: 'confirm' }

describe('readingsOf', () => {
  it.each<{ what: string; wanted: object; made: object; field: Field; reading: Reading | undefined }>([
    { what: 'the same class', wanted: READ, made: READ, field: 'classes', reading: 'right' },
    { what: 'another class', wanted: READ, made: PAY, field: 'classes', reading: 'wider' },
    { what: 'no class', wanted: READ, made: {}, field: 'classes', reading: 'narrower' },
    { what: 'a prohibition missed', wanted: { denied: ['move_money'] }, made: {}, field: 'denied', reading: 'wider' },
    { what: 'a prohibition too many', wanted: {}, made: { denied: ['read'] }, field: 'denied', reading: 'narrower' },
    { what: 'no prohibition in either', wanted: {}, made: {}, field: 'denied', reading: undefined },
    {
      what: 'one record too many',
      wanted: READ,
      made: { ...READ, records: { Account: ['a', 'c'] } },
      field: 'records',
      reading: 'wider',
    },
    {
      what: 'a record of another type',
      wanted: READ,
      made: { ...READ, records: { Invoice: ['a'] } },
      field: 'records',
      reading: 'wider',
    },
    { what: 'any record', wanted: READ, made: { classes: ['read'] }, field: 'records', reading: 'wider' },
    { what: 'no record, as nothing is allowed', wanted: READ, made: {}, field: 'records', reading: 'narrower' },
    {
      what: 'a record where any would do',
      wanted: { classes: ['read'] },
      made: READ,
      field: 'records',
      reading: 'narrower',
    },
    { what: 'a record where nothing is asked', wanted: {}, made: READ, field: 'records', reading: 'wider' },
    { what: 'any source', wanted: PAY, made: { ...PAY, source: undefined }, field: 'source', reading: 'wider' },
    { what: 'no payment, so no source', wanted: PAY, made: {}, field: 'source', reading: 'narrower' },
    { what: 'another payee', wanted: PAY, made: { ...PAY, payee: 'c' }, field: 'payee', reading: 'wider' },
    {
      what: 'no payee, so a person is asked',
      wanted: PAY,
      made: { ...PAY, payee: null },
      field: 'payee',
      reading: 'narrower',
    },
    { what: 'a greater amount', wanted: PAY, made: { ...PAY, amount: '5000.00' }, field: 'amount', reading: 'wider' },
    { what: 'a smaller amount', wanted: PAY, made: { ...PAY, amount: '50.00' }, field: 'amount', reading: 'narrower' },
    { what: 'another currency', wanted: PAY, made: { ...PAY, currency: 'EUR' }, field: 'currency', reading: 'wider' },
    { what: 'a looser review', wanted: PAY, made: { ...PAY, review: 'allow' }, field: 'review', reading: 'wider' },
    {
      what: 'a stricter review',
      wanted: READ,
      made: { ...READ, review: 'clarify' },
      field: 'review',
      reading: 'narrower',
    },
  ])('says of $what in $field: $reading', ({ wanted, made, field, reading }) => {
    const readings = new Map(readingsOf([fields(wanted)], [fields(made)]))
    expect(readings.get(field)).toBe(reading)
  })

  it('counts a stage that is missing as too narrow, and one too many as too wide', () => {
    const [read, pay] = [fields(READ), fields(PAY)]
    const errors = (wanted: readonly CertificateFields[], made: readonly CertificateFields[]) =>
      new Set(readingsOf(wanted, made).map(([, reading]) => reading))
    expect(errors([read, pay], [read])).toEqual(new Set(['right', 'narrower']))
    expect(errors([read], [read, pay])).toEqual(new Set(['right', 'wider']))
  })
})
