import { spawnSync } from 'node:child_process'
import { answers, freePort, startEngine, type Engine } from './engine-process.ts'

export interface OpenfgaOptions {
  readonly binary: string
  /** @defaultValue a free one */
  readonly port?: number | undefined
  /** A `postgres://` URL; its tables are made or brought up to date first. @defaultValue data in memory */
  readonly postgres?: string | undefined
  /** Asked for as a bearer token. @defaultValue none */
  readonly token?: string | undefined
  /** False for a server without the experimental AuthZEN endpoints. @defaultValue true */
  readonly authzen?: boolean
}

export interface OpenfgaServer extends Engine {
  readonly url: string
  readonly port: number
}

/**
 * Starts an OpenFGA server on loopback and waits until it serves.
 * @throws Error with what it said when it does not start.
 */
export async function startOpenfga(options: OpenfgaOptions): Promise<OpenfgaServer> {
  const { binary, postgres, token, authzen = true } = options
  const port = options.port ?? (await freePort())
  const url = `http://127.0.0.1:${port}`
  const datastore = datastoreOf(postgres)
  if (postgres !== undefined) migrate(binary, datastore)
  const engine = await startEngine({
    name: 'OpenFGA',
    command: binary,
    args: [
      'run',
      ...['--http-addr', `127.0.0.1:${port}`, '--grpc-addr', `127.0.0.1:${await freePort(port)}`],
      ...['--metrics-enabled=false', '--playground-enabled=false', '--log-level', 'error'],
      ...(authzen ? ['--experimentals', 'authzen', '--authzen-base-url', url] : []),
    ],
    env: { ...datastore, ...authnOf(token) },
    isReady: () => answers(`${url}/healthz`),
  })
  return { ...engine, url, port }
}

// In the environment, because arguments can be read by everybody on the machine.
const datastoreOf = (postgres: string | undefined): Readonly<Record<string, string>> =>
  postgres === undefined
    ? { OPENFGA_DATASTORE_ENGINE: 'memory' }
    : { OPENFGA_DATASTORE_ENGINE: 'postgres', OPENFGA_DATASTORE_URI: postgres }

const authnOf = (token: string | undefined): Readonly<Record<string, string>> =>
  token === undefined ? {} : { OPENFGA_AUTHN_METHOD: 'preshared', OPENFGA_AUTHN_PRESHARED_KEYS: token }

function migrate(binary: string, datastore: Readonly<Record<string, string>>): void {
  const { status, stderr, stdout } = spawnSync(binary, ['migrate'], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...datastore },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`openfga migrate failed: ${`${stdout}${stderr}`.trim().slice(-1_000)}`)
}
