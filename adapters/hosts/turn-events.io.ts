import type { SessionEvent } from '@github/copilot-sdk'
import type { Turn } from './turn.ts'

/** What the runtime tells about the turn under way. */
export interface TurnEvents {
  /** Resolves once, when the runtime has ended the turn. */
  readonly idle: Promise<void>
  /** Resolves when the model cannot be reached, long before the runtime gives up on its own (after 23 seconds). */
  readonly unreachable: Promise<void>
  readonly take: (event: SessionEvent) => void
  /** The last message of the model, or what there is of it. */
  text(): string
  /** The runtime's reason why the turn failed, as one sentence. */
  error(): string | undefined
}

/** Failed connections in a row after which the model counts as unreachable (about 3 seconds). */
const MAX_FAILED_CONNECTIONS = 3

/** Follows one turn through the runtime's events; `onText` hears each piece of the model's text. */
export function listenToTurn(turn: Turn, onText: (text: string) => void): TurnEvents {
  const [idle, markIdle] = once()
  const [unreachable, markUnreachable] = once()
  let text = ''
  let error: string | undefined
  let failures = 0
  const hear = (event: SessionEvent): void => {
    if (event.type === 'assistant.message_start') text = ''
    else if (event.type === 'assistant.message') text = event.data.content
    else if (event.type === 'assistant.message_delta') {
      text += event.data.deltaContent
      onText(event.data.deltaContent)
    }
  }
  const watch = (event: SessionEvent): void => {
    if (event.type === 'session.idle') markIdle()
    else if (event.type === 'session.error') error = sentenceOf(event.data)
    else if (event.type === 'assistant.message') failures = 0
    else if (event.type === 'model.call_failure') {
      failures = event.data.failureKind === 'transport' ? failures + 1 : 0
      if (failures >= MAX_FAILED_CONNECTIONS) markUnreachable()
    }
  }
  return {
    idle,
    unreachable,
    take: (event) => {
      sightCall(turn, event)
      // What a sub-agent says is not the turn; its calls are.
      if (event.agentId !== undefined) return
      hear(event)
      watch(event)
    },
    text: () => text,
    error: () => error,
  }
}

function once(): [Promise<void>, () => void] {
  let mark = (): void => undefined
  const marked = new Promise<void>((resolve) => {
    mark = resolve
  })
  return [marked, mark]
}

/** A call shows itself first as streamed text, then as a start, then as an end; for some calls only two of them come. */
function sightCall(turn: Turn, event: SessionEvent): void {
  if (event.type === 'assistant.tool_call_delta') {
    turn.streamed(event.data.toolCallId, event.data.toolName ?? '', event.data.inputDelta)
  } else if (event.type === 'tool.execution_start') {
    turn.named(event.data.toolCallId, event.data.toolName, event.data.arguments)
  } else if (event.type === 'tool.execution_complete') {
    turn.named(event.data.toolCallId, '')
  }
}

const SENTENCES: Readonly<Record<string, string>> = {
  authentication: 'The model refused the credentials; check its API key.',
  authorization: 'The model refused the credentials; check its API key.',
  quota: 'The quota of the model is used up; try again later.',
  rate_limit: 'The model is limiting requests; try again later.',
  context_limit: 'The conversation is too long for the model; start a new one.',
}

function sentenceOf({ errorType, message }: { readonly errorType: string; readonly message: string }): string {
  const said = message.replaceAll(/\s+/g, ' ').trim()
  return Object.hasOwn(SENTENCES, errorType) ? (SENTENCES[errorType] ?? said) : `The model failed: ${said}`
}
