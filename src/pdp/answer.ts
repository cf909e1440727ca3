import { z } from 'zod'
import type { ReasonCode } from '../core/reasons.ts'
import { pass, refuse, type Refusal, type Verdict } from '../core/verdict.ts'
import type { HttpAnswer } from '../core/world.ts'

// Loose on purpose: AuthZEN 1.0 lets a PDP add fields, and a receiver must ignore the ones that it does not know.
const Answer = z.looseObject({ evaluations: z.array(z.unknown()) })
const Item = z.looseObject({ decision: z.boolean(), context: z.looseObject({}).optional() })

const REFUSED_STATUS: Readonly<Record<number, ReasonCode>> = {
  401: 'pdp.unauthenticated',
  403: 'pdp.unauthenticated',
  429: 'pdp.rate_limited',
}

/** Judges the answer to a request that asked `asked` evaluations; a top-level `decision` counts for nothing. */
export function readAnswer({ status, headers, body }: HttpAnswer, asked: number): Verdict<readonly boolean[]> {
  if (status !== 200) return refuse(codeOfStatus(status), statusDetail(status, headers['content-type']))
  const answer = Answer.safeParse(body)
  if (!answer.success) return refuse('pdp.answer_invalid', 'the answer is not an object with a list of evaluations')
  const items = answer.data.evaluations
  if (items.length !== asked) return refuse('pdp.count_mismatch', `${items.length} decisions for ${asked} evaluations`)
  return readItems(items)
}

function readItems(items: readonly unknown[]): Verdict<readonly boolean[]> {
  const decisions: boolean[] = []
  let error: Refusal | undefined
  for (const [index, item] of items.entries()) {
    const parsed = Item.safeParse(item)
    if (!parsed.success) return refuse('pdp.answer_invalid', `item ${index + 1} is not a well-formed decision`)
    const { decision, context } = parsed.data
    if (context !== undefined && Object.hasOwn(context, 'error')) error ??= itemError(index, context['error'])
    decisions.push(decision)
  }
  return error ?? pass(decisions)
}

const ErrorStatus = z.looseObject({ status: z.int() })

// Only the number: the message is free text of the PDP.
function itemError(index: number, error: unknown): Refusal {
  const { success, data } = ErrorStatus.safeParse(error)
  return refuse('pdp.error', `item ${index + 1} reports an error${success ? `, status ${data.status}` : ''}`)
}

const codeOfStatus = (status: number): ReasonCode =>
  REFUSED_STATUS[status] ?? (status >= 500 ? 'pdp.unavailable' : 'pdp.answer_invalid')

// A 403 in HTML comes from a proxy more often than from a PDP, and people then look in the wrong place.
const statusDetail = (status: number, contentType: string | undefined): string =>
  contentType?.toLowerCase().startsWith('application/json') === true
    ? `status ${status}`
    : `status ${status}, not in JSON: perhaps from something in front of the PDP`
