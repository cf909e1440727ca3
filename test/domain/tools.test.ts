import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Evaluation } from '../../src/core/authzen.ts'
import { sessionId } from '../../src/core/ids.ts'
import { domainFacts, domainRules, ownIds } from '../../src/domain/access.ts'
import { readDomain } from '../../src/domain/domain.ts'
import { recordStore } from '../../src/domain/store.ts'
import { domainTools } from '../../src/domain/tools.ts'
import { loginOf } from '../logins.ts'
import { LIBRARY, libraryWith } from './library.ts'

const library = readDomain(readFileSync(LIBRARY, 'utf8'), 'library.json')
const alice = await loginOf('alice')

function opened(domain = library) {
  const store = recordStore(domain.records)
  const tools = new Map(domainTools(domain, store, 'd.json').map((tool) => [tool.name, tool]))
  let calls = 0
  const run = (name: string, args: Record<string, unknown>, key = `k${++calls}`): unknown => {
    const login = { ...alice, subject: { ...alice.subject, id: 'ida' } } as typeof alice
    return tools.get(name)?.run(args, { login, session: sessionId('s'), idempotencyKey: key })
  }
  return { store, tools, run }
}

const TOUCHES = [
  { tool: 'get_loan', args: { loan_id: 'loan-1' }, changes: [], mutations: [] },
  { tool: 'list_loans', args: {}, changes: [], mutations: [] },
  {
    tool: 'postpone_loan',
    args: { loan_id: 'loan-1', due: '2026-12-20' },
    changes: [{ kind: 'changed', type: 'Loan', id: 'loan-1', fields: { due: '2026-12-20' } }],
    mutations: ['update:Loan'],
  },
  {
    tool: 'cancel_reservation',
    args: { reservation_id: 'res-1' },
    changes: [{ kind: 'removed', type: 'Reservation', id: 'res-1', fields: {} }],
    mutations: ['delete:Reservation'],
  },
]

describe('the tools of a domain', () => {
  it.each(TOUCHES)(
    '$tool changes what its effect contract says and nothing else',
    ({ tool, args, changes, mutations }) => {
      const { store, tools, run } = opened()
      run(tool, args)
      expect(store.changes()).toEqual(changes)
      expect(tools.get(tool)?.effect.predict(args).mutations).toEqual(mutations)
    },
  )

  it('list what is the own, and show what is there', () => {
    const { run } = opened()
    expect(run('list_loans', {})).toMatchObject([{ id: 'loan-1', title: 'Sult' }])
    expect(run('get_book', { book_id: 'book-1' })).toMatchObject({ id: 'book-1', title: 'Victoria' })
    expect(() => run('get_loan', { loan_id: 'loan-9' })).toThrow('There is no such record.')
  })

  it('make one change for one key', () => {
    const { store, run } = opened()
    run('postpone_loan', { loan_id: 'loan-1', due: '2026-12-20' }, 'same')
    run('postpone_loan', { loan_id: 'loan-1', due: '2026-12-21' }, 'same')
    expect(store.changes()).toHaveLength(1)
  })

  it('add a record for the caller, with a literal and without what was left out', () => {
    const added = libraryWith(['tools', 3], {
      ...{ name: 'reserve_book', description: 'Reserves a book.', template: 'Reserve Book {book_id}' },
      parameters: {
        type: 'object',
        properties: { book_id: { type: 'string' }, until: { type: 'string' } },
        required: ['book_id'],
      },
      resources: [{ argument: 'book_id', type: 'Book', actions: ['VIEW_BOOK'] }],
      roles: { book_id: 'record', until: 'date' },
      effect: { class: 'create', tier: 'medium' },
      does: {
        ...{ kind: 'add', type: 'Reservation' },
        set: { reader: '{caller}', book: '{book_id}', until: '{until}', state: 'waiting' },
      },
    })
    const { store, run } = opened(readDomain(added, 'd.json'))
    run('reserve_book', { book_id: 'book-1' })
    const fields = { reader: 'ida', book: 'book-1', state: 'waiting' }
    expect(store.changes()).toEqual([{ kind: 'added', type: 'Reservation', id: 'reservation-new-3', fields }])

    // What was made last stays, although one of the others is gone.
    store.remove('Reservation', 'res-1')
    run('reserve_book', { book_id: 'book-2' })
    expect(store.get('Reservation', 'reservation-new-3')).toMatchObject(fields)
    expect(store.get('Reservation', 'reservation-new-4')).toMatchObject({ ...fields, book: 'book-2' })
  })
})

describe('the rules of a domain', () => {
  const ask = (subject: string, action: string, type: string, id: string): Evaluation => ({
    subject: { type: 'Customer', id: subject },
    action: { name: action },
    resource: { type, id },
  })
  it.each([
    { who: 'ida', action: 'VIEW_LOAN', type: 'Loan', id: 'loan-1', may: true },
    { who: 'jon', action: 'VIEW_LOAN', type: 'Loan', id: 'loan-1', may: false },
    { who: 'jon', action: 'VIEW_BOOK', type: 'Book', id: 'book-1', may: true },
    { who: 'eva', action: 'VIEW_BOOK', type: 'Book', id: 'book-1', may: false },
    { who: 'ida', action: 'VIEW_BOOK', type: 'Book', id: 'book-9', may: false },
    { who: 'ida', action: 'BURN_BOOK', type: 'Book', id: 'book-1', may: false },
    { who: 'ida', action: 'constructor', type: 'Book', id: 'book-1', may: false },
    { who: 'ida', action: 'VIEW_LOAN', type: '__proto__', id: 'loan-1', may: false },
    { who: 'ida', action: 'USE', type: 'Tool', id: 'list_loans', may: true },
    { who: 'ida', action: 'USE', type: 'Tool', id: 'get_loan', may: false },
    { who: 'eva', action: 'USE', type: 'Tool', id: 'list_loans', may: false },
  ])('answer $may to $who for $action on $type $id', ({ who, action, type, id, may }) => {
    expect(domainRules(library, recordStore(library.records))(ask(who, action, type, id))).toBe(may)
  })

  it('look at the records as they are now', () => {
    const store = recordStore(library.records)
    const permits = domainRules(library, store)
    store.put('Loan', 'loan-1', { ...store.get('Loan', 'loan-1'), reader: 'jon' })
    expect(permits(ask('ida', 'VIEW_LOAN', 'Loan', 'loan-1'))).toBe(false)
  })
})

describe('what a customer may name', () => {
  it('is what is theirs and what is everybody’s, by the names of its type and its own', () => {
    const { records } = domainFacts(library, recordStore(library.records), 'ida', '2026-11-30')
    expect(records.map(({ id, names }) => [id, names])).toEqual([
      ['loan-1', ['loan', 'sult']],
      ['res-1', ['reservation', 'victoria']],
      ['book-1', ['book', 'victoria']],
    ])
    expect(ownIds(library, 'jon', 'Loan')).toEqual(['loan-2'])
  })
})
