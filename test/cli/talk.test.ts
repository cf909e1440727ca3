import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fc, test } from '@fast-check/vitest'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { BANK_COMMANDS, completed, meant, parseInput, WORKSPACE_COMMANDS, wholeCharacters } from '../../src/cli/talk.ts'
import { BIN, newPlace, run } from './bin.ts'

const place = newPlace()
afterAll(() => {
  place.remove()
})

describe('one line of a conversation', () => {
  it.each([
    ['', { kind: 'nothing' }],
    ['   ', { kind: 'nothing' }],
    ['show my savings', { kind: 'message', text: 'show my savings' }],
    ['/why', { kind: 'command', name: 'why', argument: '' }],
    [' /as  alice ', { kind: 'command', name: 'as', argument: 'alice' }],
    ['/AS alice', { kind: 'unknown', name: 'AS' }],
    ['/constructor', { kind: 'unknown', name: 'constructor' }],
    ['/', { kind: 'unknown', name: '' }],
  ])('reads %j', (line, input) => {
    expect(parseInput(line)).toEqual(input)
  })

  it('is no sign-in in a workspace', () => {
    expect(parseInput('/as alice', WORKSPACE_COMMANDS)).toEqual({ kind: 'unknown', name: 'as' })
  })

  it.each([
    { word: 'exit', name: 'quit' },
    { word: 'hel', name: 'help' },
    { word: 'WHY', name: 'why' },
    { word: 'tool', name: 'tools' },
    { word: 'auditing', name: 'audit' },
    { word: 'a', name: undefined },
    { word: 'nonsense', name: undefined },
    { word: 'constructor', name: undefined },
    { word: '', name: undefined },
  ])('takes /$word for $name', ({ word, name }) => {
    expect(meant(word, BANK_COMMANDS)).toBe(name)
  })

  it.each([
    { line: '/a', made: ['/as', '/audit'] },
    { line: '/w', made: ['/why'] },
    { line: '/as ', made: ['/as alice', '/as bob'] },
    { line: '/as  b', made: ['/as bob'] },
    { line: '/why ', made: [] },
    { line: '/nope x', made: [] },
    { line: 'show /a', made: [] },
    { line: '', made: [] },
  ])('completes "$line" with Tab', ({ line, made }) => {
    expect(completed(line, BANK_COMMANDS, (name) => (name === 'as' ? ['alice', 'bob'] : []))).toEqual(made)
  })

  test.prop([fc.array(fc.string({ unit: 'binary' }))])('cuts no character of streamed text in two', (texts) => {
    const text = texts.join('')
    fc.pre(text.isWellFormed())
    const whole = wholeCharacters()
    const pieces = Array.from({ length: text.length }, (_, at) => whole(text.charAt(at)))
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
    expect(pieces.join('')).toBe(text)
  })
})

describe('a conversation in a pipe', () => {
  it('goes through turns and commands, from customer to customer and bank to bank', async () => {
    const lines = [
      'show acc-alice-savings',
      '/why',
      '/as alice',
      'show my savings',
      '/bank fjordbank',
      'show my savings',
      '/as nobody',
      '/as',
      '/bank',
      '/bank nobank',
      '/nonsense',
      '/audit',
      '/tools',
      '/help',
      '/quit',
      'never read',
    ]
    const { code, stdout, stderr } = await run(['chat', '--as', 'bob'], { place, input: `${lines.join('\n')}\n` })
    expect(code).toBe(0)
    expect(stdout).toContain('pdp          deny pdp.denied')
    expect(stdout).toContain(
      'permitted    account_id=acc-bob-checking, account_id=acc-bob-closed, account_id=acc-joint',
    )
    expect(stdout.match(/80,000\.00 NOK/g)).toHaveLength(1)
    expect(stdout).toContain('transfer_money: ')
    expect(stdout).toContain('/why ')
    expect(stdout).not.toContain('never read')
    expect(stderr).toContain('alice at canbank')
    expect(stderr).toContain('alice at fjordbank')
    expect(stderr).toContain('"nobody" could not sign in')
    expect(stderr).toContain('Use /as alice, /as bob, /as carol.')
    expect(stderr).toContain('\n/as needs one of alice (now), bob, carol\n')
    expect(stderr).toContain('\n/bank needs one of canbank, fjordbank (now)\n')
    expect(stderr).toContain('"nobank" is not a bank here')
    expect(stderr).toContain('there is no command /nonsense')
  })

  it('offers no closed account in place of one that money may not leave', async () => {
    // A decision point that knows of no closed accounts.
    const pdp = createServer((request, response) => {
      void text(request).then((body) => {
        const asked = JSON.parse(body) as { evaluations: { resource: { id: string } }[] }
        const evaluations = asked.evaluations.map(({ resource }) => ({ decision: /-bob-|-joint$/.test(resource.id) }))
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ evaluations }))
      })
    })
    await new Promise<void>((resolve) => pdp.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      pdp.closeAllConnections()
      pdp.close()
    })
    const input = 'move 5 from acc-alice-savings to acc-joint\n/why\nshow acc-alice-savings\n/why\n'
    const env = { AUTHZEN_PDP_URL: `http://127.0.0.1:${(pdp.address() as AddressInfo).port}` }
    const { code, stdout } = await run(['chat', '--as', 'bob'], { place, input, env })
    expect(code).toBe(0)
    expect(stdout.match(/^permitted .*$/gm)).toEqual([
      'permitted    from_account=acc-bob-checking, from_account=acc-joint',
      'permitted    account_id=acc-bob-checking, account_id=acc-bob-closed, account_id=acc-joint',
    ])
  })

  it('prints one transcript for each customer with --json', async () => {
    const input = 'show my savings\n/as alice\nshow my savings\n'
    const { code, stdout } = await run(['chat', '--as', 'bob', '--json'], { place, input })
    expect(code).toBe(0)
    const transcripts = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { caller: { id: string }; turns: unknown[] })
    expect(transcripts.map(({ caller, turns }) => [caller.id, turns.length])).toEqual([
      ['bob', 1],
      ['alice', 1],
    ])
  })
})

/** The program on a terminal of its own, typed at as soon as it has said something. */
async function typed(
  columns: number,
  steps: readonly (readonly [says: string, keys: string])[],
  { args = 'chat --as bob', term = 'dumb' }: { readonly args?: string; readonly term?: string } = {},
): Promise<{ code: number; seen: string }> {
  const command = `stty cols ${columns} -echo; ${process.execPath} ${BIN} ${args}`
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: place.folder,
    env: { ...place.env, TERM: term },
  })
  let seen = ''
  const left = [...steps]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text
    const [next] = left
    if (next === undefined || !seen.includes(next[0])) return
    left.shift()
    child.stdin.write(next[1])
  })
  const code = await new Promise<number>((resolve) =>
    child.on('close', (ended) => {
      resolve(ended ?? -1)
    }),
  )
  return { code, seen }
}

// util-linux has `script -e`; the BSD one has not.
describe.skipIf(process.platform !== 'linux')('a conversation at a terminal', () => {
  it('prompts with who is where, answers, and leaves with /quit', async () => {
    const { code, seen } = await typed(40, [
      ['bob@canbank> ', 'show acc-joint\r'],
      ['15,000.00 NOK', '/quit\r'],
    ])
    expect(code).toBe(0)
    expect(seen).toContain('15,000.00 NOK')
    expect(seen).not.toContain('\u001b[3')
  })

  it('stays at the first Ctrl-C and leaves at the second', async () => {
    const { code, seen } = await typed(80, [
      ['bob@canbank> ', '\u0003'],
      ['press Ctrl-C again to leave', '\u0003'],
    ])
    expect(seen).toContain('press Ctrl-C again to leave')
    expect(code).toBe(130)
  })

  it('stops the turn and stays at Ctrl-C on a card', async () => {
    const { code, seen } = await typed(
      80,
      [
        ['alice@canbank> ', 'move 250 from my savings to my checking\r'],
        ['d details] ', '\u0003'],
        ['stopped', 'show my savings\r'],
        ['80,000.00 NOK', '/quit\r'],
      ],
      { args: 'chat --as alice' },
    )
    expect(seen).toContain('Not confirmed.')
    expect(seen).toContain('80,000.00 NOK')
    expect(code).toBe(0)
  })

  it('drops what was typed and not sent at Ctrl-C, and names the command that was meant', async () => {
    const { code, seen } = await typed(
      80,
      [
        ['bob@canbank> ', 'show acc-joint'],
        ['show acc-joint', '\u0003'],
        ['press Ctrl-C again to leave', '/exit\r'],
        ['did you mean /quit?', '/quit\r'],
      ],
      { term: 'xterm' },
    )
    expect(seen).not.toContain('15,000.00')
    expect(code).toBe(0)
  })
})
