import type { ToolArguments } from '../../core/tool-arguments.ts'
import { block, type Outcome } from '../outcome.ts'
import type { Place, Places } from '../places.ts'
import type { Policy } from '../policy.ts'
import { protectedTaint, type Screening } from '../screening.ts'
import { judgeCommand, strictest } from './judge-command.ts'
import { taintsIn, type Bench } from './judge-stage.ts'
import { readLine, tooLarge } from './line.ts'
import { isOpenFolder, planLine } from './plan.ts'
import type { SpelledStage, Stage } from './stage.ts'
import { createWalker, type Walker } from './walk.ts'

/** A line for a shell, or words that no shell sees. */
type ShellRequest = { readonly line: string } | { readonly argv: readonly string[] }

/** The decision, what goes on record, and what was judged: an executor runs these commands and no other text. */
export interface ShellScreening extends Screening {
  /** Empty for a request that was not taken. */
  readonly stages: readonly Stage[]
  /** The physical folder that they start in: the request's, or the one that a leading `cd` names. */
  readonly cwd: string
}

const MAX_SCANNED = 64 * 1024
const MAX_SCANNED_WORDS = 2000
const CWD_HINT = 'Start the command in a folder of the workspace.'
const PATTERNS =
  'Name the files one by one, or spell a pattern that no protected file matches with its folder, as src/*.ts; put a pattern for the program itself into single quotes.'

/**
 * Decides on one shell request. Every command of a line must pass; the strictest decides and all rules that fired are
 * listed. What names a protected path taints, whatever becomes of the request, before any early answer.
 * `cwd`: empty for the sandbox root, else relative to it or absolute. `walker`: hand in one that lives longer than the
 * request, so that folders which did not change are not read again. Spec: sections 1.4 and 2.4; weaknesses 12 and 13.
 */
export function judgeShell(
  request: ShellRequest,
  cwd: string,
  policy: Policy,
  places: Places,
  tainted: boolean,
  walker: Walker = createWalker({ protectedNames: policy.protected_names, nowMs: () => 0 }),
): ShellScreening {
  const place = places.locate(cwd === '' ? places.root : cwd, places.root)
  const folder = folderOf(place, places)
  const bench: Bench = { policy, places, walker, tainted, cwd: folder ?? ('path' in place ? place.path : places.root) }
  const reading = readRequest(request)
  if (!reading.ok) return refusedReading(reading, request, bench)
  const plan = planLine(reading.stages, bench)
  if ('detail' in plan) {
    return refusedReading({ rule: 'sh-syntax', detail: plan.detail, hint: { hint: PATTERNS } }, request, bench)
  }
  const { commands, strays } = plan
  const stages = commands.map(({ stage }) => stage)
  const judged = { normalized: { ...shown(stages), cwd: plan.cwd }, stages, cwd: plan.cwd }
  const taints = [...new Set(commands.flatMap(({ views }) => views.flatMap(({ viewed }) => viewed.taints)))]
  const start = folder === undefined ? place : strays
  if (start !== undefined) return { outcome: cwdOutcome(start, taints), ...judged }
  const [first, ...others] = commands.flatMap(({ stage, views }) =>
    views.map(({ viewed, bench: own }) => judgeCommand(stage, viewed, own)),
  )
  if (first === undefined) return { outcome: block('sh-syntax', 'no command', { taints }), ...judged }
  return { outcome: strictest([first, ...others], taints), ...judged }
}

type Refused = Pick<Extract<RequestReading, { readonly ok: false }>, 'rule' | 'detail' | 'hint'>

function refusedReading(
  { rule, detail, hint }: Refused,
  request: ShellRequest,
  { cwd, places }: Bench,
): ShellScreening {
  const taints = taintsIn(wordsOf(request), cwd, places)
  return { outcome: block(rule, detail, { taints, ...hint }), normalized: { ...request }, stages: [], cwd }
}

/** One plain command by its binary and words, as the contract has it; a line as its commands. */
function shown(stages: readonly Stage[]): ToolArguments {
  const [only, ...others] = stages
  if (only === undefined || others.length > 0 || only.redirects.length > 0) return { commands: stages }
  const [binary = '', ...args] = only.argv
  return { binary, args }
}

/** The physical path of a place that is an unprotected folder of the sandbox. */
const folderOf = (place: Place, places: Places): string | undefined =>
  place.kind === 'open' && isOpenFolder(place, places) ? place.path : undefined

function cwdOutcome(place: Place, taints: readonly string[]): Outcome {
  if (place.kind === 'protected') {
    return block('fs-protected', 'the current folder is protected', {
      taints: [...taints, protectedTaint(place.path)],
      hint: CWD_HINT,
    })
  }
  const detail = place.kind === 'refused' ? place.detail : 'the current folder is none, or outside the sandbox'
  return block('fs-sandbox', detail, { taints, hint: CWD_HINT })
}

type RequestReading =
  | { readonly ok: true; readonly stages: readonly SpelledStage[] }
  | {
      readonly ok: false
      readonly rule: 'sh-syntax' | 'parse-error'
      readonly detail: string
      readonly hint: { readonly hint?: string }
    }

function readRequest(request: ShellRequest): RequestReading {
  if ('line' in request) {
    const reading = readLine(request.line)
    if (reading.ok) return reading
    return { ok: false, rule: 'sh-syntax', detail: reading.detail, hint: { hint: reading.hint } }
  }
  const { argv } = request
  const broken = argv.some((word) => word.includes('\0')) || argv.some((word) => !word.isWellFormed())
  const detail = argv.length === 0 ? 'no words' : broken ? 'a word that no program can be given' : tooLarge(argv)
  if (detail !== undefined) return { ok: false, rule: 'parse-error', detail, hint: {} }
  return { ok: true, stages: [{ joint: ';', argv, redirects: [], expands: [], keeps: [] }] }
}

/** The words of a request that was not taken, as far as any shell could find some: with quotes and without. */
function wordsOf(request: ShellRequest): readonly string[] {
  const text = ('line' in request ? request.line : request.argv.join('\n')).slice(0, MAX_SCANNED)
  const loose = text.replace(/['"\\]/g, '')
  const words = [text, loose].flatMap((each) => each.split(/[\p{C}\p{Z};&|<>(){}$`"',*?!]+/u))
  return [...new Set(words)].slice(0, MAX_SCANNED_WORDS).filter((word) => word !== '')
}
