import { fstatSync } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { translate } from '../../adapters/hosts/translate.ts'
import { compose, type Composition } from '../compose.io.ts'
import { readSettings } from '../config.io.ts'
import { sessionId, toolCallId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import { SettingError } from '../core/setting-error.ts'
import { refuse, type Verdict } from '../core/verdict.ts'
import type { ReasonCode } from '../core/reasons.ts'
import { refusedRecord } from '../gate/records.ts'
import {
  answer,
  readLine,
  refusedAnswer,
  UNREADABLE,
  type DecideAnswer,
  type DecideLine,
  type Readable,
} from './decide.ts'
import { advance, claimCallId, newSession, openSessions, TOO_MANY_SESSIONS } from './decide-session.ts'
import { Interrupted } from './failure.io.ts'
import { interruptible } from './interrupt.io.ts'
import { linesOf, wholeOf } from './lines.io.ts'

export interface DecideOptions {
  readonly jsonl?: boolean
  readonly bank: string
  readonly pdp?: string
  readonly audit?: string
}

/** Lines that may be under way at once. */
const IN_FLIGHT = 64
/** Callers whose login is kept; beyond it the oldest signs in again. */
const LOGINS = 1_000
/** A login that ends sooner than this is not used for another line, in milliseconds. */
const LOGIN_REST_MS = 60_000

const PIPE = 'Pipe JSON into it, or redirect it from a file'

/** `intent-gate decide`: JSON in on stdin, JSON out on stdout, in the order of the input. */
export async function decideCommand(options: DecideOptions): Promise<void> {
  const settings = readSettings({ PDP_KIND: options.pdp })
  if (settings.OIDC_ISSUER !== undefined) {
    throw new SettingError(
      'OIDC_ISSUER',
      'is set, and decide signs callers in by itself',
      'Unset OIDC_ISSUER for decide',
    )
  }
  if (fstatSync(0).isDirectory()) throw new SettingError('stdin', 'is a folder', PIPE)
  const composition = await compose({ settings, banks: [options.bank], audit: auditOf(options) })
  const interrupt = interruptible()
  try {
    const decider = createDecider(composition)
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

/** Not a file stream: its pending read would keep the process from ending while the other side says nothing. */
async function* stdin(interrupt: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of addAbortSignal(interrupt, process.stdin)) yield chunk as Buffer
  } catch (cause) {
    if (interrupt.aborted) return
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new SettingError('stdin', `cannot be read (${code})`, PIPE)
  }
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

const auditOf = ({ audit }: DecideOptions): { readonly file: string } | 'unrecorded' =>
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

interface Decider {
  decide(text: string | undefined): Promise<DecideAnswer>
}

function createDecider(composition: Composition): Decider {
  const sessionOf = openSessions()
  const inOrder = oneAfterTheOther<DecideAnswer>()
  const signIn = rememberedLogins(composition)
  const refused = recordedRefusals(composition)
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
    const names = new Set(composition.gate.tools(login.value).map(({ name }) => name))
    const request = translate(line.request, names)
    if (!request.ok) return refused(line, request.reason)
    const reused = claimCallId(state, request.value)
    if (reused !== undefined) return refused(line, reused.code, reused.hint)
    const { id, kind, tool, args } = request.value
    const judgement = await composition.gate.judge({
      id: toolCallId(id ?? `decide-${number}`),
      session: sessionId(line.session ?? `decide-${number}`),
      turn: state.turn,
      login: login.value,
      kind,
      tool,
      args,
    })
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
      return inOrder(key, () => decideSafely(line.value, key))
    },
  }
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
function recordedRefusals({ audit, world, tenant }: Composition): Refused {
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

function rememberedLogins(composition: Composition): (caller: DecideLine['caller']) => Promise<Verdict<Login>> {
  const logins = new Map<string, Promise<Verdict<Login>>>()
  const lasts = (login: Verdict<Login>): boolean =>
    login.ok
      ? composition.world.now().getTime() < login.value.expiresAtMs - LOGIN_REST_MS
      : login.reason === 'login.unknown_caller'
  return async ({ type, id }) => {
    if (type !== 'Customer') return refuse('login.unknown_caller', 'no such type of caller')
    const known = logins.get(id)
    if (known !== undefined && lasts(await known)) return known
    const oldest = logins.keys().next()
    if (logins.size >= LOGINS && oldest.done !== true) logins.delete(oldest.value)
    const login = composition.signIn(composition.tenant, id)
    logins.set(id, login)
    return login
  }
}

/**
 * Writes answers; those that are ready in the same moment share one write. Never rejects: a stdout that cannot be written
 * ends the process. What an interrupt cut short is no answer.
 */
function sharedWrites(interrupt: AbortSignal): (decided: DecideAnswer) => Promise<void> {
  let text = ''
  let written: Promise<void> | undefined
  const flush = (): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(() => {
        written = undefined
        process.stdout.write(text, () => {
          resolve()
        })
        text = ''
      })
    })
  return (decided) => {
    if (interrupt.aborted) return Promise.resolve()
    text += `${JSON.stringify(decided)}\n`
    return (written ??= flush())
  }
}
