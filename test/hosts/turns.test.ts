import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Gate } from '../../src/gate/gate.ts'
import {
  ledger,
  openBench,
  openHosted,
  openModel,
  outcomes,
  realGate,
  refusing,
  toolTexts,
  type Bench,
} from './support.ts'

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.stop())

const balance = { id: 'c1', name: 'get_balance', arguments: { id: 'bob-1' } }

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a turn', () => {
  it('runs what is permitted, denies the rest, and records both in the order of the model', async () => {
    const { tool, ran } = ledger()
    const { gate, audit } = realGate([tool])
    const { url, requests } = await openModel([
      {
        text: 'I look. ',
        calls: [
          { id: 'c1', name: 'get_balance', arguments: { id: 'bob-1' } },
          { id: 'c2', name: 'get_balance', arguments: { id: 'alice-1' } },
          { id: 'c3', name: 'bash', arguments: { command: 'ls' } },
          { id: 'c4', name: 'Bash', arguments: {} },
          { id: 'c5', name: 'get_balance', arguments: '{"id":' },
        ],
      },
      { text: 'You have 1.00.' },
    ])
    const text: string[] = []
    const session = await openHosted(bench, { gate, url, onText: (piece) => text.push(piece) })
    const record = await session.send('What do I have?')
    expect(outcomes(record)).toEqual([
      { tool: 'get_balance', kind: 'custom-tool', decided: 'permit', executed: true },
      { tool: 'get_balance', kind: 'custom-tool', decided: 'pdp.denied', executed: false },
      { tool: 'bash', kind: 'shell', decided: 'firewall.kind_not_allowed', executed: false },
      { tool: 'Bash', kind: 'unknown', decided: 'agent.action_unknown', executed: false },
      { tool: 'get_balance', kind: 'custom-tool', decided: 'agent.action_invalid', executed: false },
    ])
    expect(record).toMatchObject({ user: 'What do I have?', assistant: 'You have 1.00.', ended: 'done' })
    expect(record.calls[4]?.args).toBe('{"id":')
    expect(ran).toEqual(['bob-1'])
    expect(text.join('')).toBe('I look. You have 1.00.')
    expect(audit.map(({ type }) => type).sort()).toEqual([...Array<string>(5).fill('decision'), 'outcome'])
    expect(requests[0]?.messages).toEqual([
      { role: 'system', content: 'You are the assistant of a bank.' },
      { role: 'user', content: 'What do I have?' },
    ])
    expect(toolTexts(requests[1])).toContain('{"id":"bob-1","balance":"1.00"}')
    expect(toolTexts(requests[1]).join()).toContain('Denied (pdp.denied): The policy does not permit this')
  })

  it('goes on after a refusal or a failure of the tool, which the model reads by its code only', async () => {
    const broken = (): never => {
      throw new Error('secret inside')
    }
    const [closed, failing] = [ledger('closed', refusing), ledger('failing', broken)]
    const { gate, audit } = realGate([closed.tool, failing.tool])
    const { url, requests } = await openModel([
      {
        calls: [
          { name: 'closed', arguments: { id: 'bob-1' } },
          { name: 'failing', arguments: { id: 'bob-2' } },
        ],
      },
      { text: 'Sorry.' },
    ])
    const record = await (await openHosted(bench, { gate, url })).send('hi')
    expect(record).toMatchObject({
      ended: 'done',
      assistant: 'Sorry.',
      calls: [{ executed: true }, { executed: true }],
    })
    expect(toolTexts(requests[1])).toContain('account.closed: The account 5 is closed.')
    expect(JSON.stringify(requests[1])).not.toContain('secret inside')
    expect(audit.flatMap((each) => (each.type === 'outcome' ? [each.outcome] : [])).sort()).toEqual([
      'failed',
      'refused',
    ])
  })

  it('runs the first of two calls with one id once, and tells both of it', async () => {
    const { tool, ran } = ledger()
    const { gate } = realGate([tool])
    const twice = ['bob-1', 'bob-2'].map((id) => ({ id: 'c1', name: 'get_balance', arguments: { id } }))
    const { url, requests } = await openModel([{ calls: twice }, { text: 'Done.' }])
    const record = await (await openHosted(bench, { gate, url })).send('hi')
    expect(ran).toEqual(['bob-1'])
    expect(toolTexts(requests[1])).toEqual(Array(2).fill('{"id":"bob-1","balance":"1.00"}'))
    expect(record.calls).toMatchObject([{ args: { id: 'bob-1' } }, { args: { id: 'bob-1' } }])
  })

  it('decides the same call with the same id anew in a later turn', async () => {
    const { tool, ran } = ledger()
    const { gate, audit } = realGate([tool])
    const call = { calls: [{ id: 'c1', name: 'get_balance', arguments: { id: 'bob-1' } }] }
    const { url } = await openModel([
      [call, { text: 'One.' }],
      [call, { text: 'Two.' }],
    ])
    const session = await openHosted(bench, { gate, url })
    await session.send('one')
    await session.send('two')
    expect(ran).toEqual(['bob-1', 'bob-1'])
    expect(audit.flatMap((each) => (each.type === 'decision' ? [each.turn] : []))).toEqual([1, 2])
  })

  it.each([
    { what: 'a list', args: '[{"id":"bob-1"}]', code: 'agent.action_invalid' },
    { what: 'text', args: '"bob-1"', code: 'agent.action_invalid' },
    { what: 'nothing', args: '', code: 'agent.action_invalid' },
    { what: 'cut off', args: '{"id":"bob-1"', code: 'agent.action_invalid' },
    { what: 'followed by more', args: '{"id":"bob-1"} {}', code: 'agent.action_invalid' },
    { what: 'of another type', args: '{"id":["bob-1"]}', code: 'agent.action_invalid' },
    { what: 'with a key too many', args: '{"id":"bob-1","also":1}', code: 'agent.action_invalid' },
    { what: '1 MB long', args: JSON.stringify({ id: 'b'.repeat(1_000_000) }), code: 'firewall.arguments_too_large' },
  ])('denies arguments that are $what, and puts the attempt on record', async ({ args, code }) => {
    const { tool, ran } = ledger()
    const { gate, audit } = realGate([tool])
    const { url } = await openModel([
      { calls: [{ id: 'c1', name: 'get_balance', arguments: args }] },
      { text: 'Done.' },
    ])
    const record = await (await openHosted(bench, { gate, url })).send('hi')
    expect(outcomes(record)).toEqual([{ tool: 'get_balance', kind: 'custom-tool', decided: code, executed: false }])
    expect(audit).toMatchObject([{ type: 'decision', code }])
    expect([record.ended, ran]).toEqual(['done', []])
  })

  it('keeps what it was told, however much it is: the model does not forget a call that has run', async () => {
    const { tool, ran } = ledger('get_balance', (id) => ({ id, history: 'a long story '.repeat(100_000) }))
    const { gate } = realGate([tool])
    const { url, requests } = await openModel([{ calls: [balance] }, { text: 'Done.' }])
    const record = await (await openHosted(bench, { gate, url })).send('hi')
    expect(record).toMatchObject({ ended: 'done', assistant: 'Done.' })
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
    expect([requests.length, ran]).toEqual([2, ['bob-1']])
  })

  it('goes on with a deny when the gate never answers', async () => {
    const { tool, ran } = ledger()
    const gate: Gate = { ...realGate([tool]).gate, authorize: () => new Promise(() => undefined) }
    const { url } = await openModel([{ calls: [balance] }, { text: 'Done.' }])
    const record = await (await openHosted(bench, { gate, url, decisionTimeoutMs: 200 })).send('hi')
    expect(outcomes(record)).toMatchObject([{ decided: 'gate.timeout', executed: false }])
    expect([record.assistant, ran]).toEqual(['Done.', []])
  })

  it('asks the person of the session, and reports what was decided as it happens', async () => {
    const { tool } = ledger('get_balance', () => 1)
    const { gate } = realGate([{ ...tool, obligations: ['confirm'] }])
    const { url } = await openModel([{ calls: [balance] }, { text: 'Done.' }])
    const heard: string[] = []
    const session = await openHosted(bench, {
      gate,
      url,
      approver: { ask: async ({ digest }) => ({ digest, approved: true }) },
      onCall: ({ tool: name }) => heard.push(`call ${name}`),
      onDecision: ({ judgement }) => heard.push(judgement.decision.kind),
    })
    expect(outcomes(await session.send('hi'))).toMatchObject([{ decided: 'permit', executed: true }])
    expect(heard).toEqual(['call get_balance', 'permit'])
  })

  it('speaks the responses API where the model wants it', async () => {
    const { gate } = realGate([ledger().tool])
    const paths: string[] = []
    const server = createServer((request, response) => {
      paths.push(request.url ?? '')
      response.writeHead(401).end()
    })
    const url = await listening(server)
    const model = { kind: 'openai', baseUrl: url, apiKey: 'k', name: 'm', wireApi: 'responses' } as const
    const record = await (await openHosted(bench, { gate, url, model })).send('hi')
    expect(paths[0]).toBe('/responses')
    expect(record).toMatchObject({ ended: 'failed', error: 'The model refused the credentials; check its API key.' })
  })
})

describe('the end of a turn', () => {
  it('comes at once when it is aborted; a late permit runs nothing, and the next turn works', async () => {
    const { tool, ran } = ledger()
    const { gate } = realGate([tool])
    let answer = (): void => undefined
    const slow: Gate = {
      ...gate,
      authorize: async (call) => {
        const judgement = await gate.authorize(call)
        await new Promise<void>((resolve) => (answer = resolve))
        return judgement
      },
    }
    const { url } = await openModel([[{ calls: [balance] }, { text: 'Late.' }], [{ text: 'Again.' }]])
    const abort = new AbortController()
    const session = await openHosted(bench, {
      gate: slow,
      url,
      onCall: () =>
        setTimeout(() => {
          abort.abort()
        }, 50),
    })
    const record = await session.send('hi', abort.signal)
    answer()
    expect(record).toMatchObject({ ended: 'aborted', calls: [{ executed: false }] })
    expect(outcomes(record)).toMatchObject([{ decided: 'gate.turn_over' }])
    expect(await session.send('again')).toMatchObject({ ended: 'done', assistant: 'Again.' })
    expect(ran).toEqual([])
  })

  it('comes when its time is up, though the model never answers', async () => {
    const { gate } = realGate([ledger().tool])
    let first = true
    const { url } = await openModel(() => {
      if (!first) return { text: 'Here.' }
      first = false
      return new Promise(() => undefined)
    })
    const session = await openHosted(bench, { gate, url, turnTimeoutMs: 500 })
    expect(await session.send('hi')).toMatchObject({
      ended: 'aborted',
      error: 'The turn took longer than 0.5 seconds.',
      calls: [],
    })
    expect(await session.send('again')).toMatchObject({ ended: 'done', assistant: 'Here.' })
  })

  it('counts a run that has not come back as executed, because it may have had its effect', async () => {
    const { tool, ran } = ledger('get_balance', () => new Promise((resolve) => setTimeout(resolve, 1_000)))
    const { gate } = realGate([tool])
    const { url } = await openModel([{ calls: [balance] }, { text: 'Done.' }])
    const abort = new AbortController()
    const session = await openHosted(bench, {
      gate,
      url,
      onDecision: () =>
        setTimeout(() => {
          abort.abort()
        }, 200),
    })
    expect(await session.send('hi', abort.signal)).toMatchObject({ ended: 'aborted', calls: [{ executed: true }] })
    expect(ran).toEqual(['bob-1'])
  })

  it('is a sentence when the model cannot be reached', { timeout: 15_000 }, async () => {
    const { gate } = realGate([ledger().tool])
    const startedAt = performance.now()
    const record = await (await openHosted(bench, { gate, url: 'http://127.0.0.1:1/v1' })).send('hi')
    expect(record).toMatchObject({ ended: 'failed', error: expect.stringContaining('cannot be reached') as string })
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  it('is nothing sent at all when the signal is aborted before', async () => {
    const { gate } = realGate([ledger().tool])
    const { url, requests } = await openModel([{ text: 'No.' }])
    const session = await openHosted(bench, { gate, url })
    expect(await session.send('hi', AbortSignal.abort())).toMatchObject({ ended: 'aborted', calls: [] })
    expect(requests).toEqual([])
  })
})

describe('sessions', () => {
  it('run their turns one after the other, each with its own answer', async () => {
    const { gate } = realGate([ledger().tool])
    const { url, requests } = await openModel(({ messages }) => ({ text: `to ${String(messages.at(-1)?.content)}` }))
    const session = await openHosted(bench, { gate, url })
    const records = await Promise.all(['one', 'two', 'three'].map((message) => session.send(message)))
    expect(records.map(({ user, assistant }) => [user, assistant])).toEqual([
      ['one', 'to one'],
      ['two', 'to two'],
      ['three', 'to three'],
    ])
    expect(requests.map(({ messages }) => messages.length)).toEqual([2, 4, 6])
  })

  it('side by side see nothing of each other', { timeout: 30_000 }, async () => {
    const { tool, ran } = ledger()
    const { gate } = realGate([tool])
    const { url, requests } = await openModel(({ messages }) => {
      const mine = String(messages.find(({ role }) => role === 'user')?.content)
      return messages.at(-1)?.role === 'tool'
        ? { text: `${mine} saw ${String(messages.at(-1)?.content)}` }
        : { calls: [{ id: 'c1', name: 'get_balance', arguments: { id: mine } }] }
    })
    const names = Array.from({ length: 50 }, (_, n) => `${n % 2 === 0 ? 'bob' : 'alice'}-${n}`)
    const sessions = await Promise.all(names.map(() => openHosted(bench, { gate, url })))
    const records = await Promise.all(sessions.map((session, n) => session.send(names[n] ?? '')))
    records.forEach((record, n) => {
      const [name = '', isBob] = [names[n], n % 2 === 0]
      expect(record.calls).toMatchObject([{ args: { id: name }, executed: isBob }])
      expect(record.assistant).toContain(isBob ? `"id":"${name}"` : 'pdp.denied')
    })
    expect([...ran].sort()).toEqual(names.filter((name) => name.startsWith('bob')).sort())
    expect(requests.every(({ messages }) => messages.filter(({ role }) => role === 'user').length === 1)).toBe(true)
  })

  it('leave no word on disk when they are closed, and take no message any more', async () => {
    const { gate } = realGate([ledger().tool])
    const { url } = await openModel([{ text: 'A secret answer.' }])
    const session = await openHosted(bench, { gate, url })
    await session.send('hi')
    const state = join(bench.base.home, 'session-state', session.id)
    expect(existsSync(state)).toBe(true)
    await Promise.all([session.close(), session.close()])
    expect(existsSync(state)).toBe(false)
    expect(await session.send('hi')).toMatchObject({ ended: 'failed', error: 'The session is closed.' })
  })

  it('are closed in the middle of a turn, which ends as aborted', async () => {
    const { gate } = realGate([ledger().tool])
    const { url } = await openModel(() => new Promise(() => undefined))
    const session = await openHosted(bench, { gate, url })
    const record = session.send('hi')
    setTimeout(() => void session.close(), 300)
    expect(await record).toMatchObject({ ended: 'aborted' })
  })
})
