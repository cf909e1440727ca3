/** What differs between the HTTP kinds of PDP; everything else is AuthZEN 1.0. */
export interface PdpProfile {
  readonly evaluationsUrl: URL
  /** Sent on each request, with lower-case names; may hold a secret. */
  readonly headers: Readonly<Record<string, string>>
  /** Sends `Authorization: Bearer` with the session's own token. @defaultValue false */
  readonly forwardsLogin?: boolean
  /** False for a PDP that puts an id of its own into each answer, like OpenFGA: it is then not compared. @defaultValue true */
  readonly echoesRequestId?: boolean
}
