// Runs a real OpenID Connect issuer on loopback, to try the sign-in with: npm run issuer -- [--bank fjordbank] [--port 9400]
import { parseArgs } from 'node:util'
import { BANKS } from '../src/canbank/banks.ts'
import { SettingError } from '../src/core/setting-error.ts'
import {
  CLIENT_ID,
  INTROSPECTOR,
  OPAQUE_RESOURCE,
  RESOURCE,
  startDemoProvider,
  type DemoProvider,
} from './demo-provider.ts'
import { runScript } from './run-script.ts'

const USAGE = `Use: npm run issuer -- [--bank canbank] [--port 9400]

  --bank <tenant>  the bank whose customers sign in: ${Object.keys(BANKS).join(' or ')} (default: canbank)
  --port <port>    the port on loopback, 0 to 65535 (default: 0, the system chooses)`

async function main(): Promise<void> {
  const { bank, port, help } = parseArgs({
    options: {
      bank: { type: 'string', default: 'canbank' },
      port: { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  }).values
  if (help) {
    console.log(USAGE)
    return
  }
  const served = Object.values(BANKS).find(({ tenant }) => tenant === bank)
  if (served === undefined) {
    throw new SettingError('--bank', `"${bank}" is not a bank`, `Use ${Object.keys(BANKS).join(' or ')}`)
  }
  const { issuer } = await started({
    customers: served.customers.map(({ id }) => id),
    tenant: bank,
    port: portOf(port),
  })
  const kept =
    port === '0' ? '\n# The system has chosen the port; --port 9400 keeps one, and what is in .env stays right.' : ''
  console.log(`# A demo issuer of ${bank}: whoever signs in chooses who to be, without a password. Ctrl-C ends it.${kept}
# In another terminal, put these lines into .env and run: npm start -- --bank ${bank}
OIDC_ISSUER=${issuer}
OIDC_AUDIENCE=${RESOURCE}
OIDC_CLIENT_ID=${CLIENT_ID}
OIDC_RESOURCE=${RESOURCE}

# Or, for tokens that only the issuer can read, these in place of the last one:
# OIDC_RESOURCE=${OPAQUE_RESOURCE}
# OIDC_TOKEN_CHECK=introspect
# INTROSPECT_URL=${issuer}/token/introspection
# INTROSPECT_CLIENT_ID='${INTROSPECTOR.id}'
# INTROSPECT_CLIENT_SECRET='${INTROSPECTOR.secret}'`)
}

function portOf(given: string): number {
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Infinity
  if (port <= 65_535) return port
  throw new SettingError(
    '--port',
    `"${given}" is not a port`,
    'Give a number from 0 to 65535; 0 lets the system choose',
  )
}

async function started(options: Parameters<typeof startDemoProvider>[0]): Promise<DemoProvider> {
  try {
    return await startDemoProvider(options)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
    if (code === undefined) throw cause
    const problem = code === 'EADDRINUSE' ? `port ${options.port ?? 0} is in use` : `port ${options.port ?? 0}: ${code}`
    throw new SettingError('--port', problem, 'Choose another port, or 0 to let the system choose')
  }
}

await runScript('issuer', main)
