import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { CopilotClient, CopilotSession, SessionConfig, Tool } from '@github/copilot-sdk'
import { z } from 'zod'
import { sessionId, type SessionId } from '../../src/core/ids.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import type { ToolDefinition } from '../../src/core/tool.ts'
import type { World } from '../../src/core/world.ts'
import type { BaseDirectory } from './base-directory.io.ts'
import { within } from './bounded.io.ts'
import { isBuiltIn } from './built-in-tools.ts'
import { driveTurn, type DrivenTurn } from './drive-turn.io.ts'
import { createMediator, type Mediator } from './mediator.ts'
import type { GatedSession, Log, ModelChoice, SessionOptions, TurnRecord } from './session.ts'

const CUSTOM = 'custom:'
const SETUP_MS = 30_000
const CLOSE_MS = 5_000
const TURN_MS = 600_000

/** The running runtime that a session is opened in. */
export interface Host {
  readonly client: CopilotClient
  readonly base: BaseDirectory
  readonly world: World
  readonly log: Log
  /** Called once, when the session is closed. */
  readonly closed: (session: GatedSession) => void
}

/**
 * Opens a session in which every call goes through the gate and nothing but the gate's tools is offered.
 * @throws SettingError for a tool that shadows one of the runtime; Error when the runtime refuses or is not locked down.
 */
export async function openSession(host: Host, options: SessionOptions): Promise<GatedSession> {
  const { client, base } = host
  const { mediator, config } = prepareSession(host, options)
  base.assertClean()
  const session = await within(SETUP_MS, 'opening the session', client.createSession(config))
  try {
    await within(SETUP_MS, 'locking the session down', lockDown(session, config.availableTools))
  } catch (cause) {
    await deleted(host, session.sessionId)
    throw cause
  }
  return gatedSession(host, options, session, mediator, config.availableTools)
}

/** What the SDK needs for a session, and what every call of it will go through. */
export interface PreparedSession {
  readonly mediator: Mediator
  readonly config: SessionConfig & { readonly sessionId: SessionId; readonly availableTools: string[] }
}

/** Everything that the runtime could do on its own is off; what is left is the gate's tools, behind the mediator. */
export function prepareSession({ world, log }: Host, options: SessionOptions): PreparedSession {
  const { gate, login, approver, decisionTimeoutMs } = options
  const tools = gate.tools(login)
  const shadow = tools.find(({ name }) => isBuiltIn(name))
  if (shadow !== undefined && options.replacesBuiltIns !== true) {
    throw new SettingError(`tool ${shadow.name}`, 'the runtime has a tool of its own by that name', 'Rename the tool')
  }
  const session = sessionId(world.newId())
  const known = new Set(tools.map(({ name }) => name).filter((name) => !isBuiltIn(name)))
  const mediator = createMediator({
    gate,
    login,
    session,
    world,
    known,
    log,
    events: options,
    cwd: options.cwd,
    approver,
    decisionTimeoutMs,
  })
  const config = {
    sessionId: session,
    ...modelOf(options.model),
    streaming: true,
    includeSubAgentStreamingEvents: false,
    tools: tools.map((tool) => sdkTool(tool, mediator)),
    availableTools: [...tools.map(({ name }) => `${CUSTOM}${name}`), ...hostTools(options)],
    systemMessage: { mode: 'replace', content: options.system },
    toolSearch: { enabled: false },
    largeOutput: { enabled: false },
    infiniteSessions: { enabled: false },
    hooks: {
      onPreToolUse: mediator.onPreToolUse,
      // The runtime would put the date before the user's words.
      onUserPromptTransformed: ({ prompt }: { prompt: string }) => ({ modifiedTransformedPrompt: prompt }),
    },
    onPermissionRequest: mediator.onPermissionRequest,
  } satisfies SessionConfig
  return { mediator, config }
}

const hostTools = ({ hostTools: names = [] }: SessionOptions): readonly string[] =>
  names.map((name) => `builtin:${name}`)

/**
 * Far above any model's window. The runtime does not know the window of a model that it is pointed at; over what it takes
 * for the limit it drops calls that have run from the conversation without a word, and the model calls again. So it is
 * the model that says when a conversation is too long, and that ends the turn with a sentence.
 */
const NO_TRUNCATION = { limits: { max_prompt_tokens: 10_000_000, max_context_window_tokens: 10_000_000 } }

function modelOf(model: ModelChoice): Pick<SessionConfig, 'model' | 'provider' | 'modelCapabilities'> {
  if (model.kind === 'copilot') return model.name === undefined ? {} : { model: model.name }
  const { baseUrl, apiKey, name, wireApi = 'completions' } = model
  const provider = { type: 'openai', baseUrl, wireApi, ...(apiKey === undefined ? {} : { apiKey }) } as const
  return { model: name, provider, modelCapabilities: NO_TRUNCATION }
}

// Never `skipPermission`, which turns the permission handler off.
const sdkTool = ({ name, description, parameters }: ToolDefinition, mediator: Mediator): Tool => ({
  name,
  ...(isBuiltIn(name) ? { overridesBuiltInTool: true } : {}),
  description,
  parameters: schemaOf(parameters),
  handler: (_args, invocation) => mediator.runTool(name, invocation),
})

function schemaOf(parameters: z.ZodObject): Record<string, unknown> {
  return { ...z.toJSONSchema(parameters, { io: 'input', unrepresentable: 'any' }), $schema: undefined }
}

/** At create, the list of tools does not narrow custom tools; this does. Then no approval may be left from anywhere. */
async function lockDown({ rpc }: CopilotSession, available: string[]): Promise<void> {
  await rpc.options.update({ availableTools: available })
  await rpc.permissions.resetSessionApprovals({})
  const { mode } = await rpc.permissions.getMode()
  if (mode !== 'manual') throw new Error(`the runtime is in permission mode ${mode}, not manual`)
}

/**
 * The session of the SDK as one that takes a message and gives a record.
 * @param available the tools that each turn narrows. @defaultValue none: the session shows what it was made with
 */
export function gatedSession(
  host: Host,
  options: SessionOptions,
  session: CopilotSession,
  mediator: Mediator,
  available: readonly string[] = [],
): GatedSession {
  const { client, log } = host
  const closing = new AbortController()
  const { model, turnTimeoutMs = TURN_MS } = options
  const onText = quiet(options.onText, log)
  const show = shownTools(session, available)
  let usable = true
  let last: Promise<unknown> = Promise.resolve()
  let closed: Promise<void> | undefined
  const turn = async (message: string, signal: AbortSignal): Promise<TurnRecord> => {
    const refusal = refusedTurn(message, signal, closing.signal, usable)
    if (refusal !== undefined) return refusal
    const driven = await survived(message, () =>
      driveTurn({ client, session, mediator, show, model, onText, turnTimeoutMs, log }, message, signal),
    )
    usable = driven.usable
    return driven.record
  }
  const gated: GatedSession = {
    id: sessionId(session.sessionId),
    send: (message, signal) => {
      // A signal of this turn's own, so that no listener outlives the turn.
      const any = AbortSignal.any(signal === undefined ? [closing.signal] : [signal, closing.signal])
      const sent = last.then(() => turn(message, any))
      last = sent
      return sent
    },
    close: () => (closed ??= close()),
  }
  const close = async (): Promise<void> => {
    closing.abort()
    await last
    mediator.close()
    await deleted(host, session.sessionId)
    host.closed(gated)
  }
  return gated
}

/** Tells the runtime which tools of the gate the model may see; only when they are others than before. */
function shownTools(
  { rpc }: CopilotSession,
  available: readonly string[],
): (tools: ReadonlySet<string>) => Promise<void> {
  let shown = available.join()
  return async (tools) => {
    const names = available.filter((name) => !name.startsWith(CUSTOM) || tools.has(name.slice(CUSTOM.length)))
    if (names.join() === shown) return
    // An empty list would show all of them.
    const availableTools = names.length === 0 ? [`${CUSTOM}none`] : names
    await within(SETUP_MS, 'showing the tools of the turn', rpc.options.update({ availableTools }))
    shown = names.join()
  }
}

function refusedTurn(user: string, signal: AbortSignal, closing: AbortSignal, usable: boolean): TurnRecord | undefined {
  const nothing = { user, calls: [], assistant: '' }
  if (closing.aborted) return { ...nothing, ended: 'failed', error: 'The session is closed.' }
  if (!usable) return { ...nothing, ended: 'failed', error: 'The session broke in an earlier turn; open a new one.' }
  // The runtime would never answer.
  if (!user.isWellFormed()) return { ...nothing, ended: 'failed', error: 'The message is not valid Unicode.' }
  return signal.aborted ? { ...nothing, ended: 'aborted' } : undefined
}

/** A turn that breaks in a way that nobody thought of is a failed turn, and the session's last one. */
async function survived(user: string, drive: () => Promise<DrivenTurn>): Promise<DrivenTurn> {
  try {
    return await drive()
  } catch (cause) {
    const error = `The turn broke: ${cause instanceof Error ? cause.message : String(cause)}`
    return { record: { user, calls: [], assistant: '', ended: 'failed', error }, usable: false }
  }
}

const quiet =
  (onText: SessionOptions['onText'], log: Log): ((text: string) => void) =>
  (text) => {
    try {
      onText?.(text)
    } catch (cause) {
      log('A listener of the session failed.', cause)
    }
  }

/** What the user and the tools said is in the runtime's files in clear: gone with the session, dead runtime or not. */
async function deleted({ client, base, log }: Host, id: string): Promise<void> {
  try {
    await within(CLOSE_MS, 'deleting the session', client.deleteSession(id))
  } catch (cause) {
    log('The runtime did not delete a session; its files are removed.', cause)
  }
  rmSync(join(base.home, 'session-state', id), { recursive: true, force: true })
}
