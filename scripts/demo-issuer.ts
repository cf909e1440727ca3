// Runs a real OpenID Connect issuer on loopback, to try the sign-in with: npm run issuer -- [--bank fjordbank] [--port 9400]
import { parseArgs } from 'node:util'
import { BANKS } from '../src/canbank/banks.ts'
import { CLIENT_ID, INTROSPECTOR, OPAQUE_RESOURCE, RESOURCE, startDemoProvider } from './demo-provider.ts'

async function main(): Promise<void> {
  const { bank, port } = parseArgs({
    options: { bank: { type: 'string', default: 'canbank' }, port: { type: 'string', default: '0' } },
  }).values
  const served = Object.values(BANKS).find(({ tenant }) => tenant === bank)
  if (served === undefined) throw new Error(`"${bank}" is not a bank. Use ${Object.keys(BANKS).join(' or ')}.`)
  const customers = served.customers.map(({ id }) => id)
  const { issuer } = await startDemoProvider({ customers, tenant: bank, port: Number(port) })
  console.log(`# A demo issuer of ${bank}: whoever signs in chooses who to be, without a password. Ctrl-C ends it.
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

try {
  await main()
} catch (cause) {
  console.error(`issuer: ${cause instanceof Error ? cause.message : String(cause)}`)
  process.exitCode = 2
}
