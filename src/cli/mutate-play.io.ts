import { BANK_NAMES, compose, type ComposeOptions, type Composition } from '../compose/compose.io.ts'
import type { Settings } from '../config.io.ts'
import { sessionId, tenantId, toolCallId, type SessionId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import { SettingError } from '../core/setting-error.ts'
import type { Approver } from '../../adapters/hosts/session.ts'
import { authorizedCalls, type BankWords, type Mutant, mutantsOf } from '../runner/mutate.ts'
import type { Judged } from '../runner/mutate-tally.ts'
import type { CallPattern, Scenario } from '../runner/scenario.ts'

export interface PlayOptions {
  readonly settings: Settings
  readonly certificates: ComposeOptions['certificates']
  /** How many near-misses there must be at least, where that many can be made. */
  readonly atLeast: number
  readonly seed: number
  /** Hears of breakage. */
  readonly report: (cause: unknown) => void
}

/**
 * Makes the near-misses of the scenarios' authorized calls and puts each to the real gate, with the messages of its
 * scenario. Books and services are made anew for each scenario, so that no run of one reaches another.
 * @param signal ends it after the scenario under way.
 */
export async function judgeNeighbours(
  scenarios: readonly Scenario[],
  options: PlayOptions,
  signal: AbortSignal,
): Promise<readonly Judged[]> {
  const mutants = await neighboursOf(scenarios, options)
  const judged: Judged[] = []
  for (const scenario of scenarios) {
    const own = mutants.filter(({ of }) => of.scenario === scenario.id)
    if (own.length > 0 && !signal.aborted) judged.push(...(await judgedOf(scenario, own, options)))
  }
  return judged
}

async function neighboursOf(scenarios: readonly Scenario[], options: PlayOptions): Promise<readonly Mutant[]> {
  const graph = await opened(options)
  try {
    const words = new Map<string, BankWords>()
    for (const { bank, caller } of scenarios) {
      if (!words.has(bank)) words.set(bank, wordsOf(graph, await signedIn(graph, bank, caller)))
    }
    const calls = scenarios.flatMap((scenario) => {
      const bank = words.get(scenario.bank)
      return bank === undefined ? [] : authorizedCalls(scenario, bank)
    })
    return mutantsOf(calls, options.atLeast, options.seed)
  } finally {
    await graph.close()
  }
}

function wordsOf({ gate, banks }: Composition, login: Login): BankWords {
  const bank = banks.get(login.tenant)?.data
  const ids = (list: readonly { readonly id: string }[] = []): readonly string[] => list.map(({ id }) => id)
  const accounts = ids(bank?.accounts)
  return {
    roles: Object.fromEntries(gate.tools(login).map(({ name, roles }) => [name, roles])),
    payees: [...accounts, ...ids(bank?.externalPayees)],
    records: [accounts, ids(bank?.invoices), ids(bank?.customers)],
  }
}

const opened = ({ settings, certificates, report }: PlayOptions): Promise<Composition> =>
  compose({ settings, certificates, report, banks: BANK_NAMES, audit: 'unrecorded' })

async function signedIn(graph: Composition, bank: string, customer: string): Promise<Login> {
  const login = await graph.signIn(tenantId(bank), customer)
  if (login.ok) return login.value
  throw new SettingError(customer, `could not be signed in at ${bank} (${login.reason})`, 'Check the scenario')
}

async function judgedOf(
  { id, bank, caller }: Scenario,
  mutants: readonly Mutant[],
  options: PlayOptions,
): Promise<readonly Judged[]> {
  const graph = await opened(options)
  try {
    const login = await signedIn(graph, bank, caller)
    const elsewhere = BANK_NAMES.find((name) => name !== bank) ?? bank
    const other = await signedIn(graph, elsewhere, caller)
    const judged: Judged[] = []
    for (const [index, mutant] of mutants.entries()) {
      judged.push(await judge(graph, mutant, login, other, sessionId(`${id}-${index}`)))
    }
    return judged
  } finally {
    await graph.close()
  }
}

async function judge(
  { gate }: Composition,
  { of, kind, first, call, laterMessage, otherTenant }: Mutant,
  login: Login,
  other: Login,
  session: SessionId,
): Promise<Judged> {
  let [turn, calls] = [0, 0]
  const say = (text: string): void => {
    turn += 1
    gate.beginTurn(session, turn, { login, text })
  }
  const made = ({ name, arguments: args }: CallPattern, caller: Login) => {
    calls += 1
    const id = toolCallId(`c-${calls}`)
    return { id, session, turn, login: caller, kind: 'custom-tool', tool: name, args } as const
  }
  const person = yesSayer()
  for (const message of of.messages) say(message)
  for (const each of first) {
    const before = made(each, login)
    if ((await gate.authorize(before, person.approver)).decision.kind === 'permit') await gate.run(before)
  }
  if (laterMessage !== undefined) say(laterMessage)
  const asked = person.asked()
  const { decision } = await gate.authorize(made(call, otherTenant ? other : login), person.approver)
  gate.endTurn(session, turn)
  return {
    ...{ kind, scenario: of.scenario, call, accepted: decision.kind === 'permit' },
    asked: person.asked() > asked,
    code: decision.kind === 'permit' ? null : decision.reason,
  }
}

/** The worst person there can be: says yes to everything, and counts how often it was asked. */
function yesSayer(): { readonly approver: Approver; readonly asked: () => number } {
  let asked = 0
  const ask: Approver['ask'] = ({ digest }) => {
    asked += 1
    return Promise.resolve({ digest, approved: true })
  }
  return { approver: { ask }, asked: () => asked }
}
