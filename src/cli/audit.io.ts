import type { OpenDecision } from '../audit/open-decisions.ts'
import { openDecisions, readAudit, followAudit } from '../audit/show.io.ts'
import { joinRecords, matches, type AuditLine, type CallRow, type RowFilter } from '../audit/show.ts'
import { verifyAudit, type Verification } from '../audit/verify.io.ts'
import { SettingError } from '../core/setting-error.ts'
import { visibleJson } from '../core/visible.ts'
import { NotIntact, Unverified } from './failure.io.ts'
import { interruptible } from './interrupt.io.ts'
import { paint, print, printJson, table, tell } from './output.io.ts'

/** Which rows `audit show` prints, and how; without a filter every row, as a table. `since` is an ISO 8601 instant. */
export interface ShowOptions {
  readonly tenant?: string
  readonly caller?: string
  readonly tool?: string
  readonly session?: string
  readonly decision?: string
  readonly code?: string
  readonly since?: string
  readonly follow?: boolean
  readonly full?: boolean
  readonly json?: boolean
}

/** `intent-gate audit verify FILE`: exit 1 when the file was changed, cut or reordered. */
export async function verifyCommand(file: string, { json }: { readonly json?: boolean }): Promise<void> {
  const verification = await verifyAudit(file)
  if (json === true) printJson(verification)
  else showVerification(file, verification)
  if (!verification.ok) throw new Unverified(`${file} does not verify`)
}

function showVerification(file: string, { ok, lines, problems, notes }: Verification): void {
  print(ok ? paint.green(`✓ ${file}: ${lines} lines, intact`) : paint.red(`✗ ${file}: ${lines} lines, NOT intact`))
  for (const each of problems) print(`  ${placed(each)}`)
  for (const each of notes) print(paint.dim(`  ${placed(each)}`))
}

/** What is about the whole file has line 0. */
const placed = ({ line, says }: Verification['notes'][number]): string => (line === 0 ? says : `line ${line}: ${says}`)

/** `intent-gate audit show FILE`: one row for each call. */
export async function showCommand(file: string, options: ShowOptions): Promise<void> {
  const filter = filterOf(options)
  const { rows, unreadable, endByte } = await readAudit(file, filter)
  if (options.json === true) for (const row of rows) printJson(row)
  else print(options.full === true ? rows.map(fullView).join('\n\n') : auditTable(rows))
  if (unreadable > 0) tell(`${unreadable} lines are no records; see intent-gate audit verify ${file}`)
  if (options.follow !== true) {
    await mustBeIntact(file)
    return
  }
  const onRecord = (record: AuditLine): void => {
    for (const row of joinRecords([record]).filter((each) => matches(each, filter))) {
      print(options.json === true ? visibleJson(row) : cellsOf(row).join('  '))
    }
  }
  await followAudit(file, onRecord, interruptible(), { fromByte: endByte })
}

/** Calls as a table for the terminal. */
export const auditTable = (rows: readonly CallRow[]): string =>
  rows.length === 0 ? 'no calls' : table(HEAD, rows.map(cellsOf))

/**
 * What was shown is only as good as the file: exit 1 when it was changed, cut or reordered, with the first line of it.
 * Afterwards, as somebody may need what is left.
 */
async function mustBeIntact(file: string): Promise<void> {
  const {
    problems: [first, ...others],
  } = await verifyAudit(file)
  if (first === undefined) return
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  throw new NotIntact(`${file} does not verify: ${placed(first)}${more}`)
}

/** `intent-gate audit reconcile FILE`: permitted calls without an outcome. */
export async function reconcileCommand(file: string, { json }: { readonly json?: boolean }): Promise<void> {
  const open = await openDecisions(file)
  if (json === true) for (const call of open) printJson(call)
  else if (open.length > 0) showOpen(open)
  await mustBeIntact(file)
  if (json !== true && open.length === 0) print(`${file}: every permitted call has an outcome`)
}

function showOpen(open: readonly OpenDecision[]): void {
  print(
    table(
      ['decision', 'time', 'caller', 'call'],
      open.map(({ id, at, caller, tool, args }) => [id, at, caller, `${tool} ${args}`]),
    ),
  )
  print(`${open.length} permitted calls have no outcome: they ran or did not run before a crash.`)
  print('Look each up in its own system by the decision id, which is the idempotency key, before anybody repeats it.')
}

const HEAD = ['time', 'caller', 'decision', 'outcome', 'ms', 'call']

/** Characters of a call in a table; `--full` and `--json` show all of it. */
const CELL = 160

const cellsOf = (row: CallRow): readonly string[] => [
  row.at.slice(0, 19).replace('T', ' '),
  `${row.caller.replace(/^Customer:/, '')}@${row.tenant}`,
  row.code === '' ? row.decision : row.code,
  row.outcome,
  String(row.ms ?? ''),
  shortened(`${row.tool} ${row.args}`),
]

const shortened = (text: string): string =>
  text.length > CELL ? `${text.slice(0, CELL - 40)}…${text.slice(-39)}` : text

/** Everything on record about one call. */
const fullView = (row: CallRow): string =>
  [
    cellsOf(row).join('  '),
    ...(row.sentence === '' ? [] : [`  sentence   ${row.sentence}`]),
    ...row.evaluations.map((evaluation) => `  evaluation ${evaluation}`),
    ...row.opinions.map((opinion) => `  opinion    ${opinion}`),
    ...(row.detail === '' ? [] : [`  detail     ${row.detail}`]),
  ].join('\n')

function filterOf({ since, ...filter }: ShowOptions): RowFilter {
  if (since === undefined) return filter
  const sinceMs = Date.parse(since)
  if (Number.isNaN(sinceMs)) {
    throw new SettingError('--since', `"${since}" is not a time`, 'Give ISO 8601, such as 2026-12-01T08:00:00Z')
  }
  return { ...filter, sinceMs }
}
