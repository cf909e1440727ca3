import { fstatSync } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { SettingError } from '../core/setting-error.ts'
import { tell } from './output.io.ts'
import type { DecideAnswer } from './decide.ts'
import { visibleJson } from '../core/visible.ts'

const PIPE = 'Pipe JSON into it, or redirect it from a file'

/**
 * Tells a person at a terminal that input is waited for.
 * @throws SettingError when there is nothing to read lines from.
 */
export function checkStdin(): void {
  if (fstatSync(0).isDirectory()) throw new SettingError('stdin', 'is a folder', PIPE)
  if (process.stdin.isTTY) tell('type one JSON object, then Ctrl-D; or pipe it in', 'dim')
}

/** Not a file stream: its pending read would keep the process from ending while the other side says nothing. */
export async function* stdin(interrupt: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of addAbortSignal(interrupt, process.stdin)) yield chunk as Buffer
  } catch (cause) {
    if (interrupt.aborted) return
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new SettingError('stdin', `cannot be read (${code})`, PIPE)
  }
}

/**
 * Writes answers; those that are ready in the same moment share one write. Never rejects: a stdout that cannot be written
 * ends the process. What an interrupt cut short is no answer.
 */
export function sharedWrites(interrupt: AbortSignal): (decided: DecideAnswer) => Promise<void> {
  let text = ''
  let written: Promise<void> | undefined
  const flush = (): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(() => {
        written = undefined
        process.stdout.write(text, () => {
          resolve()
        })
        text = ''
      })
    })
  return (decided) => {
    if (interrupt.aborted) return Promise.resolve()
    text += `${visibleJson(decided)}\n`
    return (written ??= flush())
  }
}
