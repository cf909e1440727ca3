import { createInterface, type Interface } from 'node:readline'
import type { AttemptedCall, SessionOptions, TurnRecord } from '../../adapters/hosts/session.ts'
import { readAudit } from '../audit/show.io.ts'
import { tenantId, type TenantId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import { says } from '../core/says.ts'
import { visible, visibleLine } from '../core/visible.ts'
import { auditTable } from './audit.io.ts'
import { columns } from './columns.io.ts'
import { announce, takeSeat, type Desk, type Seat } from './desk.io.ts'
import { Interrupted } from './failure.io.ts'
import { hanging } from './hanging.ts'
import { paint, print, tell } from './output.io.ts'
import { choices, helpRows, parseInput, wholeCharacters, type CommandName } from './talk.ts'
import { transcript } from './transcript.ts'
import { checkMessage, sent, showCall } from './turn.io.ts'
import { whyRows } from './why.ts'

/** How soon a second Ctrl-C must follow the first to leave, in milliseconds. */
const TWICE_MS = 2_000
const LATEST_CALLS = 10

/** A conversation under way. */
interface Talk {
  readonly desk: Desk
  readonly lines: Interface
  readonly interrupt: AbortSignal
  seat: Seat
  readonly screen: Screen
  turns: TurnRecord[]
  /** Aborts the turn under way. */
  stop: (() => void) | undefined
  left: boolean
}

interface Screen {
  /** True while the model's text is being written and its line is not ended. */
  midLine: boolean
  /** The latest decision. */
  last: AttemptedCall | undefined
}

/** A conversation at the terminal, or a turn for each line of a pipe. Ctrl-C stops a turn; twice, it leaves. */
export async function talk(desk: Desk, login: Login, interrupt: AbortSignal): Promise<void> {
  const screen: Screen = { midLine: false, last: undefined }
  const seat = await takeSeat(desk, login, listeners(screen, desk))
  announce(seat, desk)
  const terminal = process.stdin.isTTY
  if (terminal) tell('/help lists the commands', 'dim')
  // Not a moment before its lines are read: what a pipe brings in between would be lost.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal, historySize: 200 })
  const talking: Talk = { desk, lines, interrupt, seat, screen, turns: [], stop: undefined, left: false }
  const twice = listenForCtrlC(talking)
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
  await leaveSeat(talking)
  if (twice.aborted) throw new Interrupted()
}

/** `/stop` does not wait for the turn that it is to stop. */
function stopAtOnce({ desk, seat, stop }: Talk, line: string): void {
  const input = parseInput(line)
  if (input.kind !== 'command' || input.name !== 'stop') return
  desk.composition.gate.revoke(seat.session.id)
  stop?.()
}

async function takeLine(talking: Talk, line: string): Promise<void> {
  const input = parseInput(line)
  switch (input.kind) {
    case 'nothing':
      return
    case 'unknown':
      tell(`there is no command /${visibleLine(input.name)}; /help lists them`)
      return
    case 'command':
      await COMMAND[input.name](talking, input.argument)
      return
    case 'message':
      await takeTurn(talking, input.text)
  }
}

async function takeTurn(talking: Talk, message: string): Promise<void> {
  const { desk, interrupt } = talking
  checkMessage(message)
  const stop = new AbortController()
  talking.stop = () => {
    stop.abort()
  }
  const turn = await sent(talking.seat.session, message, AbortSignal.any([interrupt, stop.signal]))
  talking.stop = undefined
  talking.turns.push(turn)
  talking.screen.last = turn.calls.at(-1) ?? talking.screen.last
  if (desk.options.json !== true) endLine(talking.screen)
  if (turn.ended === 'aborted') tell(turn.error ?? 'stopped')
  if (turn.ended !== 'failed') return
  tell(turn.error ?? 'The turn failed.')
  await changeSeat(talking, talking.seat.login)
  tell('a new conversation begins', 'dim')
}

const COMMAND: Readonly<Record<CommandName, (talking: Talk, argument: string) => Promise<void> | void>> = {
  why: async ({ screen: { last }, seat, desk }) => {
    if (last === undefined) {
      print('nothing was decided yet')
      return
    }
    const instead = last.judgement.decision.kind === 'permit' ? [] : await permittedInstead(desk, seat.login, last)
    for (const [label, text] of whyRows(last, instead)) print(hanging(`${label.padEnd(12)} `, text, columns()))
  },
  as: async (talking, customer) => {
    const { desk, seat } = talking
    if (customer === '') tell(choices('/as', customersOf(desk, seat.login.tenant), seat.login.subject.id))
    else await signInAs(talking, seat.login.tenant, customer)
  },
  bank: async (talking, name) => {
    const { desk, seat } = talking
    const tenant = tenantId(name)
    const banks = [...desk.composition.banks.keys()]
    if (name === '') tell(choices('/bank', banks, seat.login.tenant))
    else if (banks.includes(tenant)) await signInAs(talking, tenant, seat.login.subject.id)
    else tell(`"${visibleLine(name)}" is not a bank here; there is ${banks.join(', ')}`)
  },
  audit: async ({ desk }) => {
    if (desk.audit === undefined) print('without the gate nothing is on record')
    else print(auditTable((await readAudit(desk.audit)).rows.slice(-LATEST_CALLS)))
  },
  tools: ({ seat, desk }) => {
    for (const { name, description } of desk.composition.gate.tools(seat.login)) {
      print(hanging(`${visibleLine(name)}: `, description, columns()))
    }
  },
  stop: ({ desk, seat }) => {
    desk.composition.gate.revoke(seat.session.id)
    print('nothing that you asked for so far is allowed any more')
  },
  help: () => {
    for (const [usage, does] of helpRows()) print(hanging(`${usage.padEnd(15)} `, does, columns()))
  },
  quit: (talking) => {
    talking.left = true
  },
}

const customersOf = ({ composition }: Desk, tenant: TenantId): readonly string[] =>
  (composition.banks.get(tenant)?.data.customers ?? []).map(({ id }) => id)

async function signInAs(talking: Talk, tenant: TenantId, customer: string): Promise<void> {
  const { desk } = talking
  if (desk.settings.OIDC_ISSUER !== undefined) {
    tell('with OIDC_ISSUER set, start again to sign in as somebody else')
    return
  }
  const login = await desk.composition.signIn(tenant, customer)
  if (!login.ok) {
    const use = customersOf(desk, tenant).map((each) => `/as ${each}`)
    tell(`"${visibleLine(customer)}" could not sign in: ${says(login.reason, [])} Use ${use.join(', ')}.`)
    return
  }
  await changeSeat(talking, login.value)
  announce(talking.seat, { ...desk, audit: undefined })
}

async function changeSeat(talking: Talk, login: Login): Promise<void> {
  await leaveSeat(talking)
  talking.seat = await takeSeat(talking.desk, login, listeners(talking.screen, talking.desk))
  talking.turns = []
  talking.screen.last = undefined
}

/** After Ctrl-C the runtime, which heard it too, may never answer: then the session ends with the runtime. */
async function leaveSeat({ desk, seat, turns, interrupt }: Talk): Promise<void> {
  if (desk.options.json === true) print(JSON.stringify(transcript(seat.head, turns)))
  if (!interrupt.aborted) await seat.session.close()
}

/**
 * Which of the caller's own records the tool would be permitted for, asked of the PDP afresh. What is permitted and yet
 * could not be done is no way out: nothing leaves a closed account.
 */
async function permittedInstead(
  { composition }: Desk,
  login: Login,
  { tool }: AttemptedCall,
): Promise<readonly string[]> {
  const bank = composition.banks.get(login.tenant)
  const permitted = (await bank?.permittedRecords(login, tool)) ?? []
  const moves = composition.gate.tools(login).find(({ name }) => name === tool)?.effect.class === 'move_money'
  const isClosed = (record: string): boolean =>
    bank?.ledger.account(record.slice(record.indexOf('=') + 1))?.closed === true
  return moves ? permitted.filter((record) => !isClosed(record)) : permitted
}

/** Shows text and decisions as they come. */
function listeners(screen: Screen, { options }: Desk): Pick<SessionOptions, 'onText' | 'onDecision'> {
  if (options.json === true) return {}
  const whole = wholeCharacters()
  return {
    onText: (piece) => {
      const text = visible(whole(piece))
      process.stdout.write(text)
      if (text !== '') screen.midLine = !text.endsWith('\n')
    },
    onDecision: (call) => {
      endLine(screen)
      showCall(call, options.gate, false)
      screen.last = call
    },
  }
}

function endLine(screen: Screen): void {
  if (screen.midLine) process.stdout.write('\n')
  screen.midLine = false
}

function prompt({ seat: { login }, lines }: Talk): void {
  if (!process.stdin.isTTY) return
  lines.setPrompt(paint.bold(`${login.subject.id}@${login.tenant}> `))
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
    if (talking.stop === undefined) tell('\npress Ctrl-C again to leave')
    else talking.stop()
    if (talking.stop === undefined) prompt(talking)
  })
  return leave.signal
}
