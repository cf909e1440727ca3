import { startCopilotRuntime, type RuntimeOptions } from '../../adapters/hosts/copilot.io.ts'
import type { CopilotRuntime } from '../../adapters/hosts/session.ts'

/** Runs that one runtime carries: it keeps about half a megabyte of each session, also of one that is deleted. */
const MOST_RUNS = 200

/** The real runtime, started anew from time to time, so that memory does not grow with the number of runs. */
interface Runtimes {
  /** @throws SettingError when a runtime cannot be started. */
  use<T>(work: (runtime: CopilotRuntime) => Promise<T>): Promise<T>
  stop(): Promise<void>
}

interface Served {
  readonly runtime: Promise<CopilotRuntime>
  runs: number
  active: number
}

/** @throws SettingError when the first runtime cannot be started. */
export async function openRuntimes(options: RuntimeOptions): Promise<Runtimes> {
  const started = (): Served => {
    const runtime = startCopilotRuntime(options)
    // Whoever uses it hears of a failed start; until then nobody listens.
    runtime.catch(() => undefined)
    return { runtime, runs: 0, active: 0 }
  }
  let current = started()
  await current.runtime
  const retired = new Set<Served>()
  const rest = async (served: Served): Promise<void> => {
    if (!retired.has(served) || served.active > 0) return
    retired.delete(served)
    await stopped(served)
  }
  return {
    use: async (work) => {
      if (current.runs >= MOST_RUNS) {
        retired.add(current)
        const [old, next] = [current, started()]
        current = next
        await rest(old)
      }
      const served = current
      served.runs += 1
      served.active += 1
      try {
        return await work(await served.runtime)
      } finally {
        served.active -= 1
        await rest(served)
      }
    },
    stop: async () => {
      const all = [...retired, current]
      retired.clear()
      for (const served of all) await stopped(served)
    },
  }
}

/** One that never started has nothing to stop. */
const stopped = ({ runtime }: Served): Promise<void> =>
  runtime.then(
    (started) => started.stop(),
    () => undefined,
  )
