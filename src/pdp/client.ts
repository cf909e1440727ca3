import type { ReasonCode } from '../core/reasons.ts'
import { TransportError, type TransportFailure } from '../core/transport-error.ts'
import { refuse } from '../core/verdict.ts'
import type { HttpAnswer, HttpRequest, World } from '../core/world.ts'
import { readAnswer } from './answer.ts'
import type { Pdp, PdpQuestion } from './pdp.ts'
import type { PdpProfile } from './profile.ts'
import { boxcar, questionProblem } from './question.ts'

const CODES: Record<TransportFailure, ReasonCode> = {
  unreachable: 'pdp.unavailable',
  timeout: 'pdp.timeout',
  answer: 'pdp.answer_invalid',
}

/**
 * Asks a PDP over AuthZEN 1.0, Access Evaluations: one POST per question and nothing remembered between two. A connection
 * that is refused and a 503 are tried once more; an answer of which something was read is not.
 * Rejects only when something other than the exchange broke.
 */
export function createAuthzenPdp(profile: PdpProfile, world: World): Pdp {
  return {
    decide: async (question, signal) => {
      const problem = questionProblem(question.evaluations)
      if (problem !== undefined) return problem
      const id = world.newId()
      const request: HttpRequest = {
        method: 'POST',
        headers: headersOf(profile, question, id),
        body: boxcar(question.evaluations),
        signal,
      }
      const answer = await exchange(profile.evaluationsUrl, request, world)
      if (answer instanceof TransportError) return refuse(CODES[answer.kind], answer.message)
      const verdict = readAnswer(answer, question.evaluations.length)
      return verdict.ok && namesAnother(answer, id, profile) ? refuse('pdp.answer_invalid', OTHER_ID) : verdict
    },
  }
}

/** Long enough for a server that is being replaced to let its successor take the port. */
const RETRY_PAUSE_MS = 50

async function exchange(url: URL, request: HttpRequest, world: World): Promise<HttpAnswer | TransportError> {
  const first = await attempt(url, request, world)
  if (!mayTryAgain(first)) return first
  await world.pause(RETRY_PAUSE_MS, request.signal)
  return attempt(url, request, world)
}

/** A 503 that says when to come back is not asked again before that. */
const mayTryAgain = (outcome: HttpAnswer | TransportError): boolean =>
  outcome instanceof TransportError
    ? outcome.refused
    : outcome.status === 503 && (outcome.headers['retry-after'] ?? '0') === '0'

async function attempt(url: URL, request: HttpRequest, world: World): Promise<HttpAnswer | TransportError> {
  try {
    return await world.send(url, request)
  } catch (cause) {
    if (cause instanceof TransportError) return cause
    throw cause
  }
}

const headersOf = (profile: PdpProfile, { login }: PdpQuestion, id: string): Readonly<Record<string, string>> => ({
  ...profile.headers,
  ...(profile.forwardsLogin === true ? { authorization: `Bearer ${login.token}` } : {}),
  'x-request-id': id,
})

const OTHER_ID = 'the answer has the request id of another question'

// A PDP may leave the id out (AuthZEN 1.0, Request Identification); one that names another answers another question.
function namesAnother({ headers }: HttpAnswer, id: string, { echoesRequestId = true }: PdpProfile): boolean {
  const echo = headers['x-request-id']
  return echoesRequestId && echo !== undefined && echo !== id
}
