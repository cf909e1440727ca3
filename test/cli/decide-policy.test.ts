import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { newPlace, run, start } from './bin.ts'

const place = newPlace()
afterAll(() => {
  place.remove()
})

const POLICY = {
  sandbox_root: '.',
  protected_paths: ['.env'],
  writable_dirs: ['wiki'],
  shell_allowlist: ['cat', 'wc'],
  shell_ask: ['make'],
  network: { mode: 'allowlist', allow: ['https://docs.example.com'] },
  mcp_registry: { demo: ['echo'] },
  mcp_resources: ['demo'],
  apis: { calendar: { read: { scope: 'r', decision: 'allow' } } },
}

let folder = ''
let policy = ''
let count = 0
beforeEach(() => {
  folder = place.file(`space-${++count}`)
  policy = `${folder}/policy.json`
  mkdirSync(`${folder}/wiki`, { recursive: true })
  writeFileSync(`${folder}/wiki/a.txt`, 'one\n')
  writeFileSync(`${folder}/.env`, 'KEY=sk-0123456789abcdef\n')
  writeFileSync(policy, JSON.stringify(POLICY))
})

interface Answer {
  readonly id: string
  readonly kind: string
  readonly code: string | null
  readonly obligations: readonly string[]
  readonly says: string
  readonly rules: readonly string[]
  readonly tainted: boolean
}

let lines = 0
const line = (request: object, more: object = {}): string =>
  JSON.stringify({ id: `${++lines}`, caller: 'anybody', request, ...more })

async function decide(given: readonly string[], ...args: string[]): Promise<readonly Answer[]> {
  const input = given.map((each) => `${each}\n`).join('')
  const { code, stdout, stderr } = await run(['decide', '--jsonl', '--policy', policy, ...args], { place, input })
  expect([code, stderr]).toEqual([0, ''])
  return stdout
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each) as Answer)
}

const short = ({ kind, code, obligations, rules, tainted }: Answer): string =>
  [kind, code ?? obligations.join('+'), rules.join('+'), tainted ? 'T' : ''].join(' ').trim()

const ANSWERS: readonly { readonly request: object; readonly answer: string }[] = [
  { request: { kind: 'exec', argv: ['wc', '-l', 'wiki/a.txt'] }, answer: 'permit  sh-ok' },
  { request: { kind: 'exec', argv: ['cat', '.env'] }, answer: 'deny sh-paths sh-paths+fs-protected T' },
  { request: { kind: 'exec', argv: ['make', 'all'] }, answer: 'permit confirm sh-ask' },
  { request: { kind: 'shell', fullCommandText: 'cat wiki/a.txt | wc -l' }, answer: 'permit  sh-ok' },
  { request: { kind: 'shell', fullCommandText: 'cat $HOME' }, answer: 'deny sh-syntax sh-syntax' },
  { request: { kind: 'hook', toolName: 'bash', toolArgs: { command: 'wc wiki/a.txt' } }, answer: 'permit  sh-ok' },
  { request: { kind: 'read', path: 'wiki/a.txt' }, answer: 'permit  fs-read-ok' },
  { request: { kind: 'read', path: 'a.txt', workingDirectory: 'wiki' }, answer: 'permit  fs-read-ok' },
  { request: { kind: 'write', fileName: 'wiki/b.txt' }, answer: 'permit  fs-write-ok' },
  { request: { kind: 'write', fileName: 'b.txt' }, answer: 'permit confirm fs-write-scope' },
  { request: { kind: 'url', url: 'https://docs.example.com/a' }, answer: 'permit  net-ok' },
  { request: { kind: 'url', url: 'https://evil.example/' }, answer: 'deny net-allowlist net-allowlist' },
  { request: { kind: 'mcp', serverName: 'demo', toolName: 'echo', args: { text: 'x' } }, answer: 'permit  mcp-ok' },
  { request: { kind: 'mcp-resource', server: 'demo', uri: 'demo://x' }, answer: 'permit  mcp-resource-ok' },
  { request: { kind: 'api-call', audience: 'calendar', operation: 'read' }, answer: 'permit  api-ok' },
  {
    request: { kind: 'api-call', audience: 'calendar', operation: 'write' },
    answer: 'deny api-unknown-operation api-unknown-operation',
  },
  {
    request: { kind: 'custom-tool', toolName: 'get_account_balance', args: {} },
    answer: 'deny unknown-tool unknown-tool',
  },
  { request: { kind: 'something-new' }, answer: 'deny unknown-tool unknown-tool' },
]

describe('decide --policy', () => {
  it('answers every form of request', async () => {
    const answers = await decide(ANSWERS.map(({ request }) => line(request)))
    const found = answers.map((each, at) => ({ request: ANSWERS[at]?.request, answer: short(each) }))
    expect(found).toEqual(ANSWERS)
  })

  it('answers mixed lines in order, good and bad, and keeps the taint of a session', async () => {
    const answers = await decide([
      line({ kind: 'api-call', audience: 'calendar', operation: 'read' }, { session: 's' }),
      'no JSON',
      line({ kind: 'read', path: '.env' }, { session: 's' }),
      line({ kind: 'exec', argv: [] }),
      line({ kind: 'exec', argv: 'cat' }),
      line({ kind: 'api-call', audience: 'calendar', operation: 'read' }, { session: 's' }),
      line({ kind: 'api-call', audience: 'calendar', operation: 'read' }, { session: 'other' }),
    ])
    expect(answers.map(short)).toEqual([
      'permit  api-ok',
      'deny request.invalid',
      'deny fs-protected fs-protected T',
      'deny parse-error parse-error',
      'deny request.invalid',
      'deny taint-session api-policy+taint-session T',
      'permit  api-ok',
    ])
  })

  it.each([
    { what: 'missing', make: () => `${folder}/no-such-policy.json` },
    { what: 'empty', make: () => made('') },
    { what: 'huge', make: () => made(' '.repeat(1024 * 1024 + 1)) },
    { what: 'half-written', make: () => made(JSON.stringify(POLICY).slice(0, 100)) },
    { what: 'of another version', make: () => made(JSON.stringify({ ...POLICY, version: 2 })) },
    { what: 'a folder', make: () => folder },
    { what: 'misspelt', make: () => made(JSON.stringify({ ...POLICY, protected_nmaes: [] })) },
    { what: 'no UTF-8', make: () => made(Buffer.from([0xff])) },
  ])('with a policy that is $what denies each line and says what to do', async ({ make }) => {
    policy = make()
    const requests = [
      { kind: 'read', path: 'wiki/a.txt' },
      { kind: 'exec', argv: ['wc'] },
      { kind: 'url', url: 'x' },
    ]
    const answers = await decide(requests.map((request) => line(request)))
    expect(answers.map(short)).toEqual(requests.map(() => 'deny fail-closed fail-closed'))
    for (const { says } of answers) expect(says).toContain('Run intent-gate policy check on the policy file.')
  })

  const made = (text: string | Buffer): string => {
    writeFileSync(policy, text)
    return policy
  }

  it('takes only the pinned policy, and puts its digest into every audit line', async () => {
    const sha256 = createHash('sha256').update(readFileSync(policy)).digest('hex')
    const audit = `${folder}-audit.jsonl`
    const read = line({ kind: 'read', path: 'wiki/a.txt' })
    expect((await decide([read], '--policy-sha256', sha256, '--audit', audit)).map(short)).toEqual([
      'permit  fs-read-ok',
    ])
    const other = await decide([read], '--policy-sha256', '0'.repeat(64))
    expect(other.map(short)).toEqual(['deny fail-closed fail-closed'])
    expect(other[0]?.says).toContain('The policy file is not the pinned one.')
    const decisions = readFileSync(audit, 'utf8')
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each) as { type: string; firewall?: { policySha256: string } })
      .filter(({ type }) => type === 'decision')
    expect(decisions.map(({ firewall }) => firewall?.policySha256)).toEqual([sha256])
  })

  it.each(['abc', '', `${'0'.repeat(64)}0`, 'g'.repeat(64)])('takes %j for no digest at all', async (pin) => {
    const { code, stdout, stderr } = await run(['decide', '--policy', policy, '--policy-sha256', pin], { place })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('--policy-sha256: is no SHA-256 digest of 64 hexadecimal digits')
  })

  it('says which secret file cannot be used', async () => {
    mkdirSync(`${folder}/keys`)
    writeFileSync(policy, JSON.stringify({ ...POLICY, secret_files: ['keys'] }))
    const [answer] = await decide([line({ kind: 'read', path: 'wiki/a.txt' })])
    expect(answer?.code).toBe('fail-closed')
    expect(answer?.says).toContain('A secret file cannot be used: keys: it is no readable file of at most 1 MiB.')
  })

  it('follows a change of the file between two lines, and keeps the last good policy when it breaks', async () => {
    const started = start(['decide', '--jsonl', '--policy', policy], { place })
    const { child, ended } = started
    const ask = async (id: string): Promise<string> => {
      child.stdin.write(`${JSON.stringify({ id, caller: 'x', request: { kind: 'read', path: 'wiki/a.txt' } })}\n`)
      await started.says(`"id":"${id}"`)
      const found =
        started
          .stdout()
          .split('\n')
          .find((each) => each.includes(`"id":"${id}"`)) ?? ''
      return short(JSON.parse(found) as Answer)
    }
    const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
    expect(await ask('before')).toBe('permit  fs-read-ok')
    writeFileSync(policy, JSON.stringify({ ...POLICY, protected_paths: ['wiki'] }))
    await pause(100)
    expect(await ask('stricter')).toBe('deny fs-protected fs-protected T')
    writeFileSync(policy, JSON.stringify(POLICY).slice(0, 50))
    await pause(100)
    expect(await ask('broken')).toBe('deny fs-protected fs-protected T')
    writeFileSync(policy, JSON.stringify(POLICY))
    await pause(100)
    expect(await ask('again')).toBe('permit  fs-read-ok')
    child.stdin.end()
    expect((await ended).code).toBe(0)
  })

  it('does not start where its audit cannot be opened', async () => {
    const audit = `${folder}-audit-gone`
    mkdirSync(audit)
    const { code, stderr } = await run(['decide', '--policy', policy, '--audit', audit], {
      place,
      input: line({ kind: 'read', path: 'wiki/a.txt' }),
    })
    expect([code, stderr]).toEqual([2, expect.stringContaining(audit)])
  })

  it('keeps its policy and its audit out of reach', async () => {
    const audit = `${folder}/wiki/audit.jsonl`
    const answers = await decide(
      [
        line({ kind: 'write', fileName: 'policy.json' }),
        line({ kind: 'read', path: 'wiki/audit.jsonl' }),
        line({ kind: 'write', fileName: 'wiki/audit.jsonl.head' }),
      ],
      '--audit',
      audit,
    )
    expect(answers.map(({ code }) => code)).toEqual(['fs-protected', 'fs-protected', 'fs-protected'])
  })
})
