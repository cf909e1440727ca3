import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { startModel } from '../../standins/model-server.ts'
import type { Brain, ChatRequest } from '../../standins/model-wire.ts'
import { chatRequestOf, ResponseRequest } from '../../standins/responses-wire.ts'
import { started } from './support.ts'

const ANSWER = {
  text: 'Let me see 😀.',
  calls: [
    { id: 'mine', name: 'x', arguments: '{"a":1,"a":' },
    { name: 'y', arguments: { b: '😀' } },
  ],
}

async function open(brain: Brain) {
  const { url } = await started(startModel({ brain }))
  return new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 })
}

describe('the client of OpenAI reads an answer', () => {
  it('that comes whole', async () => {
    const client = await open(() => ANSWER)
    const { output, output_text, status } = await client.responses.create({ model: 'm', input: 'hi' })
    expect([status, output_text]).toEqual(['completed', 'Let me see 😀.'])
    expect(output.slice(1)).toMatchObject([
      { type: 'function_call', call_id: 'mine', name: 'x', arguments: '{"a":1,"a":' },
      { type: 'function_call', call_id: 'call_1_1', name: 'y', arguments: '{"b":"😀"}' },
    ])
  })

  it('that streams, in events that are numbered and add up to the whole', async () => {
    const client = await open(() => ANSWER)
    const [events, deltas]: [string[], Record<string, string>] = [[], {}]
    const stream = await client.responses.create({ model: 'm', input: 'hi', stream: true })
    for await (const event of stream) {
      expect(event.sequence_number).toBe(events.push(event.type) - 1)
      if (event.type.endsWith('.delta') && 'delta' in event && 'item_id' in event) {
        deltas[event.item_id] = (deltas[event.item_id] ?? '') + event.delta
      }
      if (event.type === 'response.completed') expect(event.response.output).toHaveLength(3)
    }
    expect(Object.values(deltas)).toEqual(['Let me see 😀.', '{"a":1,"a":', '{"b":"😀"}'])
    expect([events[0], events.at(-1)]).toEqual(['response.created', 'response.completed'])
  })

  it('that is a refusal of what it sent', async () => {
    const client = await open(() => ANSWER)
    await expect(client.responses.create({ model: 'm', input: [] })).rejects.toThrow(/not a response request/)
  })
})

describe('a conversation', () => {
  it('reads for a brain as one of the other API', () => {
    const request = ResponseRequest.parse({
      instructions: 'You are a clerk.',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
        { type: 'reasoning', summary: [] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: 'a', name: 'x', arguments: '{}' },
        { type: 'function_call', call_id: 'b', name: 'y', arguments: '{' },
        { type: 'function_call_output', call_id: 'a', output: 'one' },
        { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'two' }] },
      ],
      tools: [{ type: 'function', name: 'x' }],
    })
    const { messages, tools }: ChatRequest = chatRequestOf(request)
    expect(messages).toEqual([
      { role: 'system', content: 'You are a clerk.' },
      { role: 'user', content: 'hello' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: 'a', function: { name: 'x', arguments: '{}' } },
          { id: 'b', function: { name: 'y', arguments: '{' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
    ])
    expect(tools).toEqual([{ type: 'function', function: { type: 'function', name: 'x' } }])
  })
})
