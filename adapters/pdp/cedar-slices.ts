import type { EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs'
import type { CedarEntity } from './cedar-source.ts'

/**
 * The entities that one request can reach: from the given ones over attributes, tags and parents. Cedar reads the
 * entities anew for each request, so it is handed these and not all of them; a strictly validated policy reaches no
 * other.
 */
export type Slices = (roots: readonly TypeAndId[]) => EntityJson[]

/** @param literals the entities that the policies name; every request can reach them. */
export function slicesOf(entities: readonly CedarEntity[], literals: readonly TypeAndId[]): Slices {
  const known = new Map(entities.map((each) => [keyOf(each.uid), each]))
  const reached = new Map<string, ReadonlySet<CedarEntity>>()
  const reachedFrom = (root: TypeAndId): ReadonlySet<CedarEntity> => {
    const key = keyOf(root)
    // Kept for known entities only: ids come from outside, and unknown ones are without end.
    const found = reached.get(key) ?? reach(root, known)
    if (known.has(key)) reached.set(key, found)
    return found
  }
  return (roots) => {
    const all = new Set<CedarEntity>()
    for (const root of [...literals, ...roots]) for (const each of reachedFrom(root)) all.add(each)
    return [...all].map(({ uid, attrs, parents, tags }) => ({
      uid,
      attrs,
      parents: [...parents],
      ...(tags === undefined ? {} : { tags }),
    }))
  }
}

function reach(root: TypeAndId, known: ReadonlyMap<string, CedarEntity>): ReadonlySet<CedarEntity> {
  const found = new Set<CedarEntity>()
  const open = [root]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const each = known.get(keyOf(next))
    if (each === undefined || found.has(each)) continue
    found.add(each)
    open.push(...each.parents, ...namedIn(each.attrs), ...namedIn(each.tags))
  }
  return found
}

/** Every entity that a JSON value of Cedar's names, in either of its spellings, anywhere in it. */
export function namedIn(value: unknown): readonly TypeAndId[] {
  if (typeof value !== 'object' || value === null) return []
  const within = Object.values(value).flatMap(namedIn)
  return isUid(value) ? [...within, { type: value.type, id: value.id }] : within
}

const isUid = (value: object): value is TypeAndId =>
  'type' in value && typeof value.type === 'string' && 'id' in value && typeof value.id === 'string'

const keyOf = ({ type, id }: TypeAndId): string => JSON.stringify([type, id])
