/** Integer minor units with a currency. */
export interface Money {
  readonly minor: number
  readonly currency: string
}

/** A record of the subject that a message may name; what it holds was read by the server, not by the model. */
export interface OwnRecord {
  /** AuthZEN resource type. */
  readonly type: string
  readonly id: string
  /** Further names, lower case, any language: `savings`, `sparekonto`. The id itself always counts. */
  readonly names: readonly string[]
  /** Values inside it that a payment of it would use. */
  readonly holds?: { readonly payees: readonly string[]; readonly amounts: readonly Money[] }
  /** Money cannot leave or reach it. */
  readonly closed?: boolean
  readonly currency?: string
  /** Money can be taken from it. */
  readonly isSource?: boolean
  /** A payment of the past that came in. Who sent it is the payee that it holds. */
  readonly received?: boolean
}

/** The subject's own data, read by the host for this login. */
export interface SubjectFacts {
  readonly records: readonly OwnRecord[]
  /** Payees under the names that the subject gave them; matched without case. */
  readonly payees: readonly { readonly name: string; readonly id: string }[]
  /** A payee may be written by name, and the bank itself finds the account. @defaultValue false */
  readonly payeesByName?: boolean
  /** The currency of an amount without one, when all of the subject's sources share it. */
  readonly currency?: string
  /** ISO 8601 date of today at the subject's place, for "tomorrow" and "i morgen". */
  readonly today: string
}
