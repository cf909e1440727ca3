// Asks every engine that is here the same questions and prints where they differ: all 144 of each bank, then generated
// ones, and those of recorded runs. Ends with 1 when two engines disagree.
//   npm run agreement -- [--count 10000] [--seed 1] [--transcripts FILE …]
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import type { BankData } from '../src/canbank/bank.ts'
import { BANKS } from '../src/canbank/banks.ts'
import { SettingError } from '../src/core/setting-error.ts'
import type { World } from '../src/core/world.ts'
import { createWorld } from '../src/world.io.ts'
import { compare, engineParty, type Party, type Tally } from './agreement.ts'
import { COMPARABLE, demoLogin, type BankEngine } from './agreement-engines.ts'
import { generated, grid } from './agreement-questions.ts'
import { recordedIn, type Recorded } from './agreement-transcripts.ts'
import { runScript } from './run-script.ts'

await runScript('agreement', async () => {
  const { values, positionals } = parseArgs({
    options: {
      count: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      transcripts: { type: 'string', multiple: true, default: [] },
    },
    allowPositionals: true,
  })
  const [count, seed] = [whole('--count', values.count), whole('--seed', values.seed)]
  if (positionals.length > 0 && values.transcripts.length === 0) {
    throw new SettingError('agreement', `does not know "${positionals[0] ?? ''}"`, 'Name files after --transcripts')
  }
  // The shell's `--transcripts a b c` names three files.
  const recorded = [...values.transcripts, ...positionals].flatMap(recordedIn)
  const world = createWorld()
  try {
    for (const bank of Object.values(BANKS)) await inBank(bank, { count, seed, recorded }, world)
  } finally {
    await world.close()
  }
})

function whole(option: string, text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text)
  throw new SettingError(option, 'is not a whole number', 'Give one like 10000')
}

interface Asked {
  readonly count: number
  readonly seed: number
  readonly recorded: readonly Recorded[]
}

async function inBank(bank: BankData, { count, seed, recorded }: Asked, world: World): Promise<void> {
  const open: BankEngine[] = []
  try {
    const engines = await partiesOf(bank, world, open)
    show(`${bank.tenant}: the 144 questions`, await compare(engines, grid(bank)))
    if (count > 0) {
      show(
        `${bank.tenant}: ${count} generated ones, seed ${seed}`,
        await compare(engines, generated(bank, count, seed)),
      )
    }
    const own = recorded.filter(({ tenant = 'canbank' }) => tenant === bank.tenant)
    if (own.length === 0) return
    const told: Party = { name: 'recorded', ask: (_boxcar, index) => Promise.resolve(own[index]?.decisions) }
    const questions = own.map(({ boxcar }) => boxcar)
    show(`${bank.tenant}: ${own.length} recorded ones`, await compare([...engines, told], questions))
  } finally {
    for (const each of open) await each.close()
  }
}

async function partiesOf(bank: BankData, world: World, open: BankEngine[]): Promise<readonly Party[]> {
  const login = await demoLogin(bank, world)
  const parties: Party[] = []
  for (const { name, version, how, open: start } of COMPARABLE) {
    const engine = await start(bank, world)
    if (engine === undefined) {
      console.error(`agreement: ${name} is left out, it is not here. ${how}`)
      continue
    }
    open.push(engine)
    parties.push(engineParty(`${name} ${version}`, engine.pdp, login))
  }
  return parties
}

function show(title: string, { questions, counts, differences, disagreements }: Tally): void {
  const names = Object.keys(counts)
  const table = new Table({
    head: ['', 'permitted', 'denied', 'fault', ...names.map((name) => `≠ ${name}`)],
    style: { head: [], border: [], compact: true },
  })
  for (const name of names) {
    const { permitted = 0, denied = 0, faults = 0 } = counts[name] ?? {}
    const cells = names.map((other) => (name === other ? '' : String(between(differences, name, other))))
    table.push([name, permitted, denied, faults, ...cells])
  }
  console.log(`\n${title} (${questions})\n${table.toString()}`)
  for (const { boxcar, said } of disagreements) console.log(JSON.stringify({ boxcar, said }))
  if (disagreements.length > 0) process.exitCode = 1
}

function between(differences: ReadonlyMap<string, number>, one: string, other: string): number {
  return differences.get(`${one} / ${other}`) ?? differences.get(`${other} / ${one}`) ?? 0
}
