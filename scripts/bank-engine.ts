// Starts a real engine that is not ours on loopback, with one demo bank in it, and prints the settings to use it:
//   npm run engine -- cerbos|opa [--bank canbank] [--port 0]
import { parseArgs } from 'node:util'
import { BANKS } from '../src/canbank/banks.ts'
import { SettingError } from '../src/core/setting-error.ts'
import { CERBOS_HOW, findCerbos, startCerbos } from './cerbos-server.ts'
import { untilStopped } from './engine-process.ts'
import { obtainOpa, startOpa } from './opa-server.ts'
import { runScript } from './run-script.ts'

const say = (sentence: string): void => {
  console.error(`engine: ${sentence}`)
}

const ENGINES = {
  cerbos: { obtain: findCerbos, start: startCerbos, how: CERBOS_HOW },
  opa: { obtain: () => obtainOpa(say), start: startOpa, how: 'Install Go, or set OPA_BIN.' },
}

await runScript('engine', async () => {
  const { values, positionals } = parseArgs({
    options: { bank: { type: 'string', default: 'canbank' }, port: { type: 'string', default: '0' } },
    allowPositionals: true,
  })
  const engine = Object.entries(ENGINES).find(([name]) => positionals.length === 1 && positionals[0] === name)?.[1]
  if (engine === undefined) throw new SettingError('engine', 'name one engine', 'Use cerbos or opa')
  const bank = Object.values(BANKS).find(({ tenant }) => tenant === values.bank)
  if (bank === undefined) {
    throw new SettingError('--bank', `"${values.bank}" is not a bank`, `Use ${Object.keys(BANKS).join(' or ')}`)
  }
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
    throw new SettingError('--port', 'is not a port', 'Give a whole number from 0 to 65535')
  }
  const binary = engine.obtain()
  if (binary === undefined) throw new SettingError('engine', `there is no ${positionals[0] ?? ''} here`, engine.how)
  const port = Number(values.port)
  const server = await engine.start({ binary, bank, port: port === 0 ? undefined : port })
  say(`${bank.name} at ${server.url}; stop it with Ctrl-C. In another terminal, paste these lines:`)
  console.log(`export PDP_KIND=authzen\nexport AUTHZEN_PDP_URL=${server.url}`)
  await untilStopped(server)
})
