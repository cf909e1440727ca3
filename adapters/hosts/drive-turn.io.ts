import type { CopilotClient, CopilotSession } from '@github/copilot-sdk'
import { within } from './bounded.io.ts'
import type { Mediator } from './mediator.ts'
import type { Log, ModelChoice, TurnRecord } from './session.ts'
import { listenToTurn, type TurnEvents } from './turn-events.io.ts'

/** How long the runtime gets to end a turn that was aborted, before the session counts as stuck. */
const ABORT_GRACE_MS = 5_000
const WATCH_EVERY_MS = 500

/** What it takes to drive one turn from the message to its end. */
export interface TurnDriver {
  readonly client: Pick<CopilotClient, 'ping'>
  readonly session: CopilotSession
  readonly mediator: Mediator
  /** Shows the model these tools alone, from this turn on. */
  readonly show: (tools: ReadonlySet<string>) => Promise<void>
  readonly model: ModelChoice
  readonly onText: (text: string) => void
  readonly turnTimeoutMs: number
  readonly log: Log
}

/** Why a turn is over. */
type End =
  | { readonly kind: 'idle' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'late' }
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'dead' }
  | { readonly kind: 'unsent'; readonly cause: unknown }

/** A turn and whether the session can have another one. */
export interface DrivenTurn {
  readonly record: TurnRecord
  readonly usable: boolean
}

/** Drives one turn from the message to the end, whatever the end is. */
export async function driveTurn(driver: TurnDriver, message: string, signal: AbortSignal): Promise<DrivenTurn> {
  const { mediator, session } = driver
  const turn = mediator.beginTurn(message)
  const events = listenToTurn(turn, driver.onText)
  const unsubscribe = session.on(events.take)
  const endTurn = (): void => {
    mediator.endTurn(turn)
  }
  signal.addEventListener('abort', endTurn, { once: true })
  try {
    await driver.show(turn.visible)
    const end = await endOf(driver, events, message, signal)
    // The runtime is told after the gate: nothing is permitted while it winds down.
    if (end.kind !== 'idle') endTurn()
    const usable = await woundDown(driver, events, end)
    await mediator.complete(turn)
    return {
      record: { user: message, calls: turn.attempts(), assistant: events.text(), ...outcome(driver, events, end) },
      usable,
    }
  } finally {
    signal.removeEventListener('abort', endTurn)
    endTurn()
    unsubscribe()
  }
}

async function endOf(driver: TurnDriver, events: TurnEvents, message: string, signal: AbortSignal): Promise<End> {
  const timers: NodeJS.Timeout[] = []
  const sent = driver.session.send({ prompt: message })
  try {
    return await new Promise<End>((resolve) => {
      const ends = (kind: Exclude<End['kind'], 'unsent'>) => (): void => {
        resolve({ kind })
      }
      void events.idle.then(ends('idle'))
      void events.unreachable.then(ends('unreachable'))
      sent.catch((cause: unknown) => {
        resolve({ kind: 'unsent', cause })
      })
      if (signal.aborted) resolve({ kind: 'aborted' })
      signal.addEventListener('abort', ends('aborted'), { once: true })
      timers.push(setTimeout(ends('late'), driver.turnTimeoutMs))
      timers.push(setInterval(() => void driver.client.ping().catch(ends('dead')), WATCH_EVERY_MS))
    })
  } finally {
    timers.forEach(clearTimeout)
  }
}

/** Stops what is under way; true when the runtime says that it has ended the turn. */
async function woundDown({ session, log }: TurnDriver, events: TurnEvents, end: End): Promise<boolean> {
  if (end.kind === 'idle') return true
  if (end.kind === 'dead' || end.kind === 'unsent') return false
  try {
    await within(ABORT_GRACE_MS, 'the abort', session.abort())
    await within(ABORT_GRACE_MS, 'the end of the turn', events.idle)
    return true
  } catch (cause) {
    log('The runtime did not end the turn; the session cannot go on.', cause)
    return false
  }
}

function outcome(driver: TurnDriver, events: TurnEvents, end: End): Pick<TurnRecord, 'ended' | 'error'> {
  switch (end.kind) {
    case 'idle': {
      const error = events.error()
      return error === undefined ? { ended: 'done' } : { ended: 'failed', error }
    }
    case 'aborted':
      return { ended: 'aborted' }
    case 'late':
      return { ended: 'aborted', error: `The turn took longer than ${driver.turnTimeoutMs / 1000} seconds.` }
    case 'unreachable':
      return { ended: 'failed', error: unreachableSentence(driver.model) }
    case 'dead':
      return { ended: 'failed', error: 'The Copilot runtime has stopped; start again.' }
    case 'unsent':
      return { ended: 'failed', error: unsentSentence(end.cause) }
  }
}

/** Of the address nothing but host and path: what else is in it may be a key. */
function unreachableSentence(model: ModelChoice): string {
  if (model.kind === 'copilot') {
    return 'The models of GitHub cannot be reached; check the network and the Copilot sign-in.'
  }
  const { origin, pathname } = new URL(model.baseUrl)
  return `The model at ${origin}${pathname} cannot be reached; start it, or correct MODEL_BASE_URL, its address.`
}

function unsentSentence(cause: unknown): string {
  const said = cause instanceof Error ? cause.message : String(cause)
  if (said.includes('Session not found')) {
    return 'The session was closed after 15 minutes without a message; open a new one.'
  }
  if (/connection/i.test(said)) return 'The Copilot runtime has stopped; start again.'
  return `The runtime did not take the message: ${said.replaceAll(/\s+/g, ' ')}`
}
