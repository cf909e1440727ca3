import { refuse, type Verdict } from '../core/verdict.ts'

type Ask<T> = (signal: AbortSignal) => Promise<Verdict<T>>

/** Questions under way, so that identical ones ask once. */
interface SharedRequests<T> {
  /**
   * Joins the request under way for `key`, or starts one. Each waiter leaves on its own signal with `intent.timeout`;
   * the request itself is aborted when the last one has left. `joined` tells that another waiter started it.
   */
  join(
    key: string,
    ask: Ask<T>,
    signal: AbortSignal,
  ): { readonly joined: boolean; readonly answer: Promise<Verdict<T>> }
}

interface Shared<T> {
  readonly request: Promise<Verdict<T>>
  readonly abort: AbortController
  waiters: number
}

/** Shares requests by key while they are under way; keeps nothing afterwards. */
export function sharedRequests<T>(): SharedRequests<T> {
  const underWay = new Map<string, Shared<T>>()
  const start = (key: string, ask: Ask<T>): Shared<T> => {
    const abort = new AbortController()
    const shared: Shared<T> = {
      abort,
      waiters: 0,
      request: ask(abort.signal).finally(() => {
        end(key, shared)
      }),
    }
    underWay.set(key, shared)
    return shared
  }
  const end = (key: string, shared: Shared<T>): void => {
    if (underWay.get(key) === shared) underWay.delete(key)
  }
  const leave = (key: string, shared: Shared<T>): void => {
    shared.waiters--
    // One that has been answered is not under way any more, and there is nothing to stop.
    if (shared.waiters > 0 || underWay.get(key) !== shared) return
    end(key, shared)
    shared.abort.abort()
  }
  return {
    join: (key, ask, signal) => {
      const running = underWay.get(key)
      const shared = running ?? start(key, ask)
      shared.waiters++
      const answer = until(shared.request, signal).finally(() => {
        leave(key, shared)
      })
      return { joined: running !== undefined, answer }
    },
  }
}

/** The answer, or `intent.timeout` as soon as the signal aborts. */
function until<T>(request: Promise<Verdict<T>>, signal: AbortSignal): Promise<Verdict<T>> {
  return new Promise((resolve, reject) => {
    const late = (): void => {
      resolve(refuse('intent.timeout', 'the deadline of the call'))
    }
    if (signal.aborted) late()
    signal.addEventListener('abort', late, { once: true })
    const settled = (): void => {
      signal.removeEventListener('abort', late)
    }
    request.finally(settled).then(resolve, reject)
  })
}
