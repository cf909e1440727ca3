import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { killLoop, REACHED, type KillReport } from './kill-loop.ts'
import { CLI, newPlace, ROOT, type Place } from './place.ts'
import { machine, versions } from './report.ts'
import { soakSessions, type SessionsReport } from './soak-sessions.ts'
import { soakProgress, type Progress } from './soak-progress.ts'

interface Wanted {
  readonly sessions: number
  readonly minutes: number
  readonly kills: number
  readonly seed: number
  /** Programs that are killed side by side, each on files of its own. */
  readonly lanes: number
}

const DAY_MINUTES = 24 * 60
const USAGE =
  'Use: npm run soak -- [--sessions 1000] [--minutes 10] [--kills 100] [--seed N] [--lanes 2] [--report results/soak.json]'

/** Runs sessions and kills side by side, keeps what was found in the report, and fails when anything was. */
async function soak(wanted: Wanted, report: string): Promise<boolean> {
  const place = alone()
  const progress = soakProgress(wanted)
  const startedMs = performance.now()
  try {
    let begin: () => void = () => undefined
    const begun = new Promise<void>((resolve) => (begin = resolve))
    const [sessions, kills] = await Promise.all([
      soakSessions({
        ...wanted,
        place,
        opened: () => {
          begin()
        },
        over: progress.session,
      }),
      begun.then(() => killed(wanted, progress)),
    ])
    progress.end()
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    const faults = [
      ...sessions.crossTalk,
      ...sessions.effectsWithoutRecord,
      ...sessions.memory.faults,
      ...sessions.faults,
    ]
    const ok = faults.length + kills.faults.length === 0
    const about = { date: new Date().toISOString(), machine: machine(), versions: versions() }
    mkdirSync(dirname(report), { recursive: true })
    writeFileSync(report, `${JSON.stringify({ ...about, wanted, seconds, ok, sessions, kills }, undefined, 2)}\n`)
    process.stdout.write(`${spoken(sessions, kills, seconds)}\n`)
    return ok
  } finally {
    place.remove()
  }
}

/** A home of this run's own: no setting and no `.env` of the machine reaches it. */
function alone(): Place {
  const place = newPlace()
  process.once('exit', place.remove)
  process.env = { ...place.env }
  process.chdir(place.folder)
  return place
}

async function killed(
  wanted: Wanted,
  progress: Progress,
): Promise<Omit<KillReport, 'reached'> & { readonly reached: object }> {
  const lanes = Array.from({ length: Math.min(wanted.lanes, wanted.kills) }, (_, lane) => lane)
  const reports = await Promise.all(
    lanes.map((lane) => killLane(Math.floor((wanted.kills + lane) / lanes.length), wanted.seed + lane, progress)),
  )
  const sum = (of: (each: KillReport) => number): number => reports.reduce((total, each) => total + of(each), 0)
  return {
    kills: sum(({ kills }) => kills),
    tooLate: sum(({ tooLate }) => tooLate),
    transfers: sum(({ transfers }) => transfers),
    reached: Object.fromEntries(REACHED.map((each) => [each, sum(({ reached }) => reached[each])])),
    faults: reports.flatMap(({ faults }) => faults),
  }
}

async function killLane(count: number, seed: number, progress: Progress): Promise<KillReport> {
  const place = newPlace()
  try {
    return await killLoop({ cli: CLI, place, count, seed, killed: progress.kill })
  } finally {
    place.remove()
  }
}

function spoken(sessions: SessionsReport, kills: Awaited<ReturnType<typeof killed>>, seconds: number): string {
  const { decisions, memory, crossTalk, effectsWithoutRecord, faults } = sessions
  const calls = Object.values(decisions).reduce((sum, each) => sum + each, 0)
  const played = Object.values(sessions.played)
    .flatMap(Object.values<number>)
    .reduce((sum, each) => sum + each, 0)
  const flat = `${memory.ownMbPer1000} MB more in 1,000 sessions (Copilot runtimes, renewed on the way: ${memory.runtimeMbPer1000} MB)`
  const checks = [
    ['memory', memory.judged ? flat : `${flat}, too short to judge`, memory.faults],
    ['cross-talk', 'no value of anybody else in a reply, a decision or the record', crossTalk],
    ['effects', 'none without its record', effectsWithoutRecord],
    ['audit', `${sessions.auditLines} lines, verified`, faults],
    ['kills', 'no effect without its decision line; every audit verifies', kills.faults],
  ] as const
  return [
    `${sessions.sessions} sessions of two banks in ${seconds} s: ${sessions.turns} turns, ${calls} calls, ${decisions['permit'] ?? 0} permitted, ${sessions.transfers} transfers, ${played} faults of PDP and agent played.`,
    `${kills.kills} kills (${kills.tooLate} runs were over before their moment), ${kills.transfers} transfers made: ${JSON.stringify(kills.reached)}.`,
    ...checks.flatMap(([name, well, found]) =>
      found.length === 0 ? [`✓ ${name}: ${well}`] : [`✗ ${name}`, ...found.map((fault) => `    ${fault}`)],
    ),
  ].join('\n')
}

/** @returns what is wrong with the arguments, as a sentence. */
function read(args: readonly string[]): { readonly wanted: Wanted; readonly report: string } | string {
  const text = (value: string) => ({ type: 'string', default: value }) as const
  const options = {
    ...{ sessions: text('1000'), minutes: text('10'), kills: text('100'), lanes: text('2') },
    ...{ seed: text(String(Date.now() % 2 ** 31)), report: text(`${ROOT}/results/soak.json`) },
  }
  try {
    const { report, minutes, sessions, kills, seed, lanes } = parseArgs({ args: [...args], options }).values
    const whole = { sessions: Number(sessions), kills: Number(kills), seed: Number(seed), lanes: Number(lanes) }
    const wanted = { ...whole, minutes: Number(minutes) }
    return wrongIn(whole, wanted) ?? { wanted, report: resolve(report) }
  } catch (cause) {
    return cause instanceof TypeError ? cause.message : String(cause)
  }
}

function wrongIn(whole: Readonly<Record<string, number>>, { lanes, minutes }: Wanted): string | undefined {
  if (!Object.values(whole).every((value) => Number.isSafeInteger(value) && value >= 0)) {
    return 'a number is not whole, or is below zero'
  }
  if (lanes === 0) return '--lanes is zero'
  return minutes >= 0 && minutes <= DAY_MINUTES ? undefined : '--minutes is not a number of minutes up to a day'
}

const asked = read(process.argv.slice(2))
if (typeof asked === 'string') {
  process.stderr.write(`soak: ${asked}\n  ${USAGE}\n`)
  process.exitCode = 2
} else {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  if (!(await soak(asked.wanted, asked.report))) process.exitCode = 1
}
