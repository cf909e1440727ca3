import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyAudit } from '../../src/audit/verify.io.ts'
import { hostile, type HostileServer } from '../hostile-server.ts'
import { line } from './calls.ts'
import { newPlace, start, type Place, type Started } from './bin.ts'

/** The promise to whoever presses Ctrl-C, in milliseconds. */
const PROMPT_MS = 3_000
const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

// An intent-agent that takes requests and never answers: a call stays under way until somebody ends it.
let silent: HostileServer
const asked = (_started: Started, before: number): Promise<unknown> =>
  expect.poll(() => silent.requests.length, { timeout: 20_000 }).toBeGreaterThan(before)
beforeAll(async () => {
  silent = await hostile(() => undefined)
})
const places: Place[] = []
afterAll(async () => {
  await silent.close()
  for (const place of places) place.remove()
})

interface Moment {
  readonly title: string
  readonly args: readonly string[]
  readonly isSilent?: boolean
  readonly input?: string
  /** When to press: `before` is how often the silent agent had been asked when the program started. */
  readonly until: (started: Started, before: number) => Promise<unknown>
  readonly stdout?: string
}

const chat = ['chat', '--as', 'alice', '--audit', 'a.jsonl', '--ledger', 'l.json']
const TRANSFER = 'move 1 from my savings to my checking'
const MOMENTS: readonly Moment[] = [
  { title: 'while the program starts', args: [...chat, TRANSFER], until: () => later(150) },
  {
    title: 'while the services start',
    args: [...chat, TRANSFER],
    until: () =>
      expect.poll(() => existsSync(places.at(-1)!.file('a.jsonl')), { interval: 5, timeout: 20_000 }).toBe(true),
  },
  {
    title: 'while the runtime starts',
    args: [...chat, TRANSFER],
    until: () => expect.poll(() => places.at(-1)!.leftovers().length, { interval: 5, timeout: 20_000 }).toBe(1),
  },
  {
    title: 'as the message is sent',
    args: [...chat, TRANSFER],
    isSilent: true,
    until: (chatting) => chatting.says('audit '),
  },
  { title: 'while a call is decided', args: [...chat, TRANSFER], isSilent: true, until: asked },
  { title: 'while a call is decided, with --json', args: [...chat, '--json', TRANSFER], isSilent: true, until: asked },
  {
    title: 'while a chat waits for a line',
    args: chat,
    until: async (chatting) => {
      await chatting.says('audit ')
      await later(100)
    },
  },
  {
    title: 'while decide waits for a line',
    args: ['decide', '--jsonl', '--audit', 'a.jsonl'],
    input: `${line({ id: 'first' })}\n`,
    until: (deciding) => deciding.says('"id":"first"'),
    stdout: '"id":"first"',
  },
  {
    title: 'while decide decides',
    args: ['decide', '--jsonl', '--audit', 'a.jsonl'],
    isSilent: true,
    input: `${line({ id: 'first', message: "What's the balance of acc-bob-checking?" })}\n`,
    until: asked,
  },
  {
    title: 'while decide waits for its only object',
    args: ['decide', '--audit', 'a.jsonl'],
    until: () => expect.poll(() => existsSync(places.at(-1)!.file('a.jsonl')), { timeout: 20_000 }).toBe(true),
  },
]

describe('Ctrl-C', () => {
  it.each(MOMENTS.map((each) => [each.title, each] as const))(
    '%s ends with 130 and leaves all in order',
    async (_title, { args, isSilent = false, input = '', until, stdout = '' }) => {
      const place = newPlace()
      places.push(place)
      const before = silent.requests.length
      const started = start(args, { place, env: isSilent ? { INTENT_AGENT_URL: silent.url.href } : {} })
      started.child.stdin.write(input)
      await until(started, before)
      const pressedMs = performance.now()
      started.signalAll('SIGINT')
      const ended = await started.ended
      expect(performance.now() - pressedMs).toBeLessThan(PROMPT_MS)
      expect(ended.code, ended.stderr).toBe(130)
      // What an interrupted turn had come to may be shown; a half-written object never.
      const shown = /^(?:\{"transcript":1,.*\}\n|✗ transfer_money [^]*)?$/
      if (stdout === '') {
        expect(ended.stdout).toMatch(shown)
      } else {
        expect(ended.stdout).toContain(stdout)
      }
      expect(ended.stderr).not.toMatch(/^\s+at |Error:/m)
      expect(place.leftovers()).toEqual([])
      if (existsSync(place.file('a.jsonl'))) expect((await verifyAudit(place.file('a.jsonl'))).problems).toEqual([])
    },
    40_000,
  )
})
