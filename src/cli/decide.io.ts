import { fstatSync } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import { translate } from '../../adapters/hosts/translate.ts'
import { compose, type Composition } from '../compose.io.ts'
import { readSettings } from '../config.io.ts'
import { sessionId, toolCallId } from '../core/ids.ts'
import type { Login } from '../core/login.ts'
import { SettingError } from '../core/setting-error.ts'
import { refuse, type Verdict } from '../core/verdict.ts'
import { answer, readLine, refusedAnswer, type DecideAnswer, type DecideLine } from './decide.ts'
import { advance, claimCallId, newSession, type DecideSession } from './decide-session.ts'
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
  await write(await decider.decide(await wholeOf(input)), interrupt)
}

const auditOf = ({ audit }: DecideOptions): { readonly file: string } | 'unrecorded' =>
  audit === undefined ? 'unrecorded' : { file: audit }

/** Answers as soon as each line is decided; several are under way at once, the order stays. */
async function answerLines(
  lines: AsyncIterable<string | undefined>,
  decider: Decider,
  interrupt: AbortSignal,
): Promise<void> {
  const underWay: Promise<void>[] = []
  let written: Promise<void> = Promise.resolve()
  for await (const line of lines) {
    const decided = decider.decide(line)
    written = written.then(async () => write(await decided, interrupt))
    underWay.push(written)
    if (underWay.length >= IN_FLIGHT) await underWay.shift()
  }
  await written
}

interface Decider {
  decide(text: string | undefined): Promise<DecideAnswer>
}

function createDecider(composition: Composition): Decider {
  const sessions = new Map<string, { readonly state: DecideSession; last: Promise<unknown> }>()
  const signIn = rememberedLogins(composition)
  let count = 0
  const decideOne = async (line: DecideLine, state: DecideSession): Promise<DecideAnswer> => {
    count += 1
    const number = count
    const unfit = advance(state, line)
    if (unfit !== undefined) return refusedAnswer(line.id, unfit, 'A turn never goes back and has one message.')
    const login = await signIn(line.caller)
    if (!login.ok) return refusedAnswer(line.id, login.reason)
    const names = new Set(composition.gate.tools(login.value).map(({ name }) => name))
    const request = translate(line.request, names)
    if (!request.ok) return refusedAnswer(line.id, request.reason)
    if (!claimCallId(state, request.value)) return refusedAnswer(line.id, 'permit.call_id_reused')
    const { id, kind, tool, args } = request.value
    const judgement = await composition.gate.judge({
      id: toolCallId(id ?? `decide-${number}`),
      session: sessionId(line.session ?? `decide-${number}`),
      turn: line.turn ?? 1,
      login: login.value,
      kind,
      tool,
      args,
    })
    return answer(line.id, judgement)
  }
  const decideSafely = (line: DecideLine, state: DecideSession): Promise<DecideAnswer> =>
    decideOne(line, state).catch(() => refusedAnswer(line.id, 'gate.internal_error'))
  return {
    decide(text) {
      if (text === undefined) return Promise.resolve(refusedAnswer(null, 'request.invalid'))
      const { id, line } = readLine(text)
      if (!line.ok) return Promise.resolve(refusedAnswer(id, line.reason, line.hint))
      const { session, caller } = line.value
      if (session === undefined) return decideSafely(line.value, newSession())
      const key = JSON.stringify([caller.type, caller.id, session])
      const shared = sessions.get(key) ?? { state: newSession(), last: Promise.resolve() }
      const decided = shared.last.then(() => decideSafely(line.value, shared.state))
      sessions.set(key, { state: shared.state, last: decided })
      return decided
    },
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

/** Never rejects: a stdout that cannot be written ends the process. What an interrupt cut short is no answer. */
function write(decided: DecideAnswer, interrupt: AbortSignal): Promise<void> {
  if (interrupt.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(decided)}\n`, () => {
      resolve()
    })
  })
}
