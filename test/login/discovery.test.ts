import { afterAll, describe, expect, it } from 'vitest'
import { discover } from '../../src/login/discovery.ts'
import { createWorld } from '../../src/world.io.ts'
import { DISCOVERY, metadata, ok, playedIssuer, type Played } from './played-issuer.ts'

const world = createWorld()
afterAll(() => world.close())

async function discovered(
  routes: (issuer: string) => Record<string, Played>,
  path = '',
): Promise<{ readonly found: unknown; readonly asked: readonly string[] }> {
  const server = await playedIssuer((issuer) =>
    Object.fromEntries(Object.entries(routes(issuer)).map(([at, played]) => [at, [played]])),
  )
  try {
    const found: unknown = await discover(`${server.issuer}${path}`, world).catch((cause: unknown) => cause)
    return { found, asked: server.requests.map((each) => each.path) }
  } finally {
    await server.close()
  }
}

describe('finds the metadata', () => {
  it.each([
    { where: 'of OpenID Connect', path: '', asked: [DISCOVERY] },
    { where: 'of an issuer with a path', path: '/realms/bank', asked: [`/realms/bank${DISCOVERY}`] },
    { where: 'of an issuer that ends in a slash', path: '/realms/bank/', asked: [`/realms/bank${DISCOVERY}`] },
    {
      where: 'of an OAuth server',
      path: '',
      asked: [DISCOVERY, '/.well-known/oauth-authorization-server'],
    },
    {
      where: 'of an OAuth server with a path',
      path: '/realms/bank',
      asked: [`/realms/bank${DISCOVERY}`, '/.well-known/oauth-authorization-server/realms/bank'],
    },
  ])('$where', async ({ path, asked }) => {
    const at = asked.at(-1) ?? ''
    const result = await discovered((issuer) => ({ [at]: ok(metadata(`${issuer}${path}`)) }), path)
    expect(result.found).toMatchObject({ jwks_uri: expect.stringContaining('/jwks') as string })
    expect(result.asked).toEqual(asked)
  })

  it('with nothing but a name, of which the rest is missed only when it is needed', async () => {
    const { found } = await discovered((issuer) => ({ [DISCOVERY]: ok({ issuer }) }))
    expect(found).not.toBeInstanceOf(Error)
  })
})

describe('takes nothing from', () => {
  it.each<[string, (issuer: string) => Record<string, Played>]>([
    ['an issuer without metadata', () => ({})],
    ['another issuer', () => ({ [DISCOVERY]: ok(metadata('https://evil.test')) })],
    ['an issuer with a slash more', (issuer) => ({ [DISCOVERY]: ok(metadata(`${issuer}/`)) })],
    ['an issuer in other letters', (issuer) => ({ [DISCOVERY]: ok(metadata(issuer.replace('http', 'HTTP'))) })],
    ['a list', () => ({ [DISCOVERY]: ok([]) })],
    ['an endpoint that is no URL', (issuer) => ({ [DISCOVERY]: ok(metadata(issuer, { jwks_uri: 'jwks' })) })],
    [
      'a page',
      (issuer) => ({
        [DISCOVERY]: { body: JSON.stringify(metadata(issuer)), answer: { headers: { 'content-type': 'text/html' } } },
      }),
    ],
    ['a redirect', () => ({ [DISCOVERY]: { body: {}, answer: { status: 302, headers: { location: '/x' } } } })],
    [
      'a 500, and it does not look elsewhere',
      (issuer) => ({
        [DISCOVERY]: { body: {}, answer: { status: 500 } },
        '/.well-known/oauth-authorization-server': ok(metadata(issuer)),
      }),
    ],
  ])('%s', async (_what, routes) => {
    expect((await discovered(routes)).found).toMatchObject({ name: 'TransportError', kind: 'answer' })
  })

  it.each(['', 'issuer', 'http://issuer.test'])('an issuer that cannot be asked: "%s"', async (issuer) => {
    expect(await discover(issuer, world).catch((cause: unknown) => cause)).toMatchObject({ name: 'TransportError' })
  })
})
