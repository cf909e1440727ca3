/** How an exchange with a service failed, told apart by what an operator would do about it. */
export type TransportFailure = 'unreachable' | 'timeout' | 'answer'

/** The only error that `World.send` rejects with. `message` names the fault and never quotes a body or a header. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly kind: TransportFailure
  /** True when the other side took no connection, so that nothing was sent. */
  readonly refused: boolean

  constructor(kind: TransportFailure, message: string, { refused = false }: { readonly refused?: boolean } = {}) {
    super(message)
    this.kind = kind
    this.refused = refused
  }
}
