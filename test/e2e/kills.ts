import { existsSync, readFileSync } from 'node:fs'
import { verifyAudit } from '../../src/audit/verify.io.ts'
import { run, start, type Ended, type Place } from '../cli/bin.ts'

/** What killing a transfer again and again on the same two files has come to. */
export interface KillReport {
  readonly kills: number
  /** Runs that were over before their moment came. */
  readonly tooLate: number
  /** Transfers in the ledger file at the end. */
  readonly transfers: number
  /** Sentences about what must never be; empty when all is well. */
  readonly faults: readonly string[]
  /** A run to its end on the same files. */
  readonly last: Ended
}

export interface KillOptions {
  readonly place: Place
  readonly count: number
  readonly seed: number
}

const MESSAGE = 'move 1 from my savings to my checking'

/**
 * Kills `chat` with SIGKILL at moments spread over its life, the same files each time, and looks at them after each.
 * Half of the moments are counted from the start, half from when the chat is about to send the message.
 */
export async function killAtRandom({ place, count, seed }: KillOptions): Promise<KillReport> {
  const [ledger, audit] = [place.file('ledger.json'), place.file('audit.jsonl')]
  const args = ['chat', '--as', 'alice', '--ledger', ledger, '--audit', audit, MESSAGE]
  const random = randoms(seed)
  const faults: string[] = []
  const times = await timed(args, place)
  let tooLate = 0
  for (let n = 0; n < count; n++) {
    const late = n % 2 === 1
    // Stratified: one moment in each part of the life, wherever in it.
    const share = (Math.floor(n / 2) + random()) / Math.ceil(count / 2)
    const delayMs = share * (late ? times.endMs - times.announcedMs : times.announcedMs)
    if (!(await killedAfter(args, place, late, delayMs))) tooLate += 1
    faults.push(...(await faultsIn(ledger, audit)).map((fault) => `kill ${n} (seed ${seed}): ${fault}`))
  }
  const last = await run(args, { place })
  faults.push(...(await faultsIn(ledger, audit)).map((fault) => `at the end (seed ${seed}): ${fault}`))
  return { kills: count - tooLate, tooLate, transfers: keysIn(ledger).length, faults, last }
}

/** How long a run takes that nobody kills: until it says where its audit is, and in all. */
async function timed(args: readonly string[], place: Place): Promise<{ announcedMs: number; endMs: number }> {
  const startedMs = performance.now()
  const chat = start(args, { place })
  chat.child.stdin.end()
  await chat.says('audit ')
  const announcedMs = performance.now() - startedMs
  const { code, stderr } = await chat.ended
  if (code !== 0) throw new Error(`the first run ended with ${code}: ${stderr}`)
  return { announcedMs, endMs: performance.now() - startedMs }
}

/** True when it was killed, false when it was over before. */
async function killedAfter(args: readonly string[], place: Place, late: boolean, delayMs: number): Promise<boolean> {
  const chat = start(args, { place })
  chat.child.stdin.end()
  if (late) await Promise.race([chat.says('audit '), chat.ended])
  await Promise.race([chat.ended, new Promise((resolve) => setTimeout(resolve, delayMs))])
  const killed = chat.child.kill('SIGKILL')
  const { code } = await chat.ended
  return killed && code === 137
}

async function faultsIn(ledger: string, audit: string): Promise<readonly string[]> {
  const faults: string[] = []
  const permits = new Set(permitsIn(audit))
  for (const key of keysIn(ledger)) if (!permits.has(key)) faults.push(`transfer ${key} has no decision line`)
  if (existsSync(audit)) {
    const { ok, problems } = await verifyAudit(audit)
    if (!ok) faults.push(`the audit does not verify: ${JSON.stringify(problems)}`)
  }
  return faults
}

/** The idempotency keys of a ledger file's transfers, which are the ids of the decisions that permitted them. */
function keysIn(ledger: string): readonly string[] {
  if (!existsSync(ledger)) return []
  const { transfers } = JSON.parse(readFileSync(ledger, 'utf8')) as { transfers: readonly { key: string }[] }
  return transfers.map(({ key }) => key)
}

function permitsIn(audit: string): readonly string[] {
  if (!existsSync(audit)) return []
  return readFileSync(audit, 'utf8')
    .split('\n')
    .slice(0, -1)
    .flatMap(recordIn)
    .filter(({ type, decision, tool }) => type === 'decision' && decision === 'permit' && tool === 'transfer_money')
    .map(({ id }) => String(id))
}

/** A line that a crash has torn stays in the file and is no record. */
function recordIn(line: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    return [JSON.parse(line) as Readonly<Record<string, unknown>>]
  } catch {
    return []
  }
}

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
function randoms(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
