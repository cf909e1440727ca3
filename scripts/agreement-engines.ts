import { PDP_KINDS } from '../adapters/pdp/kinds.ts'
import { readCedar } from '../adapters/pdp/cedar-files.io.ts'
import { openCedar } from '../adapters/pdp/cedar.ts'
import type { BankData } from '../src/canbank/bank.ts'
import { tenantId } from '../src/core/ids.ts'
import type { Login } from '../src/core/login.ts'
import type { World } from '../src/core/world.ts'
import { createIssuer } from '../src/login/issuer.ts'
import type { Pdp } from '../src/pdp/pdp.ts'
import { startIndykite } from '../standins/indykite.ts'
import { AUDIENCE, startIssuer } from '../standins/issuer.ts'
import { CERBOS_HOW, CERBOS_VERSION, findCerbos, startCerbos } from './cerbos-server.ts'
import { findOpa, OPA_VERSION, startOpa } from './opa-server.ts'
import { fgaSettings, setUpBank } from './openfga-bank.ts'
import { findOpenfga, OPENFGA_VERSION } from './openfga-binary.ts'
import { startOpenfga } from './openfga-server.ts'

/** One engine with one bank in it. */
export interface BankEngine {
  readonly pdp: Pdp
  close(): Promise<void>
}

export interface Comparable {
  readonly name: string
  readonly version: string
  /** How to get it where it is not here. */
  readonly how: string
  /** Undefined where the engine is not on this machine. @throws Error when it is and does not start. */
  readonly open: (bank: BankData, world: World) => Promise<BankEngine | undefined>
}

/** Every engine that can hold the demo banks. */
export const COMPARABLE: readonly Comparable[] = [
  {
    name: 'standin',
    version: 'ours',
    how: '',
    open: openStandin,
  },
  {
    name: 'cedar',
    version: '4.13.0',
    how: '',
    open: async (bank) => ({ pdp: await openCedar(readCedar({}, bank)), close: () => Promise.resolve() }),
  },
  { name: 'openfga', version: OPENFGA_VERSION, how: 'Install Go and run `npm run openfga`.', open: openOpenfga },
  {
    name: 'cerbos',
    version: CERBOS_VERSION,
    how: CERBOS_HOW,
    open: (bank, world) => openAuthzen(findCerbos(), startCerbos, bank, world),
  },
  {
    name: 'opa',
    version: OPA_VERSION,
    how: 'Install Go and run `npm run engine -- opa`.',
    open: (bank, world) => openAuthzen(findOpa(), startOpa, bank, world),
  },
]

async function openStandin(bank: BankData, world: World): Promise<BankEngine> {
  const server = await startIndykite({ bank })
  return { pdp: PDP_KINDS.standin({ standinUrl: server.url }, world), close: () => server.close() }
}

async function openOpenfga(bank: BankData, world: World): Promise<BankEngine | undefined> {
  const binary = findOpenfga()
  if (binary === undefined) return undefined
  const server = await startOpenfga({ binary })
  try {
    const settings = fgaSettings(server, [await setUpBank(server, bank)])
    return { pdp: PDP_KINDS.openfga(settings, world), close: () => server.close() }
  } catch (cause) {
    await server.close()
    throw cause
  }
}

async function openAuthzen(
  binary: string | undefined,
  start: typeof startCerbos,
  bank: BankData,
  world: World,
): Promise<BankEngine | undefined> {
  if (binary === undefined) return undefined
  const server = await start({ binary, bank })
  return { pdp: PDP_KINDS.authzen({ AUTHZEN_PDP_URL: server.url }, world), close: () => server.close() }
}

/** A login for engines that want one; none of these looks at it. */
export async function demoLogin(bank: BankData, world: World): Promise<Login> {
  const running = await startIssuer({ bank })
  const policy = { audience: AUDIENCE, subjectType: 'Customer', tenants: new Set([tenantId(bank.tenant)]) }
  try {
    const login = await createIssuer({ ...policy, issuer: running.url }, world).signInDemo('bob')
    if (!login.ok) throw new Error(login.detail)
    return login.value
  } finally {
    await running.close()
  }
}
