import { translate, type HostRequest } from '../../adapters/hosts/translate.ts'
import type { Approver } from '../approval/approver.ts'
import type { CertificateMode } from '../certificates/modes.ts'
import type { Composition } from '../compose/compose.io.ts'
import { readSettings, type Settings } from '../config.io.ts'
import { sessionId, toolCallId, type SessionId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import { SettingError } from '../core/setting-error.ts'
import type { ToolDefinition } from '../core/tool.ts'
import { pass, refuse, type Verdict } from '../core/verdict.ts'
import type { ReasonCode } from '../core/reasons.ts'
import { refusedRecord } from '../gate/records.ts'
import { readApprover } from './approve.io.ts'
import {
  answer,
  readLine,
  refusedAnswer,
  UNREADABLE,
  type DecideAnswer,
  type DecideLine,
  type Readable,
} from './decide.ts'
import {
  advance,
  claimCallId,
  newSession,
  openSessions,
  TOO_MANY_SESSIONS,
  type DecideSession,
} from './decide-session.ts'
import { checkStdin, sharedWrites, stdin } from './decide-streams.io.ts'
import { Interrupted } from './failure.io.ts'
import { interruptible } from './interrupt.io.ts'
import { linesOf, wholeOf } from './lines.io.ts'
import { policyPin } from './policy-pin.ts'

/** The flags of `decide`; with `policy` a firewall policy decides, and `certificates` and `pdp` mean nothing. */
export interface DecideOptions {
  readonly jsonl?: boolean
  readonly bank: string
  readonly pdp?: string
  readonly certificates: CertificateMode
  readonly policy?: string
  readonly policySha256?: string
  readonly approver?: string
  readonly audit?: string
}

/** Lines that may be under way at once. */
const IN_FLIGHT = 64
/** Callers whose login is kept; beyond it the oldest signs in again. */
const LOGINS = 1_000
/** A login that ends sooner than this is not used for another line, in milliseconds. */
const LOGIN_REST_MS = 60_000

/** `intent-gate decide`: JSON in on stdin, JSON out on stdout, in the order of the input. */
export async function decideCommand(options: DecideOptions): Promise<void> {
  const pin = policyPin(options.policySha256)
  const settings = readSettings({ PDP_KIND: options.pdp })
  if (settings.OIDC_ISSUER !== undefined) {
    throw new SettingError(
      'OIDC_ISSUER',
      'is set, and decide signs callers in by itself',
      'Unset OIDC_ISSUER for decide',
    )
  }
  checkStdin()
  const script = options.approver === undefined ? undefined : readApprover(options.approver)
  const composition = await openGraph({ ...options, policySha256: pin }, settings)
  const interrupt = interruptible()
  try {
    const decider = createDecider(composition, script, options.policy !== undefined)
    const input = stdin(interrupt)
    const answered =
      options.jsonl === true ? answerLines(linesOf(input), decider, interrupt) : answerOne(input, decider, interrupt)
    await Promise.race([answered, whenAborted(interrupt)])
  } finally {
    process.stdin.destroy()
    await composition.close()
  }
  if (interrupt.aborted) throw new Interrupted()
}

type Pinned = Omit<DecideOptions, 'policySha256'> & { readonly policySha256: string | undefined }

/** What decides, and whom it signs in. */
type Graph = Pick<Composition, 'gate' | 'world' | 'tenant' | 'signIn' | 'audit' | 'close'>

/** Loads only the graph that decides: reading the other one takes as long as everything else of the start. */
async function openGraph(options: Pinned, settings: Settings): Promise<Graph> {
  const { bank, certificates, policy, policySha256 } = options
  const audit = auditOf(options)
  if (policy === undefined) {
    const { compose } = await import('../compose/compose.io.ts')
    return compose({ settings, banks: [bank], audit, certificates })
  }
  const { composeWorkspace } = await import('../compose/workspace.io.ts')
  const { GATE_DEADLINE_MS: deadlineMs } = settings
  return composeWorkspace({ policyFile: policy, pin: policySha256, audit, tools: 'none', deadlineMs })
}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve()
    })
  })

async function answerOne(input: AsyncIterable<Buffer>, decider: Decider, interrupt: AbortSignal): Promise<void> {
  await sharedWrites(interrupt)(await decider.decide(await wholeOf(input)))
}

const auditOf = ({ audit }: Pick<DecideOptions, 'audit'>): { readonly file: string } | 'unrecorded' =>
  audit === undefined ? 'unrecorded' : { file: audit }

/** Answers as soon as each line is decided; several are under way at once, the order stays. */
async function answerLines(
  lines: AsyncIterable<string | undefined>,
  decider: Decider,
  interrupt: AbortSignal,
): Promise<void> {
  const write = sharedWrites(interrupt)
  const underWay: Promise<void>[] = []
  let inOrder = Promise.resolve()
  let written = Promise.resolve()
  for await (const line of lines) {
    const decided = decider.decide(line)
    inOrder = inOrder.then(async () => {
      written = write(await decided)
    })
    underWay.push(inOrder.then(() => written))
    if (underWay.length >= IN_FLIGHT) await underWay.shift()
  }
  await inOrder
  await written
}

/** The person of a file, once it is known how the tools spell their arguments. */
type Script = ReturnType<typeof readApprover>

type Tools = ReadonlyMap<string, ToolDefinition>

const spellingOf =
  (tools: Tools): Parameters<Script>[0] =>
  (tool, args) =>
    tools.get(tool)?.parameters.safeParse(args).data

interface Decider {
  decide(text: string | undefined): Promise<DecideAnswer>
}

function createDecider(composition: Graph, script: Script | undefined, isWorkspace: boolean): Decider {
  const sessionOf = openSessions()
  const inOrder = oneAfterTheOther<DecideAnswer>()
  const signIn = rememberedLogins(composition, isWorkspace)
  const refused = recordedRefusals(composition)
  const personOf = (tools: Tools): Approver | undefined => script?.(spellingOf(tools))
  let count = 0
  const decideOne = async (line: DecideLine, key: string | undefined): Promise<DecideAnswer> => {
    count += 1
    const number = count
    // First, so that nobody can fill the memory under names that do not sign in.
    const login = await signIn(line.caller)
    if (!login.ok) return refused(line, login.reason)
    const state = key === undefined ? newSession() : sessionOf(key)
    if (state === undefined) return refused(line, 'request.invalid', TOO_MANY_SESSIONS)
    const unfit = advance(state, line)
    if (unfit !== undefined) return refused(line, unfit.code, unfit.hint)
    const session = sessionId(key === undefined ? `decide-${number}` : (line.session ?? ''))
    certify(composition, login.value, session, state, line)
    const tools = new Map(composition.gate.tools(login.value).map((each) => [each.name, each]))
    const request = requestOf(line, state, new Set(tools.keys()))
    if (!request.ok) return refused(line, request.reason, request.hint)
    const { id = `decide-${number}`, ...asked } = request.value
    const call = { ...asked, id: toolCallId(id), session, turn: state.turn, login: login.value }
    const judgement = await composition.gate.judge(call, personOf(tools))
    if (key === undefined) end(composition, session, state.turn)
    return answer(line.id, judgement)
  }
  const decideSafely = (line: DecideLine, key?: string): Promise<DecideAnswer> =>
    decideOne(line, key).catch(() => refused(line, 'gate.internal_error'))
  return {
    decide(text) {
      if (text === undefined) return refused(UNREADABLE, 'request.invalid')
      const { read, line } = readLine(text)
      if (!line.ok) return refused(read, line.reason, line.hint)
      const { session, caller } = line.value
      if (session === undefined) return decideSafely(line.value)
      const key = JSON.stringify([caller.type, caller.id, session])
      // In the input's order, whoever calls: what tools returned into a session is heard by all who use its name.
      return inOrder(session, () => decideSafely(line.value, key))
    },
  }
}

/** The call of a line; its id, where it has one, belongs to no other call of the turn. */
function requestOf(line: DecideLine, state: DecideSession, names: ReadonlySet<string>): Verdict<HostRequest> {
  const request = translate(line.request, names)
  if (!request.ok) return request
  const claimed = claimCallId(state, request.value)
  return 'code' in claimed ? refuse(claimed.code, 'the call id', claimed.hint) : pass(claimed)
}

/** A line that stands alone leaves nothing behind. */
function end({ gate }: Graph, session: SessionId, turn: number): void {
  gate.endTurn(session, turn)
  gate.forget(session)
}

/** What the line says about its turn: the message makes the certificate, once a turn; what tools returned only narrows. */
function certify(
  { gate }: Graph,
  login: Login,
  session: SessionId,
  state: DecideSession,
  { message, untrusted = [] }: DecideLine,
): void {
  if (message !== undefined && !state.certified) {
    state.certified = true
    gate.beginTurn(session, state.turn, { login, text: message })
  }
  for (const { tool, text } of untrusted) gate.heard(login, session, tool, text)
}

/** Starts work only when the one before it under the same key has ended; keeps nothing of what has ended. No work may reject. */
function oneAfterTheOther<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const lastOf = new Map<string, Promise<T>>()
  return (key, work) => {
    const done = (lastOf.get(key) ?? Promise.resolve()).then(work)
    lastOf.set(key, done)
    void done.then(() => {
      if (lastOf.get(key) === done) lastOf.delete(key)
    })
    return done
  }
}

type Refused = (read: Readable, code: ReasonCode, hint?: string) => Promise<DecideAnswer>

/** Answers a line that never reached the gate, once it is on record like every other. */
function recordedRefusals({ audit, world, tenant }: Graph): Refused {
  return async (read, code, hint) => {
    const { id, caller = { type: '', id: '' }, session = '', turn = 1, request } = read
    const given = request?.['toolCallId']
    const call = { tenant, caller, session, turn, toolCallId: typeof given === 'string' ? given : '' }
    try {
      const record = { ...call, kind: 'unknown', tool: '' }
      await audit?.append(refusedRecord(record, code, world.newId(), world.now().toISOString()))
    } catch {
      return refusedAnswer(id, 'audit.unavailable')
    }
    return refusedAnswer(id, code, hint)
  }
}

function rememberedLogins(
  composition: Graph,
  isAnyone: boolean,
): (caller: DecideLine['caller']) => Promise<Verdict<Login>> {
  const logins = new Map<string, Promise<Verdict<Login>>>()
  const lasts = (login: Verdict<Login>): boolean =>
    login.ok
      ? composition.world.now().getTime() < login.value.expiresAtMs - LOGIN_REST_MS
      : login.reason === 'login.unknown_caller'
  return async ({ type, id }) => {
    if (type !== 'Customer' && !isAnyone) return refuse('login.unknown_caller', 'no such type of caller')
    const known = logins.get(id)
    if (known !== undefined && lasts(await known)) return known
    const oldest = logins.keys().next()
    if (logins.size >= LOGINS && oldest.done !== true) logins.delete(oldest.value)
    const login = composition.signIn(composition.tenant, id)
    logins.set(id, login)
    return login
  }
}
