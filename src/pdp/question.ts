import { isDeepStrictEqual } from 'node:util'
import type { Action, Evaluation, Resource, Subject } from '../core/authzen.ts'
import { refuse, type Refusal } from '../core/verdict.ts'

/** The most that OpenFGA and Cerbos answer in one boxcar; both refuse a longer one as a whole. */
const MAX_EVALUATIONS = 50

/** Why a boxcar must not be sent; undefined when it may. */
export function questionProblem(evaluations: readonly Evaluation[]): Refusal | undefined {
  if (evaluations.length > MAX_EVALUATIONS) {
    return refuse('pdp.too_many', `${evaluations.length} evaluations, at most ${MAX_EVALUATIONS} go into one boxcar`)
  }
  const unsafe = evaluations.findIndex((each) => !wordsOf(each).every((word) => WORD.test(word)))
  if (unsafe >= 0) return refuse('pdp.id_unsupported', `an id, type or action of evaluation ${unsafe + 1}`)
  const conflict = findConflict(evaluations)
  return conflict === undefined ? undefined : refuse('pdp.conflicting', conflict)
}

/**
 * Visible ASCII that no engine reads as everybody of a type (`*`) or as the members of a set (`#`). What is hidden or
 * looks like another letter would be one id to us and another one to the PDP.
 */
const WORD = /^[!"$-)+-~]{1,500}$/

const wordsOf = ({ subject, action, resource }: Evaluation): readonly string[] => [
  subject.type,
  subject.id,
  action.name,
  resource.type,
  resource.id,
]

/**
 * Some PDPs evaluate items that share a subject and a resource together, and then take the properties of the first one
 * for all (seen with Cerbos 0.55). A boxcar without such items has one meaning only.
 */
function findConflict(evaluations: readonly Evaluation[]): string | undefined {
  const [first] = evaluations
  // AuthZEN 1.0, Access Evaluations: an empty list would be answered as a single evaluation of its defaults.
  if (first === undefined) return 'no evaluation to ask about'
  const resources = new Map<string, Evaluation>()
  const questions = new Map<string, Evaluation>()
  for (const each of evaluations) {
    if (!isSameEntity(each.subject, first.subject)) return 'more than one subject'
    const { resource, action } = each
    const same = seenBefore(resources, [resource.type, resource.id], each)
    if (!isSameEntity(resource, same.resource)) return 'one resource with different properties'
    const twin = seenBefore(questions, [resource.type, resource.id, action.name], each)
    if (!isSameQuestion(each, twin)) return 'one question with different action properties or context'
  }
  return undefined
}

function seenBefore(seen: Map<string, Evaluation>, key: readonly string[], current: Evaluation): Evaluation {
  const text = JSON.stringify(key)
  const earlier = seen.get(text)
  if (earlier === undefined) seen.set(text, current)
  return earlier ?? current
}

type Entity = Subject | Resource

const isSameEntity = (one: Entity, other: Entity): boolean =>
  one === other || (one.type === other.type && one.id === other.id && isSameMap(one.properties, other.properties))

const isSameQuestion = (one: Evaluation, other: Evaluation): boolean =>
  isSameMap(one.action.properties, other.action.properties) && isSameMap(one.context, other.context)

const isSameMap = (one: Entity['properties'], other: Entity['properties']): boolean =>
  one === other || isDeepStrictEqual(one ?? {}, other ?? {})

/**
 * The JSON text of one Access Evaluations request. Each evaluation is written out in full and holds AuthZEN's own fields
 * only: no top-level defaults to inherit, and no unknown field, for which Cerbos refuses the request.
 */
export const boxcar = (evaluations: readonly Evaluation[]): string =>
  JSON.stringify({ evaluations: evaluations.map(projected), options: { evaluations_semantic: 'execute_all' } })

const projected = ({ subject, action, resource, context }: Evaluation): Evaluation => ({
  subject: entity(subject),
  action: named(action),
  resource: entity(resource),
  ...(context === undefined ? {} : { context }),
})

const entity = ({ type, id, properties }: Entity): Entity =>
  properties === undefined ? { type, id } : { type, id, properties }

const named = ({ name, properties }: Action): Action => (properties === undefined ? { name } : { name, properties })
