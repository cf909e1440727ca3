import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Provider, ProviderContext, ProviderGrant } from 'oidc-provider'

export interface DemoProviderOptions {
  /** Whoever says to be one of them is signed in: it asks for no password. */
  readonly customers: readonly string[]
  /** The `tenant` claim of every token. */
  readonly tenant: string
  /** More claims of a customer's access tokens. @defaultValue none */
  readonly claims?: (customer: string) => Readonly<Record<string, unknown>>
  /** Seconds that an access token lives. @defaultValue 3600 */
  readonly tokenSeconds?: number
  /** Seconds that a person has to enter the code. @defaultValue 600 */
  readonly codeSeconds?: number
  /** @defaultValue one that the system chooses */
  readonly port?: number
}

export interface DemoProvider {
  readonly issuer: string
  /** Starts anew with another signing key, as after a restart: what was signed before has no published key. */
  rotateKeys(): Promise<void>
  close(): Promise<void>
}

/** The `aud` of its access tokens, and the resource whose tokens are JWTs. */
export const RESOURCE = 'urn:intent-gate:bank'
/** The resource whose tokens nobody but the issuer can read; they have the same `aud`. */
export const OPAQUE_RESOURCE = 'urn:intent-gate:bank:opaque'
/** The public client of the device flow. */
export const CLIENT_ID = 'intent-gate'
/** The client that may introspect, with its secret. */
export const INTROSPECTOR = { id: 'gate introspector', secret: 'demo secret: 100% & more' }

/** The certified OpenID Connect server `oidc-provider` on loopback, with the device flow and introspection. */
export async function startDemoProvider(options: DemoProviderOptions): Promise<DemoProvider> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let handle = await handlerOf(issuer, options)
  server.on('request', (request, response) => {
    void handle(request, response)
  })
  return {
    issuer,
    rotateKeys: async () => {
      handle = await handlerOf(issuer, options)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

async function handlerOf(issuer: string, options: DemoProviderOptions): Promise<Handler> {
  const settings = configuration(options, await newKey())
  const provider = await withoutNotices(async () => {
    const library = await import('oidc-provider')
    return new library.Provider(issuer, settings)
  })
  provider.use(answerBrokenForms)
  const answer = provider.callback()
  return (request, response) =>
    request.url?.startsWith('/sign-in/') === true
      ? signIn(provider, options, request, response)
      : answer(request, response)
}

/** What the library tells whoever runs it in production at its start; this is a demo, and says so itself. */
const NOTICE = /oidc-provider (WARNING|NOTICE)/

async function withoutNotices<T>(start: () => Promise<T>): Promise<T> {
  const { warn } = console
  console.warn = (...said: unknown[]) => {
    if (!NOTICE.test(String(said[0]))) warn(...said)
  }
  try {
    return await start()
  } finally {
    console.warn = warn
  }
}

/** The pages for a person. The library breaks over a form that it has not handed out itself. */
const FORMS = /^\/device(\/|$)/

async function answerBrokenForms(context: ProviderContext, next: () => Promise<void>): Promise<void> {
  try {
    await next()
  } catch (cause) {
    if (!FORMS.test(context.path)) throw cause
    context.status = 400
    show(context, 'That did not work', `<p>${OVER}</p>`)
  }
}

const OVER = 'This sign-in is over. Start again in the terminal.'

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: randomUUID(), alg: 'RS256', use: 'sig' }
}

const HOUR = 3_600

function configuration(options: DemoProviderOptions, key: JWK): Readonly<Record<string, unknown>> {
  const { tenant, claims = () => ({}), codeSeconds = 600 } = options
  const none = { response_types: [], redirect_uris: [] }
  return {
    clients: [
      {
        ...none,
        client_id: CLIENT_ID,
        client_name: 'intent-gate',
        token_endpoint_auth_method: 'none',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
      },
      {
        ...none,
        client_id: INTROSPECTOR.id,
        client_secret: INTROSPECTOR.secret,
        token_endpoint_auth_method: 'client_secret_basic',
        grant_types: [],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: [randomUUID()] },
    ttl: { AccessToken: HOUR, DeviceCode: codeSeconds, Grant: HOUR, IdToken: HOUR, Interaction: HOUR, Session: HOUR },
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: (_context: unknown, { accountId }: { readonly accountId: string }) => ({
      ...claims(accountId),
      tenant,
    }),
    loadExistingGrant: granted,
    renderError: (context: ProviderContext, out: { readonly error_description?: string }) => {
      show(context, 'That did not work', `<p>${escaped(out.error_description ?? OVER)}</p>`)
    },
    interactions: { url: (_context: unknown, { uid }: { readonly uid: string }) => `/sign-in/${uid}` },
    features: {
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: () => true },
      deviceFlow: { enabled: true, ...PAGES },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: '',
          audience: RESOURCE,
          accessTokenTTL: options.tokenSeconds ?? HOUR,
          accessTokenFormat: resource === OPAQUE_RESOURCE ? 'opaque' : 'jwt',
        }),
      },
    },
  }
}

/** The one client is ours: whoever signs in has agreed. */
async function granted({ oidc }: ProviderContext): Promise<ProviderGrant> {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
  grant.addOIDCScope('openid')
  await grant.save()
  return grant
}

const html = (title: string, body: string): string =>
  `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}`

const escaped = (said: string): string => said.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

const show = (context: ProviderContext, title: string, body: string): void => {
  context.type = 'html'
  context.body = html(title, body)
}

const PAGES = {
  userCodeInputSource: (context: ProviderContext, form: string): void => {
    show(context, 'Enter the code', `${form}<button form="op.deviceInputForm">Continue</button>`)
  },
  userCodeConfirmSource: (context: ProviderContext, form: string, _client: unknown, _info: unknown, code: string) => {
    const buttons = `<button form="op.deviceConfirmForm">Yes</button>
<button form="op.deviceConfirmForm" name="abort" value="yes">No</button>`
    show(context, `Does your terminal show ${code}?`, `${form}${buttons}`)
  },
  successSource: (context: ProviderContext): void => {
    show(context, 'Signed in', '<p>Go back to the terminal.</p>')
  },
}

async function signIn(
  provider: Provider,
  { customers, tenant }: DemoProviderOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const customer = new URLSearchParams(request.method === 'POST' ? await text(request) : '').get('customer')
    if (customer === 'nobody') {
      await provider.interactionFinished(request, response, { error: 'access_denied' })
    } else if (customer !== null && customers.includes(customer)) {
      await provider.interactionFinished(request, response, { login: { accountId: customer } })
    } else {
      const button = (each: string): string => `<button name="customer" value="${each}">${each}</button>`
      const buttons = [...customers, 'nobody'].map(button).join('\n')
      response.setHeader('content-type', 'text/html')
      response.end(html(`Who are you at ${tenant}?`, `<form method="post">${buttons}</form>`))
    }
  } catch {
    response.statusCode = 400
    response.end(OVER)
  }
}
