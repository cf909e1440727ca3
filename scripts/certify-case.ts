import type { Dispatcher } from 'undici'

export const LEVELS = [
  'Basic Core',
  'Basic Properties',
  'Batch Core',
  'Batch Properties',
  'Search Core',
  'Search Properties',
  'Discovery',
  'Transport',
] as const
/** A sub-level of the certification; Transport belongs to every other one. */
export type Level = (typeof LEVELS)[number]

/** One answer; `body` is undefined when it is not JSON. */
export interface Reply {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export type Endpoint = 'evaluation' | 'evaluations' | 'subject' | 'resource' | 'action'

export interface Sent {
  /** Sent as JSON, unless it is text already. */
  readonly body: unknown
  /** Over the JSON content type. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The PDP under test. */
export interface Target {
  /** Without a trailing slash. */
  readonly base: string
  readonly send: (endpoint: Endpoint, sent: Sent) => Promise<Reply>
  /** The discovery document, asked once. */
  readonly metadata: Reply
}

/** Undefined when all is well, else what is not. */
export type Problem = string | undefined
export type Check = (reply: Reply, sent: Sent) => Problem

/** One case of the scenario. */
export interface Case {
  /** As the scenario numbers it, with what makes it one of several in brackets. */
  readonly id: string
  readonly level: Level
  readonly says: string
  /** Rejects when there is no answer. */
  readonly run: (target: Target) => Promise<Problem>
}

export type Connection = Dispatcher
