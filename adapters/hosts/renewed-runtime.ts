import type { CopilotRuntime, GatedSession, Log, SessionOptions } from './session.ts'

/** The runtime keeps about a megabyte of each session, also of one that is deleted. */
const MOST_SESSIONS = 200

/** How a runtime is replaced before it has carried too much. */
export interface RenewedOptions {
  /** Starts another one. When that fails, the one before goes on. */
  readonly start: () => Promise<CopilotRuntime>
  readonly log: Log
  /** Sessions that one runtime carries. @defaultValue 200 */
  readonly mostSessions?: number
}

interface Served {
  readonly runtime: CopilotRuntime
  opened: number
  open: number
}

/**
 * A runtime that is replaced by a fresh one from time to time, so that memory does not grow with the number of sessions.
 * Sessions under way stay where they are; an old runtime stops with its last session.
 */
export function renewedRuntime(
  first: CopilotRuntime,
  { start, log, mostSessions = MOST_SESSIONS }: RenewedOptions,
): CopilotRuntime {
  let current: Served = { runtime: first, opened: 0, open: 0 }
  const running = new Set([current])
  let renewing: Promise<void> | undefined
  let isStopped = false
  const stopUnused = async (served: Served): Promise<void> => {
    if (served === current || served.open > 0 || !running.delete(served)) return
    await served.runtime.stop()
  }
  const renew = async (): Promise<void> => {
    try {
      const next: Served = { runtime: await start(), opened: 0, open: 0 }
      const before = current
      current = next
      running.add(next)
      if (isStopped) await next.runtime.stop()
      await stopUnused(before)
    } catch (cause) {
      log('A fresh Copilot runtime did not start; the one before goes on.', cause)
    } finally {
      renewing = undefined
    }
  }
  return {
    version: first.version,
    openSession: async (options) => {
      if (current.opened >= mostSessions) await (renewing ??= renew())
      return openedIn(current, options, stopUnused)
    },
    stop: async () => {
      isStopped = true
      await Promise.all([...running].map(({ runtime }) => runtime.stop()))
    },
    removeNow: () => {
      for (const { runtime } of running) runtime.removeNow()
    },
  }
}

async function openedIn(
  served: Served,
  options: SessionOptions,
  stopUnused: (served: Served) => Promise<void>,
): Promise<GatedSession> {
  const closed = async (): Promise<void> => {
    served.open -= 1
    await stopUnused(served)
  }
  served.opened += 1
  served.open += 1
  try {
    return closing(await served.runtime.openSession(options), closed)
  } catch (cause) {
    await closed()
    throw cause
  }
}

/** The same session, which tells once when it is closed. */
function closing(session: GatedSession, closed: () => Promise<void>): GatedSession {
  let done: Promise<void> | undefined
  return { ...session, close: () => (done ??= session.close().finally(closed)) }
}
