import { writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BANKS } from '../../src/canbank/banks.ts'
import { exchangeLine, settingsFor } from '../../src/cli/standins.ts'
import { openStandins, type StandinName, type StandinsOptions } from '../../src/compose/standins.io.ts'
import { readSettings } from '../../src/config.io.ts'
import { startIndykite } from '../../standins/indykite.ts'
import { startIntrospect } from '../../standins/introspect.ts'
import { startModel } from '../../standins/model-server.ts'
import { serve } from '../../standins/serve.ts'
import { newPlace, run, start, type Place, type Started } from '../cli/bin.ts'
import { a2a, get, post, sendMessage, started } from './support.ts'

const NAMES = ['indykite', 'introspect', 'issuer', 'model', 'agent'] as const
const NO_PORTS = { indykite: 0, introspect: 0, issuer: 0, model: 0, agent: 0, 'agent-health': 0 }
const ignore = (): void => undefined
const ANY_PORT = [...NAMES, 'agent-health'].map((name) => `--port-${name}=0`)

function place(): Place {
  const made = newPlace()
  onTestFinished(() => {
    made.remove()
  })
  return made
}

interface Open {
  readonly standins: readonly { readonly name: string; readonly url: string; readonly health: string }[]
  readonly settings: Readonly<Record<string, string>>
}

/** The command, once it has said in JSON what is open. */
async function serving(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const process = start(['standins', '--json', ...args], { place: place(), env })
  onTestFinished(async () => {
    process.child.kill('SIGKILL')
    await process.ended
  })
  await process.says('"settings"')
  return { process, open: JSON.parse(process.stdout()) as Open }
}

const urlOf = ({ standins }: Open, name: string): string => standins.find((each) => each.name === name)?.url ?? ''

async function stopped(process: Started, signal: NodeJS.Signals): Promise<number> {
  process.child.kill(signal)
  return (await process.ended).code
}

const balance = (account: string): string =>
  JSON.stringify({
    id: account,
    caller: 'bob',
    request: {
      kind: 'custom-tool',
      toolCallId: 'c1',
      toolName: 'get_account_balance',
      args: { account_id: account },
    },
  })

describe('intent-gate standins', () => {
  it('serves all of them to a gate in another process, and ends with 0 on Ctrl-C with its ports free', async () => {
    const { process, open } = await serving(ANY_PORT)
    expect(open.standins.map(({ name }) => name)).toEqual(NAMES)
    for (const { health } of open.standins) {
      expect(await get(health)).toMatchObject({ status: 200, body: { status: 'ok' } })
    }
    const { settings } = open
    expect(Object.keys(settings).sort()).toEqual([
      'AUTHZEN_PDP_URL',
      'INTENT_AGENT_URL',
      'MODEL_BASE_URL',
      'MODEL_NAME',
    ])
    const input = ['acc-bob-checking', 'acc-alice-savings'].map(balance).join('\n')
    const decided = await run(['decide', '--certificates', 'off', '--jsonl'], {
      place: place(),
      env: settings,
      input,
    })
    expect(decided.stdout.trim().split('\n')).toMatchObject([
      expect.stringContaining('"kind":"permit"'),
      expect.stringContaining('"code":"pdp.denied"'),
    ])
    await process.says('POST /access/v1/evaluations')
    expect(await stopped(process, 'SIGINT')).toBe(0)
    for (const { url } of open.standins) {
      const port = Number(new URL(url).port)
      await started(serve({ name: 'next', tenant: 'canbank', port }, () => ({})))
    }
  })

  it('logs time, stand-in, method, path, status and milliseconds, and neither tokens, queries nor bodies', async () => {
    const { process, open } = await serving(ANY_PORT)
    const headers = { ...a2a, authorization: 'Bearer secret-token' }
    await post(`${urlOf(open, 'agent')}/`, sendMessage('View Invoice inv-bob-1'), headers)
    await get(`${urlOf(open, 'indykite')}/secret-free?token=secret-query`)
    await process.says('/secret-free')
    expect(await stopped(process, 'SIGTERM')).toBe(0)
    const lines = process.stderr().split('\n')
    const line = /^\d{4}-\d\d-\d\dT[\d:.]+Z (?:indykite|introspect|agent) +(?:GET|POST) \/\S* \d{3} \d+\.\d ms$/
    const note = /^\d{4}\S+Z agent +extracted, evaluations: 1$/
    const served = lines.filter((each) => /^\d{4}-/.test(each))
    expect(served.length).toBeGreaterThanOrEqual(5)
    for (const each of served) expect(note.test(each) || line.test(each), each).toBe(true)
    expect(served.filter((each) => note.test(each))).toHaveLength(1)
    expect(process.stderr() + process.stdout()).not.toMatch(/secret-token|secret-query|inv-bob-1/)
  })

  it('shows a person a table and what to paste', async () => {
    const process = start(['standins', 'indykite', '--port-indykite=0', '--bank', 'fjordbank'], { place: place() })
    onTestFinished(() => {
      process.child.kill('SIGKILL')
    })
    await process.says('stop with Ctrl-C')
    const url = /export AUTHZEN_PDP_URL=(http:\/\/127\.0\.0\.1:\d+)/.exec(process.stdout())?.[1] ?? ''
    expect(process.stdout()).toMatch(/stand-in +URL +health/)
    expect(process.stdout()).not.toContain('INTENT_AGENT_URL')
    const answer = await get(`${url}/health`)
    expect(answer.headers.get('x-standin')).toContain('tenant=fjordbank')
    expect(await stopped(process, 'SIGTERM')).toBe(0)
  })

  it('starts an agent alone over what INDYKITE_BASE_URL and INTROSPECT_URL name, with a model', async () => {
    const client = { id: 'agent', secret: 'introspect-secret' }
    const indykite = await started(startIndykite({ bank: BANKS.canbank, clientKey: 'app-key' }))
    const introspect = await started(startIntrospect({ tenant: 'canbank', client }))
    const evaluations = [{ action: 'VIEW_INVOICE', resource_type: 'Invoice', resource_id: 'inv-bob-1' }]
    const model = await started(startModel({ brain: () => ({ text: JSON.stringify({ evaluations }) }) }))
    const { process, open } = await serving(['agent', '--port-agent=0', '--port-agent-health=0'], {
      INDYKITE_BASE_URL: indykite.url,
      IK_APP_AGENT_KEY: 'app-key',
      INTROSPECT_URL: `${introspect.url}/introspect`,
      INTROSPECT_CLIENT_ID: client.id,
      INTROSPECT_CLIENT_SECRET: client.secret,
      INTENT_MODEL_BASE_URL: model.url,
      INTENT_MODEL_API_KEY: 'model-secret',
      INTENT_MODEL_NAME: 'm-1',
    })
    const { body } = await post(`${urlOf(open, 'agent')}/`, sendMessage('View Invoice inv-bob-1'), a2a)
    expect(JSON.stringify(body)).toContain('"name":"VIEW_INVOICE"')
    await process.says('extracted, evaluations: 1, tries: 1')
    expect(await stopped(process, 'SIGINT')).toBe(0)
    expect(process.stdout() + process.stderr()).not.toMatch(/model-secret|introspect-secret|app-key/)
  })
})

describe('intent-gate standins ends with 2', () => {
  it.each(['indykite', 'agent-health'])(
    'when the port of %s is in use, names port and flag, and leaves nothing running',
    async (which) => {
      const taken = await started(serve({ name: 'blocker', tenant: 'canbank' }, () => ({})))
      const args = [...ANY_PORT.filter((each) => !each.startsWith(`--port-${which}=`)), `--port-${which}=${taken.port}`]
      const { code, stderr, stdout } = await run(['standins', ...args], { place: place() })
      expect(code).toBe(2)
      expect(stdout).toBe('')
      expect(stderr).toContain(`--port-${which}: port ${taken.port} is in use`)
    },
  )

  it.each([
    { why: 'an unknown name', args: ['indykit'], says: '"indykit" is not a stand-in' },
    { why: 'a port that is none', args: ['model', '--port-model=x'], says: '--port-model: "x" is not a port' },
    { why: 'a port of what is not started', args: ['model', '--port-agent=0'], says: 'agent is not started' },
    { why: 'an unknown flag', args: ['--port-agnt=0'], says: '--port-agent' },
    { why: 'an agent without IndyKite', args: ['agent'], says: 'INDYKITE_BASE_URL: is not set' },
  ])('for $why', async ({ args, says }) => {
    const { code, stderr, stdout } = await run(['standins', ...args], { place: place() })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(says)
    expect(stderr).not.toMatch(/\n {4}at /)
  })
})

/** Stand-ins in this process, with settings of the test. */
const openWith = (
  names: readonly StandinName[],
  env: Readonly<Record<string, string>> = {},
  more: Partial<StandinsOptions> = {},
) => {
  const options = { bank: 'canbank', names, ports: NO_PORTS, heard: ignore, noted: ignore }
  return Promise.resolve().then(() => openStandins({ settings: readSettings(env), ...options, ...more }))
}

describe('stand-ins for other processes', () => {
  it('ask for the client key and for the client of introspection when they are set, and the agent has both', async () => {
    const { open } = await started(
      openWith(NAMES, {
        AUTHZEN_PDP_CLIENT_KEY: 'key-1',
        INTROSPECT_CLIENT_ID: 'agent',
        INTROSPECT_CLIENT_SECRET: 'secret-1',
      }),
    )
    const standins = { standins: open, settings: {} }
    expect((await get(`${urlOf(standins, 'indykite')}/access/v1/policies`)).status).toBe(401)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await post(urlOf(standins, 'introspect'), 'token=x', form)).status).toBe(401)
    const { status } = await post(`${urlOf(standins, 'agent')}/`, sendMessage('View Invoice inv-bob-1'), a2a)
    expect(status).toBe(200)
  })
})

describe('stand-ins for other processes do not start', () => {
  const nobody = 'http://127.0.0.1:1'
  it.each<{
    why: string
    names: readonly StandinName[]
    env?: Record<string, string>
    what: string
    more?: Partial<StandinsOptions>
  }>([
    { why: 'for an unknown bank', names: ['issuer'], what: '--bank', more: { bank: 'nobank' } },
    {
      why: 'at a port beyond the last',
      names: ['model'],
      what: '--port-model',
      more: { ports: { ...NO_PORTS, model: 65_536 } },
    },
    {
      why: 'at an address that is not ours',
      names: ['model'],
      what: '--port-model: port 0 of 203.0.113.1',
      more: { host: '203.0.113.1' },
    },
    { why: 'with an agent without introspection', names: ['indykite', 'agent'], what: 'INTROSPECT_URL: is not set' },
    {
      why: 'with an IndyKite that would get the key in the open',
      names: ['agent'],
      env: { INDYKITE_BASE_URL: 'http://indykite.example', INTROSPECT_URL: nobody },
      what: 'INDYKITE_BASE_URL: plain http',
    },
    {
      why: 'with an introspection that would get tokens in the open',
      names: ['indykite', 'agent'],
      env: { INTROSPECT_URL: 'http://introspect.example' },
      what: 'INTROSPECT_URL: plain http',
    },
    {
      why: 'with an IndyKite that does not answer',
      names: ['agent'],
      env: { INDYKITE_BASE_URL: nobody, INTROSPECT_URL: nobody },
      what: 'INDYKITE_BASE_URL: /',
    },
    {
      why: 'with half a client of introspection',
      names: ['introspect'],
      env: { INTROSPECT_CLIENT_ID: 'agent' },
      what: 'INTROSPECT_CLIENT_SECRET: is not set',
    },
    {
      why: 'with a model without a name',
      names: ['indykite', 'introspect', 'agent'],
      env: { INTENT_MODEL_BASE_URL: nobody },
      what: 'INTENT_MODEL_NAME: is not set',
    },
  ])('$why', async ({ names, env = {}, what, more = {} }) => {
    await expect(started(openWith(names, env, more))).rejects.toMatchObject({
      name: 'SettingError',
      message: expect.stringContaining(what) as string,
    })
  })

  it('when one cannot, and then none of the others is left', async () => {
    const free = await serve({ name: 'free', tenant: 'canbank' }, () => ({}))
    await free.close()
    const ports = { ...NO_PORTS, indykite: free.port }
    await expect(started(openWith(['indykite', 'agent'], {}, { ports }))).rejects.toThrow('INTROSPECT_URL')
    await started(serve({ name: 'next', tenant: 'canbank', port: free.port }, () => ({})))
  })
})

describe('a line of the log', () => {
  it.each([
    { heard: { method: 'GET', path: '/health', status: 200, ms: 1.25 }, line: 'T indykite   GET /health 200 1.3 ms' },
    { heard: { method: 'POST', path: '/', ms: 20 }, line: 'T indykite   POST / gone 20.0 ms' },
    {
      heard: { method: 'GET', path: '/\u202e\u001b[2J', status: 404, ms: 0 },
      line: 'T indykite   GET /\\u{202e}\\u{1b}[2J 404 0.0 ms',
    },
  ])('is "$line"', ({ heard, line }) => {
    expect(exchangeLine('T', 'indykite', heard)).toBe(line)
  })

  it('has no setting for what a gate cannot be pointed at', () => {
    expect(settingsFor([{ name: 'introspect', url: 'u', health: 'h' }])).toEqual({})
  })
})

describe('a chat with a model behind the embedded intent-agent', () => {
  it('says so in its transcript', async () => {
    const evaluations = [{ action: 'VIEW_ACCOUNT_BALANCE', resource_type: 'Account', resource_id: 'acc-bob-checking' }]
    const model = await started(startModel({ brain: () => ({ text: JSON.stringify({ evaluations }) }) }))
    const here = place()
    const steps = [
      { calls: [{ name: 'get_account_balance', arguments: { account_id: 'acc-bob-checking' } }] },
      { text: 'Done.' },
    ]
    writeFileSync(here.file('script.json'), JSON.stringify({ script: 1, steps }))
    const args = ['chat', '--as', 'bob', '--json', '--model', 'scripted', '--script', 'script.json', 'My balance?']
    const env = { INTENT_MODEL_BASE_URL: model.url, INTENT_MODEL_NAME: 'm-1' }
    const { code, stdout } = await run(args, { place: here, env })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      intentAgent: 'model:m-1',
      turns: [{ calls: [{ decision: { kind: 'permit' }, executed: true }] }],
    })
  })

  it('does not run without the gate, since the model is a real service', async () => {
    const env = { INTENT_MODEL_BASE_URL: 'http://127.0.0.1:1', INTENT_MODEL_NAME: 'm-1' }
    const { code, stderr } = await run(['chat', '--as', 'bob', '--no-gate', 'My balance?'], { place: place(), env })
    expect(code).toBe(2)
    expect(stderr).toContain('INTENT_MODEL_BASE_URL')
  })
})
