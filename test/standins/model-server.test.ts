import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Brain, contentText, type ModelAnswer } from '../../standins/model-wire.ts'
import { startModel } from '../../standins/model-server.ts'
import { SettingError } from '../../src/core/setting-error.ts'

const running: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()))
})
async function open(brain: Brain | ModelAnswer, name?: string) {
  const answering: Brain = typeof brain === 'function' ? brain : () => brain
  const server = await startModel({ brain: answering, ...(name === undefined ? {} : { name }) })
  running.push(server)
  const post = (body: unknown): Promise<Response> =>
    fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return { ...server, post }
}
const hello = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }

interface Chunk {
  object: string
  choices: { delta: Delta; finish_reason: string | null }[]
  usage?: object
}
interface Delta {
  role?: string
  content?: string | null
  tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[]
}
/** The events of a streamed answer; the last is `[DONE]`. */
async function events(response: Response): Promise<Chunk[]> {
  const lines = (await response.text()).split('\n\n').filter((line) => line !== '')
  expect(lines.pop()).toBe('data: [DONE]')
  return lines.map((line) => JSON.parse(line.replace(/^data: /, '')) as Chunk)
}

const odd: ModelAnswer = {
  text: 'Let me see 😀 — done.',
  calls: [
    { id: 'same', name: 'x', arguments: '{"a":1,"a":' },
    { id: 'same', name: 'y', arguments: { b: '😀'.repeat(20_000) } },
    { name: 'no id', arguments: '' },
  ],
}
const oddArguments = ['{"a":1,"a":', JSON.stringify({ b: '😀'.repeat(20_000) }), '']

describe('an answer', () => {
  it('is one completion with text, calls, ids and arguments as they were given', async () => {
    const response = await (await open(odd)).post(hello)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      model: 'm',
      system_fingerprint: 'intent-gate-standin',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: odd.text,
            tool_calls: [
              { id: 'same', type: 'function', function: { name: 'x', arguments: oddArguments[0] } },
              { id: 'same', type: 'function', function: { name: 'y', arguments: oddArguments[1] } },
              { id: 'call_1_2', type: 'function', function: { name: 'no id', arguments: '' } },
            ],
          },
        },
      ],
      usage: { prompt_tokens: 1 },
    })
  })

  it('comes in several deltas that add up to the same when it is streamed', async () => {
    const response = await (await open(odd)).post({ ...hello, stream: true })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const chunks = await events(response)
    const deltas = chunks.map((chunk) => chunk.choices[0]!.delta)
    const texts = deltas.flatMap(({ content }) => content ?? [])
    expect(texts.length).toBeGreaterThan(2)
    expect(texts.join('')).toBe(odd.text)
    expect(texts.every((text) => text.isWellFormed())).toBe(true)
    const parts = deltas.flatMap(({ tool_calls }) => tool_calls ?? [])
    const joined = [0, 1, 2].map((at) =>
      parts.filter(({ index }) => index === at).map((part) => part.function.arguments),
    )
    expect(joined.map((pieces) => pieces.join(''))).toEqual(oddArguments)
    expect(joined[1]!.length).toBeGreaterThan(2)
    expect(parts.filter(({ id }) => id !== undefined).map(({ id }) => id)).toEqual(['same', 'same', 'call_1_2'])
    expect(chunks.map(({ choices }) => choices[0]!.finish_reason).filter((reason) => reason !== null)).toEqual([
      'tool_calls',
    ])
  })

  it('of text alone stops, and has usage when it was asked for', async () => {
    const { post } = await open({ text: 'Hello there' })
    const chunks = await events(await post({ ...hello, stream: true, stream_options: { include_usage: true } }))
    expect(chunks.at(-2)!.choices[0]!.finish_reason).toBe('stop')
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 4 } })
    const without = await events(await post({ ...hello, stream: true }))
    expect(without.some(({ usage }) => usage !== undefined)).toBe(false)
  })

  it('may come later, and each conversation gets its own', async () => {
    const { post } = await open(async ({ messages }) => {
      const text = contentText(messages.at(-1)?.content)
      await new Promise((resolve) => setTimeout(resolve, text === 'slow' ? 60 : 0))
      return { text: `to ${text}` }
    })
    const answers = await Promise.all(
      ['slow', 'quick', 'slow'].map(async (content) => {
        const body = (await (await post({ messages: [{ role: 'user', content }] })).json()) as {
          choices: { message: { content: string } }[]
        }
        return body.choices[0]!.message.content
      }),
    )
    expect(answers).toEqual(['to slow', 'to quick', 'to slow'])
  })

  it('says that it is from a stand-in, as does the list of models', async () => {
    const { url, post } = await open({ text: 'x' }, 'bank')
    const models = await fetch(`${url}/models`)
    expect(await models.json()).toEqual({
      object: 'list',
      data: [{ id: 'bank', object: 'model', created: 0, owned_by: 'intent-gate-standin' }],
    })
    for (const response of [models, await post(hello)]) {
      expect(response.headers.get('x-standin')).toBe('model bank; not a real service')
    }
  })
})

describe('a request that is wrong', () => {
  it.each([
    ['', 400, /not JSON/],
    ['{', 400, /not JSON/],
    ['[]', 400, /not a chat completion request/],
    ['{"messages":[]}', 400, /messages/],
    ['{"messages":[{"content":"x"}]}', 400, /messages\[0\].role/],
    ['{"messages":[{"role":"user"}],"stream":"yes"}', 400, /stream/],
  ])('%s is answered with an error', async (body, status, message) => {
    const response = await (await open({ text: 'x' })).post(body)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringMatching(message) as string },
    })
  })

  it.each([
    ['GET', '/chat/completions', 405],
    ['POST', '/models', 405],
    ['GET', '/responses', 405],
    ['POST', '/embeddings', 404],
    ['GET', '/__proto__', 404],
  ])('%s %s is answered with %s', async (method, path, status) => {
    const { url } = await open({ text: 'x' })
    expect((await fetch(`${url}${path}`, { method })).status).toBe(status)
  })

  it('is an error of the server when the brain throws', async () => {
    const { post } = await open(() => {
      throw new RangeError('secret')
    })
    const response = await post(hello)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('secret')
  })

  it('that ends half-way does no harm', async () => {
    const { port, post } = await open({ text: 'x' })
    const socket = connect(port, '127.0.0.1')
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"mess')
    await new Promise((resolve) => setTimeout(resolve, 20))
    socket.destroy()
    expect((await post(hello)).status).toBe(200)
  })
})

describe('the port', () => {
  it.each([-1, 65_536, 1.5, NaN])('%s is refused', async (port) => {
    await expect(startModel({ brain: () => ({}), port })).rejects.toThrow(SettingError)
  })

  it('is refused when it is in use, and free again after close', async () => {
    const first = await open({ text: 'x' })
    await expect(startModel({ brain: () => ({}), port: first.port })).rejects.toThrow(/is in use/)
    await first.close()
    await first.close()
    running.push(await startModel({ brain: () => ({}), port: first.port }))
  })

  it('lets an answer under way finish', async () => {
    const asked = new AbortController()
    const server = await open(async () => {
      asked.abort()
      await new Promise((resolve) => setTimeout(resolve, 50))
      return { text: 'late' }
    })
    const response = server.post(hello)
    await new Promise((resolve) => {
      asked.signal.addEventListener('abort', resolve)
    })
    await server.close()
    expect(await (await response).text()).toContain('late')
  })
})
