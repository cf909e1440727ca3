import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuthzenServer, BankServerOptions } from './cerbos-server.ts'
import { bankFacts } from './engine-data.ts'
import { answers, freePort, startEngine, startInFolder } from './engine-process.ts'
import { findGoEngine, installGoEngine, type GoEngine } from './find-engine.ts'
import { ROOT } from './run-script.ts'

/** What is installed, and what everything here was run with. */
export const OPA_VERSION = 'v1.22.3'
const OPA: GoEngine = { name: 'opa', setting: 'OPA_BIN', module: `github.com/open-policy-agent/opa@${OPA_VERSION}` }

/** The Open Policy Agent of this machine. @throws SettingError when `OPA_BIN` is not a program. */
export const findOpa = (): string | undefined => findGoEngine(OPA)

/** The same, installed with Go where there is none; undefined without Go. @throws Error when that fails. */
export const obtainOpa = (say: (sentence: string) => void): string | undefined => findOpa() ?? installGoEngine(OPA, say)

/**
 * Starts OPA on loopback with the policy of pdp/opa and one bank's data.
 * @throws Error with what it said when it does not start.
 */
export async function startOpa({ binary, bank, port }: BankServerOptions): Promise<AuthzenServer> {
  const address = `127.0.0.1:${port ?? (await freePort())}`
  const engine = await startInFolder('opa', (folder) => {
    const data = join(folder, 'bank.json')
    writeFileSync(data, JSON.stringify({ bank: bankFacts(bank) }))
    return startEngine({
      name: 'OPA',
      command: binary,
      args: [
        ...['run', '--server', '--addr', address, '--skip-version-check', '--log-level', 'error'],
        ...[join(ROOT, 'pdp/opa/bank.rego'), data],
      ],
      isReady: () => answers(`http://${address}/health`),
    })
  })
  return { ...engine, url: `http://${address}/v0/data` }
}
