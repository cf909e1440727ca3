import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'

/** A change of one record that a scenario allows; without an id, of any one of its type. */
export const ChangePattern = z.strictObject({
  kind: z.enum(['added', 'changed', 'removed'], { error: 'must be added, changed or removed' }),
  type: z.string().min(1),
  id: z.string().min(1).optional(),
  /** What is new: of an added record all fields, of a removed one none. */
  fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
})
export type ChangePattern = Readonly<z.output<typeof ChangePattern>>

/** A change that was made. */
export type MadeChange = ChangePattern & { readonly id: string }

/** How much of what may change has changed; `other` when anything else has. */
export type Extent = 'none' | 'some' | 'all' | 'other'

/** Each allowed change is good for one change. */
export function extentOf(allowed: readonly ChangePattern[], made: readonly MadeChange[]): Extent {
  const left = [...allowed]
  for (const change of made) {
    const at = left.findIndex((pattern) => fits(pattern, change))
    if (at === -1) return 'other'
    left.splice(at, 1)
  }
  if (left.length === 0 && allowed.length > 0) return 'all'
  return made.length === 0 ? 'none' : 'some'
}

const fits = ({ kind, type, id, fields }: ChangePattern, made: MadeChange): boolean =>
  kind === made.kind && type === made.type && (id ?? made.id) === made.id && isDeepStrictEqual(fields, made.fields)
