import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { bundle } from '../bundle.ts'

/** One process that opens an audit file. */
export interface WriterProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  /** What it has printed so far. */
  readonly printed: () => string
  /** The first line that it prints. */
  readonly firstLine: Promise<string>
  /** Ends it at once, and waits for that. */
  readonly kill: () => Promise<void>
}

/** Makes starters of processes that run `writer.fixture.ts`. */
export async function writerProcesses(): Promise<(...args: readonly string[]) => WriterProcess> {
  const script = await bundle('test/audit/writer.fixture.ts')
  return (...args) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    let text = ''
    const ended = once(child, 'close')
    const firstLine = new Promise<string>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
      })
      child.on('close', () => {
        resolve(text)
      })
    })
    const kill = async () => {
      child.kill('SIGKILL')
      await ended
    }
    onTestFinished(kill)
    return { child, printed: () => text, firstLine, kill }
  }
}
