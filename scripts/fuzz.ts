// Throws random paths, lines, commands, addresses and policies at the firewall, and holds every permit against what the
// kernel, bash, curl and WHATWG make of the same text. Ends with 1 when one of them contradicts.
//   npm run fuzz -- [--inputs 1000000] [--seed 1] [--target lines]
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { SettingError } from '../src/core/setting-error.ts'
import { commandTarget } from './fuzz-commands.ts'
import { lineTarget } from './fuzz-lines.ts'
import { pathTarget } from './fuzz-paths.ts'
import { policyTarget } from './fuzz-policies.ts'
import { fuzz, type FuzzResult, type FuzzTarget } from './fuzz-target.ts'
import { urlTarget } from './fuzz-urls.ts'
import { runScript } from './run-script.ts'

/** Starting a program for each input would take days; each distinct one is started up to this many. */
const MOST_RUNS = 20_000
const TARGETS: Readonly<Record<string, () => FuzzTarget>> = {
  paths: pathTarget,
  lines: lineTarget,
  commands: () => commandTarget(MOST_RUNS),
  urls: () => urlTarget(MOST_RUNS),
  policies: policyTarget,
}

await runScript('fuzz', async () => {
  const { values } = parseArgs({
    options: {
      inputs: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: '1' },
      target: { type: 'string', multiple: true, default: Object.keys(TARGETS) },
    },
  })
  const [inputs, seed] = [whole('--inputs', values.inputs), whole('--seed', values.seed)]
  const share = Math.ceil(inputs / values.target.length)
  const results: FuzzResult[] = []
  for (const name of values.target) {
    results.push(await fuzz(name, openTarget(name), { inputs: share, seed, step: progress(name, share) }))
  }
  show(results)
  if (results.some(({ findings }) => findings.length > 0)) process.exitCode = 1
})

function openTarget(name: string): FuzzTarget {
  const open = Object.hasOwn(TARGETS, name) ? TARGETS[name] : undefined
  if (open === undefined) {
    throw new SettingError('--target', `"${name}" is none`, `Use ${Object.keys(TARGETS).join(', ')}`)
  }
  return open()
}

function whole(option: string, text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new SettingError(option, `"${text}" is no number from 1`, 'Give a whole number')
}

function progress(name: string, total: number): (done: number) => void {
  if (!process.stderr.isTTY) return () => undefined
  return (done) => {
    process.stderr.write(`\r\u001b[2K${done === total ? '' : `${name} ${done}/${total}`}`)
  }
}

function show(results: readonly FuzzResult[]): void {
  const table = new Table({
    head: ['target', 'inputs', 'seconds', 'findings', 'of them'],
    style: { head: [], border: [] },
  })
  for (const { name, inputs, seconds, findings, counts } of results) {
    const of = Object.entries(counts).map(([what, count]) => `${what} ${count}`)
    table.push([name, String(inputs), seconds.toFixed(1), String(findings.length), of.join(', ')])
  }
  console.log(table.toString())
  for (const { findings } of results) for (const each of findings) console.log(`✗ ${each}`)
}
