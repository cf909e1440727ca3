import { holdsInexact } from './exact-number.ts'
import { allow, block, requireApproval, type Outcome } from './outcome.ts'
import type { Policy } from './policy.ts'
import type { RequestOf } from './request.ts'
import type { RuleContext, Screening } from './screening.ts'

/** The rules for operations of APIs: the entry's own decision; a word that is not known blocks. Spec: section 1.3. */
export function judgeApi(request: RequestOf<'api.call'>, { policy, tainted }: RuleContext): Screening {
  const { audience, operation, arguments: given } = request
  const { scope, decision } = entryOf(request, policy) ?? {}
  const outcome = holdsInexact(given)
    ? block('parse-error', 'a number beyond 2^53 is not exact')
    : outcomeOf(`${audience} ${operation}`, scope === undefined ? undefined : decision, tainted)
  return { outcome, normalized: { audience, operation, arguments: given, scope: scope ?? '' } }
}

function entryOf(
  { audience, operation }: RequestOf<'api.call'>,
  { apis }: Policy,
): Policy['apis'][string][string] | undefined {
  const operations = Object.hasOwn(apis, audience) ? apis[audience] : undefined
  return operations !== undefined && Object.hasOwn(operations, operation) ? operations[operation] : undefined
}

function outcomeOf(what: string, decision: string | undefined, tainted: boolean): Outcome {
  if (decision === undefined) return block('api-unknown-operation', 'the operation is not listed with a scope')
  if (tainted) return { ...block('taint-session', 'the session is tainted'), rules: ['api-policy', 'taint-session'] }
  if (decision === 'allow') return allow('api-ok', what)
  if (decision === 'require_approval') return requireApproval('api-approval', what)
  return block('api-blocked', what)
}
