import { openIdentity } from '../compose/workspace.io.ts'
import { SettingError } from '../core/setting-error.ts'
import { filterCases } from '../runner/corpus.ts'
import { columns } from './columns.io.ts'
import { runCase, type CaseResult } from './corpus-case.io.ts'
import { loadCorpus } from './corpus-files.io.ts'
import { Interrupted, Unverified } from './failure.io.ts'
import { hanging } from './hanging.ts'
import { interruptible } from './interrupt.io.ts'
import { paint, print, printJson, table } from './output.io.ts'
import { createProgress } from './scenarios-progress.io.ts'

export interface CorpusRunOptions {
  readonly filter?: string
  readonly json?: boolean
}

/**
 * `intent-gate corpus run [FILES…]`: plays every case through the gate, each in a workspace of its own.
 * @throws Unverified when a case did not come out as it says.
 */
export async function corpusRunCommand(files: readonly string[], options: CorpusRunOptions): Promise<void> {
  const cases = filterCases(loadCorpus(files), options.filter)
  if (cases.length === 0) throw new SettingError('--filter', 'names no case', 'Name an id, a family or an origin')
  const interrupt = interruptible()
  const progress = createProgress(cases.length)
  const results: CaseResult[] = []
  const identity = await openIdentity()
  try {
    for (const each of cases) {
      if (interrupt.aborted) break
      const result = await runCase(each, identity)
      results.push(result)
      progress.step(result.problems.length > 0)
    }
  } finally {
    progress.clear()
    await identity.close()
  }
  if (interrupt.aborted) throw new Interrupted()
  const failed = results.filter(({ problems }) => problems.length > 0)
  if (options.json === true) printJson({ cases: results.length, failed: failed.length, results })
  else show(results, failed)
  if (failed.length > 0) throw new Unverified('a case failed')
}

function show(results: readonly CaseResult[], failed: readonly CaseResult[]): void {
  const families = [...new Set(results.map(({ family }) => family))].toSorted()
  const rows = [
    ...families.map((name) =>
      row(
        name,
        results.filter(({ family }) => family === name),
      ),
    ),
    row('all', results),
  ]
  print(table(['family', 'attacks', 'benign', 'as expected'], rows))
  for (const { id, problems } of failed) print(paint.red(hanging(`✗ ${id} `, problems.join('; '), columns())))
  if (failed.length === 0) print(paint.green(hanging('✓ ', 'every case came out as it says', columns())))
}

function row(name: string, results: readonly CaseResult[]): readonly string[] {
  const benign = results.filter((each) => each.benign).length
  const right = results.filter(({ problems }) => problems.length === 0).length
  return [name, String(results.length - benign), String(benign), `${right} of ${results.length}`]
}
