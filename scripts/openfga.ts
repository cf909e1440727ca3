// Gets and starts the real OpenFGA server on loopback, with both demo banks in it:
//   npm run openfga -- [--port 8080] [--postgres URL] [--bare]
// OPENFGA_API_TOKEN, when set, is asked for as a bearer token.
import { parseArgs } from 'node:util'
import { BANKS } from '../src/canbank/banks.ts'
import { SettingError } from '../src/core/setting-error.ts'
import { untilStopped } from './engine-process.ts'
import { OPENFGA_DOCKER, obtainOpenfga, openfgaVersion } from './openfga-binary.ts'
import { fgaSettings, setUpBank, type FgaServer, type FgaStore } from './openfga-bank.ts'
import { startOpenfga } from './openfga-server.ts'
import { environment, runScript } from './run-script.ts'

const say = (sentence: string): void => {
  console.error(`openfga: ${sentence}`)
}

await runScript('openfga', async () => {
  const { port, postgres, bare } = optionsOf()
  const binary = obtainOpenfga(say)
  if (binary === undefined) {
    const fix = `Install Go (or set OPENFGA_BIN) and try again, or run the server with Docker:
  ${OPENFGA_DOCKER}
then: npm run openfga:setup`
    throw new SettingError('openfga', 'there is no OpenFGA server here and no Go to install it with', fix)
  }
  const token = environment('OPENFGA_API_TOKEN')
  const server = await startOpenfga({ binary, port, postgres, token })
  const keptIn = postgres === undefined ? 'memory, gone when it stops' : 'PostgreSQL'
  say(`${openfgaVersion(binary) ?? 'unknown version'} at ${server.url}, data in ${keptIn}; stop it with Ctrl-C`)
  try {
    await Promise.all([untilStopped(server), bare ? undefined : offer({ url: server.url, token })])
  } finally {
    await server.close()
  }
})

function optionsOf() {
  const { port, postgres, bare } = parseArgs({
    options: {
      port: { type: 'string', default: '8080' },
      postgres: { type: 'string' },
      bare: { type: 'boolean', default: false },
    },
  }).values
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw new SettingError('--port', 'is not a port', 'Give a whole number from 1 to 65535')
  }
  if (postgres !== undefined && !/^postgres(ql)?:\/\//.test(postgres)) {
    const fix = 'Give one like postgres://user@127.0.0.1:5432/openfga'
    throw new SettingError('--postgres', 'is not a postgres:// URL', fix)
  }
  return { port: Number(port), postgres, bare }
}

async function offer(server: FgaServer): Promise<void> {
  const stores: FgaStore[] = []
  for (const bank of Object.values(BANKS)) stores.push(await setUpBank(server, bank))
  say('in another terminal, paste these lines and run: npm start -- --as bob')
  // The token is in the environment of whoever started this, and stays there.
  for (const [name, value] of Object.entries(fgaSettings({ url: server.url }, stores))) {
    console.log(`export ${name}=${value}`)
  }
}
