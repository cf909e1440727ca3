import { chmodSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  CLIENT_ID,
  INTROSPECTOR,
  OPAQUE_RESOURCE,
  RESOURCE,
  startDemoProvider,
  type DemoProvider,
} from '../../scripts/demo-provider.ts'
import { checkSignIn } from '../../src/cli/sign-in.io.ts'
import { readSettings } from '../../src/config.io.ts'
import { deviceToken } from '../../src/login/device.ts'
import { createWorld } from '../../src/world.io.ts'
import { newPlace, run, start, type Ended, type Place } from '../cli/bin.ts'
import { proves } from '../requirements.ts'
import { signInAs } from './person.ts'

const ASK = "What's the balance of acc-bob-checking?"
const world = createWorld()
let provider: DemoProvider
beforeAll(async () => {
  provider = await startDemoProvider({ customers: ['alice', 'bob'], tenant: 'canbank' })
})
afterAll(async () => {
  await Promise.all([provider.close(), world.close()])
})

const places: Place[] = []
const place = (): Place => {
  const opened = newPlace()
  places.push(opened)
  return opened
}
afterAll(() => {
  for (const each of places.splice(0)) each.remove()
})

const settings = (): Record<string, string> => ({
  OIDC_ISSUER: provider.issuer,
  OIDC_AUDIENCE: RESOURCE,
  OIDC_CLIENT_ID: CLIENT_ID,
  OIDC_RESOURCE: RESOURCE,
})

/** Runs one turn, in which a person signs in at the address and with the code that stderr shows. */
async function chatAs(customer: string): Promise<Ended> {
  const chat = start(['chat', '--json', ASK], { place: place(), env: settings() })
  chat.child.stdin.end()
  await chat.says('enter the code ')
  const [, verificationUri = '', userCode = ''] =
    /open (\S+) within 10 min and enter the code (\S+)/.exec(chat.stderr()) ?? []
  await signInAs(customer, { verificationUri, userCode })
  return chat.ended
}

const caller = (stdout: string): unknown => (JSON.parse(stdout) as { readonly caller: unknown }).caller

describe(proves('login.from-token-only'), () => {
  // Each waits five seconds before it asks for the token: side by side.
  let [bob, alice, nobody]: readonly Ended[] = []
  beforeAll(async () => {
    ;[bob, alice, nobody] = await Promise.all(['bob', 'alice', 'nobody'].map(chatAs))
  }, 60_000)

  it('chats as whoever signed in with the code, and keeps the token to itself', () => {
    const { code, stdout, stderr } = bob!
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(JSON.parse(stdout)).toMatchObject({
      tenant: 'canbank',
      caller: { type: 'Customer', id: 'bob' },
      turns: [{ calls: [{ tool: 'get_account_balance', decision: { kind: 'permit' }, executed: true }] }],
    })
    expect(stdout + stderr).not.toMatch(/eyJ|device_code/)
  })

  it('decides for the person who signed in, whatever account is asked for', () => {
    expect(caller(alice!.stdout)).toEqual({ type: 'Customer', id: 'alice' })
    expect(JSON.parse(alice!.stdout)).toMatchObject({
      turns: [{ calls: [{ decision: { code: 'pdp.denied' }, executed: false }] }],
    })
  })

  it('does not chat when the person refuses', () => {
    expect(nobody!.code).toBe(2)
    expect(JSON.parse(nobody!.stdout)).toMatchObject({
      error: { code: 'usage', says: expect.stringContaining('The sign-in was refused at the issuer.') as string },
    })
  })
})

it('ends on Ctrl-C while it waits for a person, and leaves nothing behind', async () => {
  const here = place()
  const chat = start(['chat', ASK], { place: here, env: settings() })
  await chat.says('enter the code ')
  chat.signalAll('SIGINT')
  expect(await chat.ended).toMatchObject({ code: 130, stdout: '' })
  expect(here.leftovers()).toEqual([])
})

it('takes the token from a file, has it introspected, and warns when others may read it', async () => {
  const here = place()
  const prompts: Promise<unknown>[] = []
  const token = await deviceToken(
    provider.issuer,
    {
      clientId: CLIENT_ID,
      scope: 'openid',
      resource: OPAQUE_RESOURCE,
      signal: new AbortController().signal,
      show: (prompt) => {
        prompts.push(signInAs('bob', prompt))
      },
    },
    { ...world, pause: (ms, signal) => world.pause(ms / 50, signal) },
  )
  if (!token.ok) throw new Error(token.detail)
  writeFileSync(here.file('token'), `${token.value}\n`)
  chmodSync(here.file('token'), 0o644)
  const env = {
    ...settings(),
    LOGIN_TOKEN_FILE: 'token',
    OIDC_TOKEN_CHECK: 'introspect',
    INTROSPECT_URL: `${provider.issuer}/token/introspection`,
    INTROSPECT_CLIENT_ID: INTROSPECTOR.id,
    INTROSPECT_CLIENT_SECRET: INTROSPECTOR.secret,
  }
  const { code, stdout, stderr } = await run(['chat', '--json', ASK], { place: here, env })
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('chmod 600') as string })
  expect(caller(stdout)).toEqual({ type: 'Customer', id: 'bob' })
  expect(stdout + stderr).not.toContain(token.value)
})

describe('says what is wrong with the settings', () => {
  it.each<[string, Record<string, string | undefined>, string]>([
    ['a client without an issuer', { OIDC_ISSUER: undefined }, 'OIDC_CLIENT_ID: is set without OIDC_ISSUER'],
    ['an issuer with a query', { OIDC_ISSUER: 'https://issuer.test/?a=b' }, 'OIDC_ISSUER: has a query'],
    ['an issuer without an audience', { OIDC_AUDIENCE: undefined }, 'OIDC_AUDIENCE: is not set'],
    ['no way to sign in', { OIDC_CLIENT_ID: undefined }, 'LOGIN_TOKEN_FILE: is not set while OIDC_ISSUER is'],
    ['a check that there is not', { OIDC_TOKEN_CHECK: 'none' }, 'OIDC_TOKEN_CHECK: is neither jwt nor introspect'],
    ['an introspection of nowhere', { OIDC_TOKEN_CHECK: 'introspect' }, 'INTROSPECT_URL: is needed by'],
  ])('%s', (_what, more, says) => {
    expect(() => {
      checkSignIn(undefined, readSettings({ ...settings(), ...more }))
    }).toThrow(says)
  })

  it.each<[string, () => Record<string, string>, string]>([
    [
      'a client that the issuer does not know',
      () => ({ OIDC_CLIENT_ID: 'other' }),
      'OIDC_ISSUER: nobody is signed in: The login service does not let this program sign people in.',
    ],
    [
      'an issuer that is spelled otherwise',
      () => ({ OIDC_ISSUER: `${provider.issuer}/` }),
      'The login service gave no usable answer. (the discovery document is of another issuer)',
    ],
  ])('%s, once it is asked', async (_what, more, says) => {
    const { code, stdout, stderr } = await run(['chat', ASK], { place: place(), env: { ...settings(), ...more() } })
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(says) as string })
    expect(stderr).not.toContain('    at ')
  })
})
