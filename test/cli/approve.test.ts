import { spawn } from 'node:child_process'
import { truncateSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readApprover } from '../../src/cli/approve.io.ts'
import { complaint } from '../approval/cards.ts'
import { bundle } from '../bundle.ts'
import { newPlace } from './bin.ts'
import type { Wish } from './approve.fixture.ts'

const place = newPlace()
afterAll(() => {
  place.remove()
})
let program = ''
beforeAll(async () => {
  program = await bundle('test/cli/approve.fixture.ts')
})

const PROMPT = 'd details] '

/** Each text that the program says, once, and what is typed then. */
type Steps = readonly (readonly [says: string, keys: string])[]

/** The program on a terminal of its own, typed at as soon as it has said something. */
async function typed(wish: Wish, steps: Steps, command = (run: string) => run) {
  const run = `${process.execPath} ${program} '${JSON.stringify(wish)}'`
  const child = spawn('script', ['-qefc', `stty cols 80; ${command(run)}`, '/dev/null'], {
    cwd: place.folder,
    env: { ...place.env, TERM: 'dumb', NO_COLOR: '1' },
  })
  let [seen, from] = ['', 0]
  const left = [...steps]
  const hear = (text: string): void => {
    seen += text
    for (let [next] = left; next !== undefined; [next] = left) {
      const at = seen.indexOf(next[0], from)
      if (at === -1) return
      left.shift()
      from = at + next[0].length
      child.stdin.write(next[1])
    }
  }
  // A program that has ended reads no more of its input.
  child.stdin.on('error', () => undefined)
  child.stdout.setEncoding('utf8').on('data', hear)
  const code = await new Promise((resolve) => child.on('close', resolve))
  const answers = [...seen.matchAll(/ANSWER\[(.*)\|(.*)\|raw (.*)\]/g)].map(([, kind, said, raw]) => ({
    kind,
    said,
    raw,
  }))
  return { code, seen, answers, lines: [...seen.matchAll(/LINE\[(.*)\]/g)].map(([, line]) => line) }
}

// util-linux has `script -e`; the BSD one has not.
describe.skipIf(process.platform !== 'linux')('a card at a terminal', { concurrent: true }, () => {
  it('takes y, yes, j and ja alone as a yes, and everything else as a no with its reason', async () => {
    const table = [
      { keys: 'y\r', kind: 'permit' },
      { keys: 'YES\r', kind: 'permit' },
      { keys: 'ja\r', kind: 'permit' },
      { keys: 'n\x7fy\r', kind: 'permit' },
      { keys: '\r', kind: 'approval.refused' },
      { keys: 'n\r', kind: 'approval.refused' },
      { keys: '\u0004', kind: 'approval.refused' },
      { keys: 'y\u0004n\r', kind: 'approval.refused', said: 'yn' },
      { keys: '\u0443\r', kind: 'approval.refused', said: '\u0443' },
      { keys: 'yes please\r', kind: 'approval.refused' },
      { keys: 'n because it is the wrong payee\r', kind: 'approval.refused', said: 'it is the wrong payee' },
      { keys: '\u001b[Ause "savings"\r', kind: 'approval.refused', said: "use 'savings'" },
    ]
    const { answers, code, seen } = await typed(
      { cards: table.length },
      table.map(({ keys }) => [PROMPT, keys]),
    )
    expect(answers).toMatchObject(table.map(({ kind, said = '' }) => ({ kind, said })))
    expect(answers.at(-1)?.raw).toBe('false')
    expect([code, seen]).toEqual([0, expect.stringMatching(/PAUSE[^]*RESUME[^]*END/)])
  })

  it.each([
    { how: 'into the terminal, before anybody reads it', wish: { busyMs: 400 } },
    { how: 'while the event loop is busy', wish: { busyMs: 400, spins: true } },
    { how: 'beside a readline', wish: { busyMs: 400, readline: true } },
    { how: 'beside a readline while the event loop is busy', wish: { busyMs: 400, spins: true, readline: true } },
  ])('does not take a yes that was typed $how', async ({ wish }) => {
    const steps: Steps = [
      ['BUSY', 'y\ry\r'],
      [PROMPT, '\r'],
      ['END', 'bye\r'],
    ]
    const { answers } = await typed(wish, steps)
    expect(answers.map(({ kind }) => kind)).toEqual(['approval.refused'])
  })

  it('does not take a yes that was typed between the card and its prompt', async () => {
    // Long enough for the key to arrive before the prompt on a busy machine.
    const { answers } = await typed({ quietMs: 1_000 }, [
      ['Confirm this one call', 'y\r'],
      [PROMPT, '\r'],
    ])
    expect(answers.map(({ kind }) => kind)).toEqual(['approval.refused'])
  })

  it('does not join a letter from before with the Enter that follows the prompt', async () => {
    const { answers } = await typed({ readline: true, busyMs: 200 }, [
      ['BUSY', 'y'],
      [PROMPT, '\r'],
      ['END', '\rbye\r'],
    ])
    expect(answers.map(({ kind }) => kind)).toEqual(['approval.refused'])
  })

  it.each([
    { what: 'a time-out', wish: { timeoutMs: 700 }, kind: 'approval.timeout', says: 'no answer in time' },
    { what: 'the end of the turn', wish: { turnMs: 700 }, kind: 'gate.turn_over', says: 'the turn has ended' },
  ])('is closed by $what, also when half a yes is typed', async ({ wish, kind, says }) => {
    const { answers, seen } = await typed(wish, [[PROMPT, 'y']])
    expect(answers).toEqual([{ kind, said: '', raw: 'false' }])
    expect(seen).toContain(says)
  })

  it('takes Ctrl-C as a no and passes it on', async () => {
    const { answers, seen } = await typed({ readline: true }, [
      [PROMPT, 'y\u0003'],
      ['END', 'bye\r'],
    ])
    expect(answers.map(({ kind }) => kind)).toEqual(['approval.refused'])
    expect(seen).toContain('INTERRUPT')
    expect(seen).not.toContain('READLINE SIGINT')
  })

  it('gives the keyboard back to the readline, which hears nothing of the answer', async () => {
    const { answers, lines } = await typed({ readline: true }, [
      [PROMPT, 'y\r'],
      ['END', 'bye\r'],
    ])
    expect(answers).toEqual([{ kind: 'permit', said: '', raw: 'true' }])
    expect(lines).toEqual(['bye'])
  })

  it('puts cards that come at once one after the other; a no to one is no answer to the next', async () => {
    const { answers, seen } = await typed({ cards: 2 }, [
      [PROMPT, 'n\r'],
      [PROMPT, 'y\r'],
    ])
    expect(answers.map(({ kind }) => kind)).toEqual(['approval.refused', 'permit'])
    expect(seen.split('PAUSE')[1]).toContain('Not confirmed.')
  })

  it('takes a yes to a card that leaves something out only once all of it was shown', async () => {
    const note = `${'npm view x; '.repeat(60)}touch ${'marker '.repeat(3)}`
    const { answers, seen } = await typed({ note }, [
      [PROMPT, 'y\r'],
      ['see all of it first', ''],
      [PROMPT, 'd\r'],
      [PROMPT, 'y\r'],
    ])
    expect(answers.map(({ kind }) => kind)).toEqual(['permit'])
    expect(seen.match(/are left out/g)).toHaveLength(1)
  })

  it('is a no with nobody there when the terminal goes away under half a yes', async () => {
    const { answers, seen } = await typed({ goneMs: 500 }, [[PROMPT, 'y']])
    expect(answers.map(({ kind }) => kind)).toEqual(['approval.nobody'])
    expect(seen).toContain('the terminal is gone')
  })

  it('finds nobody when the standard streams are pipes, unless it is told to use the terminal itself', async () => {
    const piped = (run: string): string => `printf 'y\\ny\\n' | ${run} 2>/dev/null`
    expect((await typed({}, [], piped)).answers.map(({ kind }) => kind)).toEqual(['approval.nobody'])
    const atTerminal = await typed({ tty: true }, [[PROMPT, 'y\r']], piped)
    expect(atTerminal.answers.map(({ kind }) => kind)).toEqual(['permit'])
  })

  it('draws without colors when NO_COLOR is set', async () => {
    const { seen } = await typed({}, [[PROMPT, 'n\r']])
    expect(seen).not.toMatch(/\u001b\[\d+m/)
  })
})

describe('an approver from a file', () => {
  const file = (name: string, content: string): string => {
    writeFileSync(place.file(name), content)
    return place.file(name)
  }

  it('reads what a person would accept', async () => {
    const approver = readApprover(file('yes.json', '{"version": 1, "accept": [{"tool": "t", "match": {}}]}'))(
      (_tool, args) => args,
    )
    const request = {
      ...{
        tenant: 'canbank',
        subject: { type: 'Customer', id: 'bob' },
        tool: 't',
        args: {},
        sentence: '',
        digest: 'd',
      },
      ...{ evaluations: [], values: [], changes: [], signal: new AbortController().signal },
    }
    expect(await approver.ask(request)).toEqual({ digest: 'd', approved: true })
  })

  it.each([
    { what: 'is not there', make: () => place.file('none.json'), says: 'does not exist' },
    { what: 'is a folder', make: () => place.folder, says: 'is a folder' },
    { what: 'lies below a file', make: () => `${file('f', '')}/x`, says: 'lies in something that is no folder' },
    { what: 'is a device', make: () => '/dev/zero', says: 'is no regular file' },
    { what: 'is empty', make: () => file('empty.json', ''), says: 'is not JSON' },
    { what: 'is not JSON', make: () => file('text.json', 'yes to all'), says: 'is not JSON' },
    { what: 'has a byte-order mark', make: () => file('bom.json', '\ufeff{}'), says: 'is not JSON' },
    { what: 'has a key twice', make: () => file('twice.json', '{"version":1,"version":1}'), says: 'duplicate key' },
    { what: 'is over 1 MiB', make: () => huge(), says: 'is over 1 MiB' },
  ])('names the fault of a file that $what', ({ make, says }) => {
    const path = make()
    expect(complaint(() => readApprover(path))).toContain(`--approver ${path}: `)
    expect(complaint(() => readApprover(path))).toContain(says)
  })

  function huge(): string {
    const path = file('huge.json', '{')
    truncateSync(path, 1024 * 1024 + 1)
    return path
  }
})
