/** Tells on a terminal how far a batch is; in a pipe it is silent. */
export interface Progress {
  /** One more run is done. */
  step(failed: boolean): void
  /** Takes the line away. */
  clear(): void
}

const EVERY_MS = 100
const CLEAR_LINE = '\r\u001b[2K'

/** @param total runs that are still due. */
export function createProgress(total: number): Progress {
  if (!process.stderr.isTTY) return { step: () => undefined, clear: () => undefined }
  const startedMs = performance.now()
  let [done, failures, shownMs] = [0, 0, 0]
  // The first run may take a while: the runtime starts with it.
  process.stderr.write(`${CLEAR_LINE}0/${total} runs`)
  return {
    step: (failed) => {
      done += 1
      failures += Number(failed)
      const nowMs = performance.now()
      if (nowMs - shownMs < EVERY_MS && done < total) return
      shownMs = nowMs
      const leftSeconds = Math.ceil(((nowMs - startedMs) / done / 1000) * (total - done))
      const bad = failures === 0 ? '' : ` · ${failures} not as expected`
      process.stderr.write(`${CLEAR_LINE}${done}/${total} runs · ${clock(leftSeconds)} left${bad}`)
    },
    clear: () => {
      process.stderr.write(CLEAR_LINE)
    },
  }
}

const clock = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
