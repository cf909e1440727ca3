import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { indykiteBank, indykitePosts } from '../../scripts/indykite-graph.ts'
import { BANKS } from '../../src/canbank/banks.ts'
import { recordingPdp } from './recording-pdp.ts'

const file = (name: string): unknown => JSON.parse(readFileSync(`pdp/indykite/${name}.json`, 'utf8'))
const bank = indykiteBank(BANKS.canbank)

describe("IndyKite's part of the bank", () => {
  it.each(['nodes', 'relationships', 'policies'] as const)('is pdp/indykite/%s.json, made of its data', (name) => {
    expect(file(name)).toEqual({ [name]: bank[name] })
  })

  it('has four policies, identity nodes for who asks, and no word about a customer', () => {
    expect(bank.policies).toHaveLength(4)
    expect(bank.nodes.filter(({ is_identity }) => is_identity).map(({ external_id }) => external_id)).toEqual([
      'alice',
      'bob',
      'carol',
    ])
    const text = JSON.stringify(bank)
    for (const { name, address, phone } of BANKS.canbank.customers) {
      for (const private_ of [name, address, phone]) expect(text).not.toContain(private_)
    }
  })

  it('connects only nodes that are there', () => {
    const there = new Set(bank.nodes.map(({ type, external_id }) => `${type} ${external_id}`))
    for (const { source, target } of bank.relationships) {
      expect(there).toContain(`${source.type} ${source.external_id}`)
      expect(there).toContain(`${target.type} ${target.external_id}`)
    }
  })

  it('is sent with nodes first and each policy as text', () => {
    const posts = indykitePosts(bank, 'gid:p')
    expect(posts.map(({ path }) => path).slice(0, 3)).toEqual([
      '/capture/v1/nodes',
      '/capture/v1/relationships',
      '/configs/v1/authorization-policies',
    ])
    const first = posts[2]?.body as { readonly policy: string; readonly project_id: string }
    expect(first).toMatchObject({ project_id: 'gid:p', status: 'ACTIVE' })
    expect(JSON.parse(first.policy)).toEqual(bank.policies[0]?.policy)
  })
})

describe('npm run indykite:setup', () => {
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, ['dist/scripts/indykite-setup.js', ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...env },
    })

  it('sends nothing unless it is told to', () => {
    const { status, stdout, stderr } = run([], { AUTHZEN_PDP_URL: 'http://127.0.0.1:1' })
    expect(status).toBe(0)
    expect(stdout).toContain('POST /capture/v1/nodes (with the client key)')
    expect(stderr).toContain('nothing was sent')
  })

  it('sends each credential where it belongs and nowhere else', async () => {
    const server = await recordingPdp(({ path }) =>
      path.startsWith('/configs') ? { status: 409, body: { message: 'there' } } : { body: { results: [] } },
    )
    try {
      const { stdout } = await promisify(execFile)(process.execPath, ['dist/scripts/indykite-setup.js', '--send'], {
        env: {
          PATH: process.env['PATH'],
          AUTHZEN_PDP_URL: server.url,
          AUTHZEN_PDP_CLIENT_KEY: 'a-client-key',
          INDYKITE_SERVICE_ACCOUNT_TOKEN: 'a-service-token',
          INDYKITE_PROJECT_ID: 'gid:p',
        },
      })
      expect(stdout).not.toMatch(/a-client-key|a-service-token/)
      const sent = server.heard.map(({ path, headers }) => [path, headers['x-ik-clientkey'], headers.authorization])
      const policy = ['/configs/v1/authorization-policies', undefined, 'Bearer a-service-token']
      expect(sent).toEqual([
        ['/capture/v1/nodes', 'a-client-key', undefined],
        ['/capture/v1/relationships', 'a-client-key', undefined],
        ...[policy, policy, policy, policy],
      ])
    } finally {
      await server.close()
    }
  })

  it.each([
    { args: ['--send'], env: {}, says: 'AUTHZEN_PDP_URL: is not set' },
    { args: ['--send'], env: { AUTHZEN_PDP_URL: 'https://pdp.example.com' }, says: 'is not an API of IndyKite' },
    {
      args: ['--send'],
      env: { AUTHZEN_PDP_URL: 'https://eu.api.indykite.com' },
      says: 'AUTHZEN_PDP_CLIENT_KEY: is not set',
    },
    { args: ['--send', '--dry-run'], env: {}, says: '--send: contradicts --dry-run' },
    { args: ['--bank', 'oslo'], env: {}, says: '--bank: "oslo" is not a bank' },
    { args: ['--sned'], env: {}, says: "Unknown option '--sned'" },
  ])('ends with 2 and says "$says" for $args', ({ args, env, says }) => {
    const { status, stderr } = run(args, env)
    expect(stderr).toContain(says)
    expect(status).toBe(2)
  })
})
