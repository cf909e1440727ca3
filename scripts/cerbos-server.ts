import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { BankData } from '../src/canbank/bank.ts'
import { bankFacts } from './engine-data.ts'
import { answers, freePort, onPath, startEngine, startInFolder, type Engine } from './engine-process.ts'
import { ROOT } from './run-script.ts'

/** The version that the optional dependency has. */
export const CERBOS_VERSION = '0.55.0'
/** What to do where npm has no Cerbos for the machine. */
export const CERBOS_HOW = `Install ${CERBOS_VERSION} (npm has it for Linux on x64) and put cerbos on PATH.`

/** The Cerbos server of this machine: npm's optional dependency, else on PATH. */
export function findCerbos(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(`@cerbos/cerbos-${process.platform}-${process.arch}`)
  } catch {
    return onPath('cerbos')
  }
}

export interface AuthzenServer extends Engine {
  /** Base URL, for `AUTHZEN_PDP_URL`. */
  readonly url: string
}

export interface BankServerOptions {
  readonly binary: string
  readonly bank: BankData
  /** @defaultValue a free one */
  readonly port?: number | undefined
}

/**
 * Starts Cerbos on loopback with the policies of pdp/cerbos and one bank's data.
 * @throws Error with what it said when it does not start.
 */
export async function startCerbos({ binary, bank, port }: BankServerOptions): Promise<AuthzenServer> {
  const httpPort = port ?? (await freePort())
  const http = `127.0.0.1:${httpPort}`
  const config = {
    server: { httpListenAddr: http, grpcListenAddr: `127.0.0.1:${await freePort(httpPort)}` },
    storage: { driver: 'disk', disk: { directory: join(ROOT, 'pdp/cerbos'), watchForChanges: false } },
    telemetry: { disabled: true },
    engine: { globals: bankFacts(bank) },
  }
  const url = `http://${http}`
  const engine = await startInFolder('cerbos', (folder) => {
    const file = join(folder, 'config.yaml')
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(config))
    return startEngine({
      name: 'Cerbos',
      command: binary,
      args: ['server', `--config=${file}`, '--debug-listen-addr=', '--log-level=error'],
      isReady: () => answers(`${url}/_cerbos/health`),
    })
  })
  return { ...engine, url }
}
