/** What stopped a call. The permission handler's code is the gate's reason. */
type BlockedBy = 'hook' | `permission handler: ${string}` | 'permit: bypass on record' | 'session refused'

/** What one probe of the runtime came to. */
export interface ProbeResult {
  readonly name: string
  /** What was tried. */
  readonly tries: string
  /** True when something that the call stands for has happened. */
  readonly ran: boolean
  readonly blockedBy: BlockedBy | null
  /** For a call that must be denied: it did not run, and it is known what stopped it. */
  readonly ok: boolean
  /** Why it is not ok, in one sentence. */
  readonly says?: string
}

/** What was seen of one probe's call. */
export interface Evidence {
  /** False when the model was never offered what it called, so that nothing is proven. */
  readonly offered: boolean
  /** How often the gate was asked to authorize. */
  readonly asked: number
  /** The code of the gate's deny. */
  readonly deniedWith?: string | undefined
  readonly hookDenied: boolean
  /** How many runs without a permit are on record. */
  readonly bypasses: number
  /** How often the call had its effect. */
  readonly runs: number
  readonly sessionRefused: boolean
  /** What broke the probe itself. */
  readonly error?: string | undefined
}

interface Tried {
  readonly name: string
  readonly tries: string
}

/** The result of a call that must be denied. What cannot be told is not ok. */
export function denialResult({ name, tries }: Tried, evidence: Evidence): ProbeResult {
  const ran = evidence.runs > 0
  const blockedBy = ran ? null : blockedByOf(evidence)
  const says = ran ? 'Nothing stopped it.' : doubtOf(evidence, blockedBy)
  return { name, tries, ran, blockedBy, ok: says === undefined, ...(says === undefined ? {} : { says }) }
}

/**
 * The result of a call that is permitted: it must be asked about, and run, exactly once. One that the gate denied, such as
 * for an expired login, shows at least that the runtime asks.
 */
export function canaryResult({ name, tries }: Tried, evidence: Evidence): ProbeResult {
  const { runs, error } = evidence
  const says = error ?? canaryFault(evidence)
  const blockedBy = runs === 0 ? blockedByOf(evidence) : null
  return { name, tries, ran: runs > 0, blockedBy, ok: says === undefined, ...(says === undefined ? {} : { says }) }
}

function blockedByOf(evidence: Evidence): BlockedBy | null {
  const { sessionRefused, asked, deniedWith, hookDenied, bypasses } = evidence
  if (sessionRefused) return 'session refused'
  if (asked > 0 && deniedWith !== undefined) return `permission handler: ${deniedWith}`
  if (hookDenied) return 'hook'
  return bypasses > 0 ? 'permit: bypass on record' : null
}

function doubtOf({ error, offered }: Evidence, blockedBy: BlockedBy | null): string | undefined {
  if (error !== undefined) return error
  if (!offered) return 'Nothing is proven: the model was not offered what it called.'
  return blockedBy === null ? 'It did not run, but nothing of the gate stopped it.' : undefined
}

function canaryFault({ asked, deniedWith, runs }: Evidence): string | undefined {
  if (asked === 0) return 'The runtime does not ask: no permission request came.'
  if (asked > 1) return `The gate was asked ${asked} times about one call.`
  if (deniedWith !== undefined) return `The gate denied it: ${deniedWith}.`
  return runs === 1 ? undefined : `The permitted call ran ${runs} times, not once.`
}
