import { timingSafeEqual } from 'node:crypto'
import type { BankData } from '../src/canbank/bank.ts'
import { authzenRoutes, discoveryDocument } from './authzen-server.ts'
import { bankKnowledge, type Grant } from './pdp.ts'
import { BANK_ACTIONS, BANK_POLICIES, type KbacPolicy } from './policies.ts'
import { bankSchema } from './schema.ts'
import { json, type Listening, listening, type Route, type Routes, type Running, serve } from './serve.ts'

export interface IndykiteOptions extends Listening {
  readonly bank: BankData
  /** Asked for in `X-IK-ClientKey` when given. @defaultValue no key is needed */
  readonly clientKey?: string | undefined
  /** Policies of an app's own tools. @defaultValue none */
  readonly grants?: readonly Grant[] | undefined
}

const SAYS = "A stand-in: the data schema, the policies and a small AuthZEN PDP over the demo bank's graph."

/** Stands in for IndyKite: `data-schema/v1`, `access/v1/policies` and the AuthZEN endpoints of one bank. */
export function startIndykite(given: IndykiteOptions): Promise<Running> {
  const { bank, clientKey, grants = [] } = given
  const more = grants.map(({ policy }) => policy)
  const schema = json(200, bankSchema(bank, more))
  const kept: Routes = {
    'GET /data-schema/v1': () => schema,
    'GET /data-schema/v1/': () => schema,
    'GET /access/v1/policies': policiesRoute([...BANK_ACTIONS.map((action) => BANK_POLICIES[action]), ...more]),
    ...authzenRoutes(bankKnowledge(bank, grants)),
  }
  const options = { name: 'indykite', tenant: bank.tenant, echoesRequestId: true, ...listening(given) }
  return serve(options, (url) => {
    const health = json(200, { status: 'ok', standin: SAYS })
    const discovery = json(200, { ...discoveryDocument(url), standin: SAYS })
    return {
      'GET /health': () => health,
      'GET /.well-known/authzen-configuration': () => discovery,
      ...(clientKey === undefined ? kept : withKey(kept, clientKey)),
    }
  })
}

function policiesRoute(policies: readonly KbacPolicy[]): Route {
  const answer = (some: readonly KbacPolicy[]) => json(200, { results: some.map((policy) => ({ policy, tags: [] })) })
  const all = answer(policies)
  return ({ query }) => {
    const wanted = query.get('subject_type')
    return wanted === null ? all : answer(policies.filter(({ subject }) => subject.type === wanted))
  }
}

function withKey(routes: Routes, clientKey: string): Routes {
  const expected = Buffer.from(clientKey)
  const refusal = json(401, { message: 'The X-IK-ClientKey header is missing or wrong.' })
  const guard =
    (route: Route): Route =>
    (request) => {
      const given = request.headers['x-ik-clientkey']
      const key = Buffer.from(typeof given === 'string' ? given : '')
      const fits = key.length === expected.length && timingSafeEqual(key, expected)
      return fits ? route(request) : refusal
    }
  return Object.fromEntries(Object.entries(routes).map(([path, route]) => [path, guard(route)]))
}
