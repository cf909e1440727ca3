import { EXIT } from './failure.io.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const endAtOnce = (): never => process.exit(EXIT.interrupted)

/** Ends the process on Ctrl-C with the exit code of the contract, as long as no command has anything to put in order. */
export function endOnInterrupt(): void {
  for (const signal of SIGNALS) process.on(signal, endAtOnce)
}

/** A signal that aborts on the first Ctrl-C, so that everything ends well; the second one ends the process at once. */
export function interruptible(): AbortSignal {
  const controller = new AbortController()
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    controller.abort()
  }
  // The new listener first: with none at all, a signal that is just arriving would be lost.
  for (const signal of SIGNALS) process.on(signal, stop).off(signal, endAtOnce)
  return controller.signal
}
