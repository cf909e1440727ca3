import { assistantBrain } from '../../standins/assistant.ts'
import { startIndykite } from '../../standins/indykite.ts'
import { startIntentAgent } from '../../standins/intent-agent.ts'
import { startIntrospect } from '../../standins/introspect.ts'
import { startIssuer } from '../../standins/issuer.ts'
import { startModel } from '../../standins/model-server.ts'
import { HOST, type Exchange, type Listening, type Running } from '../../standins/serve.ts'
import type { BankData } from '../canbank/bank.ts'
import { checkReachable, intentModelOf } from './intent-model.io.ts'
import { bankNamed } from './compose.io.ts'
import type { Settings } from '../config.io.ts'
import { SettingError } from '../core/setting-error.ts'

/** In the order of their start: the agent needs the first two. */
export const STANDINS = ['indykite', 'introspect', 'issuer', 'model', 'agent'] as const
/** One of the stand-ins, as `intent-gate standins` names it. */
export type StandinName = (typeof STANDINS)[number]

/** Which stand-ins to serve for which bank, and where; a port of 0 lets the system choose. */
export interface StandinsOptions {
  readonly settings: Settings
  readonly bank: string
  readonly names: readonly StandinName[]
  readonly ports: Readonly<Record<StandinName | 'agent-health', number>>
  /** @defaultValue loopback */
  readonly host?: string | undefined
  /** Hears of every answered request. */
  readonly heard: (standin: StandinName, exchange: Exchange) => void
  /** Hears what the agent made of a message; no word of anybody is in it. */
  readonly noted: (line: string) => void
}

/** A stand-in that is running. */
export interface OpenStandin {
  readonly name: StandinName
  /** What to point a setting at. */
  readonly url: string
  readonly health: string
}

/** Stand-ins that serve until they are closed. */
export interface OpenStandins {
  readonly open: readonly OpenStandin[]
  /** Lets requests in flight finish, the agent's first. */
  close(): Promise<void>
}

/**
 * Starts stand-ins for other processes to use.
 * @throws SettingError for an unknown bank, a port that cannot be used, or an agent without what it reads; none is left
 *   running then.
 */
export async function openStandins(options: StandinsOptions): Promise<OpenStandins> {
  const bank = bankNamed(options.bank)
  const open: OpenStandin[] = []
  const closers: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0).reverse()) await each()
  }
  try {
    for (const name of STANDINS.filter((each) => options.names.includes(each))) {
      const { health, running } = await STARTERS[name](options, bank, open)
      closers.push(() => running.close())
      open.push({ name, url: running.url, health })
    }
    return { open, close }
  } catch (cause) {
    await close()
    throw cause
  }
}

interface Started {
  readonly running: Running
  readonly health: string
}
type Starter = (options: StandinsOptions, bank: BankData, below: readonly OpenStandin[]) => Promise<Started>

const STARTERS: Readonly<Record<StandinName, Starter>> = {
  indykite: async (options, bank) => {
    const clientKey = options.settings.AUTHZEN_PDP_CLIENT_KEY
    return withHealth(await startIndykite({ bank, clientKey, ...placeOf('indykite', options) }))
  },
  introspect: async (options, { tenant }) => {
    const client = introspectClient(options.settings)
    const running = await startIntrospect({ tenant, client, ...placeOf('introspect', options) })
    return { running: { ...running, url: `${running.url}/introspect` }, health: `${running.url}/health` }
  },
  issuer: async (options, bank) => withHealth(await startIssuer({ bank, ...placeOf('issuer', options) })),
  model: async (options) => {
    const running = await startModel({ brain: assistantBrain(), ...placeOf('model', options) })
    return { running, health: `http://${HOST}:${running.port}/health` }
  },
  agent: startAgent,
}

const withHealth = (running: Running): Started => ({ running, health: `${running.url}/health` })

async function startAgent(
  options: StandinsOptions,
  { tenant }: BankData,
  below: readonly OpenStandin[],
): Promise<Started> {
  const { settings, ports, noted } = options
  const urlOf = (name: StandinName): string | undefined => below.find((each) => each.name === name)?.url
  const ownIndykite = urlOf('indykite')
  const running = await startIntentAgent({
    tenant,
    indykiteUrl: ownIndykite ?? elsewhere('INDYKITE_BASE_URL', 'indykite', settings),
    clientKey: ownIndykite === undefined ? settings.IK_APP_AGENT_KEY : settings.AUTHZEN_PDP_CLIENT_KEY,
    introspectUrl: urlOf('introspect') ?? elsewhere('INTROSPECT_URL', 'introspect', settings),
    introspectClient: introspectClient(settings),
    model: intentModelOf(settings),
    log: (_, { answer, evaluations, why, tries }) => {
      const asked = tries === undefined ? '' : `, tries: ${tries}`
      noted(`${answer}, ${why === undefined ? `evaluations: ${evaluations}` : `why: ${why}`}${asked}`)
    },
    healthPort: ports['agent-health'],
    healthPortSetting: '--port-agent-health',
    ...placeOf('agent', options),
  })
  const health = running.healthUrl ?? running.url
  return { running, health: `${health}/health` }
}

/** What an agent reads that is not started beside it. */
function elsewhere(setting: 'INDYKITE_BASE_URL' | 'INTROSPECT_URL', standin: StandinName, settings: Settings): string {
  const url = settings[setting]
  if (url === undefined) {
    const problem = `is not set, and the ${standin} stand-in is not started beside the agent`
    throw new SettingError(setting, problem, `Set it, or run: intent-gate standins agent ${standin}`)
  }
  checkReachable(setting, url, settings)
  return url
}

function introspectClient({ INTROSPECT_CLIENT_ID: id, INTROSPECT_CLIENT_SECRET: secret }: Settings) {
  if (id !== undefined && secret !== undefined) return { id, secret }
  if (id === undefined && secret === undefined) return undefined
  const missing = id === undefined ? 'INTROSPECT_CLIENT_ID' : 'INTROSPECT_CLIENT_SECRET'
  throw new SettingError(missing, 'is not set while its other half is', 'Set both, or neither')
}

const placeOf = (name: StandinName, { ports, host, heard }: StandinsOptions): Listening => ({
  port: ports[name],
  portSetting: `--port-${name}`,
  host,
  heard: (exchange) => {
    heard(name, exchange)
  },
})
