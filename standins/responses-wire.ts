import { z } from 'zod'
import { type ChatMessage, ChatRequest, contentText, type ModelAnswer, textPieces } from './model-wire.ts'

// Loose on purpose, as in `model-wire.ts`: each client sends settings of its own beside the conversation.
const Item = z.looseObject({
  /** Absent for a message. */
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.unknown().optional(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  output: z.unknown().optional(),
})

/** The body of a response request (OpenAI API, Create a model response), as far as a stand-in reads it. */
export const ResponseRequest = z.looseObject({
  model: z.string().optional(),
  stream: z.boolean().nullish(),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(Item).min(1)]),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).nullish(),
})
type ResponseRequest = z.infer<typeof ResponseRequest>
type Item = z.infer<typeof Item>

/**
 * The same conversation as a chat completion request, which is what a brain reads. The calls of one answer, which are
 * items of their own here, become one message again.
 */
export function chatRequestOf({ model, stream, instructions, input, tools }: ResponseRequest): ChatRequest {
  const items: readonly Item[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const system: readonly ChatMessage[] =
    typeof instructions === 'string' ? [{ role: 'system', content: instructions }] : []
  return ChatRequest.parse({
    model,
    stream,
    messages: [...system, ...joined(items.flatMap(messageOf))],
    // The other API nests what describes a function.
    ...(Array.isArray(tools) ? { tools: tools.map((tool) => ({ type: 'function', function: tool })) } : {}),
  })
}

function messageOf(item: Item): readonly ChatMessage[] {
  switch (item.type) {
    case undefined:
    case 'message':
      return [
        { role: item.role === 'developer' ? 'system' : (item.role ?? 'user'), content: contentText(item.content) },
      ]
    case 'function_call': {
      const called = { name: item.name ?? '', arguments: item.arguments ?? '' }
      return [{ role: 'assistant', content: null, tool_calls: [{ id: item.call_id, function: called }] }]
    }
    case 'function_call_output':
      return [{ role: 'tool', tool_call_id: item.call_id, content: contentText(item.output) }]
    default:
      // Reasoning and whatever else a model may have said to itself.
      return []
  }
}

const joined = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
  messages.reduce<ChatMessage[]>((all, message) => {
    const last = all.at(-1)
    if (last?.role !== 'assistant' || message.role !== 'assistant') return [...all, message]
    const calls = [...(last.tool_calls ?? []), ...(message.tool_calls ?? [])]
    const merged = {
      ...last,
      content: message.content ?? last.content,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    }
    return [...all.slice(0, -1), merged]
  }, [])

interface Envelope {
  readonly id: string
  readonly created_at: number
  readonly model: string
}

interface TextItem {
  readonly type: 'message'
  readonly id: string
  readonly status: 'completed'
  readonly role: 'assistant'
  readonly content: readonly {
    readonly type: 'output_text'
    readonly text: string
    readonly annotations: readonly []
  }[]
}
interface CallItem {
  readonly type: 'function_call'
  readonly id: string
  readonly status: 'completed'
  readonly call_id: string
  readonly name: string
  readonly arguments: string
}
type OutputItem = TextItem | CallItem

/** An answer as one `response` object. */
export const responseBody = (request: ChatRequest, answer: ModelAnswer, envelope: Envelope): string =>
  JSON.stringify(responseOf(outputOf(request, answer), request, envelope))

/** An answer as the server-sent events of a response; the last one is `response.completed`. */
export function responseEvents(request: ChatRequest, answer: ModelAnswer, envelope: Envelope): string {
  const output = outputOf(request, answer)
  const begun = { ...responseOf([], request, envelope), status: 'in_progress', usage: null }
  const events = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...output.flatMap((item, index) => (item.type === 'message' ? textEvents(item, index) : callEvents(item, index))),
    { type: 'response.completed', response: responseOf(output, request, envelope) },
  ]
  return events
    .map((event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}\n\n`)
    .join('')
}

interface Event {
  readonly type: string
  readonly [field: string]: unknown
}

function textEvents(item: TextItem, output_index: number): readonly Event[] {
  const text = item.content.map((part) => part.text).join('')
  const place = { item_id: item.id, output_index, content_index: 0 }
  const part = { type: 'output_text', text: '', annotations: [] }
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...place, part },
    ...textPieces(text).map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...place, text, logprobs: [] },
    { type: 'response.content_part.done', ...place, part: { ...part, text } },
    { type: 'response.output_item.done', output_index, item },
  ]
}

function callEvents(item: CallItem, output_index: number): readonly Event[] {
  const place = { item_id: item.id, output_index }
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', arguments: '' } },
    ...textPieces(item.arguments).map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
    { type: 'response.function_call_arguments.done', ...place, arguments: item.arguments, name: item.name },
    { type: 'response.output_item.done', output_index, item },
  ]
}

function outputOf({ messages }: ChatRequest, { text, calls = [] }: ModelAnswer): readonly OutputItem[] {
  const said = text ?? (calls.length === 0 ? '' : undefined)
  const message: readonly TextItem[] =
    said === undefined
      ? []
      : [
          {
            type: 'message',
            id: `msg_${messages.length}`,
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text: said, annotations: [] }],
          },
        ]
  return [
    ...message,
    ...calls.map(({ id, name, arguments: args }, n): CallItem => ({
      type: 'function_call',
      id: `fc_${messages.length}_${n}`,
      status: 'completed',
      call_id: id ?? `call_${messages.length}_${n}`,
      name,
      arguments: typeof args === 'string' ? args : JSON.stringify(args),
    })),
  ]
}

function responseOf(output: readonly OutputItem[], { messages }: ChatRequest, envelope: Envelope): object {
  const sent = messages.reduce((sum, { content }) => sum + contentText(content).length, 0)
  // An estimate, as there is no tokenizer here.
  const [input_tokens, output_tokens] = [Math.ceil(sent / 4), Math.ceil(JSON.stringify(output).length / 4)]
  return {
    ...envelope,
    object: 'response',
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    output,
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage: {
      input_tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens + output_tokens,
    },
  }
}
