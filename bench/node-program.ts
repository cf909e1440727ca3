import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** One run of a program, from its start to its end. */
export interface Ended {
  readonly ms: number
  /** From the first byte of stdout to the end. */
  readonly answeringMs: number
  readonly stdout: string
}

export interface ProgramOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** @defaultValue nothing */
  readonly input?: string
  /** Shows what it tells on stderr. @defaultValue false: kept for the error */
  readonly tells?: boolean
}

/**
 * Runs a program of Node to its end.
 * @throws Error with what it said when it does not end with 0.
 */
export async function runNode(args: readonly string[], options: ProgramOptions): Promise<Ended> {
  const { cwd, env, input = '', tells = false } = options
  const startedMs = performance.now()
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  let firstMs = startedMs
  child.stdout.once('data', () => {
    firstMs = performance.now()
  })
  // A program that has ended reads no more of its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  if (tells) child.stderr.pipe(process.stderr, { end: false })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  const endedMs = performance.now()
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${String(code)}: ${stderr}`)
  return { ms: endedMs - startedMs, answeringMs: endedMs - firstMs, stdout }
}
