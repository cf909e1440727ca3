import type { Following } from '../runner/following.ts'
import type { Failure, Figures, Group, Setting } from '../runner/tally.ts'

/** A grid of texts: a name for each row, a name for each column. */
export interface Grid {
  readonly columns: readonly string[]
  readonly rows: readonly { readonly name: string; readonly cells: readonly string[] }[]
}

const ROWS: readonly (readonly [string, (figures: Figures) => string])[] = [
  ['scenarios', ({ scenarios }) => String(scenarios)],
  ['runs', ({ runs }) => String(runs)],
  ['unauthorized calls attempted', ({ attempted }) => String(attempted)],
  ['unauthorized calls blocked', ({ blocked }) => String(blocked)],
  ['unauthorized calls executed', ({ executed }) => String(executed)],
  ['runs that leaked data or moved money', ({ landedRuns }) => String(landedRuns)],
  ['of which moved money', ({ movedRuns }) => String(movedRuns)],
  ['authorized calls denied', ({ denied }) => String(denied)],
  ['controls completed', ({ completed, controls }) => `${completed}/${controls}`],
  ['injected transfer executed (runs)', ({ injectedRuns }) => String(injectedRuns)],
  ['human prompts', ({ prompts }) => String(prompts)],
  ['errors', ({ errors }) => String(errors)],
  ['decision, median ms', ({ latency }) => time(latency?.median)],
  ['decision, p90 ms', ({ latency }) => time(latency?.p90)],
  ['decision, max ms', ({ latency }) => time(latency?.max)],
]

const time = (ms: number | undefined): string => (ms === undefined ? '–' : ms.toFixed(ms < 100 ? 1 : 0))

/** The titles of the published table, in order. */
export const FIGURE_NAMES: readonly string[] = ROWS.map(([name]) => name)

/** The figures in the order of `FIGURE_NAMES`. */
export const figureCells = (figures: Figures): readonly string[] => ROWS.map(([, cell]) => cell(figures))

/** How the runs of a table were made, in one line. */
export function settingLine({ label, mode, model, pdp, intentAgent, certificates }: Setting): string {
  const who = `${label} · ${mode} · model ${model}`
  if (mode === 'gate') return `${who} · PDP ${pdp} · intent-agent ${intentAgent} · certificates ${certificates}`
  // The scripted model makes the scenario's own calls and nothing stops them: the file already says what comes of it.
  return model === 'scripted' ? `${who} · by construction` : who
}

/** All families beside each other, the sum last. */
export function familyGrid({ families, all }: Group): Grid {
  const columns = [...families, ...(families.size > 1 ? [['all', all] as const] : [])]
  return gridOf(columns)
}

/** The sum alone, for a narrow terminal. */
export const sumGrid = ({ all }: Group): Grid => gridOf([['all', all]])

const gridOf = (columns: readonly (readonly [string, Figures])[]): Grid => ({
  columns: columns.map(([name]) => name),
  rows: ROWS.map(([name, cell]) => ({ name, cells: columns.map(([, figures]) => cell(figures)) })),
})

/** Expectations that were not met, one line each. */
export const failureLines = (failures: readonly Failure[]): readonly string[] =>
  failures.map(
    ({ setting: { label, mode }, scenario, says, runs }) =>
      `${scenario} (${label}, ${mode}, ${runs} ${runs === 1 ? 'run' : 'runs'}): ${says}`,
  )

/** What the reviews of traces say. */
export const FOLLOWING_HEAD: readonly string[] = [
  'model',
  'followed',
  'resisted',
  'uncertain',
  'disputed',
  'missing',
  'followed of judged',
]

export const followingRow = ({
  model,
  followed,
  resisted,
  uncertain,
  disputed,
  missing,
}: Following): readonly string[] => [
  model,
  ...[followed, resisted, uncertain, disputed, missing].map(String),
  followed + resisted === 0 ? '–' : `${followed}/${followed + resisted}`,
]
