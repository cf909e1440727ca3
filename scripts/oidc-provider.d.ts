// The package brings no types: what we use of it.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface ProviderGrant {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export interface ProviderContext {
    body: unknown
    status: number
    type: string
    readonly path: string
    readonly oidc: {
      readonly provider: Provider
      readonly client: { readonly clientId: string }
      readonly session: { readonly accountId: string }
    }
  }

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>)
    readonly Grant: new (of: { readonly clientId: string; readonly accountId: string }) => ProviderGrant
    use(middleware: (context: ProviderContext, next: () => Promise<void>) => Promise<void>): void
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
    ): Promise<void>
  }
}
