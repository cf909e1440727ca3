import { describe, expect, it } from 'vitest'
import { readDomain } from '../../src/domain/domain.ts'
import { recordStore } from '../../src/domain/store.ts'
import { domainTools } from '../../src/domain/tools.ts'
import { libraryWith } from './library.ts'

/** Everything that is checked before the first run. */
function checked(content: string): void {
  const domain = readDomain(content, 'd.json')
  domainTools(domain, recordStore(domain.records), 'd.json')
}

describe('a domain that is wrong', () => {
  it.each<{ path: readonly (string | number)[]; value: unknown; says: string }>([
    { path: ['domain'], value: 2, says: 'd.json, field domain: must be 1, the version of the form' },
    { path: ['tols'], value: [], says: 'd.json, field tols: Unrecognized key: "tols"' },
    {
      path: ['customers'],
      value: ['ida'],
      says: 'd.json, field records.Loan.loan-2.reader: must name one of the customers',
    },
    { path: ['payees'], value: { eva: [] }, says: 'd.json, field payees.eva: must be one of the customers' },
    { path: ['records', 'Film'], value: {}, says: 'd.json, field records.Film: "Film" is not one of the types' },
    {
      path: ['types', 'Loan', 'actions', 'VIEW_LOAN'],
      value: 'anybody',
      says: 'd.json, field types.Loan.actions.VIEW_LOAN: must be owner or everyone',
    },
    {
      path: ['tools', 0, 'resources', 0, 'actions'],
      value: ['SEE_LOAN'],
      says: 'd.json, field tools[0].resources[0].actions: types.Loan.actions does not say who may SEE_LOAN',
    },
    {
      path: ['tools', 0, 'resources'],
      value: [],
      says: 'd.json, field tools[0].does.id: must be a resource argument of the type Loan, so that it is authorized',
    },
    {
      path: ['tools', 3, 'effect', 'class'],
      value: 'read',
      says: 'd.json, field tools[3].effect.class: does not fit what the tool does (change): use update, export, delegate, admin, move_money',
    },
    {
      path: ['tools', 3, 'roles'],
      value: { loan_id: 'record' },
      says: 'd.json, field tools[3].roles.due: is needed, so that a message can say what is written',
    },
    {
      path: ['tools', 3, 'does', 'set'],
      value: { due: '{day}' },
      says: 'd.json, field tools[3].does.set.due: "day" is no property of the parameters',
    },
    { path: ['tools', 1, 'name'], value: 'get_loan', says: 'd.json, field tools[1].name: is the name of two tools' },
    { path: ['tools', 1, 'name'], value: 'bash', says: "d.json, field tools[1].name: is a tool of the runtime's own" },
    {
      path: ['tools', 0, 'parameters'],
      value: { type: 'string' },
      says: 'd.json, field tools[0].parameters.type: must be "object"',
    },
    {
      path: ['tools', 0, 'parameters', 'properties', 'loan_id', 'type'],
      value: 'integer',
      says: 'd.json, field tools[0].parameters.properties.loan_id.type: must be "string": the argument is a name or an amount',
    },
    {
      path: ['tools', 3, 'does', 'set', 'due'],
      value: 'on {due}',
      says: 'd.json, field tools[3].does.set.due: must be one {argument} alone, or text without braces',
    },
    {
      path: ['tools', 3, 'does'],
      value: { kind: 'add', type: 'Loan', set: { due: '2026-12-01' } },
      says: 'd.json, field tools[3].does.set.reader: must say whose record it is: {caller}, or a customer',
    },
    {
      path: ['tools', 3, 'does'],
      value: { kind: 'add', type: 'Loan', set: { reader: 'nobody' } },
      says: 'd.json, field tools[3].does.set.reader: must say whose record it is: {caller}, or a customer',
    },
    {
      path: ['tools', 0, 'template'],
      value: 'View Loan {loan}',
      says: 'd.json, field tools[0]: tool get_loan: it uses the argument "loan", which its parameters do not have',
    },
  ])('says $says', ({ path, value, says }) => {
    expect(() => {
      checked(libraryWith(path, value))
    }).toThrow(says)
  })

  it('is told from one that is no JSON', () => {
    expect(() => readDomain('{', 'd.json')).toThrow('d.json: it is not usable JSON')
  })

  it('is told by the schema of a tool that cannot be used', () => {
    const content = libraryWith(['tools', 0, 'parameters', 'properties', 'loan_id'], { type: 'strin' })
    expect(() => {
      checked(content)
    }).toThrow('d.json, field tools[0].parameters: cannot be used as JSON Schema')
  })
})
