import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { killLoop, REACHED, type KillReport } from './kill-loop.ts'
import { CLI, newPlace } from './place.ts'
import { machine, versions, writeResults } from './report.ts'

const KILLS = '1000'

interface Wanted {
  readonly kills: number
  readonly seed: number
  /** Programs that are killed side by side, each on files of its own. */
  readonly lanes: number
}

/** Kills the program many times, keeps what was found in `results/soak.json`, and fails when anything was. */
async function soak(wanted: Wanted): Promise<boolean> {
  const progress = progressBar(wanted.kills)
  const startedMs = performance.now()
  const lanes = Array.from({ length: wanted.lanes }, (_, lane) => ({
    count: Math.floor((wanted.kills + lane) / wanted.lanes),
    seed: wanted.seed + lane,
  }))
  const reports = await Promise.all(lanes.map((each) => lane(each.count, each.seed, progress)))
  const faults = reports.flatMap((report) => report.faults)
  const found = {
    kills: sum(reports, ({ kills }) => kills),
    tooLate: sum(reports, ({ tooLate }) => tooLate),
    transfers: sum(reports, ({ transfers }) => transfers),
    reached: Object.fromEntries(REACHED.map((each) => [each, sum(reports, ({ reached }) => reached[each])])),
    effectsWithoutDecisionLine: faults.filter((fault) => fault.includes('has no decision line')).length,
    faults,
  }
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  const about = { date: new Date().toISOString(), machine: machine(), versions: versions() }
  const file = writeResults('soak.json', { ...about, wanted, seconds, ...found })
  process.stdout.write(`${spoken(found, seconds)}\nWritten to ${file}.\n`)
  return faults.length === 0
}

async function lane(count: number, seed: number, killed: (faults: readonly string[]) => void): Promise<KillReport> {
  const place = newPlace()
  try {
    return await killLoop({ cli: CLI, place, count, seed, killed })
  } finally {
    place.remove()
  }
}

const sum = (reports: readonly KillReport[], of: (report: KillReport) => number): number =>
  reports.reduce((total, report) => total + of(report), 0)

function spoken(
  found: Pick<KillReport, 'kills' | 'tooLate' | 'transfers' | 'faults'> & { reached: object },
  seconds: number,
): string {
  const reached = Object.entries(found.reached).map(([what, count]) => `  ${what}: ${String(count)}`)
  return [
    `${found.kills} kills in ${seconds} s (${found.tooLate} runs were over before their moment), ${found.transfers} transfers made.`,
    'How far the killed program had come:',
    ...reached,
    found.faults.length === 0 ? 'No effect without its decision line; every audit verifies.' : 'FAULTS:',
    ...found.faults.map((fault) => `  ${fault}`),
  ].join('\n')
}

/** A bar on a terminal, nothing elsewhere. */
function progressBar(total: number): (faults: readonly string[]) => void {
  let done = 0
  let wrong = 0
  return (faults) => {
    done += 1
    wrong += faults.length
    if (!process.stderr.isTTY) return
    const filled = Math.round((done / total) * 40)
    const bar = `${'█'.repeat(filled)}${'░'.repeat(40 - filled)}`
    process.stderr.write(`\r${bar} ${done}/${total} · ${wrong} faults${done === total ? '\n' : ''}`)
  }
}

/** @returns what is wrong with the arguments, as a sentence. */
function read(args: readonly string[]): Wanted | string {
  const number = { type: 'string' } as const
  try {
    const { values } = parseArgs({ args: [...args], options: { kills: number, seed: number, lanes: number } })
    const { kills = KILLS, seed = String(Date.now() % 2 ** 31), lanes = String(availableParallelism() * 2) } = values
    const wanted = { kills: Number(kills), seed: Number(seed), lanes: Math.min(Number(lanes), Number(kills)) }
    const isWhole = Object.values(wanted).every((value) => Number.isSafeInteger(value) && value >= 0)
    return isWhole && wanted.lanes > 0 ? wanted : 'a number is not whole, or is too small'
  } catch (cause) {
    return cause instanceof TypeError ? cause.message : String(cause)
  }
}

const wanted = read(process.argv.slice(2))
if (typeof wanted === 'string') {
  process.stderr.write(`soak: ${wanted}\n  Use: npm run soak -- [--kills 1000] [--seed N] [--lanes N]\n`)
  process.exitCode = 2
} else if (!(await soak(wanted))) process.exitCode = 1
