import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import syntax from '@openfga/syntax-transformer'
import { Pool } from 'undici'
import { BANKS } from '../src/canbank/banks.ts'
import { CERTIFICATION } from '../standins/authzen-certification.ts'
import { startAuthzenPdp } from '../standins/authzen-server.ts'
import { bankKnowledge } from '../standins/pdp.ts'
import { throwawayCertificate, type Certified } from '../standins/throwaway-certificate.ts'
import { CERBOS_HOW, CERBOS_VERSION, findCerbos } from './cerbos-server.ts'
import { freePort, startEngine } from './engine-process.ts'
import { findOpa, OPA_VERSION } from './opa-server.ts'
import { findOpenfga, openfgaVersion } from './openfga-binary.ts'
import { ROOT } from './run-script.ts'

/** An engine with the fixture of the certification scenario, on loopback and over TLS. */
export interface Certifiable {
  readonly base: string
  /** PEM text of the certificate to trust. */
  readonly ca: string
  readonly version: string
  close(): Promise<void>
}

/** Undefined where the engine is not on this machine. */
export type OpenCertifiable = () => Promise<Certifiable | undefined>

/** @param port @defaultValue the system chooses */
export async function standinToCertify(port?: number): Promise<Certifiable> {
  const tls = throwawayCertificate()
  const knowledge = [CERTIFICATION, bankKnowledge(BANKS.canbank)]
  const server = await startAuthzenPdp({ knowledge, tls, port, portSetting: '--port' })
  return { base: server.url, ca: tls.cert, version: 'of this repository', close: () => server.close() }
}

const FIXTURE = join(ROOT, 'scripts/certify-fixture')

/** What certification is kept for, in the order of the table. */
export const CERTIFIABLE: Readonly<Record<string, { readonly open: OpenCertifiable; readonly how: string }>> = {
  standin: { open: () => standinToCertify(), how: '' },
  cerbos: { open: cerbos, how: CERBOS_HOW },
  openfga: { open: openfga, how: 'Run `npm run openfga` once, or set OPENFGA_BIN.' },
  opa: { open: opa, how: 'Run `npm run engine -- opa` once, or set OPA_BIN.' },
}

interface Started {
  readonly name: string
  readonly binary: string
  readonly version: string
  /** Below the address that it listens on. */
  readonly path?: string
  readonly healthPath: string
  readonly args: (place: Place) => Promise<readonly string[]>
}

interface Place {
  /** Host and port. */
  readonly address: string
  /** PEM files. */
  readonly key: string
  readonly cert: string
  readonly write: (name: string, text: string) => string
}

async function start({ name, binary, version, path = '', healthPath, args }: Started): Promise<Certifiable> {
  const folder = mkdtempSync(join(tmpdir(), `intent-gate-certify-${name}-`))
  const write = (file: string, text: string): string => {
    writeFileSync(join(folder, file), text, { mode: 0o600 })
    return join(folder, file)
  }
  const tls: Certified = throwawayCertificate()
  const address = `127.0.0.1:${await freePort()}`
  const place = { address, key: write('key.pem', tls.key), cert: write('cert.pem', tls.cert), write }
  const pool = new Pool(`https://${address}`, { connect: { ca: tls.cert } })
  const isReady = (): Promise<boolean> =>
    pool.request({ method: 'GET', path: healthPath }).then(
      async ({ statusCode, body }) => {
        await body.dump()
        return statusCode === 200
      },
      () => false,
    )
  try {
    const engine = await startEngine({ name, command: binary, args: await args(place), isReady })
    void engine.ended.then(() => {
      rmSync(folder, { recursive: true, force: true })
    })
    return { base: `https://${address}${path}`, ca: tls.cert, version, close: () => engine.close() }
  } finally {
    await pool.destroy()
  }
}

async function cerbos(): Promise<Certifiable | undefined> {
  const binary = findCerbos()
  if (binary === undefined) return undefined
  return start({
    name: 'cerbos',
    binary,
    version: CERBOS_VERSION,
    healthPath: '/_cerbos/health',
    args: async ({ address, key, cert, write }) => {
      const config = {
        server: { httpListenAddr: address, grpcListenAddr: `127.0.0.1:${await freePort()}`, tls: { cert, key } },
        storage: { driver: 'disk', disk: { directory: join(FIXTURE, 'cerbos'), watchForChanges: false } },
        telemetry: { disabled: true },
      }
      const file = write('config.yaml', JSON.stringify(config))
      return ['server', `--config=${file}`, '--debug-listen-addr=', '--log-level=error']
    },
  })
}

async function opa(): Promise<Certifiable | undefined> {
  const binary = findOpa()
  if (binary === undefined) return undefined
  return start({
    name: 'opa',
    binary,
    version: OPA_VERSION,
    path: '/v0/data',
    healthPath: '/health',
    args: ({ address, key, cert }) =>
      Promise.resolve([
        ...['run', '--server', '--addr', address, '--skip-version-check', '--log-level', 'error'],
        ...['--tls-cert-file', cert, '--tls-private-key-file', key, join(FIXTURE, 'record.rego')],
      ]),
  })
}

async function openfga(): Promise<Certifiable | undefined> {
  const binary = findOpenfga()
  if (binary === undefined) return undefined
  const engine = await start({
    name: 'openfga',
    binary,
    version: openfgaVersion(binary) ?? 'unknown',
    healthPath: '/healthz',
    args: async ({ address, key, cert }) => [
      ...['run', '--http-addr', address, '--grpc-addr', `127.0.0.1:${await freePort()}`],
      ...['--http-tls-enabled', '--http-tls-cert', cert, '--http-tls-key', key],
      ...['--metrics-enabled=false', '--playground-enabled=false', '--log-level', 'error'],
      ...['--experimentals', 'authzen', '--authzen-base-url', `https://${address}`],
    ],
  })
  try {
    return { ...engine, base: `${engine.base}/stores/${await fill(engine)}` }
  } catch (cause) {
    await engine.close()
    throw cause
  }
}

const TUPLES = [
  { user: 'user:alice', relation: 'read', object: 'record:record-1' },
  { user: 'user:alice', relation: 'read', object: 'record:record-2' },
  { user: 'user:bob', relation: 'read', object: 'record:record-1' },
  { user: 'user:bob', relation: 'read', object: 'record:record-2' },
  { user: 'user:alice', relation: 'write', object: 'record:record-1' },
  { user: 'user:bob', relation: 'write', object: 'record:record-2', condition: { name: 'admin_of_archived' } },
  { user: 'user:alice', relation: 'delete', object: 'record:record-1', condition: { name: 'soft' } },
]

/** @returns the id of the store that holds the fixture. */
async function fill({ base, ca }: Certifiable): Promise<string> {
  const pool = new Pool(base, { connect: { ca } })
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`OpenFGA did not take the fixture: ${text}`)
    return JSON.parse(text)
  }
  try {
    const { id } = (await post('/stores', { name: 'certification' })) as { readonly id: string }
    const model = syntax.transformer.transformDSLToJSONObject(readFileSync(join(FIXTURE, 'model.fga'), 'utf8'))
    await post(`/stores/${id}/authorization-models`, model)
    await post(`/stores/${id}/write`, { writes: { tuple_keys: TUPLES } })
    return id
  } finally {
    await pool.destroy()
  }
}
