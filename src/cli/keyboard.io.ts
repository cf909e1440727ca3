import { emitKeypressEvents } from 'node:readline'
import type { ReadStream } from 'node:tty'
import type { Key } from '../approval/key-line.ts'
import { TransportError } from '../core/transport-error.ts'

/** Why nobody types any more. */
export type Stopped = 'timeout' | 'turn_over' | 'gone'

/** What comes from a keyboard. */
type Heard =
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'quiet' }
  | { readonly kind: 'stopped'; readonly why: Stopped }

/** Whoever holds it hears every key, in order, and nobody else does. */
export interface Keyboard {
  /** The next key, `quiet` when none has come for so many milliseconds, or why there is nothing to wait for. */
  next(quietMs?: number): Promise<Heard>
  /** Gives the keyboard back to whoever had it. */
  release(): void
}

/** Takes the keyboard of a terminal from every listener of its key presses, until it is released. */
export function takeKeyboard(input: ReadStream, signal: AbortSignal): Keyboard {
  const { isRaw: wasRaw, readableFlowing } = input
  const { next, tell } = queue()
  const onKey = (text: string | undefined, { name, ctrl, meta }: Key): void => {
    tell({ kind: 'key', key: { text, name, ctrl, meta } })
  }
  const onGone = (): void => {
    tell({ kind: 'stopped', why: 'gone' })
  }
  const onAbort = (): void => {
    tell({ kind: 'stopped', why: isTimeout(signal.reason) ? 'timeout' : 'turn_over' })
  }
  emitKeypressEvents(input)
  const held = input.listeners('keypress') as ((...args: unknown[]) => void)[]
  input.removeAllListeners('keypress')
  input.on('keypress', onKey).on('end', onGone).on('close', onGone).on('error', onGone)
  signal.addEventListener('abort', onAbort, { once: true })
  // Raw: what the terminal holds of an unfinished line comes out now, to be dropped, and nothing is echoed but by us.
  input.setRawMode(true)
  input.resume()
  return {
    next,
    release: () => {
      signal.removeEventListener('abort', onAbort)
      input.off('keypress', onKey).off('end', onGone).off('close', onGone).off('error', onGone)
      for (const listener of held) input.on('keypress', listener)
      if (input.destroyed) return
      input.setRawMode(wasRaw)
      if (readableFlowing !== true) input.pause()
    },
  }
}

const isTimeout = (reason: unknown): boolean => reason instanceof TransportError && reason.kind === 'timeout'

/** What was heard and not yet asked for. Once it has stopped, nothing before that counts. */
function queue(): { next: Keyboard['next']; tell: (heard: Heard) => void } {
  const waiting: Heard[] = []
  let stopped: Heard | undefined
  let wake: (() => void) | undefined
  const take = (): Heard | undefined => stopped ?? waiting.shift()
  return {
    tell: (heard) => {
      if (heard.kind === 'stopped') stopped ??= heard
      else waiting.push(heard)
      wake?.()
    },
    next: (quietMs) =>
      new Promise((resolve) => {
        const settle = (heard: Heard): void => {
          clearTimeout(timer)
          wake = undefined
          resolve(heard)
        }
        // After a busy while the timer is due before the keys are read: look again once they are.
        const quiet = (): void => {
          setImmediate(() => {
            if (wake !== undefined) settle(take() ?? { kind: 'quiet' })
          })
        }
        const timer = quietMs === undefined ? undefined : setTimeout(quiet, quietMs)
        wake = () => {
          const heard = take()
          if (heard !== undefined) settle(heard)
        }
        wake()
      }),
  }
}
