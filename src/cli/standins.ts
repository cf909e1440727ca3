import { visibleLine } from '../core/visible.ts'

/** A stand-in that is running. */
interface Shown {
  readonly name: string
  readonly url: string
  readonly health: string
}

interface Heard {
  readonly method: string
  readonly path: string
  readonly status?: number
  /** Milliseconds. */
  readonly ms: number
}

const STANDS_IN_FOR: Readonly<Record<string, string>> = {
  indykite: 'IndyKite: data schema, policies, AuthZEN PDP',
  introspect: 'token introspection: every token is active',
  issuer: 'the identity provider, without passwords',
  model: 'a language model, by rules',
  agent: 'the intent-agent, over A2A 1.0',
}

const SETTINGS: Readonly<Record<string, string>> = {
  indykite: 'AUTHZEN_PDP_URL',
  agent: 'INTENT_AGENT_URL',
  model: 'MODEL_BASE_URL',
}

/** Rows of a table: name, URL, health, what it stands in for. */
export const standinRows = (open: readonly Shown[]): readonly (readonly string[])[] =>
  open.map(({ name, url, health }) => [name, url, health, STANDS_IN_FOR[name] ?? ''])

/** The settings that point a gate of another terminal at the stand-ins. */
export function settingsFor(open: readonly Shown[]): Readonly<Record<string, string>> {
  const urls = open.flatMap(({ name, url }) => {
    const setting = SETTINGS[name]
    return setting === undefined ? [] : [[setting, url] as const]
  })
  const hasModel = open.some(({ name }) => name === 'model')
  return Object.fromEntries(hasModel ? [...urls, ['MODEL_NAME', 'standin'] as const] : urls)
}

/** One answered request in a line. `at` is an ISO 8601 instant. */
export function exchangeLine(at: string, standin: string, { method, path, status, ms }: Heard): string {
  const answered = status === undefined ? 'gone' : String(status)
  return visibleLine(`${at} ${standin.padEnd(10)} ${method} ${path} ${answered} ${ms.toFixed(1)} ms`)
}

/** What the agent made of a message. */
export const noteLine = (at: string, note: string): string => `${at} ${'agent'.padEnd(10)} ${note}`
