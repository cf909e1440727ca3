import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** The program as `npm ci` builds it. */
export const BIN = fileURLToPath(new URL('../../dist/src/cli/main.io.js', import.meta.url))

/** A home, a folder for temporary files and a state folder of one test's own; nothing of the machine's settings. */
export interface Place {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** A path in the folder. */
  file(name: string): string
  /** What the Copilot runtime's private folders have left. */
  leftovers(): readonly string[]
  remove(): void
}

// A file of tests whose tests are all skipped runs no `afterAll`.
const folders = new Set<string>()
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export function newPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'gate-test-'))
  folders.add(folder)
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    TMPDIR: temporary,
  }
  return {
    folder,
    env,
    file: (name) => join(folder, name),
    leftovers: () =>
      readdirSync(temporary)
        .filter((name) => name.startsWith('intent-gate-'))
        .flatMap((name) => readdirSync(join(temporary, name))),
    remove: () => {
      rmSync(folder, { recursive: true, force: true })
      folders.delete(folder)
    },
  }
}

export interface RunOptions {
  readonly place: Place
  readonly env?: Readonly<Record<string, string>>
  /** Written to stdin, which is then closed. @defaultValue nothing */
  readonly input?: string | Buffer
  readonly bin?: string
  readonly timeoutMs?: number
}

export interface Ended {
  /** As a shell reads it: 128 and the signal's number when a signal ended it. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly ended: Promise<Ended>
  stdout(): string
  stderr(): string
  /** Resolves when stdout or stderr holds the text. Rejects when the process ends first. */
  says(text: string): Promise<void>
  /** A signal to the process and its children, as Ctrl-C in a terminal does it. */
  signalAll(signal: NodeJS.Signals): void
}

const SIGNALS: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

/** Starts the program with an open stdin, as the leader of a process group. */
export function start(args: readonly string[], { place, env = {}, bin = BIN }: Omit<RunOptions, 'input'>): Started {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: place.folder,
    env: { ...place.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let [stdout, stderr] = ['', '']
  const waiting = new Set<() => void>()
  const hear = (): void => {
    for (const look of waiting) look()
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    hear()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    hear()
  })
  // A program that has ended reads no more of its input.
  child.stdin.on('error', () => undefined)
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code: code ?? 128 + (SIGNALS[signal ?? ''] ?? 0), stdout, stderr })
    })
  })
  return {
    child,
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!stdout.includes(text) && !stderr.includes(text)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
        void ended.then(() => {
          reject(new Error(`ended before it said ${text}: ${stdout}${stderr}`))
        })
      }),
    signalAll: (signal) => {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    },
  }
}

/** Runs the program to its end; it is killed when that takes too long. */
export async function run(args: readonly string[], options: RunOptions): Promise<Ended> {
  const started = start(args, options)
  started.child.stdin.end(options.input ?? '')
  const timer = setTimeout(() => {
    started.child.kill('SIGKILL')
  }, options.timeoutMs ?? 60_000)
  try {
    return await started.ended
  } finally {
    clearTimeout(timer)
  }
}

/** Runs jobs, two at a time: as many as there are cores. */
export async function twoAtATime<T>(jobs: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const results: T[] = []
  const queue = [...jobs.entries()]
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await next[1]()
  }
  await Promise.all([work(), work()])
  return results
}
