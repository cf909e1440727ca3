import { z } from 'zod'
import { TransportError } from '../core/transport-error.ts'
import type { HttpAnswer, World } from '../core/world.ts'
import { visibleLine } from '../core/visible.ts'
import { discover } from '../login/discovery.ts'
import { exchange, read } from '../login/exchange.ts'
import type { Check } from './doctor.ts'

/** A service that the gate or the model's side of it talks to. */
export interface Service {
  readonly name: string
  /** `any`: what it speaks has no question that is free of effects; an answer of any kind will do. */
  readonly speaks: 'authzen' | 'a2a' | 'openid' | 'openai' | 'any'
  readonly url: string
  readonly isStandin: boolean
  /** The setting that points at it. */
  readonly setting: string
  /** Of a model: its API key, which goes to `url` only. */
  readonly key?: string | undefined
  /** Of a model: the name that must be in its list. */
  readonly model?: string | undefined
  /** Of an issuer: whether its keys are needed. */
  readonly needsKeys?: boolean
}

/** Milliseconds that a service may take for an answer. */
const ANSWER_MS = 3_000
const MAX_SHOWN = 200

/** What a service answered, for a person. */
interface Found {
  readonly state: Check['state']
  readonly says: string
  readonly fix?: string
}

/** Whether a service can be reached, in 3 seconds at most, and what it says of itself. No login token is ever sent. */
export async function askService(service: Service, world: World): Promise<Check> {
  const startedMs = world.monotonicMs()
  const found = await answered(service, world)
  const ms = Math.round(world.monotonicMs() - startedMs)
  const { name, url, isStandin } = service
  const where = `${isStandin ? 'stand-in at ' : ''}${new URL(url).origin}`
  const says = `${where}: ${shown(found.says)}, ${ms} ms`
  const { state, fix } = found
  return { section: 'services', name, state, says, ...(fix === undefined ? {} : { fix: shown(fix) }) }
}

/** What a service says of itself is its own text, of any length and any characters. */
function shown(text: string): string {
  const line = visibleLine(text)
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line
}

async function answered(service: Service, world: World): Promise<Found> {
  const deadline = world.deadline(ANSWER_MS)
  try {
    return await ASK[service.speaks](service, world, deadline.signal)
  } catch (cause) {
    if (cause instanceof TransportError) return failed(cause, service)
    throw cause
  } finally {
    deadline.clear()
  }
}

function failed({ kind, message }: TransportError, { setting, isStandin, speaks }: Service): Found {
  const fix = isStandin ? 'Report it: a stand-in runs in this process.' : `Start it, or correct ${setting}.`
  if (kind === 'timeout') return { state: 'fail', says: `no answer in ${ANSWER_MS / 1000} seconds`, fix }
  if (kind === 'unreachable') return { state: 'fail', says: `cannot be reached (${message})`, fix }
  // It is there, and says something that nobody can use; without an issuer's documents nobody can sign in.
  return { state: speaks === 'openid' ? 'fail' : 'warn', says: `answers, but unusably (${message})`, fix }
}

type Ask = (service: Service, world: World, signal: AbortSignal) => Promise<Found>

const ASK: Readonly<Record<Service['speaks'], Ask>> = {
  authzen: async (service, world, signal) => {
    const base = service.url.replace(/\/+$/, '')
    const answer = await get(world, wellKnown(service.url, 'authzen-configuration'), signal)
    if (answer.status !== 200) return reachable(answer, service)
    const about = Pdp.safeParse(answer.body)
    if (!about.success) return { state: 'warn', says: 'its AuthZEN metadata have another form' }
    const { policy_decision_point: said = '', access_evaluations_endpoint: many } = about.data
    if (said.replace(/\/+$/, '') !== base) {
      const fix = `Set ${service.setting} to what the PDP calls itself, or leave it if both are the same service.`
      return { state: 'warn', says: 'its AuthZEN metadata name another URL', fix }
    }
    if (many === undefined) {
      return { state: 'warn', says: 'AuthZEN, but not said to answer several evaluations at once' }
    }
    return { state: 'ok', says: 'AuthZEN, several evaluations at once' }
  },
  a2a: async (service, world, signal) => {
    const answer = await get(world, new URL('/.well-known/agent-card.json', service.url).href, signal)
    if (answer.status !== 200) return reachable(answer, service)
    const card = Card.safeParse(answer.body)
    if (!card.success) return { state: 'warn', says: 'its agent card has another form' }
    const { name, version, supportedInterfaces = [], protocolVersion } = card.data
    const versions = [...new Set([...supportedInterfaces.map((each) => each.protocolVersion), protocolVersion])]
    const spoken = versions.filter((each) => each !== undefined)
    const says = `${name} ${version}, A2A ${spoken.join(', ') || 'of no named version'}`
    if (spoken.some((each) => /^1(\.|$)/.test(each))) return { state: 'ok', says }
    return { state: 'warn', says, fix: 'The gate speaks A2A 1.0; update the agent.' }
  },
  openid: async ({ url, needsKeys = true }, world, signal) => {
    const { jwks_uri: uri } = await discover(url, world, signal)
    if (!needsKeys) return { state: 'ok', says: 'OpenID, tokens are introspected' }
    if (uri === undefined) throw new TransportError('answer', 'it publishes no keys')
    const accepts = ['application/json', 'application/jwk-set+json']
    const { keys } = read(Keys, await exchange(world, uri, { accepts, signal }))
    if (keys.length === 0) throw new TransportError('answer', 'its list of keys is empty')
    return { state: 'ok', says: `OpenID, ${keys.length === 1 ? '1 key' : `${keys.length} keys`}` }
  },
  openai: async (service, world, signal) => {
    const headers = service.key === undefined ? {} : { authorization: `Bearer ${service.key}` }
    const answer = await get(world, `${service.url.replace(/\/+$/, '')}/models`, signal, headers)
    if (answer.status === 401 || answer.status === 403) {
      return { state: 'fail', says: `refuses the key (${answer.status})`, fix: keyFix(service) }
    }
    if (answer.status !== 200) return reachable(answer, service)
    const list = Models.safeParse(answer.body)
    if (!list.success) return { state: 'warn', says: 'its list of models has another form' }
    const ids = list.data.data.map(({ id }) => id)
    if (service.model === undefined || ids.includes(service.model)) {
      return { state: 'ok', says: service.model ?? ids.slice(0, 3).join(', ') }
    }
    return { state: 'warn', says: `${service.model} is not in its list`, fix: `It has ${ids.slice(0, 5).join(', ')}.` }
  },
  any: async (service, world, signal) => reachable(await get(world, service.url, signal), service),
}

const keyFix = ({ setting }: Service): string => `Check ${setting.replace('BASE_URL', 'API_KEY')}.`

// All loose on purpose: a service may say more about itself than we read.
const Pdp = z.looseObject({
  policy_decision_point: z.string().optional(),
  access_evaluations_endpoint: z.string().optional(),
})
const Card = z.looseObject({
  name: z.string(),
  version: z.string(),
  protocolVersion: z.string().optional(),
  supportedInterfaces: z.array(z.looseObject({ protocolVersion: z.string().optional() })).optional(),
})
const Keys = z.looseObject({ keys: z.array(z.unknown()) })
const Models = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) })

const get = (
  world: World,
  url: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpAnswer> => world.send(new URL(url), { method: 'GET', headers, signal })

/** Something answered that does not say what it is. */
function reachable({ status }: HttpAnswer, { setting }: Service): Found {
  if (status >= 500) return { state: 'fail', says: `answers ${status}`, fix: 'Look at its log.' }
  if (status >= 300 && status < 400) {
    return { state: 'warn', says: `redirects (${status}), which is never followed`, fix: `Correct ${setting}.` }
  }
  return { state: 'ok', says: `answers (${status}), says nothing of itself` }
}

/** The path of the service goes after the well-known one (RFC 8615; AuthZEN 1.0, Metadata). */
function wellKnown(url: string, name: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}/.well-known/${name}${pathname.replace(/\/+$/, '')}`
}
