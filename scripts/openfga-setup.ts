// Puts the demo banks into an OpenFGA server, each into a store of its own, and prints the settings to export:
//   npm run openfga:setup -- [--url http://127.0.0.1:8080] [--bank canbank]
// Without --url: OPENFGA_API_URL. OPENFGA_API_TOKEN is sent when set. Running it again changes nothing.
import { parseArgs } from 'node:util'
import { BANKS } from '../src/canbank/banks.ts'
import { SettingError } from '../src/core/setting-error.ts'
import { fgaSettings, setUpBank, type FgaStore } from './openfga-bank.ts'
import { environment, runScript } from './run-script.ts'

await runScript('openfga:setup', async () => {
  const { values } = parseArgs({ options: { url: { type: 'string' }, bank: { type: 'string' } } })
  const url = values.url ?? environment('OPENFGA_API_URL') ?? 'http://127.0.0.1:8080'
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new SettingError('--url', 'is not an http or https URL', 'Give one like http://127.0.0.1:8080')
  }
  const banks = Object.values(BANKS).filter(({ tenant }) => values.bank === undefined || tenant === values.bank)
  if (banks.length === 0) {
    throw new SettingError('--bank', `"${values.bank ?? ''}" is not a bank`, `Use ${Object.keys(BANKS).join(' or ')}`)
  }
  const token = environment('OPENFGA_API_TOKEN')
  const stores: FgaStore[] = []
  for (const bank of banks) {
    const store = await setUpBank({ url, token }, bank)
    const { tenant, storeId, written, removed } = store
    console.error(`openfga:setup: ${tenant} is in store ${storeId}; tuples written: ${written}, removed: ${removed}`)
    stores.push(store)
  }
  for (const [name, value] of Object.entries(fgaSettings({ url }, stores))) console.log(`export ${name}=${value}`)
})
