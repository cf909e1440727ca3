import type { Decision } from './decision.ts'

/** The rooms that have an opinion on a call, in the order in which they are asked and reported. */
export type OpinionRoom =
  'login' | 'firewall' | 'certificates' | 'intent' | 'coverage' | 'pdp' | 'effects' | 'approval' | 'gate'

export interface Opinion {
  readonly room: OpinionRoom
  readonly decision: Decision
  /** Milliseconds since the opinion before, or since the call came; of a person's opinion absent. */
  readonly ms?: number
  /** For the audit only: what exactly was wrong. Never shown to the model; never holds a token or a secret. */
  readonly detail?: string
  /** For the model and the user too: made from the tool's own definition only, never from a value. */
  readonly hint?: string
}
