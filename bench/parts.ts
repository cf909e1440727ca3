import { closeSync, openSync } from 'node:fs'
import { memoryLog } from '../src/audit/memory-log.ts'
import { EMPTY_CHAIN, sealer } from '../src/audit/chain.ts'
import { openAuditFile } from '../src/audit/jsonl.io.ts'
import type { AuditRecord } from '../src/audit/record.ts'
import type { NormalizedCall } from '../src/core/call.ts'
import { normalize } from '../src/firewall/normalize.ts'
import { checkCoverage } from '../src/intent/coverage.ts'
import { expectedResources } from '../src/intent/expected-resources.ts'
import { renderSentence } from '../src/intent/template.ts'
import type { World } from '../src/core/world.ts'
import { createWorld } from '../src/world.io.ts'
import { balanceCall, gatedCall, localGate, realTools, signInBob } from './bank-gate.ts'
import { bareLines, watchedLines } from './bare-lines.ts'
import { figure, median, nowUs, type Run, type Section } from './figures.ts'
import type { Place } from './place.ts'

const ROUNDS = 30
const CALLS = 300

type Part = readonly [what: string, run: Run]

/** Where the time of an in-process decision goes; the parts take turns, so that a busy moment hits all of them. */
export async function parts(place: Place): Promise<Section> {
  const world = createWorld()
  const audit = await openAuditFile(place.file('parts.jsonl'), { durable: false })
  const bare = place.file('bare.txt')
  const fd = openSync(bare, 'w')
  try {
    const measured = await interleaved([
      ...(await listed(world, (record) => audit.append(record))),
      ['the two lines alone, hashed and written', bareLines(fd)],
      ['the same, the file looked at before each', watchedLines(fd, bare)],
    ])
    return {
      title: 'Parts of an in-process decision',
      how: `each run ${CALLS} times in a row, ${ROUNDS} times in turn; the median of the means.`,
      figures: measured.map(([what, us]) => figure(what, 'µs', us)),
    }
  } finally {
    closeSync(fd)
    await audit.close()
    await world.close()
  }
}

async function listed(world: World, append: (record: AuditRecord) => unknown): Promise<readonly Part[]> {
  const login = await signInBob(world)
  const tools = realTools()
  const kept = memoryLog()
  await gatedCall(localGate(world, kept, login), login, 1)
  const [decision, outcome] = kept.records
  const call = balanceCall(login, 1)
  const normalized = normalize(call, tools)
  if (decision === undefined || outcome === undefined || !normalized.ok) throw new Error('the sample was not permitted')
  const silent = localGate(world, { append: () => Promise.resolve() }, login)
  const chain = sealer(EMPTY_CHAIN)
  let turn = 0
  return [
    ['authorize and run without an audit', () => gatedCall(silent, login, ++turn)],
    ['a deadline with its signal', deadlineOf(world)],
    ['normalizing the call (twice a decision)', () => normalize(call, tools)],
    ['the sentence', () => renderSentence(normalized.value.definition, normalized.value.args)],
    ['coverage', coverageOf(normalized.value)],
    ['the decision line, made and hashed', () => chain.seal(decision)],
    ['the decision line, made, hashed and written', () => append(decision)],
    ['the outcome line, made, hashed and written', () => append(outcome)],
  ]
}

const deadlineOf =
  (world: World): Run =>
  () => {
    const { signal, clear } = world.deadline(20_000)
    if (signal.aborted) throw new Error('a fresh deadline is over')
    clear()
  }

const coverageOf =
  (call: NormalizedCall): Run =>
  () => {
    const expected = expectedResources(call.definition, call.args)
    if (!expected.ok) throw new Error(expected.detail)
    const { subject } = call.login
    const asked = expected.value.map(({ type, id, actions: [name] }) => ({
      subject,
      action: { name },
      resource: { type, id },
    }))
    if (!checkCoverage(call, asked).ok) throw new Error('the sample is not covered')
  }

async function interleaved(list: readonly Part[]): Promise<readonly (readonly [what: string, us: number])[]> {
  const means = new Map<string, number[]>(list.map(([what]) => [what, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [what, run] of list) {
      const startedUs = nowUs()
      for (let n = 0; n < CALLS; n++) await run()
      means.get(what)?.push((nowUs() - startedUs) / CALLS)
    }
  }
  return [...means].map(([what, each]) => [what, median(each)])
}
