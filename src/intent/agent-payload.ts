import { z } from 'zod'
import type { Action, Evaluation } from '../core/authzen.ts'
import { reportsError } from '../core/reports-error.ts'
import { pass, refuse, type Verdict } from '../core/verdict.ts'
import type { AgentAnswer } from './agent-source.ts'

const MAX_EVALUATIONS = 1_000

// AuthZEN 1.0: a null `properties` or `context` means an absent one.
const Fields = z.record(z.string(), z.unknown()).nullish()
const Word = z.string().min(1)
const Entity = z.object({ type: Word, id: Word, properties: Fields })

// Not strict: AuthZEN makes receivers ignore unknown fields. Each is dropped here, as Cerbos refuses them (400).
const Item = z.object({
  subject: Entity,
  action: z.object({ name: Word, properties: Fields }),
  resource: Entity,
  context: Fields,
  obligations: z.unknown().optional(),
})

const Payload = z.object({
  evaluations: z.array(Item).max(MAX_EVALUATIONS),
  reasons: z.unknown().optional(),
  obligations: z.unknown().optional(),
  schema_digest: z
    .string()
    .regex(/^[\x21-\x7e]{1,256}$/)
    .nullish(),
  // A default that would apply to every item (AuthZEN 1.0, Access Evaluations); dropping it would drop a condition.
  context: z.strictObject({}).nullish(),
})

/** Reads the one JSON payload of an intent-agent's answer: `{evaluations, reasons?, obligations?, …}` or a bare array. */
export function readAgentPayload(payload: unknown): Verdict<AgentAnswer> {
  const parsed = Payload.safeParse(Array.isArray(payload) ? { evaluations: payload } : payload)
  if (!parsed.success) return refuse('intent.answer_invalid', `payload: ${whereWrong(parsed.error)}`)
  const { evaluations, reasons, obligations, schema_digest: digest } = parsed.data
  if (reportsError(payload)) return refuse('intent.agent_failed', 'an error beside the evaluations')
  if ([obligations, ...evaluations.map((item) => item.obligations)].some((each) => !isEmpty(each))) {
    return refuse('intent.obligation_unknown', 'the answer carries obligations')
  }
  if (evaluations.length === 0 && !isEmpty(reasons)) return refuse('intent.refused', 'reasons without evaluations')
  return pass({ evaluations: evaluations.map(project), ...(typeof digest === 'string' ? { digest } : {}) })
}

/** Path and rule of the first fault. Paths are made of our own field names and of positions, never of the agent's text. */
function whereWrong(error: z.ZodError): string {
  const [issue] = error.issues
  return issue === undefined ? 'invalid' : `${issue.path.slice(0, 4).map(String).join('.') || 'it'} is ${issue.code}`
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

const project = ({ subject, action, resource, context }: z.output<typeof Item>): Evaluation => ({
  subject: { type: subject.type, id: subject.id, ...described(subject) },
  action: { name: action.name, ...described(action) },
  resource: { type: resource.type, id: resource.id, ...described(resource) },
  ...(context ? { context } : {}),
})

const described = ({ properties }: { readonly properties?: z.output<typeof Fields> }): Pick<Action, 'properties'> =>
  properties ? { properties } : {}
