import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync } from 'node:fs'
import { constants } from 'node:os'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { ToolRefusal } from '../core/tool.ts'
import { hardened } from '../firewall/shell/harden.ts'
import type { Stage } from '../firewall/shell/stage.ts'
import { openJudged, type Access, type IsOpen } from './open-file.io.ts'
import { trustedPrograms, type Programs } from './programs.io.ts'
import { pipelines, runsAfter, streamsOf, type Sink, type Streams } from './sinks.ts'

/** Bounds of one call, and the firewall as it is asked once more when a command runs. */
export interface ExecutorOptions {
  /** Milliseconds for one call; then every process of it is killed. @defaultValue 30000 */
  readonly timeoutMs?: number
  /** Bytes of output that are kept; a command that writes more is ended. @defaultValue 65536 */
  readonly maxOutput?: number
  /**
   * The physical path of a redirect's file, as the firewall finds it now; `confirmed`: the files whose writing a person
   * said yes to.
   * @throws ToolRefusal when it may not be touched any more.
   */
  readonly locate: (spelled: string, cwd: string, access: Access, confirmed: readonly string[]) => string
  /** True when the firewall, asked now, lets this physical path be read although it has a second name. */
  readonly isOpen: IsOpen
  /** Names and paths that git leaves out of what it shows when it is started in this folder. */
  readonly hidden: (cwd: string) => readonly string[]
}

/** What came of a line. */
export interface Ran {
  /** Of the last command that ran; 124 when the time was up, 128 and the signal's number when it was killed. */
  readonly exit: number
  readonly output: string
}

/** Runs what was judged, and nothing that was not. */
export interface Executor {
  /**
   * Runs the commands that were judged, without a shell.
   * @throws ToolRefusal when a program or a file of it is not to be had.
   */
  run(stages: readonly Stage[], cwd: string, also?: RunsWith): Promise<Ran>
}

/** What a run gets beside its words. */
interface RunsWith {
  /** Physical files that a person let redirects write. @defaultValue none */
  readonly confirmed?: readonly string[]
  /** Open files that every command finds as descriptors 3, 4 and so on; the caller closes them. @defaultValue none */
  readonly held?: readonly number[]
}

const TIMEOUT_MS = 30_000
const MAX_OUTPUT = 64 * 1024
const TIMED_OUT = 124

/** Runs commands by their words: absolute programs, a closed environment, no input, bounded time and output. */
export function createExecutor(options: ExecutorOptions): Executor {
  const programs = trustedPrograms()
  return { run: (stages, cwd, also = {}) => runLine(stages, { cwd, options, programs, ...also }) }
}

async function runLine(stages: readonly Stage[], ground: Ground): Promise<Ran> {
  const { timeoutMs = TIMEOUT_MS, maxOutput = MAX_OUTPUT } = ground.options
  const line: Line = { ...ground, output: outputOf(maxOutput), children: [], late: false }
  const timer = setTimeout(() => {
    line.late = true
    killAll(line)
  }, timeoutMs)
  try {
    let exit: number | undefined
    for (const { joint, stages: piped } of pipelines(stages)) {
      if (!line.late && runsAfter(joint, exit)) exit = await runPipeline(piped, line)
    }
    const output = line.output.text()
    if (!line.late) return { exit: exit ?? 0, output }
    const start = output === '' || output.endsWith('\n') ? output : `${output}\n`
    return { exit: TIMED_OUT, output: `${start}[stopped: the time limit of ${timeoutMs / 1000} s was reached]` }
  } finally {
    clearTimeout(timer)
    killAll(line)
  }
}

interface Ground extends RunsWith {
  readonly cwd: string
  readonly options: ExecutorOptions
  readonly programs: Programs
}

/** One call under way. */
interface Line extends Ground {
  readonly output: Output
  readonly children: ChildProcess[]
  late: boolean
}

/** Its commands at once, each reading what the one before writes; the last one's exit counts. */
async function runPipeline(stages: readonly Stage[], line: Line): Promise<number> {
  const exits: Promise<number>[] = []
  let input: Written | undefined
  for (const [at, stage] of stages.entries()) {
    const streams = streamsOf(stage.redirects)
    const child = start(stage.argv, streams, line, input)
    const exit = ended(child)
    // A later command may be refused before anybody waits for this one.
    exit.catch(() => undefined)
    exits.push(exit)
    const { out, err } = written(child, streams)
    const stop = brokenPipe(child)
    for (const stream of err) line.output.take({ stream, stop })
    if (at < stages.length - 1) input = { stream: merged(out), stop }
    else for (const stream of out) line.output.take({ stream, stop })
  }
  const all = await Promise.all(exits)
  return all.at(-1) ?? 0
}

/** What a command writes, and how it is told that nobody reads any more. */
interface Written {
  readonly stream: Readable
  readonly stop: () => void
}

/** The signal comes first: a write into what is closed would be an error that the command reports. */
const brokenPipe = (child: ChildProcess) => (): void => {
  signal(child, 'SIGPIPE')
  child.stdout?.destroy()
}

/** What a command writes for the next one, and what it writes beside that. */
function written(
  { stdout, stderr }: ChildProcess,
  streams: Streams,
): Readonly<Record<'out' | 'err', readonly Readable[]>> {
  const pairs = [
    { sink: streams.out, stream: stdout },
    { sink: streams.err, stream: stderr },
  ]
  const to = (wanted: Sink): readonly Readable[] =>
    pairs.flatMap(({ sink, stream }) => (sink === wanted && stream !== null ? [stream] : []))
  return { out: to('out'), err: to('err') }
}

/** Several streams as one, which ends with the last of them. */
function merged(streams: readonly Readable[]): Readable {
  const [only, ...others] = streams
  if (only !== undefined && others.length === 0) return only
  const all = new PassThrough()
  let open = streams.length
  if (open === 0) all.end()
  for (const stream of streams) {
    stream.pipe(all, { end: false })
    stream.once('close', () => {
      open -= 1
      if (open === 0) all.end()
    })
  }
  return all
}

function start(argv: readonly string[], streams: Streams, line: Line, input: Written | undefined): ChildProcess {
  const { argv: words, env } = hardened(argv, line.options.hidden(line.cwd))
  const [program = '', ...args] = words
  const path = line.programs.find(program, line.cwd)
  const opened: number[] = []
  try {
    const sinks = [streams.out, streams.err].map((sink) => sinkOf(sink, line, opened))
    const stdio = [inputOf(streams, line, opened, input), ...sinks, ...(line.held ?? [])]
    const child = spawned(() => spawn(path, args, { cwd: line.cwd, env, argv0: program, stdio, detached: true }))
    line.children.push(child)
    if (input !== undefined) feed(input, streams.input === 'inherit' ? child.stdin : null)
    return child
  } finally {
    opened.forEach(closeSync)
  }
}

/** @throws ToolRefusal for what the system refuses at once: a NUL in a word, too many words, no folder to start in. */
function spawned(begin: () => ChildProcess): ChildProcess {
  try {
    return begin()
  } catch {
    throw notStarted()
  }
}

const notStarted = (): ToolRefusal =>
  new ToolRefusal('workspace.no_program', 'The program could not be started in this folder with these words.')

type Descriptor = 'ignore' | 'pipe' | number

function inputOf({ input }: Streams, line: Line, opened: number[], before: Written | undefined): Descriptor {
  if (input === 'inherit') return before === undefined ? 'ignore' : 'pipe'
  return input === 'empty' ? 'ignore' : open(input.path, 'read', line, opened)
}

function sinkOf(sink: Sink, line: Line, opened: number[]): Descriptor {
  if (sink === 'nowhere') return 'ignore'
  return typeof sink === 'string' ? 'pipe' : open(sink.path, sink.append ? 'append' : 'replace', line, opened)
}

function open(spelled: string, access: 'read' | 'replace' | 'append', line: Line, opened: number[]): number {
  const path = line.options.locate(spelled, line.cwd, access, line.confirmed ?? [])
  const handle = openJudged(path, access, line.options.isOpen)
  opened.push(handle)
  return handle
}

/** What a command writes goes into the next one; when that one reads no more, the next write ends the first, as in a shell. */
function feed({ stream, stop }: Written, to: Writable | null): void {
  const discard = (): void => {
    stream.unpipe()
    stream.once('data', stop)
    stream.resume()
  }
  stream.on('error', () => undefined)
  if (to === null) {
    discard()
    return
  }
  to.once('error', stop)
  to.once('close', discard)
  stream.pipe(to)
}

/** Milliseconds that a command's output may take to arrive after its end. */
const DRAIN_MS = 500

function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', () => {
      reject(notStarted())
    })
    let exit = 0
    child.once('exit', (code, signal) => {
      exit = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
      // A process that it left behind may keep its output open for ever.
      setTimeout(() => {
        resolve(exit)
      }, DRAIN_MS).unref()
    })
    child.once('close', () => {
      resolve(exit)
    })
  })
}

/** The whole group, so that nothing that a command has started outlives the call. */
function killAll({ children }: Line): void {
  for (const child of children) signal(child, 'SIGKILL')
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch {
    // It has ended.
  }
}

interface Output {
  readonly take: (written: Written) => void
  text(): string
}

/** Bytes in the order of their arrival, up to a limit; then the writers are cut off. */
function outputOf(maxBytes: number): Output {
  const pieces: Buffer[] = []
  let kept = 0
  let cut = false
  return {
    take: ({ stream, stop }) => {
      stream.on('error', () => undefined)
      stream.on('data', (piece: Buffer) => {
        const rest = maxBytes - kept
        pieces.push(piece.subarray(0, rest))
        kept += Math.min(piece.length, rest)
        if (piece.length <= rest) return
        cut = true
        stop()
        stream.destroy()
      })
    },
    text: () => `${Buffer.concat(pieces).toString('utf8')}${cut ? `\n[cut at ${maxBytes} bytes]` : ''}`,
  }
}
