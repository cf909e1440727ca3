// Runs the certification scenario of AuthZEN's Authorization API 1.0 against a PDP that holds its fixture:
//   npm run certify -- https://pdp.example.com [--ca FILE] [--header 'name: value'] [--known cerbos|openfga|opa|standin]
//   npm run certify -- --all             every engine that is here, with the fixture; writes results/certification.*
//   npm run certify -- --serve [--port]  the stand-in PDP with the fixture and the bank over TLS, for other harnesses
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SettingError } from '../src/core/setting-error.ts'
import { CERTIFIABLE, standinToCertify } from './certify-engines.ts'
import { KNOWN, type Known } from './certify-known.ts'
import { byLevel, judged, markdown, shownResults, surprises, type EngineRun } from './certify-report.ts'
import { certify, type Access } from './certify-run.ts'
import { ROOT, runScript } from './run-script.ts'

await runScript('certify', async () => {
  const { values, positionals } = parseArgs({
    options: {
      all: { type: 'boolean', default: false },
      serve: { type: 'boolean', default: false },
      port: { type: 'string', default: '0' },
      known: { type: 'string' },
      ca: { type: 'string' },
      header: { type: 'string', multiple: true, default: [] },
    },
    allowPositionals: true,
  })
  if (values.serve) await serveFixture(values.port)
  else if (values.all) await certifyAll()
  else await certifyOne(baseOf(positionals), accessOf(values), knownOf(values.known))
})

async function certifyOne(base: string, access: Access, known: readonly Known[]): Promise<void> {
  const results = judged(await certify(base, access), known)
  console.log(shownResults(results))
  tell(surprises(results, known))
}

function tell(unexpected: readonly string[]): void {
  for (const each of unexpected) console.error(`certify: ${each}`)
  if (unexpected.length > 0) process.exitCode = 1
}

async function certifyAll(): Promise<void> {
  const runs: EngineRun[] = []
  for (const [engine, { open, how }] of Object.entries(CERTIFIABLE)) {
    const target = await open()
    if (target === undefined) {
      console.error(`certify: ${engine} is left out, it is not here. ${how}`)
      continue
    }
    const known = KNOWN[engine] ?? []
    try {
      const results = judged(await certify(target.base, { ca: target.ca }), known)
      runs.push({ engine, version: target.version, date: new Date().toISOString(), results })
      console.log(engine, target.version, JSON.stringify(byLevel(results)))
      tell(surprises(results, known).map((each) => `${engine}: ${each}`))
    } finally {
      await target.close()
    }
  }
  mkdirSync(join(ROOT, 'results'), { recursive: true })
  writeFileSync(join(ROOT, 'results/certification.json'), `${JSON.stringify({ runs }, undefined, 2)}\n`)
  writeFileSync(join(ROOT, 'results/certification.md'), markdown(runs))
  console.log('Written to results/certification.json and results/certification.md.')
}

async function serveFixture(port: string): Promise<void> {
  if (!/^\d{1,5}$/.test(port)) throw new SettingError('--port', 'is not a port', 'Give a whole number from 0 to 65535')
  const server = await standinToCertify(Number(port))
  const file = join(mkdtempSync(join(tmpdir(), 'intent-gate-certify-')), 'ca.pem')
  writeFileSync(file, server.ca)
  console.log(`${server.base} holds the fixture and canbank; trust the certificate in ${file}. Stop it with Ctrl-C.`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
}

function baseOf([base, ...more]: readonly string[]): string {
  const fix = 'Give the base URL of one PDP, like https://pdp.example.com, or --all'
  if (base === undefined || more.length > 0) throw new SettingError('base URL', 'one is needed', fix)
  if (!URL.canParse(base) || !/^https?:/.test(base)) throw new SettingError(base, 'is not an http or https URL', fix)
  return base
}

function accessOf({ ca, header }: { readonly ca?: string | undefined; readonly header: readonly string[] }): Access {
  const headers = header.map((each): [string, string] => {
    const [name = '', ...rest] = each.split(':')
    if (rest.length === 0) throw new SettingError('--header', 'has no colon', "Write it as 'name: value'")
    return [name.trim().toLowerCase(), rest.join(':').trim()]
  })
  return { ca: ca === undefined ? undefined : readPem(ca), headers: Object.fromEntries(headers) }
}

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new SettingError('--ca', 'cannot be read', 'Name a PEM file')
  }
}

function knownOf(name: string | undefined): readonly Known[] {
  if (name === undefined) return []
  const known = Object.entries(KNOWN).find(([engine]) => engine === name)?.[1]
  if (known !== undefined) return known
  throw new SettingError('--known', `nothing is known of "${name}"`, `Use ${Object.keys(KNOWN).join(', ')}`)
}
