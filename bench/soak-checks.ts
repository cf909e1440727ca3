import type { AttemptedCall, TurnRecord } from '../adapters/hosts/session.ts'
import type { BankData } from '../src/canbank/bank.ts'
import { foreignIn, may, type Who } from './soak-banks.ts'
import type { Plan } from './soak-plan.ts'

/** What must never be, in a sentence each; empty when all is well. */
type Faults = readonly string[]

const named = ({ tenant, customer }: Who): string => `${customer} of ${tenant}`

/** Looks at one turn of a session: its reply, its calls and their decisions. */
export function turnFaults({ who, turns }: Plan, turn: number, { assistant, calls, ended, error }: TurnRecord): Faults {
  const planned = new Set((turns[turn] ?? []).map((call) => JSON.stringify([call.name, call.arguments])))
  return [
    ...(ended === 'done' ? [] : [`a turn of ${named(who)} ended as ${ended}: ${error ?? ''}`]),
    ...foreignIn(assistant, who).map((value) => `the reply to ${named(who)} holds ${value}`),
    ...calls.flatMap((call) => [
      ...(planned.has(JSON.stringify([call.tool, call.args])) ? [] : [`${named(who)} got a call that is not theirs`]),
      ...callFaults(call, who),
    ]),
  ]
}

function callFaults({ tool, args, judgement, executed }: AttemptedCall, who: Who): Faults {
  const { decision, evaluations = [] } = judgement
  const permitted = decision.kind === 'permit'
  return [
    ...(executed && !permitted ? [`${tool} of ${named(who)} ran and was not permitted`] : []),
    ...(permitted && !may(who, tool, recordOf(args)) ? [`${tool} was permitted to ${named(who)}, who may not`] : []),
    ...subjectFaults(evaluations, who, permitted),
    ...foreignIn(JSON.stringify(judgement), who).map((value) => `a decision for ${named(who)} holds ${value}`),
  ]
}

/** A refused call may have been refused because the intent-agent named somebody else. */
const subjectFaults = (
  evaluations: NonNullable<AttemptedCall['judgement']['evaluations']>,
  who: Who,
  permitted: boolean,
): Faults =>
  permitted && (evaluations.length === 0 || evaluations.some(({ subject }) => subject.id !== who.customer))
    ? [`${named(who)} was permitted something by an evaluation of somebody else`]
    : []

const recordOf = (args: unknown): Readonly<Record<string, unknown>> =>
  typeof args === 'object' && args !== null ? (args as Readonly<Record<string, unknown>>) : {}

/** A line of an audit as parsed. */
export type Line = Readonly<Record<string, unknown>>

/** Looks at every line of the audit: each must be of a session that there was, and of who was signed in there. */
export const lineFaults = (lines: readonly Line[], sessions: ReadonlyMap<unknown, Who>): Faults =>
  lines.flatMap((line) => {
    const who = sessions.get(line['session'])
    if (who === undefined) return ['a line of the audit is of no session']
    const caller = recordOf(line['caller'])['id']
    return [
      ...(line['tenant'] === who.tenant && caller === who.customer
        ? []
        : [`a line of the session of ${named(who)} is on record for somebody else`]),
      ...foreignIn(JSON.stringify(line), who).map((value) => `a line on ${named(who)} holds ${value}`),
    ]
  })

/** What a bank's books hold now, and which transfers were made. */
interface Books {
  readonly bank: BankData
  snapshot(): Readonly<Record<string, number>>
  hasTransfer(key: string): boolean
}

/**
 * Repeats the permitted transfers of the audit that were made, and compares with what the books hold: a transfer that
 * is not on record leaves a difference.
 */
export function effectFaults(
  books: Books,
  lines: readonly Line[],
): { readonly transfers: number; readonly faults: Faults } {
  const { bank } = books
  const made = lines.filter(
    (line) =>
      isPermit(line) &&
      line['tenant'] === bank.tenant &&
      line['tool'] === 'transfer_money' &&
      books.hasTransfer(String(line['id'])),
  )
  const explained = new Map([...bank.accounts, ...bank.externalPayees].map(({ id, minor }) => [id, minor]))
  for (const line of made) {
    const { from_account, to_account, amount } = recordOf(line['args'])
    const minor = Math.round(Number(amount) * 100)
    explained.set(String(from_account), (explained.get(String(from_account)) ?? 0) - minor)
    explained.set(String(to_account), (explained.get(String(to_account)) ?? 0) + minor)
  }
  const faults = Object.entries(books.snapshot())
    .filter(([id, minor]) => explained.get(id) !== minor)
    .map(([id, minor]) => `${id} of ${bank.tenant} holds ${minor} and the record explains ${explained.get(id) ?? 0}`)
  return { transfers: made.length, faults }
}

const isPermit = (line: Line): boolean => line['type'] === 'decision' && line['decision'] === 'permit'

/** Memory after so many sessions. */
export interface MemorySample {
  readonly sessions: number
  /** Resident megabytes (10^6 bytes) of this process. */
  readonly ownMb: number
  /** Of the Copilot runtime; absent where the system does not tell. */
  readonly runtimeMb?: number | undefined
}

/** Megabytes that 1,000 sessions may leave behind. */
const MAX_MB_PER_1000 = 25
/** One runtime alone would leave about 1,000. */
const MAX_RUNTIME_MB_PER_1000 = 250
/** Sessions over which the rise and fall of runtimes evens out. */
const RENEWALS = 500
const WARM_UP = 0.3
const MIN_SAMPLES = 20
const MIN_SESSIONS = 150

export interface MemoryReport {
  /** False when there were too few sessions or samples after the warm-up to tell a leak from noise. */
  readonly judged: boolean
  /** Slope of the least-squares line after the warm-up. */
  readonly ownMbPer1000: number
  readonly runtimeMbPer1000: number
  readonly faults: Faults
}

/**
 * Whether memory is flat once the first third of the sessions is over: ours, and that of the Copilot runtimes, which are
 * renewed and so rise and fall.
 */
export function memoryReport(samples: readonly MemorySample[], sessions: number): MemoryReport {
  const warm = samples.filter((sample) => sample.sessions >= sessions * WARM_UP)
  const span = (warm.at(-1)?.sessions ?? 0) - (warm[0]?.sessions ?? 0)
  const judged = warm.length >= MIN_SAMPLES && span >= MIN_SESSIONS
  const slope = (of: (sample: MemorySample) => number): number =>
    Math.round(10_000 * slopeOf(warm.map((sample) => [sample.sessions, of(sample)] as const))) / 10
  const ownMbPer1000 = slope(({ ownMb }) => ownMb)
  const runtimeMbPer1000 = slope(({ runtimeMb = 0 }) => runtimeMb)
  return {
    judged,
    ownMbPer1000,
    runtimeMbPer1000,
    faults: judged
      ? [
          ...over('our memory', ownMbPer1000, MAX_MB_PER_1000),
          ...(span < RENEWALS ? [] : over('that of the Copilot runtimes', runtimeMbPer1000, MAX_RUNTIME_MB_PER_1000)),
        ]
      : [],
  }
}

const over = (whose: string, megabytes: number, limit: number): readonly string[] =>
  megabytes > limit ? [`${whose} grows by ${megabytes} MB in 1,000 sessions (at most ${limit})`] : []

function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [meanX, meanY] = [mean(([x]) => x), mean(([, y]) => y)]
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
  return spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread
}
