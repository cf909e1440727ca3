import Table from 'cli-table3'
import { LEVELS } from './certify-case.ts'
import { whyKnown, type Known } from './certify-known.ts'
import type { Result } from './certify-run.ts'

export interface Judged extends Result {
  /** Why a failure was expected. */
  readonly why?: string
}

/** Results beside what is known. */
export const judged = (results: readonly Result[], known: readonly Known[]): readonly Judged[] =>
  results.map((each) => {
    const why = each.passed ? undefined : whyKnown(each.id, known)
    return why === undefined ? each : { ...each, why }
  })

/** What nobody expected: a failure that is not known, and a known one that every case of has gone. */
export function surprises(results: readonly Judged[], known: readonly Known[]): readonly string[] {
  const failed = results.filter(({ passed, why }) => !passed && why === undefined)
  const gone = known.filter(({ why }) => !results.some((each) => each.why === why))
  return [
    ...failed.map(({ id, problem = '' }) => `${id} fails: ${problem}`),
    ...gone.map(({ cases, why }) => `${cases.join(', ')} should fail ("${why}"), and passes`),
  ]
}

/** Passed and asked, by level. */
export const byLevel = (results: readonly Result[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    LEVELS.map((level) => {
      const of = results.filter((each) => each.level === level)
      return [level, `${of.filter(({ passed }) => passed).length}/${of.length}`]
    }),
  )

const mark = ({ passed, why }: Judged): string => (passed ? 'pass' : why === undefined ? 'FAIL' : 'known')

/** For a terminal: one row a case. */
export function shownResults(results: readonly Judged[]): string {
  const table = new Table({
    head: ['case', 'level', 'the PDP', '', 'what was wrong'],
    style: { head: [], border: [], compact: true },
  })
  for (const each of results) {
    const { id, level, says, problem = '', why } = each
    table.push([id, level, says, mark(each), why === undefined ? problem : `${problem}: ${why}`])
  }
  const counts = Object.entries(byLevel(results)).map(([level, count]) => `${level} ${count}`)
  return `${table.toString()}\n${counts.join(', ')}\n`
}

/** One engine's run. */
export interface EngineRun {
  readonly engine: string
  readonly version: string
  readonly date: string
  readonly results: readonly Judged[]
}

/** The table of `results/certification.md`: cases down, engines across, and below why what fails does. */
export function markdown(runs: readonly EngineRun[]): string {
  const head = runs.map(({ engine, version }) => `${engine} ${version}`)
  const levels = LEVELS.map((level) =>
    row(`**${level}**`, '', ...runs.map(({ results }) => byLevel(results)[level] ?? '')),
  )
  const ids = runs[0]?.results.map(({ id, says }) => ({ id, says })) ?? []
  const cases = ids.map(({ id, says }) => row(id, says, ...runs.map((run) => marked(run, id))))
  return [
    '# AuthZEN 1.0 certification scenario',
    '',
    'Written by `npm run certify -- --all`: our own runner of the scenario, against each engine on loopback over TLS with',
    "the scenario's fixture. It is no certificate of the OpenID Foundation.",
    '',
    ...[row('', '', ...head), row('---', '---', ...runs.map(() => '---'))],
    ...[row('date', '', ...runs.map(({ date }) => date.slice(0, 10))), ...levels, ...cases],
    '',
    '## What fails, and why',
    '',
    ...runs.flatMap(reasons),
  ].join('\n')
}

const row = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

function marked({ results }: EngineRun, id: string): string {
  const found = results.find((each) => each.id === id)
  return found === undefined ? '' : mark(found)
}

function reasons({ engine, results }: EngineRun): readonly string[] {
  const whys = new Map<string, string[]>()
  for (const { id, passed, why, problem = '' } of results) {
    if (passed) continue
    const reason = why ?? `not expected: ${problem}`
    whys.set(reason, [...(whys.get(reason) ?? []), id])
  }
  const lines = [...whys].map(([why, ids]) => `- ${why}: ${ids.join(', ')}`)
  return [`### ${engine}`, '', ...(lines.length === 0 ? ['Nothing.'] : lines), '']
}
