import { isDeepStrictEqual } from 'node:util'

/** Flat, so that a change is a field and a value. */
export type StoredRecord = Readonly<Record<string, string | number | boolean>>

/** Every record, by type and id. */
export type Snapshot = Readonly<Record<string, Readonly<Record<string, StoredRecord>>>>

/** One difference between two snapshots. `fields` holds what is new: of an added record all, of a removed one nothing. */
export interface Change {
  readonly kind: 'added' | 'changed' | 'removed'
  readonly type: string
  readonly id: string
  readonly fields: StoredRecord
}

/** Records of any type, in memory. */
export interface RecordStore {
  get(type: string, id: string): StoredRecord | undefined
  /** In the order in which they were put. */
  list(type: string): readonly StoredRecord[]
  put(type: string, id: string, record: StoredRecord): void
  /** What is not there stays away. */
  remove(type: string, id: string): void
  /** Runs a change once for each key; a repeated key gives the first result and changes nothing. */
  once(key: string, change: () => unknown): unknown
  /** As it is now; later changes are not in it. */
  snapshot(): Snapshot
  /**
   * Every change since the opening, in order, also one that a later change has hidden; writing what was there already is
   * a change without fields.
   */
  changes(): readonly Change[]
}

/** A store that begins as the snapshot, which itself stays as it is. */
export function recordStore(opening: Snapshot): RecordStore {
  const types = new Map(Object.entries(opening).map(([type, records]) => [type, new Map(Object.entries(records))]))
  const done = new Map<string, unknown>()
  const made: Change[] = []
  return {
    get: (type, id) => types.get(type)?.get(id),
    list: (type) => [...(types.get(type)?.values() ?? [])],
    put: (type, id, record) => {
      const records = types.get(type) ?? new Map<string, StoredRecord>()
      made.push(changeTo(type, id, records.get(id), record))
      types.set(type, records.set(id, Object.freeze({ ...record })))
    },
    remove: (type, id) => {
      if (types.get(type)?.delete(id) === true) made.push({ kind: 'removed', type, id, fields: {} })
    },
    once: (key, change) => {
      if (!done.has(key)) done.set(key, change())
      return done.get(key)
    },
    snapshot: () => Object.fromEntries([...types].map(([type, records]) => [type, Object.fromEntries(records)])),
    changes: () => [...made],
  }
}

/** What has to happen to `before` to become `after`; empty when nothing has. */
export function diff(before: Snapshot, after: Snapshot): readonly Change[] {
  const types = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...types].flatMap((type) => diffOfType(type, before[type] ?? {}, after[type] ?? {}))
}

type Records = Readonly<Record<string, StoredRecord>>

function diffOfType(type: string, before: Records, after: Records): readonly Change[] {
  const ids = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...ids].flatMap((id) => diffOfRecord(type, id, before[id], after[id]))
}

function diffOfRecord(
  type: string,
  id: string,
  old: StoredRecord | undefined,
  now: StoredRecord | undefined,
): readonly Change[] {
  if (isDeepStrictEqual(old, now)) return []
  return [now === undefined ? { kind: 'removed', type, id, fields: {} } : changeTo(type, id, old, now)]
}

const changeTo = (type: string, id: string, old: StoredRecord | undefined, now: StoredRecord): Change =>
  old === undefined
    ? { kind: 'added', type, id, fields: now }
    : { kind: 'changed', type, id, fields: changedFields(old, now) }

const changedFields = (old: StoredRecord, now: StoredRecord): StoredRecord =>
  Object.fromEntries(Object.entries(now).filter(([name, value]) => old[name] !== value))
