import { z } from 'zod'
import type { ActionRequest, HostCall } from './request.ts'

/** Turns the call of one tool into a request. Total: what it cannot read is `unknown` or `malformed`. */
export type Reader = (call: HostCall) => ActionRequest

/** For a tool that nobody knows. */
export const unknown: Reader = () => ({ tool: 'unknown' })
/** For a known tool with other arguments; `detail` never holds a value of the call. */
export const malformed = (detail: string): ActionRequest => ({ tool: 'malformed', detail })

/** A reader for arguments of one shape. */
export function fields<Shape extends z.ZodType>(
  shape: Shape,
  make: (args: z.output<Shape>, call: HostCall) => ActionRequest,
): Reader {
  return (call) => {
    const parsed = shape.safeParse(call.args)
    if (parsed.success) return make(parsed.data, call)
    return malformed(`${nameOf(parsed.error)} is missing, unknown or of another type`)
  }
}

const nameOf = (error: z.ZodError): string => String(error.issues[0]?.path[0] ?? 'an argument')

/** A text that names something. */
export const Name = z.string().min(1)

/** Optional members of any type. */
export const anything = <Key extends string>(
  ...keys: readonly Key[]
): Readonly<Record<Key, z.ZodOptional<z.ZodUnknown>>> =>
  // The keys are those of the list.
  Object.fromEntries(keys.map((key) => [key, z.unknown().optional()])) as Record<Key, z.ZodOptional<z.ZodUnknown>>
