import { z } from 'zod'

// Loose on purpose: each client sends settings of its own beside the conversation.
const ToolCallPart = z.looseObject({
  id: z.string().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
})
const Message = z.looseObject({
  role: z.string(),
  /** Text, a list of parts, or null beside tool calls. Read it with `contentText`. */
  content: z.unknown(),
  tool_calls: z.array(ToolCallPart).nullish(),
  tool_call_id: z.string().nullish(),
})

/** The body of a chat completion request (OpenAI API, Create chat completion), as far as a stand-in reads it. */
export const ChatRequest = z.looseObject({
  model: z.string().optional(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  messages: z.array(Message).min(1),
})
export type ChatRequest = z.infer<typeof ChatRequest>
export type ChatMessage = z.infer<typeof Message>

/** One tool call of an answer. */
export interface ModelCall {
  /** Sent as it is, duplicates included. @defaultValue unique in the conversation */
  readonly id?: string | undefined
  readonly name: string
  /** Text is sent as it is, malformed JSON included; an object as its JSON. */
  readonly arguments: string | object
}

export interface ModelAnswer {
  readonly text?: string | undefined
  readonly calls?: readonly ModelCall[] | undefined
}

/** What answers in the place of a model. Sees nothing but the request, so it has no memory of its own. */
export type Brain = (conversation: ChatRequest) => ModelAnswer | Promise<ModelAnswer>

/** The text of a message's content: a string, or the text parts of a list joined by line breaks; else empty. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: unknown) => partText(part)).join('\n')
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part
  if (typeof part !== 'object' || part === null || !('text' in part)) return ''
  return typeof part.text === 'string' ? part.text : ''
}

interface WireCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}
interface Envelope {
  readonly id: string
  readonly created: number
  readonly model: string
}

const ARGUMENT_CHUNK = 32_768
const FINGERPRINT = 'intent-gate-standin'

/** An answer as one `chat.completion` object. */
export function completion(request: ChatRequest, answer: ModelAnswer, envelope: Envelope): string {
  const calls = wireCalls(request, answer)
  const message = {
    role: 'assistant',
    content: answer.text ?? (calls.length === 0 ? '' : null),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return JSON.stringify({
    ...envelope,
    object: 'chat.completion',
    system_fingerprint: FINGERPRINT,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(calls) }],
    usage: usage(request, answer, calls),
  })
}

/** An answer as the server-sent events of `chat.completion.chunk` objects, `[DONE]` included. */
export function completionEvents(request: ChatRequest, answer: ModelAnswer, envelope: Envelope): string {
  const calls = wireCalls(request, answer)
  const base = { ...envelope, object: 'chat.completion.chunk', system_fingerprint: FINGERPRINT }
  const event = (rest: object): string => `data: ${JSON.stringify({ ...base, ...rest })}\n\n`
  const delta = (change: object, finish: string | null = null): string =>
    event({ choices: [{ index: 0, delta: change, logprobs: null, finish_reason: finish }] })
  const wantsUsage = request.stream_options?.include_usage === true
  return [
    delta({ role: 'assistant', content: calls.length === 0 ? '' : null }),
    ...textPieces(answer.text ?? '').map((content) => delta({ content })),
    ...calls.flatMap(callDeltas).map((change) => delta({ tool_calls: [change] })),
    delta({}, finishOf(calls)),
    wantsUsage ? event({ choices: [], usage: usage(request, answer, calls) }) : '',
    'data: [DONE]\n\n',
  ].join('')
}

const finishOf = (calls: readonly WireCall[]): string => (calls.length === 0 ? 'stop' : 'tool_calls')

function wireCalls({ messages }: ChatRequest, { calls = [] }: ModelAnswer): WireCall[] {
  return calls.map(({ id, name, arguments: args }, n) => ({
    id: id ?? `call_${messages.length}_${n}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }))
}

function callDeltas(call: WireCall, index: number): object[] {
  const { name, arguments: args } = call.function
  return [
    { index, id: call.id, type: 'function', function: { name, arguments: '' } },
    ...pieces(args, ARGUMENT_CHUNK).map((piece) => ({ index, function: { arguments: piece } })),
  ]
}

/** About a dozen pieces, so that a short answer streams too. */
export const textPieces = (text: string): string[] => pieces(text, Math.max(4, Math.ceil(text.length / 12)))

/** Cuts text into pieces of about `size` UTF-16 units, never inside a surrogate pair. */
function pieces(text: string, size: number): string[] {
  const cut: string[] = []
  for (let from = 0; from < text.length;) {
    const end = Math.min(from + size, text.length)
    const inPair = isHigh(text.charCodeAt(end - 1)) && end < text.length
    cut.push(text.slice(from, inPair ? end + 1 : end))
    from = inPair ? end + 1 : end
  }
  return cut
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** Four characters count as one token: an estimate, as there is no tokenizer here. */
function usage({ messages }: ChatRequest, { text = '' }: ModelAnswer, calls: readonly WireCall[]): object {
  const sent = messages.reduce((sum, { content }) => sum + contentText(content).length, 0)
  const answered = calls.reduce((sum, call) => sum + call.function.arguments.length, text.length)
  const [prompt_tokens, completion_tokens] = [Math.ceil(sent / 4), Math.ceil(answered / 4)]
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
