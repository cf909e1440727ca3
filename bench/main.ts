import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
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

const USAGE = `npm run bench -- [--only TEXT]...

Measures the gate and what it is made of, and shows each figure beside its target.
A missed target is a figure, not a failure: it ends with 0.

  --only TEXT  only the measurements with TEXT in their name; may be repeated.
               Shows them and writes nothing: the results are of one whole run.
  --help       this text

Measurements:
${Object.keys(MEASUREMENTS)
  .map((name) => `  ${name}`)
  .join('\n')}

Example: npm run bench -- --only decision
`

/** Measures everything in one run and keeps it in `results/bench.json`. */
async function all(): Promise<void> {
  const { sections, about } = await measured(Object.keys(MEASUREMENTS))
  const runtime = sections.find((section) => section.runtime !== undefined)?.runtime
  const date = new Date().toISOString()
  const file = writeResults('bench.json', { date, machine: about, versions: versions(runtime), sections })
  const plot = await plotLatency(sections)
  process.stdout.write(`${shown(sections)}\n${verdict(sections, about)}\nWritten to ${file} and ${plot}.\n`)
}

async function some(texts: readonly string[]): Promise<void> {
  const names = Object.keys(MEASUREMENTS).filter((name) => texts.some((text) => name.includes(text)))
  if (names.length === 0) {
    complain(`--only: no measurement has "${texts.join('" or "')}" in its name`)
    return
  }
  const { sections, about } = await measured(names)
  process.stdout.write(`${shown(sections)}\n${verdict(sections, about)}\n`)
}

async function measured(
  names: readonly string[],
): Promise<{ readonly sections: readonly Section[]; readonly about: Machine }> {
  const place = newPlace()
  const about = machine()
  const sections: Section[] = []
  try {
    for (const name of names) sections.push(await inItsOwnProcess(name, place))
  } finally {
    place.remove()
  }
  return { sections, about }
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

function complain(problem: string): void {
  process.stderr.write(`bench: ${problem}\n\n${USAGE}`)
  process.exitCode = 2
}

/** @returns what is wrong with the arguments, as a sentence. */
function read(args: readonly string[]): { readonly only: readonly string[]; readonly help: boolean } | string {
  const options = { only: { type: 'string', multiple: true }, help: { type: 'boolean' } } as const
  try {
    const { only = [], help = false } = parseArgs({ args: [...args], options }).values
    return { only, help }
  } catch (cause) {
    return cause instanceof TypeError ? cause.message : String(cause)
  }
}

async function answer(args: readonly string[]): Promise<void> {
  const asked = read(args)
  if (typeof asked === 'string') complain(asked)
  else if (asked.help) process.stdout.write(USAGE)
  else await (asked.only.length === 0 ? all() : some(asked.only))
}

// The whole name of one, alone, is how a run starts each in a process of its own.
const measure = MEASUREMENTS[process.argv[2] ?? '']
await (measure === undefined ? answer(process.argv.slice(2)) : one(measure))
