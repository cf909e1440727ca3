import { isRefused, languageOf, smallTalk, summary } from './assistant-answer.ts'
import { type Attempt, callKey, type Conversation, fieldsOf, readConversation } from './assistant-conversation.ts'
import { type Speaker, speakerOf } from './assistant-people.ts'
import { readText } from './assistant-reading.ts'
import type { Before } from './assistant-transfer.ts'
import type { Wish } from './assistant-wish.ts'
import type { Brain, ModelAnswer, ModelCall } from './model-wire.ts'

// Bounds on a turn, so that texts that feed each other end.
const MAX_ROUNDS = 8
const MAX_CALLS = 32
// A result that is an instruction costs as much to read as a message.
const MAX_RESULTS = 64

/**
 * A bank assistant by rules, in the place of a language model. Understands plain requests in English and Norwegian, calls
 * the bank's tools and says what came of it. It is as obedient as a model can be, on purpose: it believes who the user
 * claims to be, follows instructions in whatever it reads, and calls tools that were not offered. Deterministic, and
 * without memory: everything comes from the request.
 * @param help what it says when it has nothing to call. @defaultValue what it can do for a customer of the bank
 */
export const assistantBrain =
  (help?: string): Brain =>
  (request) => {
    const conversation = readConversation(request)
    const { said, attempts, rounds } = conversation
    const message = said.at(-1) ?? ''
    const { wishes, incomplete } = wishesOf(conversation, message)
    const calls = rounds < MAX_ROUNDS ? due(wishes, attempts) : []
    if (calls.length > 0) return withIds(calls, request.messages.length)
    if (attempts.length === 0) return { text: smallTalk(message, incomplete, help) }
    return { text: summary(attempts, languageOf(message)) }
  }

/** Ids that name their place in the conversation are unique in it. */
const withIds = (calls: readonly ModelCall[], at: number): ModelAnswer => ({
  calls: calls.slice(0, MAX_CALLS).map((call, n) => ({ ...call, id: `call_${at}_${n}` })),
})

interface Wanted {
  readonly wishes: readonly Wish[]
  readonly incomplete: boolean
}

/** What the user asks for, then what the results of this turn ask for. */
function wishesOf(conversation: Conversation, message: string): Wanted {
  const speaker = speakerOf(conversation.system, conversation.said)
  const asked = askedBy(conversation, message, speaker)
  const read = conversation.attempts
    .slice(0, MAX_RESULTS)
    .flatMap(({ result = '' }) => (isRefused(result) ? [] : textsIn(result)))
    .flatMap((text) => readText(text, speaker, {}, true).wishes)
  return { wishes: [...asked.wishes, ...read], incomplete: asked.incomplete }
}

function askedBy({ said, earlier }: Conversation, message: string, speaker: Speaker): Wanted {
  const before = beforeOf(earlier)
  const reading = readText(message, speaker, before, false)
  if (reading.wishes.length > 0 || reading.incomplete) return reading
  if (/^\W*\d[\d.,\s]{0,20}\p{L}{0,8}\W*$/u.test(message)) return completed(said, message, speaker)
  const again = AGAIN.test(message) ? earlier.filter(({ result }) => result === undefined || isRefused(result)) : []
  return {
    wishes: again.slice(-1).map(({ name, arguments: args }) => ({ call: { name, arguments: args } })),
    incomplete: false,
  }
}

const AGAIN =
  /^\W*(?:yes|yep|ok|okay|sure|do it|go ahead|continue|try again|again|please do|ja|jo|gjør det|gjer det|fortsett|prøv igjen|prøv på nytt)(?!\p{L})[^]{0,40}$/iu

/** A bare amount answers the question that the message before it led to. */
function completed(said: readonly string[], message: string, speaker: Speaker): Wanted {
  const question = said.at(-2) ?? ''
  return readText(question, speaker, {}, false).incomplete
    ? readText(`${question.replace(/[\s.!?]+$/, '')} ${message}`, speaker, {}, false)
    : { wishes: [], incomplete: false }
}

function beforeOf(earlier: readonly Attempt[]): Before {
  const { name, arguments: args = {} }: Partial<Attempt> = earlier.at(-1) ?? {}
  const said = (field: string): string | undefined => (typeof args[field] === 'string' ? args[field] : undefined)
  return { tool: name, account: said('account_id') ?? said('from_account'), invoice: said('invoice_id') }
}

/** The texts of a result: each string inside JSON by itself, so that an id in one field meets no verb of another. */
function textsIn(result: string): string[] {
  const start = result.indexOf('{')
  const fields =
    fieldsOf(result) ?? (start === -1 ? undefined : fieldsOf(result.slice(start, result.lastIndexOf('}') + 1)))
  return fields === undefined ? [result] : stringsIn(fields, 4)
}

function stringsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth === 0) return []
  return Object.values(value).flatMap((part) => stringsIn(part, depth - 1))
}

/** What was not attempted in this turn yet, each call once; a wish's second call when its first has succeeded. */
function due(wishes: readonly Wish[], attempts: readonly Attempt[]): ModelCall[] {
  const made = new Map(attempts.map((attempt) => [callKey(attempt), attempt]))
  const calls = new Map<string, ModelCall>()
  for (const { call, then } of wishes) {
    const next = nextOf(call, then, made.get(callKey(call)))
    if (next !== undefined && !made.has(callKey(next))) calls.set(callKey(next), next)
  }
  return [...calls.values()]
}

function nextOf(call: ModelCall, then: Wish['then'], made: Attempt | undefined): ModelCall | undefined {
  if (made === undefined) return call
  if (then === undefined || made.result === undefined || isRefused(made.result)) return undefined
  return then(fieldsOf(made.result) ?? {})
}
