import { mkdirSync, writeFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'
import Table from 'cli-table3'
import type { Figure, Section, Target } from './figures.ts'
import { ROOT, versionOf } from './place.ts'

/** What was measured on: nothing that names a machine, a person or a folder. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly system: string
  /** How many programs wanted a core during the last minute; above `cores`, the figures are of a busy machine. */
  readonly load: number
}

export const machine = (): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round((totalmem() / 2 ** 30) * 10) / 10,
  system: `${platform()} ${release()} ${arch()}`,
  load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
})

/** Versions of what ran. */
export const versions = (runtime?: string): Readonly<Record<string, string>> => ({
  'intent-gate': versionOf(),
  node: process.versions.node,
  '@github/copilot-sdk': versionOf('@github/copilot-sdk'),
  ...(runtime === undefined ? {} : { 'copilot runtime': runtime }),
  undici: versionOf('undici'),
})

/** Writes `results/<name>` below the package, two spaces deep. @returns its path from there. */
export function writeResults(name: string, value: object): string {
  mkdirSync(join(ROOT, 'results'), { recursive: true })
  writeFileSync(join(ROOT, 'results', name), `${JSON.stringify(value, undefined, 2)}\n`)
  return `results/${name}`
}

/** One table for each section: target, measured, floor and verdict. */
export const shown = (sections: readonly Section[]): string => sections.map(shownSection).join('\n')

function shownSection({ title, how, figures }: Section): string {
  const table = new Table({
    head: ['', 'target', 'measured', 'floor', ''],
    colAligns: ['left', 'right', 'right', 'right', 'left'],
    colWidths: [null, null, null, 44, null],
    wordWrap: true,
    style: { head: [], border: [], compact: true },
  })
  table.push(...figures.map(row))
  return `\n${title}\n${how}\n${table.toString()}`
}

const row = ({ what, unit, value, target, floor, met }: Figure): string[] => [
  what,
  target === undefined ? '' : shownTarget(target, unit),
  `${amount(value)} ${unit}`,
  floor === undefined ? '' : `${amount(floor.value)} ${unit} (${floor.what})`,
  met === undefined ? '' : met ? 'pass' : 'MISS',
]

const shownTarget = (target: Target, unit: string): string =>
  'atMost' in target ? `≤ ${amount(target.atMost)} ${unit}` : `≥ ${amount(target.atLeast)} ${unit}`

const amount = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 1 })
