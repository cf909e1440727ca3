import type { Evaluation } from '../../src/core/authzen.ts'

// OpenFGA's own patterns (access evaluation API), and without `*`, which names everybody of a type.
const WORD = /^[^:#@*\s\p{Cc}]{1,50}$/u
// A relation that begins with `_` is only a part of an action in our models: nobody asks for it.
const ACTION = /^[^_:#@*\s\p{Cc}][^:#@*\s\p{Cc}]{0,49}$/u
const SUBJECT_ID = /^[^:#@*\s\p{Cc}]{1,500}$/u
const RESOURCE_ID = /^[^:#@*\s\p{Cc}]{1,256}$/u

/** The part of an evaluation that OpenFGA would refuse, or read as a userset or a wildcard; undefined when there is none. */
export function uncarriedPart({ subject, action, resource }: Evaluation): string | undefined {
  if (!WORD.test(subject.type)) return 'subject type'
  if (!SUBJECT_ID.test(subject.id)) return 'subject id'
  if (!ACTION.test(action.name)) return 'action name'
  if (!WORD.test(resource.type)) return 'resource type'
  return RESOURCE_ID.test(resource.id) ? undefined : 'resource id'
}

/**
 * The evaluation without the context keys that OpenFGA makes from properties: it puts `subject.properties.x` into the
 * context as `subject_x`, and a context of the request wins over it.
 */
export function carriedByOpenfga(evaluation: Evaluation): Evaluation {
  const { context, ...rest } = evaluation
  if (context === undefined) return evaluation
  const kept = Object.entries(context).filter(([key]) => !/^(subject|resource|action)_/.test(key))
  return { ...rest, context: Object.fromEntries(kept) }
}
