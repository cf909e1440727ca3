import type { z } from 'zod'
import type { Obligation } from './decision.ts'
import type { EffectContract } from './effect.ts'
import type { SessionId } from './ids.ts'
import type { Login } from './login.ts'
import type { ToolArguments } from './tool-arguments.ts'

/** An argument whose value is an AuthZEN resource id. */
export interface ResourceArgument {
  readonly argument: string
  /** AuthZEN `resource.type`. */
  readonly type: string
  /** AuthZEN `action.name`s, any of which covers this argument; the first is what the definition itself asks for. */
  readonly actions: readonly [string, ...string[]]
}

/** What an argument means to an intent certificate. An argument without a role is not bound by the user's words. */
export type ArgumentRole = 'source' | 'payee' | 'amount' | 'currency' | 'record' | 'date' | 'text' | 'choice'

/** What a tool's run gets beside its arguments. */
export interface ToolContext {
  readonly login: Login
  readonly session: SessionId
  /** The same for every run of one call, so that a tool can make its effect happen at most once. */
  readonly idempotencyKey: string
}

/**
 * One tool, defined once. The host's tool, the sentence, the coverage expectation, the effect contract and the approval
 * card all derive from it. Make one with `defineTool`.
 */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** A strict object: a call with an unknown argument is refused. Its output is the one spelling of each value. */
  readonly parameters: z.ZodObject
  /** The sentence that an intent-agent reads; `{argument}` marks a value. Never names the caller. */
  readonly template: string
  /** Empty: the tool itself is the resource (`{type: 'Tool', id: name}`, action `USE`). */
  readonly resources: readonly ResourceArgument[]
  /** Arguments that name where something goes. Their form is checked here; whether they may is asked elsewhere. */
  readonly destinations: readonly string[]
  /** @defaultValue none */
  readonly roles: Readonly<Record<string, ArgumentRole>>
  readonly effect: EffectContract
  /** Obligations that every permit of this tool carries. @defaultValue none */
  readonly obligations: readonly Obligation[]
  /** Runs on a permit only. Resolves with a JSON value for the model; throws `ToolRefusal` for a refusal by name. */
  readonly run: (args: ToolArguments, context: ToolContext) => unknown
}

/** A tool's own refusal (unknown account, overdraft, …): its code and sentence reach the model. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
