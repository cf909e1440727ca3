import { mkdirSync, symlinkSync, writeFileSync, existsSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { chatCommand } from '../../src/cli/chat.io.ts'
import { explainFailure } from '../../src/cli/failure.io.ts'
import { newPlace, run, start, twoAtATime, type Ended, type Place } from './bin.ts'
import { smallDisk } from './small-disk.ts'

type ChatOptions = Parameters<typeof chatCommand>[1]

const ASK = "What's the balance of acc-bob-checking?"
const chat = (...args: readonly string[]): readonly string[] => ['chat', '--as', 'bob', ...args]

/** What is said, where `FOLDER` stands for the test's own folder, and the way out. */
type Said = readonly [title: string, says: string, fix: string]
interface Prepared {
  readonly env?: Readonly<Record<string, string>>
  readonly prepare?: (place: Place) => void
}

const HELP = 'Run it with --help for the options and an example.'
const WHO = 'Use alice, bob or carol.'
const LENGTH = 'Say something in at most 32768 characters of valid Unicode.'
const PLAIN = 'Use https without credentials, or name the host in ALLOW_PLAIN_HTTP.'
// The kinds themselves are listed where they are.
const KINDS = 'Set PDP_KIND'
const DEADLINE = 'Set GATE_DEADLINE_MS to a whole number of milliseconds, at least 100.'
const NEW_BOOKS = 'Move the file away to start with new books, or restore a copy.'
const NOT_OURS = 'Keep the file as it is for whoever looks into it, and start with another one.'

const write =
  (name: string, text: string) =>
  (place: Place): void => {
    writeFileSync(place.file(name), text)
  }

// By the program itself: whatever its argument parser, stdin or files have a part in.
interface ProgramCase extends Prepared {
  readonly args: readonly string[]
  readonly input?: string
  readonly said: Said
}
const PROGRAM: readonly ProgramCase[] = [
  { args: ['chatt'], said: ['an unknown command', "unknown command 'chatt' (Did you mean chat?)", HELP] },
  {
    args: chat('--ledgr', 'x', ASK),
    said: ['an unknown flag', "unknown option '--ledgr' (Did you mean --ledger?)", HELP],
  },
  {
    args: ['chat', ASK, '--as'],
    said: ['a flag without its value', "option '--as <customer>' argument missing", HELP],
  },
  {
    args: chat('my', 'balance'),
    said: ['a message without quotes', "too many arguments for 'chat'. Expected 1 argument but got 2.", HELP],
  },
  {
    args: ['decide', '--certificates', 'on'],
    said: [
      'a mode of certificates that is not there',
      "option '--certificates <mode>' argument 'on' is invalid. Allowed choices are ",
      HELP,
    ],
  },
  {
    args: ['chat', '--as', 'mallory', ASK],
    said: ['an unknown customer', '--as: "mallory" could not sign in: The caller could not be signed in.', WHO],
  },
  {
    args: chat('--bank', 'nobank', ASK),
    said: ['an unknown bank', '--bank: "nobank" is not a bank', 'Use canbank or fjordbank.'],
  },
  {
    args: chat('x'.repeat(100_000)),
    said: ['a message of 100,000 characters', 'message: has 100000 characters', LENGTH],
  },
  {
    args: chat(),
    input: `${'x'.repeat(1_000_000)}\n`,
    said: ['a line of 1 MB', 'message: has 1000000 characters', LENGTH],
  },
  {
    args: ['audit', 'show', 'a.jsonl', '--since', 'yesterday'],
    prepare: write('a.jsonl', ''),
    said: ['a time that is none', '--since: "yesterday" is not a time', 'Give ISO 8601, such as 2026-12-01T08:00:00Z.'],
  },
  {
    args: ['decide'],
    prepare: (place) => {
      mkdirSync(place.file('.env'))
    },
    said: ['a .env that is a folder', '.env: cannot be read (EISDIR)', 'Make it a readable file, or remove it.'],
  },
  {
    args: ['decide'],
    prepare: write('.env', 'PDP_KIND=oracle\n'),
    said: ['a wrong setting in .env', 'PDP_KIND: is not a kind of PDP that this version has', KINDS],
  },
  {
    args: ['decide', '--audit', 'notes.txt'],
    prepare: write('notes.txt', 'milk\n'),
    said: [
      'an audit that is something else',
      'FOLDER/notes.txt: its head is missing; it was changed or cut off since it was written',
      NOT_OURS,
    ],
  },
  {
    args: ['audit', 'verify', 'no.jsonl'],
    said: ['an audit to verify that is not there', 'no.jsonl: it does not exist', 'Check its name.'],
  },
  {
    args: ['audit', 'show', 'no.jsonl'],
    said: ['an audit to show that is not there', 'no.jsonl: it does not exist', 'Check its name.'],
  },
  {
    args: ['audit', 'reconcile', '.'],
    said: ['an audit to reconcile that is a folder', '.: it is a folder', 'Name a file.'],
  },
]

// By the command in this process: a node that starts for each would take a minute.
interface CommandCase extends Prepared {
  readonly options?: Partial<ChatOptions>
  readonly message?: string
  readonly said: Said
}
const setting = (name: string, value: string, says: string, fix: string, env = {}): CommandCase => ({
  env: { [name]: value, ...env },
  said: [value === '' ? `no ${name}` : `${name}=${value}`, `${name}: ${says}`, fix],
})
const real = (name: string, value: string, env = {}, options: Partial<ChatOptions> = {}): CommandCase => ({
  env: { [name]: value, ...env },
  options: { gate: false, ...options },
  said: [
    `--no-gate while ${name} is set`,
    `--no-gate: would run without protection against ${name}`,
    'Unset them first.',
  ],
})
const ISSUER = { OIDC_ISSUER: 'https://login.example.com', OIDC_AUDIENCE: 'x' }
const NOBODY = { as: undefined }

const AS = 'Set OIDC_ISSUER, or use --as <customer>.'
const also = (name: string): string => `Set ${name} too, or leave it out.`
const FGA = 'is set, and only PDP_KIND=openfga would read it'
const FGA_FIX = 'Set PDP_KIND=openfga, or leave it out.'
const HEADER = 'is set, and only PDP_KIND=authzen would read it'
const HEADER_FIX = 'Set PDP_KIND=authzen, or leave it out.'
const PDP_TOKEN = 'is set, and only PDP_KIND=authzen and PDP_KIND=indykite would read it'
const UNREAD_VALUES: Readonly<Record<string, string>> = {
  OPENFGA_API_URL: 'https://fga.example.com',
  OIDC_TOKEN_CHECK: 'jwt',
  INTENT_AGENT_URL: 'https://agent.example.com',
  MODEL_WIRE_API: 'responses',
}
/** What would be ignored in silence. */
const UNREAD: readonly (readonly [name: string, says: string, fix: string, env?: Readonly<Record<string, string>>])[] =
  [
    ['OPENFGA_API_URL', FGA, FGA_FIX],
    ['OPENFGA_STORE_ID', FGA, FGA_FIX, { PDP_KIND: 'standin' }],
    ['OPENFGA_API_TOKEN', FGA, FGA_FIX],
    ['OPENFGA_AUTHORIZATION_MODEL_ID', FGA, FGA_FIX],
    ['OPENFGA_STORE_ID__CANBANK', FGA, FGA_FIX],
    ['AUTHZEN_PDP_TOKEN', PDP_TOKEN, 'Set PDP_KIND=authzen or indykite, or leave it out.'],
    ['AUTHZEN_PDP_HEADER_NAME', HEADER, HEADER_FIX, { PDP_KIND: 'indykite' }],
    ['AUTHZEN_PDP_HEADER_VALUE', HEADER, HEADER_FIX],
    ['OIDC_AUDIENCE', 'is set without OIDC_ISSUER', AS],
    ['OIDC_CLIENT_ID', 'is set without OIDC_ISSUER', AS],
    ['OIDC_SUBJECT_CLAIM', 'is set without OIDC_ISSUER', AS],
    ['OIDC_TOKEN_CHECK', 'is set without OIDC_ISSUER', AS],
    ['INTENT_AGENT_TOKEN', 'is set without INTENT_AGENT_URL', also('INTENT_AGENT_URL')],
    [
      'INTENT_AGENT_URL',
      'contradicts INTENT_SOURCE=definition',
      'Leave one of the two out.',
      { INTENT_SOURCE: 'definition' },
    ],
    ['MODEL_API_KEY', 'is set without MODEL_BASE_URL', also('MODEL_BASE_URL')],
    ['MODEL_NAME', 'is set without MODEL_BASE_URL', also('MODEL_BASE_URL')],
    ['MODEL_WIRE_API', 'is set without MODEL_BASE_URL', also('MODEL_BASE_URL')],
    ['INTENT_MODEL_API_KEY', 'is set without INTENT_MODEL_BASE_URL', also('INTENT_MODEL_BASE_URL')],
    ['INTENT_MODEL_NAME', 'is set without INTENT_MODEL_BASE_URL', also('INTENT_MODEL_BASE_URL')],
  ]

const UNSEEN = 'holds a space or a character that does not show'
const QUERY = 'has a query, and paths are put behind it'
const UNSENDABLE = 'is empty or holds a space or a character that is not ASCII'
const ONE_BANK = 'is for one bank alone, which only a setting of the PDP can be'
const see = (name: string): string => `Correct ${name}, see .env.example.`
/** What a URL parser, or a header, would take in another way than it reads. */
const MISREAD: readonly (readonly [name: string, value: string, says: string, fix: string])[] = [
  ['INTENT_AGENT_URL', 'https://agent.example.com/\nx', UNSEEN, see('INTENT_AGENT_URL')],
  ['INTENT_AGENT_URL', 'https://agent.example.com/a b', UNSEEN, see('INTENT_AGENT_URL')],
  ['INTENT_AGENT_URL', 'https://agent.example.com/#x', 'has a fragment', see('INTENT_AGENT_URL')],
  ['MODEL_BASE_URL', 'https://model.example.com/v1#x', 'has a fragment', see('MODEL_BASE_URL')],
  ['MODEL_BASE_URL', 'https://model.example.com/v1?key=1', QUERY, see('MODEL_BASE_URL')],
  ['INTENT_MODEL_BASE_URL', 'https://model.example.com/v1?', QUERY, see('INTENT_MODEL_BASE_URL')],
  ['AUTHZEN_PDP_URL', ' https://pdp.example.com', UNSEEN, see('AUTHZEN_PDP_URL')],
  ['AUTHZEN_PDP_CLIENT_KEY', 'a key', UNSENDABLE, 'Copy the key again.'],
  ['INTENT_AGENT_TOKEN', 'a\nb', UNSENDABLE, 'Copy the key again.'],
  ['MODEL_API_KEY', 'k\u00e9y', UNSENDABLE, 'Copy the key again.'],
  ['PDP_KIND__FJORDBANK', 'cedar', ONE_BANK, 'Set PDP_KIND.'],
  ['INTENT_AGENT_URL__FJORDBANK', 'https://agent.example.com', ONE_BANK, 'Set INTENT_AGENT_URL.'],
]

const COMMAND: readonly CommandCase[] = [
  ...MISREAD.map(([name, value, says, fix]) => setting(name, value, says, fix)),
  {
    options: NOBODY,
    said: ['nobody signs in', '--as: is missing', 'Say who signs in: --as alice, --as bob or --as carol.'],
  },
  {
    options: { as: 'Bob' },
    said: ['a customer in capitals', '--as: "Bob" could not sign in: The caller could not be signed in.', WHO],
  },
  {
    options: { as: '' },
    said: ['a customer without a name', '--as: "" could not sign in: The caller could not be signed in.', WHO],
  },
  {
    options: { bank: 'constructor' },
    said: ['a bank that every object has', '--bank: "constructor" is not a bank', 'Use canbank or fjordbank.'],
  },
  { message: '', said: ['an empty message', 'message: is empty', LENGTH] },
  { message: ' \n', said: ['a message of white space', 'message: is empty', LENGTH] },
  { message: 'my \ud800', said: ['a message with half a character', 'message: is not valid Unicode', LENGTH] },
  {
    options: { script: 'x.json' },
    said: ['a script for the stand-in', '--script: goes with --model scripted', 'Add --model scripted.'],
  },
  {
    options: { model: 'scripted' },
    said: [
      'a scripted model without a script',
      '--script: is missing',
      'Name the file that --model scripted answers from.',
    ],
  },
  {
    options: { model: 'scripted', script: 'no.json' },
    said: ['a script that is not there', '--script: no.json cannot be read (ENOENT)', 'Name a readable file.'],
  },
  {
    options: { model: 'gpt-4' },
    said: [
      'a model without an endpoint',
      '--model: "gpt-4" needs an endpoint',
      'Set MODEL_BASE_URL, or use --model standin.',
    ],
  },
  {
    options: { pdp: 'oracle' },
    said: [
      'an unknown kind of PDP',
      '--pdp: "oracle" is not a kind of PDP that this version has (standin, openfga, ',
      'Use --pdp with one of standin, openfga, ',
    ],
  },
  setting(
    'INTENT_SOURCE',
    'model',
    'is neither agent nor definition',
    'Set INTENT_SOURCE=agent or INTENT_SOURCE=definition.',
  ),
  setting('INTENT_MEMORY', 'on', 'is neither exact nor off', 'Set INTENT_MEMORY=exact or INTENT_MEMORY=off.'),
  setting('GATE_DEADLINE_MS', '50', 'is less than 100 milliseconds', DEADLINE),
  setting('GATE_DEADLINE_MS', '5s', 'is not a whole number of milliseconds', DEADLINE),
  setting(
    'INTENT_AGENT_URL',
    'agent.example.com',
    'is not an http or https URL',
    'Correct INTENT_AGENT_URL, see .env.example.',
  ),
  setting('INTENT_AGENT_URL', 'http://agent.example.com', 'plain http to a host that is not loopback', PLAIN),
  setting('AUTHZEN_PDP_URL', 'http://192.0.2.1:8080', 'plain http to a host that is not loopback', PLAIN),
  setting('AUTHZEN_PDP_URL', 'https://user:secret@pdp.example.com', 'the URL holds credentials', PLAIN),
  setting(
    'AUTHZEN_PDP_CLIENT_KEY',
    'a key',
    'is empty or holds a space or a character that is not ASCII',
    'Copy the key again.',
  ),
  setting('ALLOW_PLAIN_HTTP', 'http://x', 'is not a list of host names', 'Correct ALLOW_PLAIN_HTTP, see .env.example.'),
  setting(
    'MODEL_PROVIDER',
    'acme',
    'is neither openai nor copilot',
    'Set MODEL_PROVIDER=openai or MODEL_PROVIDER=copilot, or leave it out.',
  ),
  setting(
    'MODEL_WIRE_API',
    'chat',
    'is neither completions nor responses',
    'Set MODEL_WIRE_API=completions or MODEL_WIRE_API=responses, or leave it out.',
  ),
  setting('MODEL_NAME', '', 'is not set while MODEL_BASE_URL is', 'Set it to a model that the endpoint has.', {
    MODEL_BASE_URL: 'http://127.0.0.1:9/v1',
  }),
  setting(
    'MODEL_BASE_URL',
    'https://models.example.com',
    'contradicts MODEL_PROVIDER=copilot',
    'Leave one of the two out.',
    { MODEL_PROVIDER: 'copilot' },
  ),
  setting('OIDC_AUDIENCE', '', 'is not set while OIDC_ISSUER is', 'Set it to the audience of your tokens.', {
    OIDC_ISSUER: 'https://login.example.com',
  }),
  setting('LOGIN_TOKEN_FILE', 'token', 'is set without OIDC_ISSUER', 'Set OIDC_ISSUER, or use --as <customer>.'),
  {
    env: { ...ISSUER, LOGIN_TOKEN_FILE: 'token' },
    said: [
      'a customer by name at a real issuer',
      '--as: works at the embedded issuer only',
      'Leave --as out to sign in at OIDC_ISSUER, or unset OIDC_ISSUER.',
    ],
  },
  {
    env: ISSUER,
    options: NOBODY,
    said: [
      'a real issuer without a token',
      'LOGIN_TOKEN_FILE: is not set while OIDC_ISSUER is',
      'Name the file that holds the token, or set OIDC_CLIENT_ID to sign in with a browser.',
    ],
  },
  {
    env: { ...ISSUER, LOGIN_TOKEN_FILE: 'token' },
    options: NOBODY,
    said: [
      'a token file that is not there',
      'LOGIN_TOKEN_FILE: token cannot be read (ENOENT)',
      'Name a readable file.',
    ],
  },
  real('AUTHZEN_PDP_URL', 'https://pdp.example.com'),
  real('INTENT_AGENT_URL', 'https://agent.example.com'),
  real('MODEL_BASE_URL', 'https://models.example.com', { MODEL_NAME: 'm' }),
  real('MODEL_PROVIDER', 'copilot'),
  real('INDYKITE_BASE_URL', 'https://eu.indykite.com'),
  real('INTROSPECT_URL', 'https://login.example.com/introspect'),
  ...UNREAD.map(([name, says, fix, env = {}]) => setting(name, UNREAD_VALUES[name] ?? 'x', says, fix, env)),
  {
    options: { gate: false, audit: 'a.jsonl' },
    said: ['an audit of nothing', '--audit: contradicts --no-gate, which decides nothing', 'Leave one of the two out.'],
  },
  real('OIDC_ISSUER', 'https://login.example.com', { OIDC_AUDIENCE: 'x', LOGIN_TOKEN_FILE: 'token' }, NOBODY),
  { options: { audit: '.' }, said: ['an audit that is a folder', '.: it is a folder', 'Name a file.'] },
  {
    options: { audit: 'f/a.jsonl' },
    prepare: write('f', ''),
    said: ['an audit behind a file', 'f/a.jsonl: a part of its path is not a folder', 'Check its path.'],
  },
  {
    options: { audit: 'a' },
    prepare: (place) => {
      symlinkSync('b', place.file('a'))
    },
    said: ['an audit that is a link', 'a: it is a symbolic link', 'Name the file itself.'],
  },
  {
    env: { AUDIT_DIR: 'f' },
    prepare: write('f', ''),
    said: ['an audit folder that is a file', 'f/', 'Check its path.'],
  },
  {
    options: { ledger: 'no/l.json' },
    said: [
      'books in a folder that is not there',
      'ledger file FOLDER/no/l.json: the folder FOLDER/no does not exist',
      'Create it first.',
    ],
  },
  {
    options: { ledger: 'l.json' },
    prepare: write('l.json', '{'),
    said: ['books that are damaged', 'ledger file FOLDER/l.json: it is damaged: not JSON', NEW_BOOKS],
  },
  {
    options: { ledger: 'x', audit: 'x' },
    said: ['books and audit in one file', 'ledger file FOLDER/x: it is damaged: not JSON', NEW_BOOKS],
  },
]

/** What must be nowhere, whatever goes wrong. */
const expectNoStack = (text: string): void => {
  expect(text).not.toMatch(/^\s+at /m)
  expect(text).not.toMatch(/node:internal|Error:/)
}

function expectSaid(ended: Ended, [, says, fix]: Said, { folder }: Place): void {
  expect([ended.code, ended.stdout]).toEqual([2, ''])
  const sentence = says.replaceAll('FOLDER', folder)
  // A chat has said who signs in before it reads a line.
  const told = ended.stderr.slice(ended.stderr.indexOf('intent-gate: '))
  const [first = '', ...rest] = told.trimEnd().split('\n')
  expect(first.startsWith(`intent-gate: ${sentence}`), ended.stderr).toBe(true)
  expect(rest).toHaveLength(1)
  expect(rest[0]?.startsWith(`  ${fix}`), ended.stderr).toBe(true)
  expectNoStack(ended.stderr)
}

describe('bad input to the program', () => {
  const places = PROGRAM.map(() => newPlace())
  let endings: readonly Ended[] = []
  beforeAll(async () => {
    const jobs = PROGRAM.map(({ args, env = {}, input = '', prepare }, index) => () => {
      prepare?.(places[index]!)
      return run(args, { place: places[index]!, env, input })
    })
    endings = await twoAtATime(jobs)
  }, 90_000)
  afterAll(() => {
    for (const place of places) place.remove()
  })

  it.each(PROGRAM.map(({ said }, index) => [said[0], said, index] as const))(
    '%s ends with 2 and a sentence',
    (_title, said, index) => {
      expectSaid(endings[index]!, said, places[index]!)
    },
  )

  it('leaves no private folder of a runtime behind', () => {
    expect(places.flatMap((place) => place.leftovers())).toEqual([])
  })

  it('makes no audit for a bank that is not there', () => {
    const index = PROGRAM.findIndex(({ said }) => said[0] === 'an unknown bank')
    expect(existsSync(places[index]!.file('state'))).toBe(false)
  })

  it.each([[[]], [['audit']]])('shows the commands when none is given after %j', async (args) => {
    const place = newPlace()
    const { code, stdout, stderr } = await run(args, { place })
    place.remove()
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^Usage: intent-gate [^]*\nCommands:\n[^]*\nintent-gate: a command is missing\n$/)
  })
})

describe('bad input to chat', () => {
  let place: Place
  const before = { env: process.env, folder: process.cwd() }
  beforeEach(() => {
    place = newPlace()
    process.chdir(place.folder)
  })
  afterEach(() => {
    process.env = before.env
    process.chdir(before.folder)
    place.remove()
  })

  it.each(COMMAND.map((each) => [each.said[0], each] as const))(
    '%s ends with 2 and a sentence',
    async (_title, { env = {}, options = {}, message = ASK, prepare, said }) => {
      process.env = { ...place.env, ...env }
      prepare?.(place)
      let [stdout, stderr] = ['', '']
      vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((stdout += String(text)), true))
      vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((stderr += String(text)), true))
      const chatted = chatCommand(message, { as: 'bob', bank: 'canbank', gate: true, certificates: 'off', ...options })
      const cause: unknown = await chatted.then(
        () => 'it went well',
        (thrown: unknown) => thrown,
      )
      const code = explainFailure(cause, false)
      vi.restoreAllMocks()
      expectSaid({ code, stdout, stderr }, said, place)
    },
  )
})

describe('bad input with --json', () => {
  const place = newPlace()
  afterAll(() => {
    place.remove()
  })
  it.each([
    ['an unknown flag', chat('--jsn', '--json'), {}, "unknown option '--jsn' (Did you mean --json?)"],
    [
      'a message without quotes',
      chat('a', 'b', '--json'),
      {},
      "too many arguments for 'chat'. Expected 1 argument but got 2.",
    ],
    [
      'an unknown customer',
      ['chat', '--as', 'mallory', ASK, '--json'],
      {},
      '--as: "mallory" could not sign in: The caller could not be signed in.',
    ],
    ['a wrong setting', ['decide', '--json'], { INTENT_MEMORY: 'on' }, 'INTENT_MEMORY: is neither exact nor off'],
    ['no file', ['audit', 'verify', 'no.jsonl', '--json'], {}, 'no.jsonl: it does not exist'],
  ] as const)(
    '%s is one object on stdout and nothing on stderr',
    async (_title, args, env, says) => {
      const { code, stdout, stderr } = await run(args, { place, env })
      expect(code).toBe(2)
      expect(JSON.parse(stdout)).toEqual({
        error: { code: 'usage', says, fix: expect.stringMatching(/^.+[.?]$/) as string },
      })
      expect(stderr).not.toContain('intent-gate:')
    },
    30_000,
  )
})

describe('files that are in use or cannot be written', () => {
  const place = newPlace()
  afterAll(() => {
    place.remove()
  })

  it('lets one process write to an audit file', async () => {
    const audit = place.file('shared.jsonl')
    const first = start(['decide', '--jsonl', '--audit', audit], { place })
    await expect.poll(() => existsSync(`${audit}.lock`), { timeout: 15_000 }).toBe(true)
    const second = await run(['decide', '--jsonl', '--audit', audit], { place })
    expect([second.code, second.stdout]).toEqual([2, ''])
    expect(second.stderr).toBe(
      `intent-gate: ${audit}: process ${first.child.pid} is writing to it\n  End that process, or choose another file.\n`,
    )
    first.child.stdin.end()
    expect((await first.ended).code).toBe(0)
  }, 30_000)

  it('says which port is in use, and which flag chose it', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const { code, stdout, stderr } = await run(['standins', 'introspect', '--port-introspect', String(port)], { place })
    taken.close()
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe(
      `intent-gate: --port-introspect: port ${port} is in use\n  Choose another port, or 0 to let the system choose.\n`,
    )
  }, 30_000)

  it('says when the audit folder is read-only', async (context) => {
    const disk = smallDisk(64, 'ro')
    if (disk === undefined) return context.skip('mounting a disk needs root')
    const { code, stdout, stderr } = await run(chat(ASK), { place, env: { AUDIT_DIR: disk } })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      /^intent-gate: .*\.jsonl: it is on a read-only file system\n {2}Choose a file on a disk that can be written\.\n$/,
    )
  }, 30_000)

  it('says when no space is left for an audit at all', async (context) => {
    const disk = smallDisk(4)
    if (disk === undefined) return context.skip('mounting a disk needs root')
    const { code, stdout, stderr } = await run(chat(ASK), { place, env: { AUDIT_DIR: disk } })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      /^intent-gate: .*: no space is left on its disk\n {2}Free some space, or choose a file on another disk\.\n$/,
    )
  }, 30_000)

  it('denies a call of a chat whose disk is full, and runs nothing', async (context) => {
    const disk = smallDisk(12)
    if (disk === undefined) return context.skip('mounting a disk needs root')
    const audit = join(disk, 'audit.jsonl')
    const ledger = place.file('full.json')
    // Without certificates, so that a transfer needs nobody's yes and can run.
    const chatting = ['chat', '--as', 'alice', '--certificates', 'off', '--json']
    const args = [...chatting, '--audit', audit, '--ledger', ledger]
    // Each turn writes two lines of about a kilobyte; the disk has room for four kilobytes of them.
    const input = 'move 1 from my savings to my checking\n'.repeat(8)
    const { code, stdout, stderr } = await run(args, { place, input })
    expect(code).toBe(0)
    const { turns } = JSON.parse(stdout) as {
      turns: { calls: { executed: boolean; decision: { code: string | null } }[] }[]
    }
    const calls = turns.flatMap((turn) => turn.calls)
    expect(calls).toHaveLength(8)
    expect(calls.at(-1)).toMatchObject({ executed: false, decision: { code: 'audit.unavailable' } })
    for (const { executed, decision } of calls) expect(executed).toBe(decision.code === null)
    expectNoStack(stderr.replaceAll('AuditError: ', ''))
    expect((await run(['audit', 'verify', audit], { place })).code).toBe(0)
  }, 40_000)
})
