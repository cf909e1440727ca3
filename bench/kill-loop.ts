import { spawn } from 'node:child_process'
import { existsSync, readFileSync, watch } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { verifyAudit } from '../src/audit/verify.io.ts'
import type { Place as OwnPlace } from './place.ts'
import { randoms } from './randoms.ts'

/** Where the killed program lives. */
type Place = Pick<OwnPlace, 'folder' | 'env' | 'file'>

/** How far the killed program had come, by what it left. */
export const REACHED = ['no decision yet', 'decided, no effect', 'effect, no outcome yet', 'outcome on record'] as const
type Reached = (typeof REACHED)[number]

export interface KillOptions {
  /** The built program. */
  readonly cli: string
  /** Its ledger and audit stay in this folder from kill to kill. */
  readonly place: Place
  readonly count: number
  /** Repeats the moments, as far as a machine does. */
  readonly seed: number
  /** Hears of every kill, with what is wrong after it. */
  readonly killed?: (faults: readonly string[]) => void
}

export interface KillReport {
  readonly kills: number
  /** Runs that were over before their moment came; they are not kills. */
  readonly tooLate: number
  readonly reached: Readonly<Record<Reached, number>>
  /** Transfers in the ledger at the end. */
  readonly transfers: number
  /** Sentences about what must never be; empty when all is well. */
  readonly faults: readonly string[]
}

const MESSAGE = 'move 1 from my savings to my checking'
const DONE = 'I moved 1.00 NOK'
/** What the program tells once it has opened its audit and is about to send the message. */
const ANNOUNCED = 'audit '

/** Milliseconds in which decision, effect and outcome follow each other, with time to spare for a slow disk. */
const EFFECT_MS = 30

/**
 * Kills a chat that moves money with SIGKILL at random moments, on the same files each time, and looks at them after
 * each: no effect may be without its decision line, and the audit must verify. In turn the moments are spread over the
 * start, over the turn of the chat, and over the few milliseconds from the decision line on. The last run is left alone
 * and must do its work.
 */
export async function killLoop(options: KillOptions): Promise<KillReport> {
  const { place, count, seed, killed } = options
  const random = randoms(seed)
  const reached: Record<Reached, number> = { [REACHED[0]]: 0, [REACHED[1]]: 0, [REACHED[2]]: 0, [REACHED[3]]: 0 }
  const all: string[] = []
  const lengths = await lived(options)
  const note = async (what: string): Promise<readonly string[]> => {
    const faults = (await faultsIn(place)).map((fault) => `${what} (seed ${seed}): ${fault}`)
    all.push(...faults)
    return faults
  }
  let kills = 0
  for (let n = 0; n < count; n++) {
    const before = stateOf(place)
    // One moment in each part of the time, wherever in it.
    const share = (Math.floor(n / SPANS.length) + random()) / Math.ceil(count / SPANS.length)
    const span = SPANS[n % SPANS.length] ?? 'start'
    const wasKilled = await killedAfter(options, span, share * lengths[span])
    if (wasKilled) {
      kills += 1
      reached[reachedFrom(before, stateOf(place))] += 1
    }
    killed?.(await note(`kill ${n}`))
  }
  const last = start(options)
  if ((await last.ended) !== 0 || !last.told().includes(DONE)) {
    all.push(`the last run did not do its work: ${last.told()}`)
  }
  await note('the last run')
  return { kills, tooLate: count - kills, reached, transfers: stateOf(place).transfers.length, faults: all }
}

interface Started {
  /** The exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>
  readonly announced: Promise<unknown>
  readonly told: () => string
  readonly kill: () => void
}

function start({ cli, place }: KillOptions): Started {
  const files = ['--ledger', place.file('ledger.json'), '--audit', place.file('audit.jsonl')]
  // Nobody is there to say yes to a transfer that a certificate wants confirmed.
  const who = ['--as', 'alice', '--certificates', 'off']
  const child = spawn(process.execPath, [cli, 'chat', ...who, ...files, MESSAGE], {
    cwd: place.folder,
    env: place.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let told = ''
  let announce: (value?: unknown) => void = () => undefined
  const announced = new Promise((resolve) => (announce = resolve))
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      told += text
      if (told.includes(ANNOUNCED)) announce()
    })
  }
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject))
  const kill = (): void => {
    child.kill('SIGKILL')
  }
  return { ended, announced, told: () => told, kill }
}

/** How long each span of a run takes that nobody kills, in milliseconds. */
async function lived(options: KillOptions): Promise<Readonly<Record<Span, number>>> {
  const startedMs = performance.now()
  const { announced, ended, told } = start(options)
  await Promise.race([announced, ended])
  const announcedMs = performance.now()
  if ((await ended) !== 0) throw new Error(`the first run, which nobody kills, failed: ${told()}`)
  return { start: announcedMs - startedMs, turn: performance.now() - announcedMs, effect: EFFECT_MS }
}

/** What a moment is counted from. */
const SPANS = ['start', 'turn', 'effect'] as const
type Span = (typeof SPANS)[number]

/** True when it was killed, false when it was over before. */
async function killedAfter(options: KillOptions, span: Span, delayMs: number): Promise<boolean> {
  const { announced, ended, kill } = start(options)
  if (span !== 'start') await Promise.race([announced, ended])
  if (span === 'effect') await Promise.race([grown(options.place.file('audit.jsonl'), ended), ended])
  await Promise.race([ended, wait(delayMs)])
  kill()
  return (await ended) === null
}

/** Resolves when the file changes: after the announcement, the first change is the decision line. */
async function grown(file: string, ended: Promise<unknown>): Promise<void> {
  await new Promise<void>((resolve) => {
    const watcher = watch(file, () => {
      watcher.close()
      resolve()
    })
    void ended.finally(() => {
      watcher.close()
    })
  })
}

interface State {
  /** Ids of the decisions that permitted a transfer. */
  readonly permits: readonly string[]
  /** Idempotency keys of the transfers that were made: each is the id of the decision that permitted it. */
  readonly transfers: readonly string[]
  readonly outcomes: number
}

function stateOf(place: Place): State {
  const records = linesIn(place.file('audit.jsonl')).filter(({ tool }) => tool === 'transfer_money')
  const permits = records.filter(({ type, decision }) => type === 'decision' && decision === 'permit')
  return {
    permits: permits.map(({ id }) => String(id)),
    transfers: transfersIn(place.file('ledger.json')),
    outcomes: records.filter(({ type }) => type === 'outcome').length,
  }
}

function reachedFrom(before: State, after: State): Reached {
  if (after.outcomes > before.outcomes) return 'outcome on record'
  if (after.transfers.length > before.transfers.length) return 'effect, no outcome yet'
  return after.permits.length > before.permits.length ? 'decided, no effect' : 'no decision yet'
}

async function faultsIn(place: Place): Promise<readonly string[]> {
  const { permits, transfers } = stateOf(place)
  const permitted = new Set(permits)
  const faults = transfers.filter((key) => !permitted.has(key)).map((key) => `transfer ${key} has no decision line`)
  const audit = place.file('audit.jsonl')
  if (!existsSync(audit)) return faults
  const { problems } = await verifyAudit(audit)
  return [...faults, ...problems.map(({ line, says }) => `line ${line} of the audit ${says}`)]
}

function transfersIn(ledger: string): readonly string[] {
  if (!existsSync(ledger)) return []
  const { transfers } = JSON.parse(readFileSync(ledger, 'utf8')) as { transfers: readonly { key: string }[] }
  return transfers.map(({ key }) => key)
}

type Line = Readonly<Record<string, unknown>>

function linesIn(audit: string): readonly Line[] {
  if (!existsSync(audit)) return []
  // What follows the last newline was not acknowledged.
  return readFileSync(audit, 'utf8').split('\n').slice(0, -1).flatMap(lineIn)
}

/** A line that a crash has torn stays in the file and is no record. */
function lineIn(text: string): readonly Line[] {
  try {
    return [JSON.parse(text) as Line]
  } catch {
    return []
  }
}
