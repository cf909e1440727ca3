import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import type { Section } from './figures.ts'
import { ROOT } from './place.ts'

/** Microseconds in one of the unit. */
const MICROSECONDS: Readonly<Record<string, number>> = { µs: 1, ms: 1_000 }

interface Bar {
  readonly stage: string
  readonly section: string
  readonly us: number
}

/** Draws every measured time as a static SVG, `results/latency.svg`, on a logarithmic scale. @returns its path. */
export async function plotLatency(sections: readonly Section[]): Promise<string> {
  const view = new View(parse(compile(chart(sections.flatMap(barsOf))).spec), { renderer: 'none' })
  writeFileSync(join(ROOT, 'results', 'latency.svg'), `${await view.toSVG()}\n`)
  return 'results/latency.svg'
}

const barsOf = ({ title, figures }: Section): readonly Bar[] =>
  figures.flatMap(({ what, unit, value }) => {
    const factor = MICROSECONDS[unit]
    return factor === undefined ? [] : [{ stage: what, section: title, us: value * factor }]
  })

const chart = (bars: readonly Bar[]): TopLevelSpec => ({
  background: 'white',
  width: 420,
  title: 'Latency by stage',
  data: { values: [...bars] },
  mark: { type: 'bar' },
  encoding: {
    y: { field: 'stage', type: 'nominal', sort: null, title: null, axis: { labelLimit: 420 } },
    x: { field: 'us', type: 'quantitative', scale: { type: 'log' }, title: 'microseconds, logarithmic' },
    color: {
      field: 'section',
      type: 'nominal',
      title: null,
      legend: { orient: 'bottom', columns: 1, labelLimit: 420 },
    },
  },
})
