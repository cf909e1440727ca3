import { BadRequest, guarded, isObject, object, optionalObject, question, type Fields } from './authzen-request.ts'
import type { DecideOne } from './pdp.ts'
import { json, type Route, type StandinAnswer } from './serve.ts'

/** `POST /access/v1/evaluation` (AuthZEN 1.0, Access Evaluation). */
export const evaluationRoute = (decide: DecideOne): Route => guarded((body) => single(body, decide))

/** `POST /access/v1/evaluations` (AuthZEN 1.0, Access Evaluations); without items it is the single evaluation. */
export const evaluationsRoute = (decide: DecideOne): Route =>
  guarded((body) => {
    const items = body['evaluations']
    if (items !== undefined && !Array.isArray(items)) throw new BadRequest('evaluations is not an array')
    const stopsAt = semantic(body['options'])
    if (items === undefined || items.length === 0) return single(body, decide)
    return boxcar(defaultsOf(body), items, decide, stopsAt)
  })

const TRUE = '{"decision":true}'
const FALSE = '{"decision":false}'

function single(body: Fields, decide: DecideOne): StandinAnswer {
  return { status: 200, body: decide(question(body)) ? TRUE : FALSE }
}

/** `undefined` semantics run to the end. */
function boxcar(
  defaults: Fields,
  items: readonly unknown[],
  decide: DecideOne,
  stopsAt: string | undefined,
): StandinAnswer {
  const answers: string[] = []
  for (const item of items) {
    const answer = decideItem(defaults, item, decide)
    answers.push(answer)
    if (stopsAt !== undefined && (answer === TRUE) === (stopsAt === TRUE)) break
  }
  return { status: 200, body: `{"evaluations":[${answers.join(',')}]}` }
}

/** A fault of one item is that item's `false`, with the error in its context. */
function decideItem(defaults: Fields, item: unknown, decide: DecideOne): string {
  try {
    if (!isObject(item)) throw new BadRequest('the evaluation is not an object')
    return decide(question(merged(defaults, item))) ? TRUE : FALSE
  } catch (cause) {
    if (!(cause instanceof BadRequest)) throw cause
    return json(200, { decision: false, context: { error: { status: 400, message: cause.message } } }).body
  }
}

/** What an entity must have; an item that leaves one out takes it from the default (certification scenario, c-3-2-7). */
const REQUIRED = [
  ['subject', ['type', 'id']],
  ['action', ['name']],
  ['resource', ['type', 'id']],
] as const

/** A key of an item replaces the whole default of that name, but for required parts that the item leaves out. */
function merged(defaults: Fields, item: Fields): Fields {
  const all: Record<string, unknown> = { ...defaults, ...item }
  for (const [name, parts] of REQUIRED) {
    const [standard, own] = [defaults[name], item[name]]
    if (isObject(standard) && isObject(own)) all[name] = { ...required(standard, parts), ...own }
  }
  return all
}

const required = (standard: Fields, parts: readonly string[]): Fields =>
  Object.fromEntries(parts.map((part) => [part, standard[part]]))

/** The defaults of a boxcar; one that is not whole is an item's fault, if at all. */
function defaultsOf({ subject, action, resource, context }: Fields): Fields {
  const defaults = { subject, action, resource, context }
  for (const [name, value] of Object.entries(defaults)) optionalObject(name, value)
  return defaults
}

/** The answer at which the boxcar stops, if it may stop before the end. */
function semantic(options: unknown): string | undefined {
  if (options === undefined) return undefined
  switch (object('options', options)['evaluations_semantic']) {
    case undefined:
    case 'execute_all':
      return undefined
    case 'deny_on_first_deny':
      return FALSE
    case 'permit_on_first_permit':
      return TRUE
    default:
      throw new BadRequest('options.evaluations_semantic is unknown')
  }
}
