import { readFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answersOf, balance, line, tool, type Answer } from './calls.ts'
import { BIN, newPlace, run, start } from './bin.ts'
import { smallDisk } from './small-disk.ts'

const place = newPlace()
// What identity alone decides; what a message bounds is in decide-certificates.test.ts.
const DECIDE = ['decide', '--certificates', 'off'] as const
afterAll(() => {
  place.remove()
})

interface Case {
  readonly title: string
  readonly given: string | Buffer
  readonly answer: readonly [id: string | number | null, kind: string, code: string | null]
}

const refused = (id: string | number | null, code: string): Case['answer'] => [id, 'deny', code]
const permitted = (id: string | number): Case['answer'] => [id, 'permit', null]
const invalid = refused(null, 'request.invalid')
const native = (title: string, request: unknown, code = 'firewall.kind_not_allowed'): Case => ({
  title,
  given: line({ request }),
  answer: refused('1', code),
})
const hook = (title: string, toolName: string, toolArgs: unknown, answer: Case['answer']): Case => ({
  title,
  given: line({ request: { kind: 'hook', toolCallId: 'h1', toolName, toolArgs } }),
  answer,
})

const CASES: readonly Case[] = [
  { title: 'permits the own account', given: line({ id: 'own' }), answer: permitted('own') },
  { title: 'keeps an id that is a number', given: line({ id: 7 }), answer: permitted(7) },
  {
    title: 'denies a foreign account',
    given: line({ request: balance('acc-alice-savings') }),
    answer: refused('1', 'pdp.denied'),
  },
  {
    title: 'denies an account that does not exist in the same words',
    given: line({ request: balance('acc-nobody-1') }),
    answer: refused('1', 'pdp.denied'),
  },
  {
    title: 'takes the long form of a caller',
    given: line({ caller: { type: 'Customer', id: 'bob' } }),
    answer: permitted('1'),
  },
  {
    title: 'denies a caller whom the bank does not know',
    given: line({ caller: 'mallory' }),
    answer: refused('1', 'login.unknown_caller'),
  },
  {
    title: 'denies a caller of another type',
    given: line({ caller: { type: 'Employee', id: 'bob' } }),
    answer: refused('1', 'login.unknown_caller'),
  },
  {
    title: 'denies a caller type in another spelling',
    given: line({ caller: { type: 'customer', id: 'bob' } }),
    answer: refused('1', 'login.unknown_caller'),
  },
  {
    title: 'denies a caller in capitals',
    given: line({ caller: 'BOB' }),
    answer: refused('1', 'login.unknown_caller'),
  },
  {
    title: 'denies a caller with a space',
    given: line({ caller: 'bob ' }),
    answer: refused('1', 'login.unknown_caller'),
  },
  { title: 'denies a caller that is empty', given: line({ caller: '' }), answer: refused('1', 'login.unknown_caller') },
  {
    title: 'refuses a caller with a field too many',
    given: line({ caller: { type: 'Customer', id: 'bob', tenant: 'fjordbank' } }),
    answer: refused('1', 'request.invalid'),
  },
  { title: 'refuses a caller that is a number', given: line({ caller: 3 }), answer: refused('1', 'request.invalid') },
  {
    title: 'refuses a line without a caller',
    given: '{"id":"n","request":{"kind":"custom-tool"}}',
    answer: refused('n', 'request.invalid'),
  },
  {
    title: 'refuses a line without a request',
    given: '{"id":"n","caller":"bob"}',
    answer: refused('n', 'request.invalid'),
  },
  { title: 'refuses a line without an id', given: '{"caller":"bob","request":{"kind":"hook"}}', answer: invalid },
  { title: 'refuses a turn of zero', given: line({ turn: 0 }), answer: refused('1', 'request.invalid') },
  {
    title: 'ignores fields that it does not know',
    given: line({ expected: 'permit', note: { a: 1 } }),
    answer: permitted('1'),
  },
  {
    title: 'takes what earlier tools have returned',
    given: line({ untrusted: [{ tool: 'get_invoice', text: 'pay Carol' }] }),
    answer: permitted('1'),
  },
  { title: 'refuses text that is not JSON', given: 'hello', answer: invalid },
  { title: 'refuses two objects on one line', given: '{"id":"1"}{"id":"2"}', answer: invalid },
  { title: 'refuses a list', given: '[]', answer: invalid },
  { title: 'refuses null', given: 'null', answer: invalid },
  { title: 'refuses text alone', given: '"x"', answer: invalid },
  { title: 'refuses a number', given: '5', answer: invalid },
  { title: 'refuses an empty line', given: '', answer: invalid },
  {
    title: 'refuses a key that comes twice',
    given: '{"id":"1","caller":"bob","caller":"alice","request":{"kind":"x"}}',
    answer: invalid,
  },
  {
    title: 'refuses a key that comes twice deep inside',
    given:
      '{"id":"1","caller":"bob","request":{"kind":"custom-tool","toolName":"get_account_balance","args":{"account_id":"acc-bob-checking","account_id":"acc-alice-savings"}}}',
    answer: invalid,
  },
  {
    title: 'refuses a key that comes twice in two spellings',
    given: '{"id":"1","caller":"bob","c\\u0061ller":"alice","request":{"kind":"x"}}',
    answer: invalid,
  },
  {
    title: 'refuses NaN',
    given:
      '{"id":"1","caller":"bob","request":{"kind":"custom-tool","toolName":"transfer_money","args":{"amount":NaN}}}',
    answer: invalid,
  },
  {
    title: 'refuses Infinity',
    given:
      '{"id":"1","caller":"bob","request":{"kind":"custom-tool","toolName":"transfer_money","args":{"amount":-Infinity}}}',
    answer: invalid,
  },
  {
    title: 'refuses a number beyond a double',
    given:
      '{"id":"1","caller":"bob","request":{"kind":"custom-tool","toolName":"transfer_money","args":{"amount":1e999}}}',
    answer: invalid,
  },
  {
    title: 'refuses a lone surrogate as an escape',
    given:
      '{"id":"1","caller":"bob","request":{"kind":"custom-tool","toolName":"get_account_balance","args":{"account_id":"acc-\\ud800"}}}',
    answer: invalid,
  },
  {
    title: 'refuses a lone surrogate as bytes',
    given: Buffer.concat([Buffer.from('{"id":"1","caller":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    answer: invalid,
  },
  { title: 'refuses bytes that are not UTF-8', given: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), answer: invalid },
  { title: 'refuses a byte-order mark', given: `\ufeff${line({})}`, answer: invalid },
  {
    title: 'refuses a key that could reach a prototype',
    given: '{"id":"1","caller":"bob","__proto__":{"gate":false},"request":{"kind":"x"}}',
    answer: invalid,
  },
  {
    title: 'refuses 101 levels',
    given: `{"id":"1","caller":"bob","request":${'['.repeat(101)}${']'.repeat(101)}}`,
    answer: invalid,
  },
  { title: 'refuses a line over 1 MiB', given: line({ message: 'x'.repeat(1024 * 1024) }), answer: invalid },
  {
    title: 'takes a line just below 1 MiB',
    given: line({ message: 'x'.repeat(1024 * 1024 - 300) }),
    answer: permitted('1'),
  },
  { title: 'takes a line that ends as on Windows', given: `${line({ id: 'crlf' })}\r`, answer: permitted('crlf') },
  native('denies a shell command', { kind: 'shell', toolCallId: 's', fullCommandText: 'ls', intention: 'list' }),
  native('denies a read', { kind: 'read', toolCallId: 's', path: '/etc/passwd' }),
  native('denies a write', { kind: 'write', toolCallId: 's', fileName: '/tmp/x' }),
  native('denies a URL', { kind: 'url', toolCallId: 's', url: 'https://example.com' }),
  native('denies an MCP call', {
    kind: 'mcp',
    toolCallId: 's',
    serverName: 'bank',
    toolName: 'get_account_balance',
    args: {},
  }),
  native('denies a memory', { kind: 'memory', toolCallId: 's' }),
  native('denies a factory', { kind: 'factory', toolCallId: 's' }),
  native('denies the management of extensions', { kind: 'extension-management', toolCallId: 's' }),
  native('denies access for extensions', { kind: 'extension-permission-access', toolCallId: 's' }),
  native('denies the environment of extensions', { kind: 'extension-env-access', toolCallId: 's' }),
  native('denies a kind from the future', { kind: 'teleport', toolCallId: 's' }, 'firewall.kind_unknown'),
  native('denies a request without a kind', { toolCallId: 's' }, 'firewall.kind_unknown'),
  native('denies a kind that every object has', { kind: 'constructor', toolCallId: 's' }, 'firewall.kind_unknown'),
  native('denies a kind that is no text', { kind: ['custom-tool'], toolCallId: 's' }, 'firewall.kind_unknown'),
  native(
    'refuses a request whose call id is a number',
    { ...balance('acc-bob-checking'), toolCallId: 5 },
    'request.invalid',
  ),
  native('refuses a shell request without its command', { kind: 'shell', toolCallId: 's' }, 'request.invalid'),
  native('denies a tool that is not there', tool('delete_account', {}), 'agent.action_unknown'),
  native('denies a tool that every object has', tool('__defineGetter__', {}), 'agent.action_unknown'),
  native(
    'denies a tool in another spelling',
    tool('Get_Account_Balance', { account_id: 'acc-bob-checking' }),
    'agent.action_unknown',
  ),
  hook('permits a tool in the hook form', 'get_account_balance', { account_id: 'acc-bob-checking' }, permitted('1')),
  hook(
    'denies a foreign account in the hook form',
    'get_account_balance',
    { account_id: 'acc-alice-savings' },
    refused('1', 'pdp.denied'),
  ),
  hook(
    'denies arguments that are text',
    'get_account_balance',
    '{"account_id":"acc-bob-checking"}',
    refused('1', 'agent.action_invalid'),
  ),
  hook('denies the hook form of a shell', 'bash', { command: 'ls' }, refused('1', 'firewall.kind_not_allowed')),
  hook('denies the hook form of a tool that has no kind', 'skill', { name: 'x' }, refused('1', 'agent.action_unknown')),
  hook('denies the hook form of an unknown tool', 'made_up', {}, refused('1', 'agent.action_unknown')),
  native('refuses the hook form without a tool', { kind: 'hook', toolCallId: 'h', toolArgs: {} }, 'request.invalid'),
]

let all: readonly Answer[] = []
beforeAll(async () => {
  const input = Buffer.concat(CASES.flatMap(({ given }) => [Buffer.from(given), Buffer.from('\n')]))
  const { code, stdout, stderr } = await run([...DECIDE, '--jsonl'], { place, input })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  all = answersOf(stdout)
}, 60_000)

describe('decide --jsonl', () => {
  it('answers every line, in order', () => {
    expect(all).toHaveLength(CASES.length)
  })

  it.each(CASES.map(({ title, answer }, index) => [title, answer, index] as const))('%s', (_title, answer, index) => {
    const got = all[index]!
    expect([got.id, got.kind, got.code]).toEqual(answer)
    expect(Object.keys(got)).toEqual(
      expect.arrayContaining(['cause', 'obligations', 'says', 'rules', 'tainted', 'opinions', 'ms']),
    )
    expect(got.cause).toBe(got.kind === 'permit' ? null : 'decision')
  })

  it.each(['refuses a list', 'refuses null', 'refuses text alone', 'refuses a number'])('%s and says why', (title) => {
    const got = all[CASES.findIndex((each) => each.title === title)]!
    expect(got['says']).toMatch(/ It must be one JSON object\.$/)
  })

  it('says the same about a foreign account and one that does not exist', () => {
    const about = (title: string) => all[CASES.findIndex((each) => each.title === title)]!
    const foreign = about('denies a foreign account')
    const unknown = about('denies an account that does not exist in the same words')
    expect({ ...unknown, ms: 0, sentence: '', evaluations: [] }).toEqual({
      ...foreign,
      ms: 0,
      sentence: '',
      evaluations: [],
    })
  })
})

describe('decide --jsonl with an open input', () => {
  it('answers a line before the next one comes, and every line the same way twice', async () => {
    const decide = start([...DECIDE, '--jsonl'], { place })
    const ask = async (fields: Readonly<Record<string, unknown>>): Promise<Answer> => {
      const before = answersOf(decide.stdout()).length
      decide.child.stdin.write(`${line(fields)}\n`)
      await expect.poll(() => decide.stdout().split('\n').length - 1, { timeout: 15_000 }).toBe(before + 1)
      return answersOf(decide.stdout())[before]!
    }
    const first = await ask({})
    const again = await ask({})
    expect({ ...again, ms: 0 }).toEqual({ ...first, ms: 0 })
    const denied = await ask({ request: balance('acc-carol-checking') })
    expect({ ...(await ask({ request: balance('acc-carol-checking') })), ms: 0 }).toEqual({ ...denied, ms: 0 })
    decide.child.stdin.end()
    expect((await decide.ended).code).toBe(0)
  }, 30_000)

  it('keeps the rules of a session', async () => {
    const s = { session: 's1' }
    const savings = balance('acc-alice-savings')
    const table: readonly (readonly [string, Readonly<Record<string, unknown>>, string | null])[] = [
      ['the first turn', { ...s, turn: 1, message: 'my balance', request: balance('acc-bob-checking', 'a') }, null],
      ['the same turn without its message', { ...s, turn: 1, request: balance('acc-bob-checking', 'b') }, null],
      ['the same message again', { ...s, turn: 1, message: 'my balance', request: balance('acc-joint', 'c') }, null],
      [
        'a second message in one turn',
        { ...s, turn: 1, message: 'all balances', request: balance('acc-joint', 'd') },
        'request.invalid',
      ],
      [
        'a call id with other arguments',
        { ...s, turn: 1, request: balance('acc-joint', 'a') },
        'permit.call_id_reused',
      ],
      [
        'a call id with another tool',
        { ...s, turn: 1, request: tool('get_invoice', { invoice_id: 'inv-bob-1' }, 'a') },
        'permit.call_id_reused',
      ],
      ['the identical call once more', { ...s, turn: 1, request: balance('acc-bob-checking', 'a') }, null],
      ['a new turn with a used call id', { ...s, turn: 3, message: 'again', request: balance('acc-joint', 'a') }, null],
      ['a turn that goes back', { ...s, turn: 2, request: balance('acc-bob-checking', 'e') }, 'request.invalid'],
      ['no turn, which is the one under way', { ...s, request: balance('acc-bob-checking', 'f') }, null],
      ['no turn, and its call ids', { ...s, request: balance('acc-joint', 'f') }, 'permit.call_id_reused'],
      ['another session, from its start', { session: 's2', turn: 1, request: balance('acc-bob-checking', 'a') }, null],
      ['another caller under the same name', { ...s, caller: 'alice', turn: 1, request: savings }, null],
      ['no session, any turn', { turn: 1, request: balance('acc-bob-checking', 'a') }, null],
      ['the last turn, still', { ...s, turn: 3, request: balance('acc-bob-checking', 'g') }, null],
    ]
    const input = table.map(([id, fields]) => `${line({ ...fields, id })}\n`).join('')
    const { stdout } = await run([...DECIDE, '--jsonl'], { place, input })
    expect(answersOf(stdout).map(({ id, code }) => [id, code])).toEqual(table.map(([id, , code]) => [id, code]))
  }, 30_000)

  it('refuses a line that never ends in bounded memory, and goes on', async () => {
    const input = Buffer.concat([
      Buffer.alloc(5_000_000, 'x'),
      Buffer.from(`\n${line({})}\n`),
      Buffer.alloc(5_000_000, 'y'),
    ])
    const { code, stdout } = await run([...DECIDE, '--jsonl'], { place, input })
    expect(code).toBe(0)
    expect(answersOf(stdout).map((answer) => answer.code)).toEqual(['request.invalid', null, 'request.invalid'])
  }, 30_000)

  it('ends quietly when nobody reads any more, also while its own input stays open', async () => {
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${BIN}" ${DECIDE.join(' ')} --jsonl | head -n 1`], {
      cwd: place.folder,
      env: place.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let [stdout, stderr] = ['', '']
    shell.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    shell.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    shell.stdin.on('error', () => undefined)
    const feeding = setInterval(() => shell.stdin.write(`${line({})}\n`), 50)
    const code = await new Promise((resolve) => shell.on('close', resolve))
    clearInterval(feeding)
    expect({ code, stderr, answers: answersOf(stdout).length }).toEqual({ code: 0, stderr: '', answers: 1 })
  }, 30_000)
})

describe('decide', () => {
  it.each([
    {
      title: 'takes one object over several lines',
      input: JSON.stringify(JSON.parse(line({ id: 'one' })), null, 2),
      code: null,
    },
    { title: 'refuses two objects', input: `${line({})}\n${line({})}\n`, code: 'request.invalid' },
    { title: 'refuses nothing', input: '', code: 'request.invalid' },
    {
      title: 'signs in at the bank that is named',
      input: line({ request: balance('acc-alice-savings') }),
      args: ['--bank', 'fjordbank'],
      code: null,
    },
  ])(
    '$title',
    async ({ input, args = [], code }) => {
      const ended = await run([...DECIDE, ...args], { place, input })
      expect(ended.code).toBe(0)
      expect(answersOf(ended.stdout).map((answer) => answer.code)).toEqual([code])
    },
    30_000,
  )

  it('refuses to run where customers sign in by themselves', async () => {
    const env = { OIDC_ISSUER: 'https://login.example.com', OIDC_AUDIENCE: 'intent-gate' }
    const { code, stdout, stderr } = await run([...DECIDE, '--json'], { place, env })
    expect(code).toBe(2)
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'usage',
        says: 'OIDC_ISSUER: is set, and decide signs callers in by itself',
        fix: 'Unset OIDC_ISSUER for decide.',
      },
    })
  })
})

describe('decide --audit', () => {
  it('puts every decision on record, and the record verifies', async () => {
    const audit = place.file('decide.jsonl')
    const input = [
      line({ id: 'a' }),
      line({ id: 'b', request: balance('acc-alice-savings') }),
      line({ id: 'c', request: { kind: 'url', url: 'https://example.com' } }),
    ].join('\n')
    const { code } = await run([...DECIDE, '--jsonl', '--audit', audit], { place, input })
    expect(code).toBe(0)
    const records = readFileSync(audit, 'utf8')
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as Readonly<Record<string, unknown>>)
    expect(
      records
        .filter(({ type }) => type === 'decision')
        .map(({ decision, code: why }) => [decision, why])
        .sort(),
    ).toEqual([
      ['deny', 'firewall.kind_not_allowed'],
      ['deny', 'pdp.denied'],
      ['permit', null],
    ])
    expect(records.filter(({ type }) => type === 'outcome').map(({ outcome }) => outcome)).toEqual(['not_run'])
    const verified = await run(['audit', 'verify', audit], { place })
    expect([verified.code, verified.stdout]).toEqual([0, `✓ ${audit}: 4 lines, intact\n`])
  }, 30_000)

  it('puts every line on record that is refused before the gate', async () => {
    const audit = place.file('refused.jsonl')
    const s = { session: 's', turn: 2 }
    const lines: readonly (readonly [string, readonly unknown[]])[] = [
      [line({ caller: 'mallory' }), ['login.unknown_caller', 'mallory', '', 1, 'c1']],
      [line({ ...s, message: 'one', request: balance('acc-joint', 'a') }), [null, 'bob', 's', 2, 'a']],
      [line({ ...s, request: balance('acc-bob-checking', 'a') }), ['permit.call_id_reused', 'bob', 's', 2, 'a']],
      [line({ ...s, turn: 1, request: balance('acc-joint', 'b') }), ['request.invalid', 'bob', 's', 1, 'b']],
      ['{"id":"n","caller":"bob"}', ['request.invalid', 'bob', '', 1, '']],
      ['hello', ['request.invalid', '', '', 1, '']],
      [Buffer.alloc(1024 * 1024 + 1, 'x').toString(), ['request.invalid', '', '', 1, '']],
    ]
    const input = lines.map(([text]) => `${text}\n`).join('')
    expect((await run([...DECIDE, '--jsonl', '--audit', audit], { place, input })).code).toBe(0)
    const records = readFileSync(audit, 'utf8')
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as Readonly<Record<string, unknown> & { caller: { id: string } }>)
      .filter(({ type }) => type === 'decision')
    const found = records.map(({ code, caller, session, turn, toolCallId }) => [
      code,
      caller.id,
      session,
      turn,
      toolCallId,
    ])
    expect(found.map(String).sort()).toEqual(lines.map(([, record]) => String(record)).sort())
    expect(
      records.filter(({ code }) => code !== null).every(({ kind, tool: name }) => kind === 'unknown' && name === ''),
    ).toBe(true)
    expect((await run(['audit', 'verify', audit], { place })).code).toBe(0)
  }, 30_000)

  it('denies what cannot be put on record, and still answers every line', async (context) => {
    const disk = smallDisk(12)
    if (disk === undefined) return context.skip('mounting a small disk needs root')
    const caller = (n: number): string => (n % 2 === 0 ? 'bob' : 'mallory')
    const input = Array.from({ length: 40 }, (_, n) => line({ id: n, caller: caller(n) })).join('\n')
    const { code, stdout, stderr } = await run([...DECIDE, '--jsonl', '--audit', `${disk}/audit.jsonl`], {
      place,
      input,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const answers = answersOf(stdout)
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, n) => n))
    // What is refused before the gate reaches the disk sooner.
    for (const turn of [0, 1]) {
      const ofOne = answers.filter((_, n) => n % 2 === turn)
      const firstFault = ofOne.findIndex((answer) => answer.cause === 'fault')
      expect(firstFault).toBeGreaterThanOrEqual(0)
      expect(new Set(ofOne.slice(firstFault).map((answer) => `${answer.code} ${answer.cause}`))).toEqual(
        new Set(['audit.unavailable fault']),
      )
    }
    expect((await run(['audit', 'verify', `${disk}/audit.jsonl`], { place })).code).toBe(0)
  }, 30_000)
})
