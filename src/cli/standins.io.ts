import { openStandins, STANDINS, type OpenStandin, type StandinName } from '../compose/standins.io.ts'
import { readSettings } from '../config.io.ts'
import { SettingError } from '../core/setting-error.ts'
import { interruptible } from './interrupt.io.ts'
import { paint, print, printJson, table, tell } from './output.io.ts'
import { exchangeLine, noteLine, settingsFor, standinRows } from './standins.ts'

/** The flags of `standins`; ports are as they were typed, and 0 lets the system choose. */
export interface StandinsCommandOptions {
  readonly bank: string
  readonly host?: string | undefined
  readonly portIndykite?: string | undefined
  readonly portIntrospect?: string | undefined
  readonly portIssuer?: string | undefined
  readonly portModel?: string | undefined
  readonly portAgent?: string | undefined
  readonly portAgentHealth?: string | undefined
  readonly json?: boolean | undefined
}

/**
 * `intent-gate standins [name…]`: serves until it is stopped. A stop is the normal end of a server, so Ctrl-C and
 * SIGTERM end it with 0 once everything is closed; a second Ctrl-C ends it at once, with 130.
 */
export async function standinsCommand(names: readonly string[], options: StandinsCommandOptions): Promise<void> {
  const settings = readSettings()
  const chosen = names.length === 0 ? STANDINS : names.map(standinNamed)
  const ports = portsOf(options, chosen)
  const now = (): string => new Date().toISOString()
  const standins = await openStandins({
    settings,
    bank: options.bank,
    names: chosen,
    ports,
    host: options.host,
    heard: (standin, exchange) => {
      tell(exchangeLine(now(), standin, exchange))
    },
    noted: (note) => {
      tell(noteLine(now(), note))
    },
  })
  const stop = interruptible()
  try {
    show(standins.open, options)
    await stopped(stop)
    tell('stopping', 'dim')
  } finally {
    await standins.close()
  }
}

/** A table and what to paste, or one object. */
function show(open: readonly OpenStandin[], { bank, json }: StandinsCommandOptions): void {
  const settings = settingsFor(open)
  if (json === true) {
    printJson({ bank, standins: open, settings })
    return
  }
  print(table(['stand-in', 'URL', 'health', 'stands in for'], standinRows(open)))
  const exports = Object.entries(settings).map(([name, value]) => `  export ${name}=${value}`)
  if (exports.length > 0) print(['', 'To use them from another terminal:', ...exports].join('\n'))
  const issuer = open.find(({ name }) => name === 'issuer')
  if (issuer !== undefined) print(paint.dim(`  A token of bob: curl -s -d customer=bob ${issuer.url}/token`))
  tell(`${bank}: not real services, they ask for no password; stop with Ctrl-C`, 'dim')
}

const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve()
    })
  })

function standinNamed(name: string): StandinName {
  const known = STANDINS.find((each) => each === name)
  if (known !== undefined) return known
  throw new SettingError('name', `"${name}" is not a stand-in`, `Use ${STANDINS.join(', ')}, or none for all`)
}

/** The reference's ports, and the next ones for what it does not have. */
const PORTS = {
  indykite: { option: 'portIndykite', port: 9002 },
  introspect: { option: 'portIntrospect', port: 9001 },
  issuer: { option: 'portIssuer', port: 9003 },
  model: { option: 'portModel', port: 9004 },
  agent: { option: 'portAgent', port: 6003 },
  'agent-health': { option: 'portAgentHealth', port: 8001 },
} as const satisfies Record<string, { option: keyof StandinsCommandOptions; port: number }>

function portsOf(options: StandinsCommandOptions, chosen: readonly StandinName[]): Record<keyof typeof PORTS, number> {
  const portOf = (name: keyof typeof PORTS): number => {
    const { option, port } = PORTS[name]
    const given = options[option]
    if (given === undefined) return port
    const standin = name === 'agent-health' ? 'agent' : name
    if (!chosen.includes(standin)) {
      throw new SettingError(`--port-${name}`, `is set, but ${standin} is not started`, `Name ${standin} too`)
    }
    if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given)
    throw new SettingError(`--port-${name}`, `"${given}" is not a port`, 'Give a whole number from 0 to 65535')
  }
  return {
    indykite: portOf('indykite'),
    introspect: portOf('introspect'),
    issuer: portOf('issuer'),
    model: portOf('model'),
    agent: portOf('agent'),
    'agent-health': portOf('agent-health'),
  }
}
