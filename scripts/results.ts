#!/usr/bin/env node
// Makes results/README.md and its plots from the transcripts in results/runs, and from nothing else.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addFiles } from '../src/cli/scenarios-files.io.ts'
import { createScores } from '../src/cli/scenarios-scores.ts'
import { SettingError } from '../src/core/setting-error.ts'
import { blockedPlot, latencyPlot, stagesPlot } from './results-plots.ts'
import { resultsReport } from './results-report.ts'
import { ROOT, runScript } from './run-script.ts'

const RESULTS = join(ROOT, 'results')

await runScript('results', async () => {
  const folder = join(RESULTS, 'runs')
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
  if (names.length === 0) throw new SettingError(folder, 'holds no transcripts', 'Copy those of `scenarios run --out`')
  const scores = createScores()
  await addFiles(
    scores,
    names.map((name) => join(folder, name)),
  )
  const groups = scores.groups()
  writeFileSync(join(RESULTS, 'README.md'), resultsReport(groups, scores.failures(), names))
  writeFileSync(join(RESULTS, 'blocked.svg'), await blockedPlot(groups))
  writeFileSync(join(RESULTS, 'decision-latency.svg'), await latencyPlot(groups))
  writeFileSync(join(RESULTS, 'latency-by-stage.svg'), await stagesPlot(groups))
  process.stdout.write('results/README.md, blocked.svg, decision-latency.svg, latency-by-stage.svg\n')
})
