import * as z from 'zod'
import { strictJson, StrictJsonError } from '../src/core/strict-json.ts'
import type { Offer } from './extract.ts'
import { MAX_EVALUATIONS } from './model-prompt.ts'

/** One thing that the request asks for; who asks is not the model's to say. */
interface Wanted {
  readonly action: string
  readonly type: string
  readonly id: string
}

export type Reading =
  | { readonly kind: 'wanted'; readonly wanted: readonly Wanted[] }
  | { readonly kind: 'refused'; readonly reason?: string }
  /** `fault` is one sentence of ours that quotes nothing of the model's. */
  | { readonly kind: 'unusable'; readonly fault: string }

// Strict, because the schema is ours: a field beyond it, such as a subject, is something that we did not ask for.
const Answer = z.strictObject({
  evaluations: z.array(
    z.strictObject({
      action: z.string(),
      resource_type: z.string(),
      resource_id: z.string().min(1),
    }),
  ),
  refused: z.boolean().optional(),
  reason: z.string().nullish(),
})

const unusable = (fault: string): Reading => ({ kind: 'unusable', fault })

/**
 * Reads and validates one answer of a model. Nothing that it says is believed beyond what the sentence, the policies and
 * the schema hold up.
 */
export function readModelAnswer(text: string, sentence: string, offers: readonly Offer[]): Reading {
  const value = parsed(text)
  if (value === undefined) return unusable('it is not exactly one JSON object.')
  const answer = Answer.safeParse(value)
  if (!answer.success) return unusable(`it does not fit the schema (${placeOf(answer.error)}).`)
  const { evaluations, refused = false, reason } = answer.data
  // A refusal with evaluations contradicts itself; the narrower reading counts.
  if (refused) return { kind: 'refused', ...(typeof reason === 'string' ? { reason } : {}) }
  const wanted = evaluations.map((each) => ({
    action: each.action,
    type: each.resource_type,
    id: each.resource_id,
  }))
  const fault = faultOf(wanted, sentence, offers)
  return fault === undefined ? { kind: 'wanted', wanted } : unusable(fault)
}

function parsed(text: string): unknown {
  try {
    return strictJson(text)
  } catch (cause) {
    if (cause instanceof StrictJsonError) return undefined
    throw cause
  }
}

/** Positions and our own field names only. */
function placeOf({ issues: [issue] }: z.ZodError): string {
  const path = issue?.path.map(String).join('.') ?? ''
  return `${path === '' ? 'the object' : path}: ${issue?.code ?? 'invalid'}`
}

function faultOf(wanted: readonly Wanted[], sentence: string, offers: readonly Offer[]): string | undefined {
  if (wanted.length === 0) return 'it neither refuses nor has an evaluation.'
  if (wanted.length > MAX_EVALUATIONS) return `it has more than ${MAX_EVALUATIONS} evaluations.`
  const isOffered = ({ action, type }: Wanted): boolean =>
    offers.some((offer) => offer.action === action && offer.type === type)
  const foreign = wanted.findIndex((each) => !isOffered(each))
  if (foreign >= 0) return `evaluations.${foreign} has an action or a type that is not in the list.`
  // INVARIANT: an id that the sentence does not hold never leaves the agent, whoever put it into the model's mind.
  const words = wordsOf(sentence)
  const ungrounded = wanted.findIndex(({ id }) => !words.has(id))
  if (ungrounded >= 0) return `evaluations.${ungrounded} has a resource_id that is not a word of the request.`
  const distinct = new Set(wanted.map((each) => JSON.stringify([each.action, each.type, each.id])))
  return distinct.size < wanted.length ? 'it has the same evaluation twice.' : undefined
}

/** Words between white space, each also without the punctuation around it. A part of a word is none. */
const wordsOf = (sentence: string): ReadonlySet<string> =>
  new Set(sentence.split(/\s+/).flatMap((word) => [word, word.replace(OPENING, '').replace(CLOSING, '')]))

const OPENING = /^["'“‘«([{<]+/
const CLOSING = /["'”’»)\]}>.,;:!?]+$/
