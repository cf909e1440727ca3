import { z } from 'zod'
import type { ReasonCode } from '../core/reasons.ts'
import { reportsError, saysSomething } from '../core/reports-error.ts'
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
  if (status !== 200) return refuseStatus(status, headers['content-type'] ?? '')
  const answer = Answer.safeParse(body)
  if (!answer.success) return refuse('pdp.answer_invalid', 'the answer is not an object with a list of evaluations')
  const items = answer.data.evaluations
  if (items.length !== asked) return refuse('pdp.count_mismatch', `${items.length} decisions for ${asked} evaluations`)
  return reportsErrorBeside(answer.data) ? refuse('pdp.error', 'an error beside the decisions') : readItems(items)
}

const reportsErrorBeside = (answer: z.output<typeof Answer>): boolean =>
  reportsError(answer) || reportsError(answer['context'])

function readItems(items: readonly unknown[]): Verdict<readonly boolean[]> {
  const decisions: boolean[] = []
  let error: Refusal | undefined
  let owed: Refusal | undefined
  for (const [index, item] of items.entries()) {
    const parsed = Item.safeParse(item)
    if (!parsed.success) return refuse('pdp.answer_invalid', `item ${index + 1} is not a well-formed decision`)
    error ??= errorOf(parsed.data, index)
    owed ??= obligationOf(parsed.data, index)
    decisions.push(parsed.data.decision)
  }
  return error ?? (decisions.includes(false) ? undefined : owed) ?? pass(decisions)
}

/** A permit that something else must go with is none where that cannot be done; a denial needs nothing beside it. */
const obligationOf = (item: z.output<typeof Item>, index: number): Refusal | undefined =>
  saysSomething(item.context?.['obligations']) || saysSomething(item['obligations'])
    ? refuse('pdp.obligation_unknown', `item ${index + 1} carries obligations`)
    : undefined

const ErrorStatus = z.looseObject({ status: z.int() })

/** AuthZEN 1.0 puts an error into the context; a PDP that puts it beside, or names several, has not decided either. */
function errorOf(item: z.output<typeof Item>, index: number): Refusal | undefined {
  const { context } = item
  if (context !== undefined && Object.hasOwn(context, 'error')) return itemError(index, context['error'])
  return reportsError(context) || reportsError(item) ? itemError(index, item['error']) : undefined
}

// Only the number: the message is free text of the PDP.
function itemError(index: number, error: unknown): Refusal {
  const { success, data } = ErrorStatus.safeParse(error)
  return refuse('pdp.error', `item ${index + 1} reports an error${success ? `, status ${data.status}` : ''}`)
}

function refuseStatus(status: number, contentType: string): Refusal {
  const type = contentType.toLowerCase()
  // A 403 in HTML comes from a proxy more often than from a PDP, and people then look in the wrong place.
  const isPage = FRONT_STATUS.has(status) && type.startsWith('text/html')
  if (isPage) return refuse('pdp.filtered', `status ${status}, in HTML`)
  const hint = type.startsWith('application/json') ? '' : ', not in JSON: perhaps from something in front of the PDP'
  return refuse(codeOfStatus(status), `status ${status}${hint}`)
}

/** What a sign-in page, a firewall or a proxy answers with. */
const FRONT_STATUS: ReadonlySet<number> = new Set([401, 403, 407])

const codeOfStatus = (status: number): ReasonCode =>
  REFUSED_STATUS[status] ?? (status >= 500 ? 'pdp.unavailable' : 'pdp.answer_invalid')
