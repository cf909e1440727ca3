import { z } from 'zod'
import { TransportError } from '../../src/core/transport-error.ts'
import { pass, refuse, type Verdict } from '../../src/core/verdict.ts'
import type { HttpAnswer, World } from '../../src/core/world.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { below } from './endpoint.ts'

/** How long one look may take, and how long a PDP that could not be asked is taken to have its default paths. */
const PATIENCE_MS = 2_000
const ASK_AGAIN_MS = 60_000

interface Discovered {
  /** As `baseUrl` makes it. */
  readonly base: URL
  readonly headers: Readonly<Record<string, string>>
  /** Makes the PDP whose boxcars go to this URL. */
  readonly open: (evaluationsUrl: URL) => Pdp
}

interface Known {
  readonly pdp: Pdp
  /** On the monotonic clock. */
  readonly untilMs: number
}

/**
 * A PDP that is asked for its endpoints before its first question (AuthZEN 1.0, PDP Metadata). Without a document, or
 * when it cannot be had, boxcars go to the default path; a document that names another PDP or another origin is refused.
 */
export function discovering({ base, headers, open }: Discovered, world: World): Pdp {
  let known: Known | undefined
  const standard = below(base, '/access/v1/evaluations')
  const find = async (signal: AbortSignal): Promise<Verdict<Pdp>> => {
    if (known !== undefined && world.monotonicMs() < known.untilMs) return pass(known.pdp)
    const found = await look(base, headers, signal, world)
    if (!found.ok) return found
    const { url = standard, lastsMs } = found.value
    // Kept open when nothing has changed: it may remember how the PDP has fared.
    const pdp = known !== undefined && url === standard ? known.pdp : open(url)
    known = { pdp, untilMs: world.monotonicMs() + lastsMs }
    return pass(pdp)
  }
  return {
    decide: async (question, signal) => {
      const pdp = await find(signal)
      return pdp.ok ? pdp.value.decide(question, signal) : pdp
    },
  }
}

interface Found {
  /** Absent: the default path. */
  readonly url?: URL
  readonly lastsMs: number
}

async function look(
  base: URL,
  headers: Discovered['headers'],
  caller: AbortSignal,
  world: World,
): Promise<Verdict<Found>> {
  const deadline = world.deadline(PATIENCE_MS)
  try {
    const signal = AbortSignal.any([caller, deadline.signal])
    const answer = await world.send(metadataUrl(base), { method: 'GET', headers, signal })
    return read(answer, base)
  } catch (cause) {
    if (!(cause instanceof TransportError)) throw cause
    if (cause.kind === 'answer') return refuse('pdp.answer_invalid', `${WHERE}: ${cause.message}`)
    // A caller whose own time is up has learned nothing about the PDP.
    return pass({ lastsMs: caller.aborted ? 0 : ASK_AGAIN_MS })
  } finally {
    deadline.clear()
  }
}

const WHERE = 'the discovery document'

/** The well-known part goes between the host and the path of the base. */
function metadataUrl(base: URL): URL {
  const url = new URL(base)
  url.pathname = `/.well-known/authzen-configuration${base.pathname === '/' ? '' : base.pathname}`
  return url
}

// Loose on purpose: the document may name endpoints that we do not ask.
const Metadata = z.looseObject({
  policy_decision_point: z.string(),
  access_evaluations_endpoint: z.string().optional(),
})

function read({ status, body }: HttpAnswer, base: URL): Verdict<Found> {
  if (status === 404) return pass({ lastsMs: Number.POSITIVE_INFINITY })
  if (status !== 200) return pass({ lastsMs: ASK_AGAIN_MS })
  const { success, data } = Metadata.safeParse(body)
  if (!success) return refuse('pdp.answer_invalid', `${WHERE} names no policy_decision_point`)
  // INVARIANT (AuthZEN 1.0, PDP Metadata Validation): a document about another PDP is not used.
  if (!names(data.policy_decision_point, base)) return refuse('pdp.answer_invalid', `${WHERE} is of another PDP`)
  const { access_evaluations_endpoint: endpoint } = data
  if (endpoint === undefined) return refuse('pdp.answer_invalid', `${WHERE} offers no Access Evaluations`)
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url?.origin !== base.origin) return refuse('pdp.answer_invalid', `${WHERE} sends us to another origin`)
  return pass({ url, lastsMs: Number.POSITIVE_INFINITY })
}

const names = (text: string, base: URL): boolean =>
  URL.canParse(text) && new URL(text).href.replace(/\/+$/, '') === base.href.replace(/\/+$/, '')
