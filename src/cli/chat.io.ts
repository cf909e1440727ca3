import { startCopilotRuntime } from '../../adapters/hosts/copilot.io.ts'
import { BANK_NAMES } from '../compose/compose.io.ts'
import { startProbedRuntime } from '../compose/doctor.io.ts'
import { readSettings, realServices, type Settings } from '../config.io.ts'
import { SettingError } from '../core/setting-error.ts'
import { visible } from '../core/visible.ts'
import { announce, openDesk, takeSeat, type ChatOptions, type Closers, type Warn } from './desk.io.ts'
import { Interrupted, TurnFailed } from './failure.io.ts'
import { interruptible } from './interrupt.io.ts'
import { paint, print, printJson, tell } from './output.io.ts'
import { checkSignIn, signIn } from './sign-in.io.ts'
import { talk } from './talk.io.ts'
import { transcript } from './transcript.ts'
import { checkMessage, INTERRUPTED_MS, sent, showCall } from './turn.io.ts'

/** `intent-gate chat`: one turn when a message is given, else a conversation. */
export async function chatCommand(message: string | undefined, options: ChatOptions): Promise<void> {
  if (message !== undefined) checkMessage(message)
  const settings = readSettings({ PDP_KIND: options.pdp })
  checkOptions(options, settings)
  const closers: Closers = []
  // A canary call first, where it is not the larger part of the whole run.
  const start = message === undefined ? startProbedRuntime : startCopilotRuntime
  let interrupt: AbortSignal | undefined
  // What breaks because of Ctrl-C is no news.
  const report: Warn = (cause, detail) => {
    if (interrupt?.aborted !== true) warn(cause, detail)
  }
  try {
    const desk = await openDesk(options, settings, banksFor(message, options, settings), closers, report, start)
    // Until here nothing has happened that must be put in order: Ctrl-C ends the process at once.
    interrupt = interruptible()
    const login = await signIn(desk.composition, options.as, settings, interrupt)
    if (message === undefined) await talk(desk, login, interrupt)
    else await once(message, desk, login, interrupt)
  } catch (cause) {
    // Ctrl-C reaches the runtime too, so a turn may fail by it before it is stopped.
    if (interrupt?.aborted !== true) throw cause
  } finally {
    await closeAll(closers, interrupt?.aborted === true)
  }
  if (interrupt.aborted) throw new Interrupted()
}

/** A conversation may go from bank to bank, as long as no real service stands for one of them. */
function banksFor(message: string | undefined, { bank, gate }: ChatOptions, settings: Settings): readonly string[] {
  if (message !== undefined || !gate || realServices(settings).length > 0) return [bank]
  return [bank, ...BANK_NAMES.filter((name) => name !== bank)]
}

async function once(
  message: string,
  desk: Parameters<typeof talk>[0],
  login: Parameters<typeof talk>[1],
  interrupt: AbortSignal,
): Promise<void> {
  const seat = await takeSeat(desk, login, {})
  announce(seat, desk)
  const turn = await sent(seat.session, message, interrupt)
  const failed = turn.ended === 'failed'
  // One JSON object on stdout: the transcript, or the error.
  if (desk.options.json === true) {
    if (!failed) printJson(transcript(seat.head, [turn]))
  } else {
    for (const call of turn.calls) showCall(call, seat.head.gate, true)
    if (turn.assistant !== '') print(visible(turn.assistant))
    else if (turn.ended === 'done') print(paint.dim('(no answer)'))
  }
  if (!interrupt.aborted) await seat.session.close()
  if (failed) throw new TurnFailed(turn.error ?? 'The turn failed.')
}

async function closeAll(closers: Closers, interrupted: boolean): Promise<void> {
  if (!interrupted) {
    for (const close of closers.toReversed()) await close()
    return
  }
  // Ctrl-C in a terminal has reached the runtime too: nobody waits for a goodbye of it, and its folder goes with this process.
  const closed = Promise.allSettled(closers.map((close) => close()))
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, INTERRUPTED_MS))])
}

function checkOptions(options: ChatOptions, settings: Settings): void {
  checkSignIn(options.as, settings)
  const real = realServices(settings)
  if (!options.gate && real.length > 0) {
    throw new SettingError('--no-gate', `would run without protection against ${real.join(', ')}`, 'Unset them first')
  }
  if (!options.gate && options.audit !== undefined) {
    throw new SettingError('--audit', 'contradicts --no-gate, which decides nothing', 'Leave one of the two out')
  }
}

function warn(cause: unknown, detail?: unknown): void {
  const text = (each: unknown): string => (each instanceof Error ? `${each.name}: ${each.message}` : String(each))
  tell(`warning: ${text(cause)}${detail === undefined ? '' : ` (${text(detail)})`}`)
}
