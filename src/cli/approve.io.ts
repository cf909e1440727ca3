import { openSync, readFileSync, statSync } from 'node:fs'
import { ReadStream, WriteStream } from 'node:tty'
import pc from 'picocolors'
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../approval/approver.ts'
import { keyed } from '../approval/key-line.ts'
import { cardScreen, type CardTone } from '../approval/screen.ts'
import { scriptedApprover, type Spelling } from '../approval/scripted-approver.ts'
import { typedAnswer, type TypedAnswer } from '../approval/typed-answer.ts'
import { SettingError } from '../core/setting-error.ts'
import { takeKeyboard, type Keyboard, type Stopped } from './keyboard.io.ts'

/** A keyboard and a screen. Pipes are no terminal: then nobody is there. */
interface Terminal {
  readonly input: ReadStream
  readonly output: WriteStream
}

interface TerminalApproverOptions extends Terminal {
  /** The width to draw for, asked for each card. @defaultValue that of the output */
  readonly columns?: () => number
  /** @defaultValue what the output has, unless `NO_COLOR` is set */
  readonly colors?: boolean
  /** Called before a card is drawn, so that a line that is being written can be ended. */
  readonly pause?: () => void
  /** Called when the card is closed and the keyboard is given back. */
  readonly resume?: () => void
  /** Hears of Ctrl-C at a card, which is a no beside that. */
  readonly onInterrupt?: () => void
  /** Milliseconds without a key before the prompt is shown: what was typed until then is dropped. @defaultValue 300 */
  readonly quietMs?: number
}

const QUIET_MS = 300
const PROMPT = 'Do exactly this, once? [y/N, n because ..., d details] '

/**
 * Asks the person at the terminal, one card at a time. While a card is open it has the keyboard to itself, also beside a
 * readline on the same input, which gets it back. The default is no; what was typed before the prompt is dropped.
 * Without a terminal there is nobody. A time-out or the end of the turn closes the card.
 */
export function createTerminalApprover(options: TerminalApproverOptions): Approver {
  let last: Promise<unknown> = Promise.resolve()
  return {
    ask: (request) => {
      const answer = last.then(() => askHere(request, options))
      last = answer.catch(() => undefined)
      return answer
    },
  }
}

type Closing = Exclude<TypedAnswer, { readonly kind: 'details' }> | { readonly kind: Stopped | 'interrupted' }

async function askHere(request: ApprovalRequest, options: TerminalApproverOptions): Promise<ApprovalAnswer> {
  const { digest, signal } = request
  const { input, output } = options
  if (!isTerminal(input) || !isTerminal(output)) return { digest, approved: false, nobody: true }
  if (signal.aborted) return { digest, approved: false }
  options.pause?.()
  const keyboard = takeKeyboard(input, signal)
  let closing: Closing
  try {
    closing = await converse(request, options, keyboard)
    output.write(`${farewell(closing)}\n`)
  } finally {
    keyboard.release()
    options.resume?.()
  }
  if (closing.kind === 'interrupted') options.onInterrupt?.()
  return answerOf(closing, digest)
}

// The field is missing on a pipe, whatever the type says.
const isTerminal = ({ isTTY }: { readonly isTTY?: boolean }): boolean => isTTY === true

function farewell(closing: Closing): string {
  switch (closing.kind) {
    case 'yes':
      return 'Confirmed, once.'
    case 'no':
      return closing.almost ? 'Not confirmed: only y or yes alone is a yes.' : 'Not confirmed.'
    case 'interrupted':
      return '\nNot confirmed.'
    case 'gone':
      return '\nNot confirmed: the terminal is gone.'
    case 'timeout':
      return '\nNot confirmed: no answer in time.'
    case 'turn_over':
      return '\nNot confirmed: the turn has ended.'
  }
}

function answerOf(closing: Closing, digest: string): ApprovalAnswer {
  switch (closing.kind) {
    case 'yes':
      return { digest, approved: true }
    case 'gone':
      return { digest, approved: false, nobody: true }
    case 'no':
      return { digest, approved: false, ...(closing.reason === undefined ? {} : { reason: closing.reason }) }
    case 'interrupted':
    case 'timeout':
    case 'turn_over':
      return { digest, approved: false }
  }
}

async function converse(
  request: ApprovalRequest,
  options: TerminalApproverOptions,
  keyboard: Keyboard,
): Promise<Closing> {
  const { output, quietMs = QUIET_MS } = options
  let seenWhole = show(request, options, false)
  for (;;) {
    const early = await dropTyped(keyboard, quietMs)
    if (early !== undefined) return early
    output.write(PROMPT)
    const line = await typedLine(keyboard, output)
    if (typeof line !== 'string') return line
    output.write('\n')
    const answer = typedAnswer(line)
    if (answer.kind === 'details') seenWhole = show(request, options, true)
    else if (answer.kind === 'no' || seenWhole) return answer
    else output.write('The card leaves something out. Type d, and see all of it first.\n')
  }
}

/** Draws the card; true when it leaves nothing out. */
function show(request: ApprovalRequest, options: TerminalApproverOptions, full: boolean): boolean {
  const { output, columns = () => output.columns, colors = hasColors(output) } = options
  const { bold, yellow, dim } = pc.createColors(colors)
  const style: Readonly<Record<CardTone, (text: string) => string>> = { head: bold, plain: String, warn: yellow, dim }
  const screen = cardScreen(request, { columns: columns(), full })
  output.write(screen.lines.map(({ tone, text }) => `${style[tone](text)}\n`).join(''))
  return screen.whole
}

const hasColors = (output: WriteStream): boolean => (process.env['NO_COLOR'] ?? '') === '' && output.hasColors()

/** Waits until the person has stopped typing: what they typed was not about this card. */
async function dropTyped(keyboard: Keyboard, quietMs: number): Promise<Closing | undefined> {
  for (;;) {
    const heard = await keyboard.next(quietMs)
    if (heard.kind === 'quiet') return undefined
    if (heard.kind === 'stopped') return { kind: heard.why }
    if (keyed('', heard.key).kind === 'interrupted') return { kind: 'interrupted' }
  }
}

/** One line typed from here on; the end of the input on an empty line is a no. */
async function typedLine(keyboard: Keyboard, output: WriteStream): Promise<string | Closing> {
  let line = ''
  for (;;) {
    const heard = await keyboard.next()
    if (heard.kind === 'stopped') return { kind: heard.why }
    if (heard.kind === 'quiet') continue
    const effect = keyed(line, heard.key)
    line = effect.line
    if (effect.kind === 'typed') output.write(effect.echo)
    else if (effect.kind === 'interrupted') return { kind: 'interrupted' }
    else if (effect.kind !== 'ignored') return line
  }
}

/** What opening `/dev/tty` says when the process has no terminal. */
const NO_TERMINAL = new Set(['ENXIO', 'ENOENT', 'EACCES', 'EPERM'])

/** The process's own terminal, also when its standard streams are pipes; undefined when it has none. */
export function openTerminal(): (Terminal & { readonly close: () => void }) | undefined {
  try {
    const input = new ReadStream(openSync('/dev/tty', 'r'))
    const output = new WriteStream(openSync('/dev/tty', 'w'))
    return {
      input,
      output,
      close: () => {
        input.destroy()
        output.destroy()
      },
    }
  } catch (cause) {
    if (NO_TERMINAL.has(codeOf(cause))) return undefined
    throw cause
  }
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a folder',
  EACCES: 'may not be read',
  ENOTDIR: 'lies in something that is no folder',
}
const MAX_BYTES = 1024 * 1024

/**
 * The person that a file plays, for `decide --approver FILE`.
 * @throws SettingError when the file cannot be read, is over 1 MiB, or is not such a file; it names the fault.
 */
export function readApprover(file: string): (spell: Spelling) => Approver {
  const fix = 'Name a JSON file that says what is accepted'
  let bytes: Buffer
  try {
    const stats = statSync(file)
    if (!stats.isFile()) {
      throw new SettingError(`--approver ${file}`, stats.isDirectory() ? 'is a folder' : 'is no regular file', fix)
    }
    bytes = readFileSync(file)
  } catch (cause) {
    if (cause instanceof SettingError) throw cause
    const code = codeOf(cause)
    throw new SettingError(`--approver ${file}`, FAULTS[code] ?? `cannot be read (${code})`, fix)
  }
  if (bytes.length > MAX_BYTES) throw new SettingError(`--approver ${file}`, 'is over 1 MiB', fix)
  return scriptedApprover(bytes.toString('utf8'), `--approver ${file}`)
}

const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'unknown'
