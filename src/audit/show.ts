import { visibleLine } from '../core/visible.ts'

/** One line of a log as parsed; what is in it is not trusted. */
export interface AuditLine {
  /** From 1. */
  readonly line: number
  readonly value: Readonly<Record<string, unknown>>
}

/** One call as a person reads it. Every text is safe to print; one that is not known is empty. */
export interface CallRow {
  /** Of the decision. */
  readonly line: number
  /** ISO 8601, UTC. */
  readonly at: string
  readonly tenant: string
  /** `type:id`. */
  readonly caller: string
  readonly session: string
  readonly toolCallId: string
  readonly tool: string
  /** `name=value, …` */
  readonly args: string
  readonly sentence: string
  /** `subject · action · resource → decision`, one each. */
  readonly evaluations: readonly string[]
  /** `room: kind code`, in the order asked. */
  readonly opinions: readonly string[]
  /** What exactly was wrong, in words of the gate. */
  readonly detail: string
  /** `permit`, `clarify` or `deny`; `bypass` for a run without a permit; `recovered` for a crash. */
  readonly decision: string
  /** The reason of a refusal, the gate's or the tool's. */
  readonly code: string
  /** `done`, `refused`, …; empty when there is none. */
  readonly outcome: string
  /** Milliseconds of deciding; undefined when not known. */
  readonly ms: number | undefined
}

/** Which rows to show; what is absent does not matter. */
export interface RowFilter {
  readonly tenant?: string
  /** An id, or `type:id`. */
  readonly caller?: string
  readonly tool?: string
  readonly decision?: string
  readonly code?: string
  readonly session?: string
  /** Milliseconds since the epoch; earlier rows are left out, and rows without a time. */
  readonly sinceMs?: number
}

/** Puts each outcome to its decision: one row per call, in the order of the decisions. */
export function joinRecords(lines: Iterable<AuditLine>): readonly CallRow[] {
  const rows: CallRow[] = []
  const places = new Map<unknown, number>()
  for (const line of lines) {
    const { type, id, decision } = line.value
    const place = type === 'outcome' ? places.get(decision) : undefined
    const decided = place === undefined ? undefined : rows[place]
    if (place !== undefined && decided !== undefined) rows[place] = withOutcome(decided, line)
    else {
      if (type === 'decision') places.set(id, rows.length)
      rows.push(shownCall(line))
    }
  }
  return rows
}

/** One line as a row of its own, whatever it is. */
export function shownCall({ line, value }: AuditLine): CallRow {
  const ms = value['ms']
  return {
    line,
    at: text(value['at']),
    tenant: text(value['tenant']),
    caller: shownCaller(value['caller']),
    session: text(value['session']),
    toolCallId: text(value['toolCallId']),
    tool: text(value['tool']),
    args: shownArgs(value['args']),
    sentence: text(value['sentence']),
    evaluations: shownEvaluations(value['evaluations'], value['decisions']),
    opinions: shownOpinions(value['opinions']),
    detail: text(value['detail']),
    decision:
      value['type'] === 'decision' ? text(value['decision']) : value['type'] === 'outcome' ? '' : text(value['type']),
    code: text(value['type'] === 'recovered' ? value['reason'] : value['code']),
    outcome: value['type'] === 'outcome' ? text(value['outcome']) : '',
    ms: typeof ms === 'number' ? ms : undefined,
  }
}

/** True when the row is one that the filter asks for. */
export function matches(row: CallRow, filter: RowFilter): boolean {
  const { sinceMs, caller, ...exact } = filter
  if (sinceMs !== undefined && !(Date.parse(row.at) >= sinceMs)) return false
  if (caller !== undefined && row.caller !== caller && !row.caller.endsWith(`:${caller}`)) return false
  const pairs: readonly (readonly [string | undefined, string])[] = [
    [exact.tenant, row.tenant],
    [exact.tool, row.tool],
    [exact.decision, row.decision],
    [exact.code, row.code],
    [exact.session, row.session],
  ]
  return pairs.every(([wanted, found]) => wanted === undefined || wanted === found)
}

function withOutcome(row: CallRow, { value }: AuditLine): CallRow {
  const code = text(value['code'])
  return { ...row, outcome: text(value['outcome']), code: code === '' ? row.code : code }
}

function text(value: unknown): string {
  if (value === undefined || value === null) return ''
  return visibleLine(typeof value === 'string' ? value : JSON.stringify(value))
}

function shownCaller(caller: unknown): string {
  if (typeof caller !== 'object' || caller === null) return text(caller)
  const { type, id } = { type: undefined, id: undefined, ...caller }
  return `${text(type)}:${text(id)}`
}

function shownArgs(args: unknown): string {
  if (typeof args !== 'object' || args === null) return text(args)
  return Object.entries(args)
    .map(([name, value]) => `${visibleLine(name)}=${text(value)}`)
    .join(', ')
}

function shownEvaluations(evaluations: unknown, decisions: unknown): readonly string[] {
  const decided: readonly unknown[] = Array.isArray(decisions) ? decisions : []
  return listOf(evaluations).map((evaluation, index) => {
    const [subject, action, resource] = ['subject', 'action', 'resource'].map((part) => fieldsOf(evaluation[part]))
    const who = `${text(subject?.['type'])} ${text(subject?.['id'])}`
    const what = `${text(resource?.['type'])} ${text(resource?.['id'])}`
    return `${who} · ${text(action?.['name'])} · ${what} → ${decided[index] === undefined ? 'not asked' : text(decided[index])}`
  })
}

const shownOpinions = (opinions: unknown): readonly string[] =>
  listOf(opinions).map(({ room, kind, code }) => `${text(room)}: ${text(kind)} ${text(code)}`.trimEnd())

const listOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.map(fieldsOf) : []

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
