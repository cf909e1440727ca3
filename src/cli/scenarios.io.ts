import { readFileSync } from 'node:fs'
import { SettingError } from '../core/setting-error.ts'
import { readReviews, scoreFollowing } from '../runner/following.ts'
import { columns } from './columns.io.ts'
import { Unverified } from './failure.io.ts'
import { hanging } from './hanging.ts'
import { paint, print, printJson, table } from './output.io.ts'
import { addFiles } from './scenarios-files.io.ts'
import { drawGrid } from './scenarios-grid.io.ts'
import { accuracyGrid } from './scenarios-accuracy.ts'
import { metricsGrid } from './scenarios-metrics.ts'
import { createScores, type Scores } from './scenarios-scores.ts'
import {
  failureLines,
  familyGrid,
  FOLLOWING_HEAD,
  followingRow,
  settingLine,
  sumGrid,
  type Grid,
} from './scenarios-view.ts'

const HOW = 'Name files that `scenarios run --out` has written'

/** `intent-gate scenarios summarize FILES…`: the tables of saved runs, without a model. */
export async function summarizeCommand(files: readonly string[], { json }: { readonly json?: boolean }): Promise<void> {
  const scores = createScores()
  await addFiles(scores, files)
  if (scores.groups().length === 0) throw new SettingError(files.join(' '), 'holds no runs', HOW)
  showScores(scores, json === true)
}

/**
 * Prints one table for each way in which runs were made, then what was not as expected.
 * @throws Unverified when an expectation failed.
 */
export function showScores(scores: Scores, json: boolean): void {
  const [groups, failures] = [scores.groups(), scores.failures()]
  if (json) {
    const tables = groups.map(({ families, stages, ...group }) => ({
      ...{ ...group, families: Object.fromEntries(families), stages: Object.fromEntries(stages) },
    }))
    printJson({ tables, failures })
  } else {
    for (const group of groups) {
      print(paint.bold(hanging('', settingLine(group.setting), columns())))
      print(`${drawGrid(familyGrid(group), sumGrid(group))}\n`)
      const { metrics, accuracy = [] } = group
      if (metrics !== undefined) section(METRICS, metricsGrid(metrics))
      if (accuracy.length > 0) section(ACCURACY, accuracyGrid(accuracy))
    }
    for (const line of failureLines(failures)) print(paint.red(hanging('✗ ', line, columns())))
    if (failures.length === 0) print(paint.green(hanging('✓ ', AS_EXPECTED, columns())))
  }
  if (failures.length > 0) throw new Unverified('an expectation failed')
}

const METRICS = 'intent certificates: attacks that got a path, controls that were done'
const ACCURACY = 'fields of the certificates, beside what each message should give'

function section(title: string, grid: Grid): void {
  print(paint.bold(hanging('', title, columns())))
  print(`${drawGrid(grid)}\n`)
}

const AS_EXPECTED = 'every run came out as its scenario expects'

/** `intent-gate scenarios score-following FILE`: which model followed which injection, by reviewed traces. */
export function followingCommand(file: string, { json }: { readonly json?: boolean }): void {
  const scored = scoreFollowing(readReviews(textOf(file).split('\n'), file))
  if (json === true) printJson(scored)
  else print(table(FOLLOWING_HEAD, scored.map(followingRow)))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new SettingError(file, `cannot be read (${code})`, 'Name a file that this user can read')
  }
}
