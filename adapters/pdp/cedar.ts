import type * as Cedar from '@cedar-policy/cedar-wasm/nodejs'
import type { Evaluation } from '../../src/core/authzen.ts'
import { SettingError } from '../../src/core/setting-error.ts'
import { pass, refuse, type Refusal, type Verdict } from '../../src/core/verdict.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { questionProblem } from '../../src/pdp/question.ts'
import { loadCedar } from './cedar-engine.ts'
import { parseModel, type CedarEngine, type CedarModel } from './cedar-model.ts'
import { namedIn, slicesOf, type Slices } from './cedar-slices.ts'
import type { CedarSource } from './cedar-source.ts'
import type { PdpSettings } from './settings.ts'

/**
 * The kind `cedar`.
 * @throws SettingError when it is handed nothing to decide by, or something that does not parse and validate.
 */
export async function cedar({ cedar: source }: PdpSettings): Promise<Pdp> {
  if (source !== undefined) return openCedar(source)
  throw new SettingError('PDP_KIND', 'cedar has no schema and no policies', 'Hand them in, as `readCedar` reads them.')
}

/**
 * Cedar in this process: no server and no network. Schema, policies and entities are read and checked here, once.
 * @throws SettingError naming what does not parse, or does not validate strictly against the schema.
 */
export async function openCedar(source: CedarSource): Promise<Pdp> {
  const engine = await loadCedar()
  const model = parseModel(engine, source)
  const slices = slicesOf(source.entities.list, model.literals)
  return {
    // The engine itself cannot be interrupted; it is asked for tenths of milliseconds.
    // eslint-disable-next-line @typescript-eslint/require-await -- a rejection, whatever is thrown
    decide: async ({ evaluations }, signal) => {
      const problem = questionProblem(evaluations)
      if (problem !== undefined) return problem
      if (signal.aborted) return refuse('pdp.timeout', 'the time was up before the engine was asked')
      return decideAll(evaluations, (each) => decideOne(each, engine, model, slices))
    },
  }
}

/** Every evaluation, in order; the first that cannot be decided makes the whole answer a fault. */
function decideAll(
  evaluations: readonly Evaluation[],
  decide: (each: Evaluation) => Verdict<boolean>,
): Verdict<readonly boolean[]> {
  const decisions: boolean[] = []
  for (const [index, each] of evaluations.entries()) {
    const verdict = decide(each)
    if (!verdict.ok) return { ...verdict, detail: `item ${index + 1}: ${verdict.detail}` }
    decisions.push(verdict.value)
  }
  return pass(decisions)
}

function decideOne(asked: Evaluation, engine: CedarEngine, model: CedarModel, slices: Slices): Verdict<boolean> {
  const call = callOf(asked, model, slices)
  if (!call.ok) return call
  const answer = authorize(engine, call.value)
  if (answer === undefined) return fault('the engine could not read the question')
  if (answer.type === 'failure') return fault('the question does not fit the schema')
  const { decision, diagnostics } = answer.response
  // Cedar skips a policy that fails. A forbid that is skipped would permit, so here the failure is the answer.
  const [failed] = diagnostics.errors
  return failed === undefined ? pass(decision === 'allow') : fault(`the policy "${failed.policyId}" failed`)
}

const fault = (detail: string): Refusal => refuse('pdp.error', detail)

function callOf(
  { subject, action, resource, context = {} }: Evaluation,
  { types, actions, schemaName, policySetId }: CedarModel,
  slices: Slices,
): Verdict<Cedar.StatefulAuthorizationCall> {
  const known = actions.get(action.name)
  if (known === undefined) return fault('the schema has no such action')
  if (!types.has(subject.type)) return fault('the schema has no such type of subject')
  if (!types.has(resource.type)) return fault('the schema has no such type of resource')
  const principal = { type: subject.type, id: subject.id }
  const target = { type: resource.type, id: resource.id }
  // Policies see nothing else of it, and Cedar refuses what the schema does not name.
  const seen = Object.fromEntries(Object.entries(context).filter(([name]) => known.context.has(name)))
  return pass({
    principal,
    action: known.uid,
    resource: target,
    // JSON from the wire; the engine checks it against the schema.
    context: seen as Cedar.Context,
    preparsedSchemaName: schemaName,
    validateRequest: true,
    preparsedPolicySetId: policySetId,
    entities: slices([principal, target, ...namedIn(seen)]),
  })
}

/** Undefined for what the engine cannot take at all, like text that is not Unicode: it throws then. */
function authorize(engine: CedarEngine, call: Cedar.StatefulAuthorizationCall): Cedar.AuthorizationAnswer | undefined {
  try {
    return engine.statefulIsAuthorized(call)
  } catch (cause) {
    if (cause instanceof Error) return undefined
    throw cause
  }
}
