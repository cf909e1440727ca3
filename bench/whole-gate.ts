import { closeSync, openSync } from 'node:fs'
import { gatedCall } from './bank-gate.ts'
import { figure, median, quantile, timedUs, type Section } from './figures.ts'
import { openGraph, type Graph } from './graph.ts'
import { openLoopback } from './loopback.ts'
import { syncedLines } from './bare-lines.ts'
import type { Place } from './place.ts'

const WARM_UP = 50
const CALLS = 400

/** The gate with everything that it asks: intent-agent over A2A, PDP over AuthZEN, audit on disk. */
export async function wholeGate(place: Place): Promise<Section> {
  const [off, exact] = [
    await openGraph(place.file('gate-off.jsonl'), 'off'),
    await openGraph(place.file('gate-exact.jsonl'), 'exact'),
  ]
  const loopback = await openLoopback()
  const fd = openSync(place.file('floor.txt'), 'w')
  const synced = syncedLines(fd)
  const samples = { off: [] as number[], exact: [] as number[], post: [] as number[], lines: [] as number[] }
  const once = ({ composition, login }: Graph, turn: number) => timedUs(() => gatedCall(composition.gate, login, turn))
  try {
    for (let turn = 0; turn < WARM_UP + CALLS; turn++) {
      const measured = [
        await once(off, turn),
        await once(exact, turn),
        await timedUs(loopback.post),
        await timedUs(synced),
      ] as const
      if (turn < WARM_UP) continue
      samples.off.push(measured[0] / 1000)
      samples.exact.push(measured[1] / 1000)
      samples.post.push(measured[2] / 1000)
      samples.lines.push(measured[3] / 1000)
    }
  } finally {
    closeSync(fd)
    await loopback.close()
    for (const { composition } of [off, exact]) await composition.close()
  }
  const floor = { what: 'one bare POST on loopback', value: median(samples.post) }
  const target = { atMost: 3 }
  return {
    title: 'Whole gate on loopback stand-ins',
    how: 'authorize and run of one balance call: intent-agent (A2A), PDP (AuthZEN), audit synced; all take turns.',
    figures: [
      figure('one call, intent-agent and PDP asked, p50', 'ms', median(samples.off), { target, floor }),
      figure('one call, intent-agent and PDP asked, p99', 'ms', quantile(samples.off, 0.99)),
      figure('one call, sentence remembered, PDP asked, p50', 'ms', median(samples.exact), { target, floor }),
      figure('one call, sentence remembered, PDP asked, p99', 'ms', quantile(samples.exact, 0.99)),
      figure('of which the disk: two lines, each written and synced, p50', 'ms', median(samples.lines)),
    ],
  }
}
