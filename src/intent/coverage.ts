import type { Evaluation, NonEmpty, Subject } from '../core/authzen.ts'
import type { NormalizedCall } from '../core/call.ts'
import { pass, refuse, type Verdict } from '../core/verdict.ts'
import { type ExpectedResource, expectedResources } from './expected-resources.ts'

/**
 * Checks that the evaluations are about this call and this caller. Every subject is the caller, to the code unit; every
 * resource of the call is in an evaluation of its type with one of its actions. Extra evaluations stay: the PDP must
 * permit them too, so they can only narrow. What is passed on carries the login's own subject, whatever else the source
 * said about it.
 * @returns `coverage.no_evaluations`, `coverage.subject_not_caller` or `coverage.resource_missing`.
 */
export function checkCoverage(call: NormalizedCall, evaluations: readonly Evaluation[]): Verdict<NonEmpty<Evaluation>> {
  const [first, ...rest] = evaluations
  if (first === undefined) return refuse('coverage.no_evaluations', call.definition.name)
  const caller: Subject = call.login.subject
  const stranger = evaluations.findIndex(({ subject }) => subject.type !== caller.type || subject.id !== caller.id)
  if (stranger >= 0) return refuse('coverage.subject_not_caller', `evaluation ${stranger} of ${evaluations.length}`)
  const expected = expectedResources(call.definition, call.args)
  if (!expected.ok) return expected
  const missing = expected.value.find((resource) => !evaluations.some((evaluation) => covers(evaluation, resource)))
  if (missing !== undefined) return refuse('coverage.resource_missing', `${missing.argument} as ${missing.type}`)
  const bind = (evaluation: Evaluation): Evaluation => ({ ...evaluation, subject: caller })
  return pass([bind(first), ...rest.map(bind)])
}

const covers = ({ action, resource }: Evaluation, expected: ExpectedResource): boolean =>
  resource.type === expected.type && resource.id === expected.id && expected.actions.includes(action.name)
