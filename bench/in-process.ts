import { closeSync, openSync } from 'node:fs'
import { openAuditFile, type AuditFile } from '../src/audit/jsonl.io.ts'
import type { Login } from '../src/core/login.ts'
import type { Gate } from '../src/gate/gate.ts'
import { createWorld } from '../src/world.io.ts'
import { bareLines, syncedLines } from './bare-lines.ts'
import { gatedCall, localGate, signInBob } from './bank-gate.ts'
import { figure, median, nowUs, quantile, timedUs, type Figure, type Section } from './figures.ts'
import type { Place } from './place.ts'

const WARM_UP = 5_000
const BATCH = 500
const BATCHES = 60
const DURABLE_CALLS = 300
const DURABLE_TOGETHER = 250
const DURABLE_ROUNDS = 10
/** The gate's own work: everything but the network, with the audit in a file. */
export async function inProcess(place: Place): Promise<Section> {
  const world = createWorld()
  const login = await signInBob(world)
  const loose = await openAuditFile(place.file('loose.jsonl'), { durable: false })
  const durable = await openAuditFile(place.file('durable.jsonl'))
  const fd = openSync(place.file('floor.txt'), 'w')
  try {
    const figures = [
      ...(await looseFigures(localGate(world, loose, login), login, fd)),
      ...(await durableFigures(localGate(world, durable, login), login, fd)),
    ]
    return {
      title: 'In-process decision',
      how:
        'authorize and run of one balance call, each in a turn of its own; evaluations from the definition, rules of the ' +
        'stand-in PDP without its server, decision and outcome line hashed and written to a real file.',
      figures,
    }
  } finally {
    closeSync(fd)
    await closed(loose, durable)
    await world.close()
  }
}

async function closed(...files: readonly AuditFile[]): Promise<void> {
  for (const file of files) await file.close()
}

async function looseFigures(gate: Gate, login: Login, fd: number): Promise<readonly Figure[]> {
  let turn = 0
  for (; turn < WARM_UP; turn++) await gatedCall(gate, login, turn)
  const samples: number[] = []
  const floors: number[] = []
  const perSecond: number[] = []
  const before = process.cpuUsage()
  for (let batch = 0; batch < BATCHES; batch++) {
    const startedUs = nowUs()
    for (let n = 0; n < BATCH; n++) samples.push(await timedUs(() => gatedCall(gate, login, ++turn)))
    perSecond.push((BATCH / (nowUs() - startedUs)) * 1e6)
    for (let n = 0; n < BATCH / 10; n++) floors.push(await timedUs(bareLines(fd)))
  }
  const { user, system } = process.cpuUsage(before)
  const floor = { what: 'the two lines alone, hashed and written', value: median(floors) }
  return [
    figure('one decision, p50', 'µs', median(samples), { target: { atMost: 20 }, floor }),
    figure('one decision, p99', 'µs', quantile(samples, 0.99), { target: { atMost: 200 } }),
    figure('decisions one after the other', '/s', median(perSecond), { target: { atLeast: 30_000 } }),
    figure('processor time of one decision, all threads', 'µs', (user + system) / samples.length),
  ]
}

async function durableFigures(gate: Gate, login: Login, fd: number): Promise<readonly Figure[]> {
  let turn = 0
  const samples: number[] = []
  const floors: number[] = []
  for (let n = 0; n < DURABLE_CALLS; n++) {
    samples.push(await timedUs(() => gatedCall(gate, login, ++turn)))
    floors.push(await timedUs(syncedLines(fd)))
  }
  const perSecond: number[] = []
  for (let round = 0; round < DURABLE_ROUNDS; round++) perSecond.push(await together(gate, login))
  const floor = { what: 'the two lines alone, each written and synced', value: median(floors) }
  return [
    figure('one durable decision, p50', 'µs', median(samples), { floor }),
    figure('one durable decision, p99', 'µs', quantile(samples, 0.99)),
    figure(`durable decisions, ${DURABLE_TOGETHER} sessions at a time`, '/s', median(perSecond)),
  ]
}

/** Durable decisions a second when many sessions share each sync. */
async function together(gate: Gate, login: Login): Promise<number> {
  const sessions = Array.from({ length: DURABLE_TOGETHER }, (_, at) => `bench-${at}`)
  const us = await timedUs(() => Promise.all(sessions.map((session) => gatedCall(gate, login, 1, session))))
  return (DURABLE_TOGETHER / us) * 1e6
}
