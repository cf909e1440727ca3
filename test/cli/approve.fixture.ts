import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { askPerson } from '../../src/approval/ask.ts'
import { createTerminalApprover, openTerminal } from '../../src/cli/approve.io.ts'
import { createWorld } from '../../src/world.io.ts'
import { noteCard, transferCard } from '../approval/cards.ts'

/** What a test wants of the program. */
export interface Wish {
  /** @defaultValue a transfer */
  readonly note?: string
  /** @defaultValue 10 s */
  readonly timeoutMs?: number
  /** Ends the turn after so long. */
  readonly turnMs?: number
  /** Loses its terminal after so long. */
  readonly goneMs?: number
  /** Does nothing for so long before it asks, and says BUSY first. */
  readonly busyMs?: number
  /** Keeps the event loop busy meanwhile. */
  readonly spins?: boolean
  /** A readline reads the same terminal, and what it reads is printed as LINE. */
  readonly readline?: boolean
  /** @defaultValue 1 */
  readonly cards?: number
  /** How long nothing may be typed before the prompt comes. @defaultValue 60 */
  readonly quietMs?: number
  /** Asks on /dev/tty instead of the standard streams. */
  readonly tty?: boolean
}

const wish = JSON.parse(process.argv[2] ?? '{}') as Wish
const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const lines = wish.readline === true ? createInterface({ input: process.stdin, output: process.stderr }) : undefined
lines?.on('line', (line) => {
  say(`LINE[${line}]`)
  if (line === 'bye') lines.close()
})
lines?.on('SIGINT', () => {
  say('READLINE SIGINT')
})

if (wish.busyMs !== undefined) {
  say('BUSY')
  if (wish.spins === true) {
    const until = performance.now() + wish.busyMs
    while (performance.now() < until);
  } else await sleep(wish.busyMs)
}

const world = createWorld()
const terminal = wish.tty === true ? openTerminal() : { input: process.stdin, output: process.stderr }
if (terminal === undefined) say('NO TERMINAL')
else {
  const approver = createTerminalApprover({
    ...terminal,
    quietMs: wish.quietMs ?? 60,
    pause: () => {
      say('PAUSE')
    },
    resume: () => {
      say('RESUME')
    },
    onInterrupt: () => {
      say('INTERRUPT')
    },
  })
  const turn = new AbortController()
  if (wish.turnMs !== undefined) {
    setTimeout(() => {
      turn.abort()
    }, wish.turnMs)
  }
  if (wish.goneMs !== undefined) {
    setTimeout(() => {
      terminal.input.destroy()
    }, wish.goneMs)
  }
  const card = wish.note === undefined ? transferCard() : noteCard(wish.note)
  const ask = async (): Promise<void> => {
    const deadline = world.deadline(wish.timeoutMs ?? 10_000)
    const { decision, said } = await askPerson(approver, card, deadline, turn.signal)
    deadline.clear()
    // A card that is closed by its signal answers before it has given the keyboard back.
    await sleep(1)
    say(
      `ANSWER[${decision.kind === 'permit' ? 'permit' : decision.reason}|${said ?? ''}|raw ${String(process.stdin.isRaw)}]`,
    )
  }
  await Promise.all(Array.from({ length: wish.cards ?? 1 }, ask))
  if ('close' in terminal) terminal.close()
}
await world.close()
say('END')
