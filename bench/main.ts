import { fileURLToPath } from 'node:url'
import { certificates } from './certificates.ts'
import type { Section } from './figures.ts'
import { firewall } from './firewall.ts'
import { inProcess } from './in-process.ts'
import { runNode } from './node-program.ts'
import { parts } from './parts.ts'
import { pdps } from './pdp.ts'
import { plotLatency } from './plot.ts'
import { newPlace, type Place } from './place.ts'
import { decideLines, oneShot } from './programs.ts'
import { machine, shown, versions, writeResults, type Machine } from './report.ts'
import { sessions } from './sessions.ts'
import { turns } from './turns.ts'
import { wholeGate } from './whole-gate.ts'
import { withRuntime } from './with-runtime.ts'

const MEASUREMENTS: Readonly<Record<string, (place: Place) => Promise<Section>>> = {
  'in-process decision': inProcess,
  'its parts': parts,
  'whole gate on stand-ins': wholeGate,
  'one decision of an engine': pdps,
  'turns on the real runtime': (place) => withRuntime((runtime, model) => turns(place, runtime, model)),
  '100 open sessions': (place) => withRuntime((runtime, model) => sessions(place, runtime, model)),
  'one question from the command line': oneShot,
  'decide --jsonl': decideLines,
  'intent certificates': certificates,
  firewall,
}

/**
 * Measures everything in one run, shows it beside its targets and keeps it in `results/bench.json`. A missed target is a
 * figure, not a failure.
 */
async function all(): Promise<void> {
  const place = newPlace()
  const about = machine()
  const sections: Section[] = []
  try {
    for (const name of Object.keys(MEASUREMENTS)) sections.push(await inItsOwnProcess(name, place))
  } finally {
    place.remove()
  }
  const runtime = sections.find((section) => section.runtime !== undefined)?.runtime
  const date = new Date().toISOString()
  const file = writeResults('bench.json', { date, machine: about, versions: versions(runtime), sections })
  const plot = await plotLatency(sections)
  process.stdout.write(`${shown(sections)}\n${verdict(sections, about)}\nWritten to ${file} and ${plot}.\n`)
}

/** So that no measurement warms, fills or slows another, and no setting of the machine changes it. */
async function inItsOwnProcess(name: string, { folder, env }: Place): Promise<Section> {
  process.stderr.write(`${name} …`)
  const npm = process.env['npm_execpath']
  const { ms, stdout } = await runNode([fileURLToPath(import.meta.url), name], {
    cwd: folder,
    env: npm === undefined ? env : { ...env, npm_execpath: npm },
    tells: true,
  })
  process.stderr.write(` ${(ms / 1000).toFixed(1)} s\n`)
  return JSON.parse(stdout) as Section
}

async function one(measure: (place: Place) => Promise<Section>): Promise<void> {
  const place = newPlace()
  try {
    process.stdout.write(JSON.stringify(await measure(place)))
  } finally {
    place.remove()
  }
}

function verdict(sections: readonly Section[], { load, cores }: Machine): string {
  const judged = sections.flatMap(({ figures }) => figures).filter(({ met }) => met !== undefined)
  const busy = load > cores ? ` The machine was busy: load ${load} on ${cores} cores.` : ''
  return `\n${judged.filter(({ met }) => met === true).length} of ${judged.length} targets met.${busy}`
}

const measure = MEASUREMENTS[process.argv[2] ?? '']
await (measure === undefined ? all() : one(measure))
