import { createInterface, type Interface } from 'node:readline'
import type { AttemptedCall, GatedSession, SessionOptions, TurnRecord } from '../../adapters/hosts/session.ts'
import { visible, visibleLine } from '../core/visible.ts'
import { columns } from './columns.io.ts'
import { hanging } from './hanging.ts'
import { paint, print, tell } from './output.io.ts'
import type { Person } from './person.io.ts'
import { completed, helpRows, meant, parseInput, wholeCharacters, type CommandName, type PartyCommand } from './talk.ts'
import { checkMessage, sent, showCall } from './turn.io.ts'

/** How soon a second Ctrl-C must follow the first to leave, in milliseconds. */
const TWICE_MS = 2_000

/** What the terminal shows just now. */
export interface Screen {
  /** True while the model's text is being written and its line is not ended. */
  midLine: boolean
  /** The latest decision. */
  last: AttemptedCall | undefined
}

/** Whom a person talks with: the bank's assistant, or the agent of a workspace. */
export interface Party {
  /** Aborts when the process is to end. */
  readonly interrupt: AbortSignal
  readonly screen: Screen
  /** Nothing is shown while it goes; a transcript follows. */
  readonly isJson: boolean
  readonly commands: readonly CommandName[]
  readonly person: Person | undefined
  session(): GatedSession
  /** Plain text, with its space at the end. */
  prompt(): string
  /** Takes back what the messages so far allow. */
  revoke(): void
  /** What a command can be given, for Tab. */
  choices(name: CommandName): readonly string[]
  command(name: PartyCommand, argument: string): Promise<void> | void
  /** A turn has ended; the person has seen its calls, and why it failed. */
  took(turn: TurnRecord): Promise<void> | void
}

interface Talk {
  readonly party: Party
  readonly lines: Interface
  /** Aborts the turn under way. */
  stop: (() => void) | undefined
  left: boolean
}

/**
 * A conversation at the terminal, or a turn for each line of a pipe. Ctrl-C stops a turn and not the program, at a card
 * too; twice, it leaves. Gives true when it was left that way.
 */
export async function converse(party: Party): Promise<boolean> {
  const { interrupt, commands, person } = party
  const terminal = process.stdin.isTTY
  if (terminal) tell('/help lists the commands', 'dim')
  const completer = (line: string): [string[], string] => [
    [...completed(line, commands, (name) => party.choices(name))],
    line,
  ]
  // Not a moment before its lines are read: what a pipe brings in between would be lost.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal, historySize: 200, completer })
  const talking: Talk = { party, lines, stop: undefined, left: false }
  const twice = listenForCtrlC(talking)
  person?.passInterruptTo(() => lines.emit('SIGINT'))
  interrupt.addEventListener('abort', () => {
    lines.close()
  })
  prompt(talking)
  lines.on('line', (line) => {
    stopAtOnce(talking, line)
  })
  for await (const line of lines) {
    await takeLine(talking, line)
    if (talking.left) break
    prompt(talking)
  }
  lines.close()
  return twice.aborted
}

/** `/stop` does not wait for the turn that it is to stop. */
function stopAtOnce({ party, stop }: Talk, line: string): void {
  const input = parseInput(line, party.commands)
  if (input.kind !== 'command' || input.name !== 'stop') return
  party.revoke()
  stop?.()
}

async function takeLine(talking: Talk, line: string): Promise<void> {
  const { party } = talking
  const input = parseInput(line, party.commands)
  switch (input.kind) {
    case 'nothing':
      return
    case 'unknown':
      tellUnknown(input.name, party.commands)
      return
    case 'command':
      await takeCommand(talking, input.name, input.argument)
      return
    case 'message':
      await takeTurn(talking, input.text)
  }
}

function tellUnknown(word: string, commands: readonly CommandName[]): void {
  const near = meant(word, commands)
  const hint = near === undefined ? '' : `, did you mean /${near}?`
  tell(`there is no command /${visibleLine(word)}${hint === '' ? ';' : hint} /help lists them`)
}

async function takeCommand(talking: Talk, name: CommandName, argument: string): Promise<void> {
  const { party } = talking
  switch (name) {
    case 'stop':
      party.revoke()
      print('nothing that you asked for so far is allowed any more')
      return
    case 'help':
      for (const [usage, does] of helpRows(party.commands)) print(hanging(`${usage.padEnd(15)} `, does, columns()))
      return
    case 'quit':
      talking.left = true
      return
    case 'why':
    case 'as':
    case 'bank':
    case 'audit':
    case 'tools':
      await party.command(name, argument)
  }
}

async function takeTurn(talking: Talk, message: string): Promise<void> {
  const { party } = talking
  checkMessage(message)
  const stop = new AbortController()
  talking.stop = () => {
    stop.abort()
  }
  const signal = AbortSignal.any([party.interrupt, stop.signal])
  const turn = await withoutRedraw(() => sent(party.session(), message, signal))
  talking.stop = undefined
  party.screen.last = turn.calls.at(-1) ?? party.screen.last
  if (!party.isJson) endLine(party.screen)
  if (turn.ended === 'aborted') tell(turn.error ?? 'stopped')
  if (turn.ended === 'failed') tell(turn.error ?? 'The turn failed.')
  await party.took(turn)
}

/** During a turn the line below the cursor is not the prompt's, and readline would draw it there when the window changes. */
async function withoutRedraw<T>(work: () => Promise<T>): Promise<T> {
  const held = process.stderr.listeners('resize') as (() => void)[]
  process.stderr.removeAllListeners('resize')
  try {
    return await work()
  } finally {
    for (const listener of held) process.stderr.on('resize', listener)
  }
}

/** Shows text and decisions as they come. */
export function shownAsTheyCome(
  screen: Screen,
  { gate }: { readonly gate: boolean },
): Pick<SessionOptions, 'onText' | 'onDecision'> {
  const whole = wholeCharacters()
  return {
    onText: (piece) => {
      const text = visible(whole(piece))
      process.stdout.write(text)
      if (text !== '') screen.midLine = !text.endsWith('\n')
    },
    onDecision: (call) => {
      endLine(screen)
      showCall(call, gate, false)
      screen.last = call
    },
  }
}

function endLine(screen: Screen): void {
  if (screen.midLine) process.stdout.write('\n')
  screen.midLine = false
}

function prompt({ party, lines }: Talk): void {
  if (!process.stdin.isTTY) return
  lines.setPrompt(paint.bold(party.prompt()))
  lines.prompt()
}

/** The first Ctrl-C stops the turn under way; a second one soon after leaves. Aborts when it leaves. */
function listenForCtrlC(talking: Talk): AbortSignal {
  const leave = new AbortController()
  let before = -Infinity
  talking.lines.on('SIGINT', () => {
    const now = performance.now()
    if (now - before < TWICE_MS) {
      talking.left = true
      leave.abort()
      talking.stop?.()
      talking.lines.close()
      return
    }
    before = now
    if (talking.stop !== undefined) {
      talking.stop()
      return
    }
    tell('\npress Ctrl-C again to leave')
    // What was typed and not sent is dropped, as a shell does it.
    for (const name of ['e', 'u']) talking.lines.write(null, { ctrl: true, name })
    prompt(talking)
  })
  return leave.signal
}
