interface NearMiss {
  readonly what: string
  readonly text: string
  /** The PDP reports an error itself. */
  readonly error?: true
}

const TRUE = '{"decision":true}'
const PLACES = ['first', 'last'] as const
const at = (place: (typeof PLACES)[number], item: string): string =>
  `{"evaluations":[${place === 'first' ? `${item},${TRUE}` : `${TRUE},${item}`}]}`

const inBothPlaces = (what: string, item: string, error?: true): readonly NearMiss[] =>
  PLACES.map((place) => ({
    what: `${what}, ${place}`,
    text: at(place, item),
    ...(error === undefined ? {} : { error }),
  }))

/** What some reader somewhere takes for true. */
const ALMOST_TRUE = [
  '"True"',
  '"yes"',
  '"on"',
  '"allow"',
  '"PERMIT"',
  '"1"',
  '""',
  '1.0',
  '-1',
  '1e0',
  '[]',
  '[[true]]',
  '{"decision":true}',
  '{"allow":true}',
  '"\\u0074rue"',
]

/** Keys that look like the one that counts. */
const ALMOST_DECISION = [
  'decision ',
  ' decision',
  'DECISION',
  'decisions',
  'decisi\u043en',
  'decision\\u0000',
  'decision\\u200b',
  'allow',
  'allowed',
  'permit',
  'result',
]

const ERRORS = [
  '{"status":400,"message":"relation not found"}',
  '{"status":"500"}',
  '{}',
  '[]',
  '0',
  '""',
  'true',
  '{"message":"ok"}',
]

/** One item of two is not a decision, or comes with an error; the other is a plain true. */
export const NEAR_MISSES: readonly NearMiss[] = [
  ...ALMOST_TRUE.flatMap((value) => inBothPlaces(`${value} as a decision`, `{"decision":${value}}`)),
  ...ALMOST_DECISION.flatMap((key) => inBothPlaces(`${JSON.stringify(key)} in place of decision`, `{"${key}":true}`)),
  ...ERRORS.flatMap((error) =>
    inBothPlaces(`error ${error} beside true`, `{"decision":true,"context":{"error":${error}}}`, true),
  ),
  ...['1', 'true', '"error"', '[{"error":{}}]'].flatMap((context) =>
    inBothPlaces(`${context} as a context`, `{"decision":true,"context":${context}}`),
  ),
]

/** What engines answer in their own protocols: each says yes, none of them in AuthZEN's words. */
export const OTHER_PROTOCOLS: readonly NearMiss[] = [
  { what: 'a yes of OPA', text: '{"result":true}' },
  { what: 'a list of OPA', text: '{"result":[true,true]}' },
  { what: 'a check of OpenFGA', text: '{"allowed":true,"resolution":""}' },
  { what: 'a batch of OpenFGA', text: '{"result":{"0":{"allowed":true},"1":{"allowed":true}}}' },
  {
    what: 'a batch of Cerbos',
    text: '{"results":[{"actions":{"view":"EFFECT_ALLOW"}},{"actions":{"view":"EFFECT_ALLOW"}}]}',
  },
  { what: 'a yes of Cedar', text: '{"decision":"allow","diagnostics":{"reason":["policy0"],"errors":[]}}' },
  { what: 'a batch of Verified Permissions', text: '{"results":[{"decision":"ALLOW"},{"decision":"ALLOW"}]}' },
  { what: 'a bulk check of SpiceDB', text: '{"pairs":[{"item":{"permissionship":"PERMISSIONSHIP_HAS_PERMISSION"}}]}' },
  { what: 'an answer of XACML', text: '{"Response":[{"Decision":"Permit"},{"Decision":"Permit"}]}' },
  { what: 'a review of Kubernetes', text: '{"kind":"SubjectAccessReview","status":{"allowed":true}}' },
  { what: 'a ticket of UMA', text: '{"upgraded":true,"access_token":"a","token_type":"Bearer"}' },
  { what: 'an active token', text: '{"active":true}' },
  { what: 'a search', text: '{"results":[{"type":"Account","id":"acc-bob-checking"}],"page":{"next_token":""}}' },
  { what: 'an answer of GraphQL', text: '{"data":{"evaluations":[{"decision":true},{"decision":true}]}}' },
  {
    what: 'an answer of JSON-RPC',
    text: '{"jsonrpc":"2.0","id":1,"result":{"evaluations":[{"decision":true},{"decision":true}]}}',
  },
  { what: 'a problem of RFC 9457', text: '{"type":"about:blank","title":"OK","status":200}' },
  { what: 'a health check', text: '{"status":"SERVING"}' },
  { what: 'the evaluations as text', text: '{"evaluations":"[{\\"decision\\":true},{\\"decision\\":true}]"}' },
  { what: 'the decisions without their items', text: '{"evaluations":[true,true]}' },
  { what: 'a list of the permitted', text: '{"evaluations":["acc-bob-checking","acc-joint"]}' },
]
