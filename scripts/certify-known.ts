/** Cases that an engine is known not to pass, and why; `*` at the end stands for any rest. */
export interface Known {
  readonly cases: readonly string[]
  readonly why: string
}

const NO_SEARCH: Known = { cases: ['c-4-*', 'c-5-2 (search)'], why: 'has no search endpoints' }

/** By engine; all of it was seen with the versions in `results/certification.md`. */
export const KNOWN: Readonly<Record<string, readonly Known[]>> = {
  standin: [],
  cerbos: [
    { cases: ['c-2-2-6'], why: "an action's properties do not reach its policies" },
    { cases: ['c-2-2-9', 'c-5-5'], why: 'refuses a request with a field that it does not know (400)' },
    { cases: ['c-2-4-3'], why: 'does not look at the content type' },
    { cases: ['c-2-5-1', 'c-5-4'], why: 'sends no X-Request-ID back' },
    { cases: ['c-3-2-7'], why: 'an item replaces the whole default (this case is advisory)' },
    { cases: ['c-3-4-1'], why: 'refuses the whole boxcar for one incomplete item (400)' },
    { cases: ['c-3-4-2', 'c-3-4-3'], why: 'refuses a boxcar without evaluations (400)' },
    { cases: ['c-6-3', 'c-6-5'], why: 'names itself with http, also where it is asked over TLS' },
    NO_SEARCH,
  ],
  openfga: [
    { cases: ['c-2-4-3'], why: 'does not look at the content type' },
    { cases: ['c-2-5-1', 'c-5-4'], why: 'sends an X-Request-ID of its own' },
    { cases: ['c-3-2-7'], why: 'an item replaces the whole default (this case is advisory)' },
    { cases: ['c-3-4-1'], why: 'refuses the whole boxcar for one incomplete item (400)' },
    { cases: ['c-3-4-2', 'c-3-4-3'], why: 'answers a list also without evaluations' },
    {
      cases: ['c-4-2-4', 'c-4-3-3'],
      why: 'needs every parameter of a condition, and a search does not send all (400)',
    },
    { cases: ['c-4-6-2'], why: 'an unknown type is an error (400)' },
    {
      cases: ['c-6-*'],
      why: 'has the document of a store at /.well-known/authzen-configuration/<store>, without /stores',
    },
  ],
  opa: [
    {
      cases: ['c-2-4-*', 'c-5-3'],
      why: 'is asked over its data API, which takes any input: a request that lacks something is a false, not a 400',
    },
    { cases: ['c-2-5-1', 'c-5-4'], why: 'sends no X-Request-ID back' },
    { cases: ['c-3-4-2', 'c-3-4-3'], why: 'our rules answer a list at this path, also without evaluations' },
    NO_SEARCH,
    { cases: ['c-6-*'], why: 'has no discovery document' },
  ],
}

/** Why this case is known to fail; undefined when it should pass. */
export const whyKnown = (id: string, known: readonly Known[]): string | undefined =>
  known.find(({ cases }) => cases.some((each) => (each.endsWith('*') ? id.startsWith(each.slice(0, -1)) : id === each)))
    ?.why
