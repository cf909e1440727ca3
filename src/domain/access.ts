import type { Evaluation } from '../core/authzen.ts'
import type { OwnRecord, SubjectFacts } from '../core/facts.ts'
import type { Domain } from './schema.ts'
import type { RecordStore, StoredRecord } from './store.ts'

/**
 * Who may, by what the types say and by the records as they are now. A tool without a resource is for every customer.
 * What it does not know is `false`.
 */
export function domainRules(domain: Domain, store: RecordStore): (evaluation: Evaluation) => boolean {
  const { customers, types } = domain
  const free = new Set(domain.tools.filter(({ resources }) => resources.length === 0).map(({ name }) => name))
  return ({ subject, action, resource }) => {
    if (subject.type !== 'Customer' || !customers.includes(subject.id)) return false
    if (resource.type === 'Tool') return action.name === 'USE' && free.has(resource.id)
    const type = Object.hasOwn(types, resource.type) ? types[resource.type] : undefined
    const record = store.get(resource.type, resource.id)
    return type !== undefined && record !== undefined && mayTouch(type, action.name, record, subject.id)
  }
}

function mayTouch(
  { actions, owner }: Domain['types'][string],
  action: string,
  record: StoredRecord,
  customer: string,
): boolean {
  switch (Object.hasOwn(actions, action) ? actions[action] : undefined) {
    case 'everyone':
      return true
    case 'owner':
      return owner !== undefined && record[owner] === customer
    case undefined:
      return false
  }
}

/** What a customer may name in a message: the own records and everybody's, and the saved payees. */
export function domainFacts(domain: Domain, store: RecordStore, customer: string, today: string): SubjectFacts {
  const { payees, types } = domain
  const records = Object.entries(store.snapshot()).flatMap(([type, ofType]) => {
    const { owner, names = [], named_by: named = [] } = types[type] ?? {}
    return Object.entries(ofType)
      .filter(([, record]) => owner === undefined || record[owner] === customer)
      .map(([id, record]): OwnRecord => ({ type, id, names: [...names, ...namesIn(record, named)] }))
  })
  return { records, payees: Object.hasOwn(payees, customer) ? (payees[customer] ?? []) : [], today }
}

const namesIn = (record: StoredRecord, fields: readonly string[]): readonly string[] =>
  fields.flatMap((field) => {
    const value = record[field]
    return typeof value === 'string' ? [value.toLowerCase()] : []
  })

/** The ids of the records of a type that are the customer's own. */
export function ownIds({ types, records }: Domain, customer: string, type: string): readonly string[] {
  const owner = types[type]?.owner
  return Object.entries(records[type] ?? {})
    .filter(([, record]) => owner === undefined || record[owner] === customer)
    .map(([id]) => id)
}
