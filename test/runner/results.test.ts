import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { resultsReport } from '../../scripts/results-report.ts'
import { addFiles } from '../../src/cli/scenarios-files.io.ts'
import { createScores } from '../../src/cli/scenarios-scores.ts'

const place = (name: string): string => fileURLToPath(new URL(`../../results/${name}`, import.meta.url))

it('says in results/README.md what the transcripts beside it come to, to the byte', async () => {
  const names = readdirSync(place('runs')).toSorted()
  expect(names.filter((name) => !name.endsWith('.jsonl'))).toEqual([])
  const scores = createScores()
  await addFiles(
    scores,
    names.map((name) => place(`runs/${name}`)),
  )
  expect(resultsReport(scores.groups(), scores.failures(), names)).toBe(readFileSync(place('README.md'), 'utf8'))
})
