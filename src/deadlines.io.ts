import { getEventListeners } from 'node:events'
import { TransportError } from './core/transport-error.ts'
import type { World } from './core/world.ts'

const MAX_TIMER_MS = 2 ** 31 - 1
/** A signal serves at most this long, so that nothing gathers on it. */
const SERVES_MS = 1_000
const MAX_SPARES = 64

interface Spare {
  readonly controller: AbortController
  readonly madeMs: number
}

/**
 * Deadlines on real timers. The collector of Node 20 spends more time on one AbortSignal than a whole decision takes: so
 * the signal of a deadline that was cleared in time, and that nobody listens to any more, serves a later one. Two
 * deadlines that are not cleared never share one.
 */
export function createDeadlines(): World['deadline'] {
  const spares: Spare[] = []
  const take = (nowMs: number): Spare => {
    const spare = spares.pop()
    return spare !== undefined && nowMs - spare.madeMs < SERVES_MS
      ? spare
      : { controller: new AbortController(), madeMs: nowMs }
  }
  return (ms) => {
    const startedMs = performance.now()
    const spare = take(startedMs)
    const { controller } = spare
    let [over, cleared] = [false, false]
    const end = (): void => {
      over = true
      controller.abort(new TransportError('timeout', 'the time for the decision is up'))
    }
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS))
    return {
      signal: controller.signal,
      expired: () => over || performance.now() >= startedMs + ms,
      clear: () => {
        clearTimeout(timer)
        if (over || cleared) return
        cleared = true
        if (spares.length < MAX_SPARES && getEventListeners(controller.signal, 'abort').length === 0) spares.push(spare)
      },
    }
  }
}
