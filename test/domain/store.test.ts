import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { diff, recordStore, type Snapshot } from '../../src/domain/store.ts'

const opening: Snapshot = { Note: { a: { text: 'one', seen: false }, b: { text: 'two', seen: true } } }

describe('the record store', () => {
  it('says in a diff what was added and what was changed, and with which values', () => {
    const store = recordStore(opening)
    store.put('Note', 'a', { text: 'one', seen: true })
    store.put('Note', 'c', { text: 'three' })
    store.put('Tag', 'x', { name: 'new' })
    expect(diff(opening, store.snapshot())).toEqual([
      { kind: 'changed', type: 'Note', id: 'a', fields: { seen: true } },
      { kind: 'added', type: 'Note', id: 'c', fields: { text: 'three' } },
      { kind: 'added', type: 'Tag', id: 'x', fields: { name: 'new' } },
    ])
    expect(diff(store.snapshot(), opening).map(({ kind, id }) => [kind, id])).toEqual([
      ['changed', 'a'],
      ['removed', 'c'],
      ['removed', 'x'],
    ])
  })

  it('remembers a change that a later one hides, and that something was written which was there already', () => {
    const store = recordStore(opening)
    store.put('Note', 'a', { text: 'two', seen: false })
    store.put('Note', 'a', { text: 'one', seen: false })
    store.put('Note', 'a', { text: 'one', seen: false })
    expect(diff(opening, store.snapshot())).toEqual([])
    expect(store.changes().map(({ fields }) => fields)).toEqual([{ text: 'two' }, { text: 'one' }, {}])
  })

  it('makes a change once for a key, and gives its first result again', () => {
    const store = recordStore(opening)
    let runs = 0
    const change = (): number => ++runs
    expect([store.once('k', change), store.once('k', change), store.once('other', change)]).toEqual([1, 1, 2])
  })

  it('gives snapshots that no later change reaches', () => {
    const store = recordStore(opening)
    const before = store.snapshot()
    store.put('Note', 'a', { text: 'changed' })
    expect(before).toEqual(opening)
  })

  const anyRecords = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.record({ n: fc.integer({ min: 0, max: 2 }), b: fc.boolean() }),
  )
  const anySnapshot = fc.record({ Note: anyRecords, Tag: anyRecords })

  test.prop([anySnapshot])('finds no difference between a snapshot and itself', (snapshot) => {
    expect(diff(snapshot, recordStore(snapshot).snapshot())).toEqual([])
  })

  test.prop([anySnapshot, anySnapshot])('finds a difference exactly when there is one', (one, other) => {
    const isSame = JSON.stringify(recordStore(one).snapshot()) === JSON.stringify(recordStore(other).snapshot())
    if (isSame) expect(diff(one, other)).toEqual([])
    if (diff(one, other).length === 0) {
      expect(recordStore(one).snapshot()).toEqual(recordStore(other).snapshot())
    }
  })
})
