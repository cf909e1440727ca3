import type { AttemptedCall, TurnRecord } from '../../adapters/hosts/session.ts'
import { readAudit } from '../audit/show.io.ts'
import { tenantId, type TenantId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import { says } from '../core/says.ts'
import type { ToolDefinition } from '../core/tool.ts'
import { visibleLine } from '../core/visible.ts'
import { auditTable } from './audit.io.ts'
import { columns } from './columns.io.ts'
import { converse, shownAsTheyCome, type Screen } from './conversation.io.ts'
import { announce, takeSeat, type Desk, type Seat } from './desk.io.ts'
import { Interrupted } from './failure.io.ts'
import { hanging } from './hanging.ts'
import { print, printJson, tell } from './output.io.ts'
import { BANK_COMMANDS, choices, type CommandName, type PartyCommand } from './talk.ts'
import { transcript } from './transcript.ts'
import { whyRows } from './why.ts'

const LATEST_CALLS = 10

/** A conversation with a bank's assistant under way. */
interface Talk {
  readonly desk: Desk
  readonly interrupt: AbortSignal
  readonly screen: Screen
  seat: Seat
  turns: TurnRecord[]
}

/**
 * A conversation with a bank's assistant: at the terminal, or a turn for each line of a pipe.
 * @throws Interrupted when the person left it with Ctrl-C.
 */
export async function talk(desk: Desk, login: Login, interrupt: AbortSignal): Promise<void> {
  const screen: Screen = { midLine: false, last: undefined }
  const seat = await takeSeat(desk, login, listeners(screen, desk))
  announce(seat, desk)
  const talking: Talk = { desk, interrupt, screen, seat, turns: [] }
  const wasInterrupted = await converse({
    interrupt,
    screen,
    isJson: desk.options.json === true,
    commands: BANK_COMMANDS,
    person: desk.person,
    session: () => talking.seat.session,
    prompt: () => `${talking.seat.login.subject.id}@${talking.seat.login.tenant}> `,
    revoke: () => {
      desk.composition.gate.revoke(talking.seat.session.id)
    },
    choices: (name) => choicesOf(talking, name),
    command: (name, argument) => COMMAND[name](talking, argument),
    took: async (turn) => {
      talking.turns.push(turn)
      if (turn.ended !== 'failed') return
      await changeSeat(talking, talking.seat.login)
      tell('a new conversation begins', 'dim')
    },
  })
  await leaveSeat(talking)
  if (wasInterrupted) throw new Interrupted()
}

function choicesOf({ desk, seat }: Talk, name: CommandName): readonly string[] {
  if (name === 'as') return customersOf(desk, seat.login.tenant)
  return name === 'bank' ? [...desk.composition.banks.keys()] : []
}

const COMMAND: Readonly<Record<PartyCommand, (talking: Talk, argument: string) => Promise<void> | void>> = {
  why: async ({ screen: { last }, seat, desk }) => {
    const isDenied = last !== undefined && last.judgement.decision.kind !== 'permit'
    showWhy(last, isDenied ? await permittedInstead(desk, seat.login, last) : [])
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
    await showLatest(desk.audit)
  },
  tools: ({ seat, desk }) => {
    showTools(desk.composition.gate.tools(seat.login))
  },
}

/** `/why`: one decision in full, and what would have been permitted in its place. */
export function showWhy(last: AttemptedCall | undefined, instead: readonly string[]): void {
  if (last === undefined) print('nothing was decided yet')
  else for (const [label, text] of whyRows(last, instead)) print(hanging(`${label.padEnd(12)} `, text, columns()))
}

/** `/audit`: the latest calls of the file; undefined is no file. */
export async function showLatest(file: string | undefined): Promise<void> {
  if (file === undefined) print('without the gate nothing is on record')
  else print(auditTable((await readAudit(file)).rows.slice(-LATEST_CALLS)))
}

/** `/tools`: what the assistant can call. */
export function showTools(tools: readonly ToolDefinition[]): void {
  for (const { name, description } of tools) print(hanging(`${visibleLine(name)}: `, description, columns()))
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
  if (desk.options.json === true) printJson(transcript(seat.head, turns))
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

const listeners = (screen: Screen, { options }: Desk): ReturnType<typeof shownAsTheyCome> =>
  options.json === true ? {} : shownAsTheyCome(screen, options)
