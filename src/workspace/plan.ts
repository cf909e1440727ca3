import { z } from 'zod'
import type { Stage } from '../firewall/shell/stage.ts'

const Descriptor = z.union([z.literal(1), z.literal(2)])
const Redirect = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('read'), path: z.string() }),
  z.strictObject({ kind: z.literal('write'), descriptor: Descriptor, append: z.boolean(), path: z.string() }),
  z.strictObject({ kind: z.literal('empty') }),
  z.strictObject({ kind: z.literal('discard'), descriptor: Descriptor }),
  z.strictObject({ kind: z.literal('join'), descriptor: Descriptor, into: Descriptor }),
])
const Words = z.array(z.string())
const Command = z.strictObject({
  joint: z.enum(['|', '&&', '||', ';']),
  argv: Words.min(1),
  redirects: z.array(Redirect),
})

/** A shell request as the firewall normalized it. Anything else is not run. */
export const Shell = z.union([
  z.strictObject({ binary: z.string().min(1), args: Words, cwd: z.string().min(1), writes: Words.optional() }),
  z.strictObject({ commands: z.array(Command).min(1), cwd: z.string().min(1), writes: Words.optional() }),
])

/** A file request as the firewall normalized it: physical paths. */
export const Files = z.looseObject({ path: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]) })

/** The commands of a normalized shell request. */
export const stagesOf = (plan: z.output<typeof Shell>): readonly Stage[] =>
  'commands' in plan ? plan.commands : [{ joint: ';', argv: [plan.binary, ...plan.args], redirects: [] }]
