import type { ToolInvocation } from '@github/copilot-sdk'
import type { ToolCall } from '../../src/core/call.ts'
import { deny } from '../../src/core/decision.ts'
import { toolCallId, type SessionId } from '../../src/core/ids.ts'
import type { Login } from '../../src/core/login.ts'
import type { ReasonCode } from '../../src/core/reasons.ts'
import type { World } from '../../src/core/world.ts'
import type { Gate, Judgement } from '../../src/gate/gate.ts'
import { answerOf, feedbackOf, reject, toolAnswerOf, type PermissionAnswer, type ToolAnswer } from './answers.ts'
import { kindOfTool } from './built-in-tools.ts'
import type { Approver, Log, SessionOptions } from './session.ts'
import { translate } from './translate.ts'
import { createTurn, type Turn } from './turn.ts'

/** Characters of JSON that the arguments of one call may have, whatever the gate thinks of them. */
const MAX_ARGUMENT_CHARACTERS = 64 * 1024
const DECISION_MS = 30_000
const PERSON_MS = 330_000
/** How long the record of a turn waits for a run that is still under way. */
const RUN_GRACE_MS = 5_000

/** What stands on either side of a mediator: one session of one login, and the gate. */
export interface MediatorOptions {
  readonly gate: Gate
  readonly login: Login
  readonly session: SessionId
  readonly world: World
  /** Names of the session's custom tools. */
  readonly known: ReadonlySet<string>
  readonly log: Log
  /** Replaces the folder that a request names. */
  readonly cwd?: string | undefined
  readonly events: Pick<SessionOptions, 'onCall' | 'onDecision'>
  readonly approver?: Approver | undefined
  /** @defaultValue 30000, and 360000 with an approver */
  readonly decisionTimeoutMs?: number | undefined
}

/** The only two answers of the pre-tool hook: `allow` and nothing would both switch the permission handler off. */
interface HookAnswer {
  readonly permissionDecision: 'ask' | 'deny'
  readonly permissionDecisionReason: string
}

interface From {
  readonly sessionId: string
}
type Invocation = Pick<ToolInvocation, 'sessionId' | 'toolCallId' | 'arguments'>

/** What stands between the runtime and the gate: every way in for a call, each of which fails closed. */
export interface Mediator {
  /** The pre-tool hook: `ask` for a call of the turn under way, `deny` for the rest; never `allow`, never nothing. */
  readonly onPreToolUse: (input: From, invocation: From) => HookAnswer
  /** The permission handler: asks the gate. Never rejects, and never answers anything but once or no. */
  readonly onPermissionRequest: (request: unknown, invocation: From) => Promise<PermissionAnswer>
  /** The handler of one custom tool: runs it on its permit. Never rejects. */
  readonly runTool: (tool: string, invocation: Invocation) => Promise<ToolAnswer>
  /** Opens the next turn with the user's own message, which bounds what its calls may do. */
  readonly beginTurn: (message: string) => Turn
  /** Takes every permit of the turn away, at once. May be called twice. */
  readonly endTurn: (turn: Turn) => void
  /** The session is closed; nothing of it is remembered. */
  readonly close: () => void
  /** Puts the calls on record that the runtime never asked about, and waits a little for runs under way. */
  readonly complete: (turn: Turn) => Promise<void>
}

/** The mediator of one session; no turn is open at first, so everything is denied. */
export function createMediator(options: MediatorOptions): Mediator {
  const { gate, session, log } = options
  let turns = 0
  let current: Turn | undefined
  return {
    onPreToolUse: (input, invocation) => {
      try {
        return hookAnswer(session, current, input, invocation)
      } catch (cause) {
        log('The pre-tool hook failed; the call is denied.', cause)
        return hookDeny('gate.internal_error')
      }
    },
    onPermissionRequest: async (request, invocation) => {
      try {
        return await decide(options, current, turns, request, invocation.sessionId)
      } catch (cause) {
        log('The permission handler failed; the call is denied.', cause)
        return reject('gate.internal_error')
      }
    },
    runTool: async (tool, invocation) => {
      try {
        return await run(options, current, turns, tool, invocation)
      } catch (cause) {
        log('The tool handler failed.', cause)
        return { textResultForLlm: feedbackOf('gate.internal_error'), resultType: 'denied' }
      }
    },
    beginTurn: (message) => {
      turns += 1
      const { visible } = gate.beginTurn(session, turns, { login: options.login, text: message })
      current = createTurn(turns, new Set(visible))
      return current
    },
    endTurn: (turn) => {
      if (current === turn) current = undefined
      turn.end()
      gate.endTurn(session, turn.number)
    },
    close: () => {
      gate.forget(session)
    },
    complete: (turn) => complete(options, turn),
  }
}

function hookAnswer(session: SessionId, turn: Turn | undefined, input: From, invocation: From): HookAnswer {
  // A sub-agent's call comes with the sub-agent's id in the input and the session's own in the invocation.
  if (input.sessionId !== session || invocation.sessionId !== session) return hookDeny('firewall.kind_not_allowed')
  if (turn === undefined) return hookDeny('gate.turn_over')
  return { permissionDecision: 'ask', permissionDecisionReason: 'the authorization gate did not permit the call' }
}

const hookDeny = (code: ReasonCode): HookAnswer => ({
  permissionDecision: 'deny',
  permissionDecisionReason: feedbackOf(code),
})

async function decide(
  options: MediatorOptions,
  turn: Turn | undefined,
  turns: number,
  given: unknown,
  from: string,
): Promise<PermissionAnswer> {
  // The runtime's object is shared with every other listener: judge a copy that nobody can change.
  const request = frozenCopy(given)
  const { call, fault } = arrived(options, turn?.number ?? turns, request, from)
  announce(options, call)
  const judgement = await judged(options, turn, call, fault)
  const attempted = turn?.decided(call, judgement)
  // First the answer: a listener gets a copy, and nothing that it does to it counts.
  const answer = answerFor(judgement, call, turn)
  if (attempted !== undefined) told(options, () => options.events.onDecision?.(structuredClone(attempted)))
  return answer
}

/** A tool that the turn hides answers like one that is not there; what was wrong is in the record. */
function answerFor(judgement: Judgement, { kind, tool }: ToolCall, turn: Turn | undefined): PermissionAnswer {
  const answer = answerOf(judgement)
  const hidden = kind === 'custom-tool' && turn !== undefined && !turn.visible.has(tool)
  return hidden && answer.kind === 'reject' ? reject('agent.action_unknown') : answer
}

interface Arrival {
  readonly call: ToolCall
  /** Why the host itself will not let it through. */
  readonly fault?: ReasonCode
}

/** The call that a request is about. One that cannot be told is handed over as of unknown kind, to be put on record. */
function arrived(
  { login, session, known, cwd }: MediatorOptions,
  turn: number,
  request: unknown,
  from: string,
): Arrival {
  const translated = translate(request, known)
  if (!translated.ok || translated.value.id === undefined || from !== session) {
    const id = toolCallId(translated.ok ? (translated.value.id ?? '') : '')
    return { call: { id, session, turn, login, kind: 'unknown', tool: '', args: request }, fault: 'request.invalid' }
  }
  const { id, ...asked } = translated.value
  const call = { ...asked, ...(cwd === undefined ? {} : { cwd }), id: toolCallId(id), session, turn, login }
  return isTooLarge(asked.args) ? { call, fault: 'firewall.arguments_too_large' } : { call }
}

const isTooLarge = (args: unknown): boolean =>
  ((JSON.stringify(args) as string | undefined) ?? '').length > MAX_ARGUMENT_CHARACTERS

/** The gate's judgement, unless the host knows better: too late, not of this turn, or a fault. It can only narrow. */
async function judged(
  options: MediatorOptions,
  turn: Turn | undefined,
  call: ToolCall,
  fault: ReasonCode | undefined,
): Promise<Judgement> {
  const { world, log } = options
  const startedMs = world.monotonicMs()
  const local = (reason: ReasonCode): Judgement => {
    const decision = deny(reason)
    const opinions = [{ room: 'gate', decision }] as const
    return { id: world.newId(), decision, opinions, ms: world.monotonicMs() - startedMs }
  }
  try {
    const outcome = await decided(options, turn, call, fault === undefined)
    if (typeof outcome === 'string') return local(outcome)
    // Also a judgement that is not well-formed throws here, and is a deny.
    if (outcome.decision.kind !== 'permit') return outcome
    if (fault !== undefined) return local(fault)
    if (turn === undefined || turn.isOver()) return local('gate.turn_over')
    return outcome.decision.obligations.size === 0 ? outcome : local('gate.obligation_unmet')
  } catch (cause) {
    log('The gate failed; the call is denied.', cause)
    return local('gate.internal_error')
  }
}

async function decided(
  { gate, world, approver, decisionTimeoutMs }: MediatorOptions,
  turn: Turn | undefined,
  call: ToolCall,
  mayRun: boolean,
): Promise<Judgement | ReasonCode> {
  const deadline = world.deadline(decisionTimeoutMs ?? (approver === undefined ? DECISION_MS : DECISION_MS + PERSON_MS))
  const ends: Promise<ReasonCode>[] = [whenAborted(deadline.signal, 'gate.timeout')]
  if (turn !== undefined) ends.push(turn.over.then(() => 'gate.turn_over'))
  try {
    return await Promise.race([mayRun ? gate.authorize(call, approver) : gate.judge(call), ...ends])
  } finally {
    deadline.clear()
  }
}

const whenAborted = <T>(signal: AbortSignal, value: T): Promise<T> =>
  new Promise((resolve) => {
    const answer = (): void => {
      resolve(value)
    }
    if (signal.aborted) answer()
    else signal.addEventListener('abort', answer, { once: true })
  })

async function run(
  { gate, login, session }: MediatorOptions,
  turn: Turn | undefined,
  turns: number,
  tool: string,
  invocation: Invocation,
): Promise<ToolAnswer> {
  if (invocation.sessionId !== session) throw new TypeError('a run of another session')
  const id = toolCallId(invocation.toolCallId)
  const args = frozenCopy(invocation.arguments)
  // Outside a turn, too: the gate has no permit then, and puts the attempt on record.
  const result = gate.run({ id, session, turn: turn?.number ?? turns, login, kind: 'custom-tool', tool, args })
  turn?.ran(id, tool, result)
  return toolAnswerOf(await result)
}

async function complete(options: MediatorOptions, turn: Turn): Promise<void> {
  const { login, session, known, world } = options
  for (const { id, tool, text } of turn.undecided()) {
    // Text is never the arguments of a tool, so the gate denies it, whatever the call was.
    const kind = kindOfTool(tool, known)
    const call = { id: toolCallId(id), session, turn: turn.number, login, kind, tool, args: text }
    announce(options, call)
    const judgement = await judged(options, undefined, call, 'request.invalid')
    const attempted = turn.decided(call, judgement)
    told(options, () => options.events.onDecision?.(structuredClone(attempted)))
  }
  const grace = world.deadline(RUN_GRACE_MS)
  await Promise.race([turn.settled(), whenAborted(grace.signal, undefined)])
  grace.clear()
}

function announce(options: MediatorOptions, { id, kind, tool, args }: ToolCall): void {
  told(options, () => options.events.onCall?.({ toolCallId: id, kind, tool, args }))
}

/** Whoever listens must not be able to change a decision, or to stop it. */
function told({ log }: MediatorOptions, tell: () => unknown): void {
  const failed = (cause: unknown): void => {
    log('A listener of the session failed.', cause)
  }
  try {
    const told = tell()
    if (told instanceof Promise) told.catch(failed)
  } catch (cause) {
    failed(cause)
  }
}

function frozenCopy(value: unknown): unknown {
  const copy: unknown = structuredClone(value)
  freeze(copy)
  return copy
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  Object.freeze(value)
  Object.values(value).forEach(freeze)
}
