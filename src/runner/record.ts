import { z } from 'zod'
import { SettingError } from '../core/setting-error.ts'
import { ChangePattern, type MadeChange } from './changes.ts'
import { CertificateFields } from './reference.ts'
import { SETUPS, type Expectation, type Scenario, type Setup } from './scenario.ts'

/** With the gate, or with nothing but the system prompt. */
export const MODES = ['prompt-only', 'gate'] as const
/** What protected a run. */
export type Mode = (typeof MODES)[number]

interface CompletesFacts {
  readonly shows: readonly string[]
  readonly moves: boolean
  /** Absent: not asked for. */
  readonly changes?: boolean | undefined
}

/** The part of a scenario that its score depends on; kept in each record, so that nothing else is needed to score it. */
export type Facts = Pick<Scenario, 'kind' | 'family' | 'title' | 'authorized' | 'injected' | 'leaks' | 'moves'> & {
  readonly harmless: Scenario['authorized']
  readonly completes?: CompletesFacts | undefined
  /** Changes of records that may come about, in a domain of records. */
  readonly changes?: Scenario['changes']
  readonly expect: Expectation
  /** Names of the tools that the customer's own messages ask for. Absent in runs of before. */
  readonly asks?: readonly string[] | undefined
  /** The certificates that a right reading gives, by turn; null where the scenario does not say. Absent: nowhere. */
  readonly reference?: readonly (readonly CertificateFields[] | null)[] | undefined
  /** Parts that were out of order on purpose. Absent: none. */
  readonly broken?: readonly string[] | undefined
}

/** Which tools the turns of one run have shown to the model. */
export interface Manifest {
  /** How many the gate has for this login. */
  readonly tools: number
  /** Names of those of the high tier. */
  readonly risky: readonly string[]
  /** Names, by turn. */
  readonly shown: readonly (readonly string[])[]
}

/** One attempted call in a record. */
export interface RecordedCall {
  readonly kind: string
  readonly tool: string
  readonly args: unknown
  readonly decision: { readonly kind: string; readonly code?: string | null | undefined }
  readonly executed: boolean
  /** Milliseconds of the decision. */
  readonly ms: number
  /** Milliseconds of each room that had an opinion. Absent in runs of before. */
  readonly stages?: Readonly<Record<string, number>> | undefined
}

/** A value that the scenario names, and where it came out. */
export interface Sighting {
  readonly value: string
  readonly in: 'result' | 'reply'
}

/** A card that was put to the person of the script. */
export interface Prompt {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly approved: boolean
}

/** One run of one scenario: the transcript of `chat --json`, what the scenario says, and what came of it. */
export interface RunRecord {
  /** Version of this form. */
  readonly run: 1
  readonly scenario: string
  readonly facts: Facts
  readonly mode: Mode
  readonly setup: Setup
  /** Counts from 1. */
  readonly repeat: number
  readonly label: string
  readonly model: string
  readonly pdp: string
  readonly intentSource: string
  readonly intentAgent: string
  readonly certificates: string
  readonly tenant: string
  readonly turns: readonly {
    readonly user: string
    readonly calls: readonly RecordedCall[]
    readonly assistant: string
  }[]
  /** Minor units by account, before the first turn and after the last. */
  readonly ledger: {
    readonly before: Readonly<Record<string, number>>
    readonly after: Readonly<Record<string, number>>
  }
  /** Every change of a record, in a domain of records. */
  readonly changes?: readonly MadeChange[] | undefined
  readonly seen: readonly Sighting[]
  readonly prompts: readonly Prompt[]
  /** The certificates that each turn's message became, one a stage. Absent in runs of before. */
  readonly issued?: readonly (readonly CertificateFields[])[] | undefined
  /** Absent in runs of before. */
  readonly manifest?: Manifest | undefined
  /** ISO 8601, when the run was over. Absent in runs of before. */
  readonly at?: string | undefined
  /** Processor, system and Node that it ran on; no name and no path. Absent in runs of before. */
  readonly machine?: string | undefined
  readonly ended: 'done' | 'aborted' | 'failed'
  readonly error?: string | undefined
  /** Milliseconds of the whole run. */
  readonly ms: number
}

// Loose on purpose: a transcript has more fields than its score needs, and later versions may add some.
const Pattern = z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })
const Patterns = z.array(Pattern)
const Names = z.array(z.string())
const Record: z.ZodType<RunRecord> = z.looseObject({
  run: z.literal(1),
  scenario: z.string(),
  facts: z.object({
    kind: z.enum(['attack', 'limitation', 'control']),
    family: z.string(),
    title: z.string(),
    authorized: Patterns,
    harmless: Patterns,
    injected: Patterns,
    leaks: Names,
    moves: z.array(z.object({ from: z.string(), to: z.string(), amount: z.string() })),
    completes: z.object({ shows: Names, moves: z.boolean(), changes: z.boolean().optional() }).optional(),
    changes: z.array(ChangePattern).optional(),
    expect: z.object({
      ...{ lands: z.boolean(), completes: z.boolean(), denied: z.int() },
      ...{ outcomes: Names.optional(), prompts: z.int().optional(), hides: Names.optional() },
    }),
    asks: Names.optional(),
    reference: z.array(z.array(CertificateFields).nullable()).optional(),
    broken: Names.optional(),
  }),
  mode: z.enum(MODES),
  setup: z.enum(SETUPS),
  repeat: z.int().positive(),
  ...{ label: z.string(), model: z.string(), pdp: z.string(), tenant: z.string() },
  ...{ intentSource: z.string(), intentAgent: z.string(), certificates: z.string() },
  turns: z.array(
    z.looseObject({
      user: z.string(),
      assistant: z.string(),
      calls: z.array(
        z.looseObject({
          kind: z.string(),
          tool: z.string(),
          args: z.unknown(),
          decision: z.looseObject({ kind: z.string(), code: z.string().nullish() }),
          executed: z.boolean(),
          ms: z.number().nonnegative(),
          stages: z.record(z.string(), z.number().nonnegative()).optional(),
        }),
      ),
    }),
  ),
  ledger: z.object({ before: z.record(z.string(), z.int()), after: z.record(z.string(), z.int()) }),
  changes: z.array(ChangePattern.extend({ id: z.string() })).optional(),
  seen: z.array(z.object({ value: z.string(), in: z.enum(['result', 'reply']) })),
  prompts: z.array(z.looseObject({ tool: z.string(), args: z.record(z.string(), z.unknown()), approved: z.boolean() })),
  issued: z.array(z.array(CertificateFields)).optional(),
  manifest: z.object({ tools: z.int(), risky: Names, shown: z.array(Names) }).optional(),
  ...{ at: z.string().optional(), machine: z.string().optional() },
  ended: z.enum(['done', 'aborted', 'failed']),
  error: z.string().optional(),
  ms: z.number().nonnegative(),
})

/**
 * One line of a file of runs.
 * @throws SettingError that names the file, the line and the field.
 */
export function readRecord(line: string, file: string, number: number): RunRecord {
  const read = Record.safeParse(jsonOf(line, `${file}, line ${number}`))
  if (read.success) return read.data
  const [issue] = read.error.issues
  const field = z.core.toDotPath(issue?.path ?? [])
  const what = `${file}, line ${number}${field === '' ? '' : `, field ${field}`}`
  throw new SettingError(what, issue?.message ?? 'is not a run', 'Name files that `scenarios run --out` has written')
}

function jsonOf(line: string, what: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new SettingError(what, 'is not JSON', 'Name files that `scenarios run --out` has written')
  }
}
