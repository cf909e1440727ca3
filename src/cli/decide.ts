import { z } from 'zod'
import type { CertificateRecord } from '../audit/record.ts'
import type { Evaluation } from '../core/authzen.ts'
import type { Opinion } from '../core/opinion.ts'
import { reasonOf, type ReasonCode } from '../core/reasons.ts'
import { says } from '../core/says.ts'
import { strictJson, StrictJsonError } from '../core/strict-json.ts'
import { pass, refuse, type Verdict } from '../core/verdict.ts'
import type { Judgement } from '../gate/gate.ts'
import { certificateRecord, recordedOpinion } from '../gate/records.ts'

/** The longest line that is read, in bytes. */
export const MAX_LINE_BYTES = 1024 * 1024

// Loose: a line may carry more than this version reads (a test's expectation, a comment), and it changes nothing.
const Line = z.looseObject({
  id: z.union([z.string().max(256), z.int()]),
  caller: z.union([
    z.string().transform((id) => ({ type: 'Customer', id })),
    z.strictObject({ type: z.string(), id: z.string() }),
  ]),
  message: z.string().optional(),
  untrusted: z.array(z.strictObject({ tool: z.string(), text: z.string() })).optional(),
  session: z.string().min(1).max(128).optional(),
  turn: z.int().min(1).optional(),
  request: z.record(z.string(), z.unknown()),
})

/** One line of `decide`, read and checked. */
export type DecideLine = z.output<typeof Line>

/** One answer of `decide`: the contract's fields, and what the decision rests on. */
export interface DecideAnswer {
  readonly id: string | number | null
  readonly kind: 'permit' | 'clarify' | 'deny'
  readonly code: ReasonCode | null
  readonly cause: 'decision' | 'fault' | null
  readonly obligations: readonly string[]
  readonly says: string
  readonly rules: readonly string[]
  readonly tainted: boolean
  readonly opinions: readonly { readonly room: string; readonly kind: string; readonly code: string | null }[]
  readonly sentence?: string | undefined
  readonly evaluations?: readonly Evaluation[] | undefined
  readonly decisions?: readonly boolean[] | undefined
  readonly certificate?: CertificateRecord | undefined
  /** Of the card that is still to be answered; what `--approver` may name. */
  readonly digest?: string | undefined
  readonly ms: number
}

/** What could be read of a line, for the answer and the record of one that is refused. */
export interface Readable {
  readonly id: DecideAnswer['id']
  readonly caller?: DecideLine['caller'] | undefined
  readonly session?: string | undefined
  readonly turn?: number | undefined
  readonly request?: DecideLine['request'] | undefined
}

/** Nothing could be read. */
export const UNREADABLE: Readable = { id: null }

/** Reads one line. */
export function readLine(text: string): { readonly read: Readable; readonly line: Verdict<DecideLine> } {
  let value: unknown
  try {
    value = strictJson(text)
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    return { read: UNREADABLE, line: refuse('request.invalid', cause.message) }
  }
  const fields = z.record(z.string(), z.unknown()).safeParse(value)
  if (!fields.success) {
    return { read: UNREADABLE, line: refuse('request.invalid', 'no object', 'It must be one JSON object.') }
  }
  const parsed = Line.safeParse(value)
  if (parsed.success) return { read: parsed.data, line: pass(parsed.data) }
  const where = parsed.error.issues.map((issue) => issue.path.map(String).join('.')).join(', ')
  return { read: readable(fields.data), line: refuse('request.invalid', where, `Wrong or missing: ${where}.`) }
}

function readable(value: Readonly<Record<string, unknown>>): Readable {
  const { id, caller, session, turn, request } = Line.shape
  return {
    id: id.safeParse(value['id']).data ?? null,
    caller: caller.safeParse(value['caller']).data,
    session: session.safeParse(value['session']).data,
    turn: turn.safeParse(value['turn']).data,
    request: request.safeParse(value['request']).data,
  }
}

/** The answer to a line that never reached the gate. */
export function refusedAnswer(id: DecideAnswer['id'], code: ReasonCode, hint?: string): DecideAnswer {
  const decision = { kind: 'deny', reason: code } as const
  const opinion: Opinion = hint === undefined ? { room: 'gate', decision } : { room: 'gate', decision, hint }
  return answer(id, { id: '', decision, opinions: [opinion], ms: 0 })
}

/** A judgement in the form of the contract. */
export function answer(id: DecideAnswer['id'], judgement: Judgement): DecideAnswer {
  const { decision, opinions, sentence, evaluations, decisions, screened, certified, digest, ms } = judgement
  const obligations = decision.kind === 'permit' ? [...decision.obligations] : []
  const code = decision.kind === 'permit' ? null : decision.reason
  return {
    id,
    kind: decision.kind,
    code,
    cause: code === null ? null : reasonOf(code).cause,
    obligations,
    says: code === null ? permitted(obligations) : says(code, opinions),
    rules: screened?.rules ?? [],
    tainted: screened?.tainted ?? false,
    opinions: opinions.map(recordedOpinion),
    sentence,
    evaluations,
    decisions,
    digest,
    certificate: certified === undefined ? undefined : certificateRecord(certified),
    ms: Math.round(ms * 100) / 100,
  }
}

const permitted = (obligations: readonly string[]): string =>
  obligations.length === 0 ? 'Permitted.' : `Permitted after: ${obligations.join(', ')}.`
