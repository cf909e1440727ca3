import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { SettingError } from '../src/core/setting-error.ts'
import type { Boxcar } from './agreement-questions.ts'

/** A question that a run has asked, with what it was told. */
export interface Recorded {
  /** Absent where the file does not say. */
  readonly tenant: string | undefined
  readonly boxcar: Boxcar
  /** Absent where there was no answer. */
  readonly decisions: readonly boolean[] | undefined
}

const Words = z.record(z.string(), z.unknown()).optional()
const Entity = z.object({ type: z.string(), id: z.string(), properties: Words })
const Evaluation = z.object({
  subject: Entity,
  action: z.object({ name: z.string(), properties: Words }),
  resource: Entity,
  context: Words,
})
// Loose on purpose: transcripts, results of scenarios and lines of the audit all hold these two beside other things.
const Asked = z.looseObject({
  evaluations: z.tuple([Evaluation]).rest(Evaluation),
  decisions: z.array(z.boolean()).optional(),
})

/**
 * Every list of evaluations in these files, wherever it is: JSON, or one JSON value a line.
 * @throws SettingError for a file that cannot be read, is neither, or holds none.
 */
export function recordedIn(file: string): readonly Recorded[] {
  const recorded = valuesOf(file).flatMap((value) => found(value, undefined))
  if (recorded.length === 0) throw new SettingError(file, 'holds no evaluations', 'Name what `chat --json` has printed')
  return recorded
}

function valuesOf(file: string): readonly unknown[] {
  const text = readText(file)
  const whole = parsed(text)
  if (whole !== undefined) return [whole]
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line, index) => {
    const value = parsed(line)
    if (value === undefined) throw new SettingError(file, `line ${index + 1} is not JSON`, 'Name JSON or JSON lines')
    return value
  })
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new SettingError(file, 'cannot be read', 'Name a file that this user can read')
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}

/** The nearest `tenant` around a list is the one that it was asked of. */
function found(value: unknown, around: string | undefined): readonly Recorded[] {
  if (typeof value !== 'object' || value === null) return []
  const tenant = 'tenant' in value && typeof value.tenant === 'string' ? value.tenant : around
  const within = Object.values(value).flatMap((each) => found(each, tenant))
  const asked = Asked.safeParse(value)
  if (!asked.success) return within
  const { evaluations, decisions } = asked.data
  const [first, ...others] = evaluations
  const boxcar: Boxcar = [evaluationOf(first), ...others.map(evaluationOf)]
  const told = decisions?.length === boxcar.length ? decisions : undefined
  return [...within, { tenant, boxcar, decisions: told }]
}

function evaluationOf({ subject, action, resource, context }: z.output<typeof Evaluation>): Boxcar[0] {
  const whole = <T extends { readonly properties?: z.output<typeof Words> }>({ properties, ...rest }: T) =>
    properties === undefined ? rest : { ...rest, properties }
  const evaluation = { subject: whole(subject), action: whole(action), resource: whole(resource) }
  return context === undefined ? evaluation : { ...evaluation, context }
}
