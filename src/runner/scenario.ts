import { z } from 'zod'
import { SettingError } from '../core/setting-error.ts'
import { ChangePattern } from './changes.ts'
import { CertificateFields } from './reference.ts'
import { StrictJsonError, strictJson } from '../core/strict-json.ts'

/** Values of an outcome that a scenario may expect; what is left out follows from the kind. */
export interface Expectation {
  /** An unauthorized call runs, a leak is seen, or money moves that may not move. */
  readonly lands: boolean
  /** What `completes` names comes about. */
  readonly completes: boolean
  /** Authorized calls that are denied. */
  readonly denied: number
  /** What became of each call, in order: `ran`, or the code that stopped it. Absent: any. */
  readonly outcomes?: readonly string[] | undefined
  /** Cards that are put to a person. Absent: any number. */
  readonly prompts?: number | undefined
  /** Tools that no turn may show to the model. */
  readonly hides?: readonly string[] | undefined
}

/** The set-ups that an expectation is stated for. */
export const SETUPS = ['prompt-only', 'gate', 'gate+certificates'] as const
/** A mode, and with the gate whether certificates count. */
export type Setup = (typeof SETUPS)[number]

/** What may be out of order in a run with the gate: who decides, who reads sentences, what a customer owns. */
const PARTS = ['pdp', 'intent-agent', 'customer-data'] as const

const text = z.string().min(1).max(20_000)
const Pattern = z.strictObject({ name: text, arguments: z.record(z.string(), z.unknown()).default({}) })
// Text is sent to the runtime as it is, broken JSON included.
const Call = z.strictObject({ name: text, arguments: z.union([z.string(), z.record(z.string(), z.unknown())]) })
const Move = z.strictObject({
  from: text,
  to: text,
  amount: z.string().regex(/^(0|[1-9]\d{0,11})\.\d{2}$/, 'must be spelled like 500.00'),
})
const Turn = z.strictObject({
  user: text,
  by: text.optional(),
  calls: z.array(Call).default([]),
  together: z.boolean().default(false),
  certificates: z.array(CertificateFields).min(1).optional(),
})
const Expected = z.strictObject({
  lands: z.boolean().optional(),
  completes: z.boolean().optional(),
  denied: z.int().nonnegative().optional(),
  outcomes: z.array(text).optional(),
  prompts: z.int().nonnegative().optional(),
  hides: z.array(text).min(1).optional(),
})
const expected = Expected.default({})

// Strict all the way down, because the files are ours: a misspelt field would silently change what is shown.
const Item = z
  .strictObject({
    id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9-]{0,39}$/, 'must be letters, digits and hyphens, at most 40'),
    kind: z.enum(['attack', 'limitation', 'control'], { error: 'must be attack, limitation or control' }),
    title: text,
    bank: text.default('canbank'),
    caller: text,
    turns: z.array(Turn).min(1),
    data: z.strictObject({ memos: z.record(z.string(), text).default({}) }).default({ memos: {} }),
    authorized: z.array(Pattern).default([]),
    harmless: z.array(Pattern).optional(),
    injected: z.array(Pattern).default([]),
    asks: z.array(text).optional(),
    leaks: z.array(text).default([]),
    moves: z.array(Move).max(8).default([]),
    changes: z.array(ChangePattern).max(8).optional(),
    completes: z
      .strictObject({
        shows: z.array(text).default([]),
        moves: z.boolean().default(false),
        changes: z.boolean().optional(),
      })
      .optional(),
    approver: z.array(Pattern).default([]),
    broken: z.array(z.enum(PARTS, { error: `must be ${PARTS.join(', ')}` })).default([]),
    expect: z
      .strictObject({ 'prompt-only': expected, gate: expected, 'gate+certificates': expected })
      .partial()
      .default({}),
  })
  .refine(({ kind, completes }) => kind !== 'control' || isAnything(completes), {
    path: ['completes'],
    error: 'is needed by a control: name what it shows, or that its moves or changes are made',
  })

interface Completes {
  readonly shows: readonly string[]
  readonly moves: boolean
  readonly changes?: boolean | undefined
}

const isAnything = (completes: Completes | undefined): boolean =>
  completes !== undefined && (completes.moves || completes.changes === true || completes.shows.length > 0)

const File = z.strictObject({
  scenarios: z.literal(1, { error: 'must be 1, the version of the form' }),
  family: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be a lower-case word'),
  items: z.array(z.unknown()).min(1),
})

/** A call as a pattern: its arguments must be equal, amounts in any spelling. */
export type CallPattern = Readonly<z.output<typeof Pattern>>
/** What a scenario is for: an attack, a limitation of identity alone, or a control that must go through. */
export type Kind = z.output<typeof Item>['kind']
/** What may be out of order in a run. */
export type Part = (typeof PARTS)[number]

/** One scenario of a file, with every default filled in. */
export type Scenario = Readonly<z.output<typeof Item>> & {
  /** Of its file; scenarios are counted by it. */
  readonly family: string
  /** The file that it was read from, for messages. */
  readonly file: string
}

/**
 * The scenarios of one file.
 * @throws SettingError that names the file, the scenario and the field.
 */
export function readScenarios(content: string, file: string): readonly Scenario[] {
  const parsed = File.safeParse(jsonOf(content, file))
  if (!parsed.success) throw wrong(file, undefined, parsed.error)
  const { family, items } = parsed.data
  return readItems(items, family, file)
}

/**
 * The scenarios of a list, wherever it stands.
 * @param file names it in errors.
 * @throws SettingError that names the file, the scenario and the field.
 */
export function readItems(items: readonly unknown[], family: string, file: string): readonly Scenario[] {
  return items.map((item, index) => {
    const read = Item.safeParse(item)
    if (read.success) return { ...read.data, family, file }
    throw wrong(file, nameOf(item, index), read.error)
  })
}

/** @throws SettingError when two of them have the same id. */
export function checkIds(scenarios: readonly Scenario[]): void {
  const files = new Map<string, string>()
  for (const { id, file } of scenarios) {
    const other = files.get(id)
    if (other !== undefined) throw scenarioError(file, id, 'id', `is also the id of a scenario in ${other}`)
    files.set(id, file)
  }
}

/** What is wrong with one field of one scenario. */
export const scenarioError = (file: string, id: string, field: string, problem: string): SettingError =>
  new SettingError(`${file}, scenario ${id}, field ${field}`, problem, HOW)

const HOW = 'See scenarios/README.md for the fields'

function wrong(file: string, id: string | undefined, { issues: [issue] }: z.ZodError): SettingError {
  const field = fieldOf(issue)
  const problem = issue?.message ?? 'is not valid'
  if (id !== undefined) return scenarioError(file, id, field, problem)
  return new SettingError(field === '' ? file : `${file}, field ${field}`, problem, HOW)
}

/** An unknown field is reported beside it; the reader looks for its name. */
function fieldOf(issue: z.core.$ZodIssue | undefined): string {
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  return z.core.toDotPath([...(issue?.path ?? []), ...unknown])
}

const nameOf = (item: unknown, index: number): string =>
  typeof item === 'object' && item !== null && 'id' in item && typeof item.id === 'string'
    ? item.id
    : `number ${index + 1}`

function jsonOf(content: string, file: string): unknown {
  try {
    return strictJson(content)
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    throw new SettingError(file, `it is not usable JSON (${cause.message})`, 'Write one JSON object without comments')
  }
}
