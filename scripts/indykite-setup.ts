// Prints what puts a demo bank into an IndyKite project, and with --send does it. As documented; not tried on a tenant.
//   npm run indykite:setup -- [--bank canbank] [--dry-run | --send]
// --send reads AUTHZEN_PDP_URL, AUTHZEN_PDP_CLIENT_KEY, INDYKITE_PROJECT_ID and INDYKITE_SERVICE_ACCOUNT_TOKEN.
import { parseArgs } from 'node:util'
import { BANKS } from '../src/canbank/banks.ts'
import { SettingError } from '../src/core/setting-error.ts'
import { indykiteBank, indykitePosts, type IndykitePost } from './indykite-graph.ts'
import { environment, runScript } from './run-script.ts'

const PATIENCE_MS = 30_000

await runScript('indykite:setup', async () => {
  const { values } = parseArgs({
    options: {
      bank: { type: 'string', default: 'canbank' },
      'dry-run': { type: 'boolean', default: false },
      send: { type: 'boolean', default: false },
    },
  })
  const bank = Object.values(BANKS).find(({ tenant }) => tenant === values.bank)
  if (bank === undefined) {
    throw new SettingError('--bank', `"${values.bank}" is not a bank`, `Use ${Object.keys(BANKS).join(' or ')}`)
  }
  if (values.send && values['dry-run']) throw new SettingError('--send', 'contradicts --dry-run', 'Give one of the two')
  if (!values.send) {
    const posts = indykitePosts(indykiteBank(bank), environment('INDYKITE_PROJECT_ID') ?? '<INDYKITE_PROJECT_ID>')
    for (const post of posts) console.log(`${shown(post)}\n${JSON.stringify(post.body, null, 2)}\n`)
    console.error('indykite:setup: nothing was sent; --send does it')
    return
  }
  const base = apiOf(needed('AUTHZEN_PDP_URL'))
  const headers = {
    'client key': { 'x-ik-clientkey': needed('AUTHZEN_PDP_CLIENT_KEY') },
    'service account': { authorization: `Bearer ${needed('INDYKITE_SERVICE_ACCOUNT_TOKEN')}` },
  }
  for (const post of indykitePosts(indykiteBank(bank), needed('INDYKITE_PROJECT_ID'))) {
    await send(base, post, headers[post.credential])
  }
})

function shown({ path, credential }: IndykitePost): string {
  return `POST ${path} (with the ${credential})`
}

function needed(name: string): string {
  const value = environment(name)
  if (value === undefined) {
    throw new SettingError(name, 'is not set, and --send needs it', 'Set it, or leave --send out')
  }
  return value
}

/** These credentials may change a whole project, so they go to IndyKite and nowhere else; loopback is for tests. */
function apiOf(url: string): string {
  const base = url.replace(/\/+$/, '')
  if (/^https:\/\/(eu|us)\.api\.indykite\.com$|^http:\/\/127\.0\.0\.1:\d+$/.test(base)) return base
  const fix = 'Set it to https://eu.api.indykite.com or https://us.api.indykite.com'
  throw new SettingError('AUTHZEN_PDP_URL', 'is not an API of IndyKite', fix)
}

async function send(base: string, post: IndykitePost, headers: Readonly<Record<string, string>>): Promise<void> {
  const response = await fetch(`${base}${post.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(post.body),
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  const text = (await response.text()).slice(0, 500)
  // A policy of that name is there already; nodes and relationships are brought up to date by the same POST.
  const there = response.status === 409 && post.credential === 'service account'
  if (!response.ok && !there) throw new Error(`${shown(post)}: ${response.status} ${text}`)
  console.log(`${shown(post)}: ${there ? 'is there' : 'done'}`)
}
