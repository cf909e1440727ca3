import { spawn, type ChildProcess } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const READY_WITHIN_MS = 60_000
const GRACE_MS = 5_000
const KEPT_OUTPUT = 4_000

export interface EngineOptions {
  /** For messages. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** Added to PATH and HOME, which is all that it inherits. */
  readonly env?: Readonly<Record<string, string>>
  /** Runs as this user; needs root. @defaultValue the user of this process */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  /** Answers once it serves. */
  readonly isReady: () => Promise<boolean>
}

/** A server of somebody else's that this process has started. */
export interface Engine {
  /** Resolves when it is gone; a second call does nothing. */
  close(): Promise<void>
  /** Ends it at once, with whatever it is doing. */
  kill(): Promise<void>
  /** Resolves when it has ended, by itself or not. */
  readonly ended: Promise<void>
}

/**
 * Starts a server and waits until it answers.
 * @throws Error with the last of its output when it ends before that, or is not ready within a minute.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { name, command, args, env = {}, user, isReady } = options
  const child = spawn(command, args, {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  const output = tailOf(child)
  const ended = endOf(child)
  const endWithUs = (): void => {
    child.kill('SIGKILL')
  }
  process.once('exit', endWithUs)
  void ended.then(() => process.off('exit', endWithUs))
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    const force = setTimeout(endWithUs, GRACE_MS)
    await ended
    clearTimeout(force)
  }
  if (!(await becomesReady(child, isReady))) {
    await stop('SIGKILL')
    throw new Error(`${name} did not start: ${output().trim() || 'it said nothing'}`)
  }
  return { close: () => stop('SIGTERM'), kill: () => stop('SIGKILL'), ended }
}

function tailOf(child: ChildProcess): () => string {
  let tail = ''
  const keep = (chunk: Buffer): void => {
    tail = `${tail}${chunk.toString()}`.slice(-KEPT_OUTPUT)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  child.once('error', (cause) => {
    tail = cause.message
  })
  return () => tail
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('error', () => {
      resolve()
    })
    child.once('exit', () => {
      resolve()
    })
  })
}

async function becomesReady(child: ChildProcess, isReady: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + READY_WITHIN_MS
  while (performance.now() < until) {
    await pause(50)
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return false
    if (await isReady()) return true
  }
  return false
}

/**
 * The same with a private folder of its own, which goes when the server goes.
 * @throws Error as `startEngine` does.
 */
export async function startInFolder(prefix: string, start: (folder: string) => Promise<Engine>): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), `intent-gate-${prefix}-`))
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const engine = await start(folder)
    void engine.ended.then(remove)
    return engine
  } catch (cause) {
    remove()
    throw cause
  }
}

/** Resolves once Ctrl-C or SIGTERM has ended the server. @throws Error when it ends by itself. */
export async function untilStopped(server: Engine): Promise<void> {
  const asked = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      asked.abort()
      void server.close()
    })
  }
  await server.ended
  if (!asked.signal.aborted) throw new Error('the server has ended by itself')
}

/** True when something answers 200 there. */
export const answers = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<boolean> =>
  fetch(url, { headers, signal: AbortSignal.timeout(2_000) }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.ok
    },
    () => false,
  )

/** A port of loopback that nobody listened on a moment ago. */
export function freePort(besides?: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => {
        // Some engines share a port between two listeners when they are given the same one.
        resolve(port === besides ? freePort(besides) : port)
      })
    })
  })
}

/** The first file of this name on PATH that can be run. */
export const onPath = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isProgram)

/** True for a file that this process may run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
