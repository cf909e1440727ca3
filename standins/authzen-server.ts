import { evaluationRoute, evaluationsRoute } from './authzen-api.ts'
import { searchRoutes } from './authzen-search.ts'
import type { PdpKnowledge } from './pdp.ts'
import { json, listening, serve, type Listening, type Routes, type Running } from './serve.ts'
import type { Certified } from './throwaway-certificate.ts'

/** AuthZEN 1.0's default paths: evaluation, evaluations and the three searches. */
export const authzenRoutes = (knowledge: PdpKnowledge): Routes => ({
  'POST /access/v1/evaluation': evaluationRoute(knowledge.decide),
  'POST /access/v1/evaluations': evaluationsRoute(knowledge.decide),
  ...searchRoutes(knowledge),
})

/** AuthZEN 1.0, PDP Metadata, of a PDP at this base. */
export const discoveryDocument = (base: string): Readonly<Record<string, string>> => ({
  policy_decision_point: base,
  access_evaluation_endpoint: `${base}/access/v1/evaluation`,
  access_evaluations_endpoint: `${base}/access/v1/evaluations`,
  search_subject_endpoint: `${base}/access/v1/search/subject`,
  search_resource_endpoint: `${base}/access/v1/search/resource`,
  search_action_endpoint: `${base}/access/v1/search/action`,
})

export interface AuthzenPdpOptions extends Listening {
  /** What it decides; several are loaded side by side, and a permit of one is a permit. */
  readonly knowledge: readonly PdpKnowledge[]
  /** @defaultValue plain HTTP */
  readonly tls?: Certified | undefined
}

const SAYS = 'A stand-in: an AuthZEN 1.0 PDP over a few facts.'

/** The stand-in PDP alone, over whatever is loaded, with TLS if wanted. */
export function startAuthzenPdp({ knowledge, tls, ...given }: AuthzenPdpOptions): Promise<Running> {
  const all: PdpKnowledge = {
    decide: (question) => knowledge.some(({ decide }) => decide(question)),
    entities: knowledge.flatMap(({ entities }) => entities),
    actions: [...new Set(knowledge.flatMap(({ actions }) => actions))],
  }
  const options = { name: 'authzen', tenant: 'none', echoesRequestId: true, tls, ...listening(given) }
  return serve(options, (url) => {
    const health = json(200, { status: 'ok', standin: SAYS })
    const discovery = json(200, { ...discoveryDocument(url), standin: SAYS })
    return {
      'GET /health': () => health,
      'GET /.well-known/authzen-configuration': () => discovery,
      ...authzenRoutes(all),
    }
  })
}
