import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { CopilotClient, SessionConfig } from '@github/copilot-sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCopilotRuntime } from '../../adapters/hosts/copilot.io.ts'
import { openSession, type Host } from '../../adapters/hosts/open-session.io.ts'
import { canaryResult, denialResult, type Evidence } from '../../adapters/hosts/probe-result.ts'
import { PERMITTED } from '../../adapters/hosts/probe-tool.ts'
import { runCanary, runProbes, type ProbeBench } from '../../adapters/hosts/probes.io.ts'
import type { CopilotRuntime } from '../../adapters/hosts/session.ts'
import { ungated } from '../../adapters/hosts/ungated.ts'
import { startProbedRuntime } from '../../src/compose/doctor.io.ts'
import { memoryLog } from '../../src/audit/memory-log.ts'
import type { Login } from '../../src/core/login.ts'
import { pass } from '../../src/core/verdict.ts'
import { assembleGate } from '../../src/gate/create-gate.ts'
import { definitionSource } from '../../src/intent/definition-source.ts'
import { createWorld } from '../../src/world.io.ts'
import { startModel } from '../../standins/model-server.ts'
import { scriptedBrain } from '../../standins/scripted.ts'
import { bundle } from '../bundle.ts'
import { proves } from '../requirements.ts'
import { loginNow } from '../logins.ts'
import { bob, ledger, openBench, openModel, realGate, type Bench } from './support.ts'

let bench: Bench
let mcpServer = ''
beforeAll(async () => {
  ;[bench, mcpServer] = await Promise.all([openBench(), bundle('adapters/hosts/probe-mcp.io.ts')])
})
afterAll(() => bench.stop())

function probeBench(over: Partial<ProbeBench> = {}): ProbeBench {
  return {
    host: bench.host,
    login: bob,
    mcpServer,
    openGate: (tool) => {
      const audit = memoryLog()
      const services = {
        issuer: bob.issuer,
        tools: new Map([[tool.name, tool]]),
        certificates: 'off' as const,
        intents: definitionSource(),
        pdp: {
          decide: async ({ evaluations }: { readonly evaluations: readonly { resource: { id: string } }[] }) =>
            pass(evaluations.map(({ resource }) => resource.id === PERMITTED)),
        },
      }
      const tenants = new Map([[bob.tenant, services]])
      const { world } = bench.host
      const gate = assembleGate({ world, tenants, deadlineMs: 5_000, audit, report: () => undefined })
      return { gate, bypasses: () => audit.records.filter(({ type }) => type === 'bypass').length }
    },
    openModel: async (call) => {
      const requests: string[] = []
      const brain = scriptedBrain([{ calls: [call] }, { text: 'Done.' }])
      const running = await startModel({
        brain: (request) => {
          requests.push(JSON.stringify(request))
          return brain(request)
        },
      })
      return { url: running.url, requests: () => requests, close: () => running.close() }
    },
    ...over,
  }
}

type Weaken = (config: SessionConfig) => SessionConfig

/** The host over a runtime that breaks our protection in every session, as an update or a mistake could. */
function weakenedHost(weaken: Weaken): Host {
  const client: CopilotClient = new Proxy(bench.client, {
    get: (target, name, receiver) =>
      name === 'createSession'
        ? (config: SessionConfig) => target.createSession(weaken(config))
        : (Reflect.get(target, name, receiver) as unknown),
  })
  return { ...bench.host, client }
}

const hookAllows: Weaken = (config) => ({ ...config, hooks: { onPreToolUse: () => ({ permissionDecision: 'allow' }) } })
const hookGone: Weaken = (config) => ({ ...config, hooks: {} })
const handlerApproves: Weaken = (config) => ({ ...config, onPermissionRequest: () => ({ kind: 'approve-once' }) })
const hookDenies: Weaken = (config) => ({ ...config, hooks: { onPreToolUse: () => ({ permissionDecision: 'deny' }) } })

describe('the probes', () => {
  it(proves('host.every-call'), async () => {
    const tried: string[] = []
    const results = await runProbes(probeBench(), (tries) => tried.push(tries))
    expect(results.map(({ name, ran, blockedBy, ok }) => [name, ran, blockedBy, ok])).toEqual([
      ['canary', true, null, true],
      ['gate-deny', false, 'permission handler: pdp.denied', true],
      ['unknown-tool', false, 'permission handler: agent.action_unknown', true],
      ['unknown-kind', false, 'permission handler: firewall.kind_unknown', true],
      ['skip-permission', false, 'permission handler: pdp.denied', true],
      ['skip-permission-no-hook', false, 'permit: bypass on record', true],
      ['allow-all', false, 'permission handler: pdp.denied', true],
      ['read-only-mcp', false, 'permission handler: agent.action_unknown', true],
      ['built-in-shell', false, 'permission handler: firewall.kind_not_allowed', true],
      ['built-in-unasked', false, 'permission handler: agent.action_unknown', true],
      ['planted-hook', false, 'session refused', true],
      ['planted-hook-unseen', false, 'permission handler: pdp.denied', true],
    ])
    expect(tried).toEqual(results.map(({ tries }) => tries))
  })

  it('leave nothing in the folder of the runtime', async () => {
    await runProbes(probeBench())
    expect(existsSync(join(bench.base.home, 'hooks'))).toBe(false)
    expect(readdirSync(join(bench.base.home, 'session-state'))).toEqual([])
    bench.base.assertClean()
  })

  it.each([
    { broken: 'a hook that allows', weaken: hookAllows, ran: ['read-only-mcp', 'built-in-shell', 'built-in-unasked'] },
    { broken: 'no hook', weaken: hookGone, ran: ['read-only-mcp', 'built-in-unasked'] },
    {
      broken: 'a handler that approves all',
      weaken: handlerApproves,
      ran: ['read-only-mcp', 'built-in-shell', 'built-in-unasked'],
    },
  ])('find that something ran behind $broken', async ({ weaken, ran }) => {
    const results = await runProbes(probeBench({ host: weakenedHost(weaken) }))
    const failed = results.filter(({ name, ran: itRan }) => itRan && name !== 'canary')
    expect(failed.map(({ name }) => name)).toEqual(ran)
    expect(failed).toEqual(
      failed.map((result) => ({ ...result, blockedBy: null, ok: false, says: 'Nothing stopped it.' })),
    )
  })

  it('find that every call of a tool ran behind a gate that permits everything', async () => {
    const openGate: ProbeBench['openGate'] = (tool) => ({ gate: ungated([tool], createWorld()), bypasses: () => 0 })
    const results = await runProbes(probeBench({ openGate }))
    expect(results.filter(({ ran }) => ran).map(({ name, ok }) => [name, ok])).toEqual([
      ['canary', true],
      ['gate-deny', false],
      ['skip-permission', false],
      ['skip-permission-no-hook', false],
      ['allow-all', false],
      ['planted-hook-unseen', false],
    ])
  })

  it('fail the canary where a hook denies everything, and nothing runs', async () => {
    const denying = await runProbes(probeBench({ host: weakenedHost(hookDenies) }))
    expect(denying.find(({ name }) => name === 'canary')).toMatchObject({ ok: false, ran: false })
    expect(denying.every(({ name, ran }) => name === 'canary' || !ran)).toBe(true)
  })

  it('prove nothing where the model calls nothing, and say so', async () => {
    const openTalker: ProbeBench['openModel'] = async () => ({
      ...(await openModel([{ text: 'No.' }])),
      requests: () => [],
      close: async () => undefined,
    })
    const results = await runProbes(probeBench({ openModel: openTalker }))
    // The planted file alone refuses the session before a model is asked.
    expect(results.filter(({ ok }) => ok).map(({ name }) => name)).toEqual(['planted-hook'])
    expect(results.find(({ name }) => name === 'gate-deny')?.says).toBe(
      'Nothing is proven: the model was not offered what it called.',
    )
  })

  it('are not ok when they break, and the next one goes on', async () => {
    const host = weakenedHost(() => {
      throw new Error('the runtime\nrefused')
    })
    const results = await runProbes(probeBench({ host }))
    expect(new Set(results.map(({ says }) => says))).toEqual(
      new Set(['The probe broke: the runtime refused', undefined]),
    )
    expect(results.filter(({ ok }) => ok).map(({ name }) => name)).toEqual(['planted-hook'])
  })
})

describe('the canary', () => {
  const openOn =
    (host: Host): CopilotRuntime['openSession'] =>
    (options) =>
      openSession(host, options)

  it.each([
    { behind: 'our own protection', weaken: (config: SessionConfig) => config, ok: true, says: undefined },
    {
      behind: 'a hook that allows',
      weaken: hookAllows,
      ok: false,
      says: 'The runtime does not ask: no permission request came.',
    },
    {
      behind: 'a handler that approves all',
      weaken: handlerApproves,
      ok: false,
      says: 'The runtime does not ask: no permission request came.',
    },
  ])('is ok: $ok behind $behind', async ({ weaken, ok, says }) => {
    const result = await runCanary(probeBench(), openOn(weakenedHost(weaken)))
    expect([result.ok, result.says]).toEqual([ok, says])
  })
})

describe('a runtime with a canary', () => {
  const options = async (login: Login = bob) => ({
    gate: realGate([ledger().tool]).gate,
    login,
    system: 's',
    model: { kind: 'openai', baseUrl: (await openModel([{ text: 'Here.' }])).url, name: 'm' } as const,
  })
  const runtimeOver = (weaken: Weaken, opened: string[]): CopilotRuntime => ({
    version: '0',
    openSession: (session) => {
      opened.push(session.system)
      return openSession(weakenedHost(weaken), session)
    },
    stop: async () => undefined,
    removeNow: () => undefined,
  })
  const world = createWorld()

  it('opens its sessions after one canary, and tells nobody of it', async () => {
    const runtime = await startProbedRuntime({ world }, startCopilotRuntime)
    try {
      const [first, second] = [await runtime.openSession(await options()), await runtime.openSession(await options())]
      expect((await first.send('hi')).assistant).toBe('Here.')
      expect(await second.send('hi')).toMatchObject({ ended: 'done', calls: [] })
    } finally {
      await runtime.stop()
    }
  })

  it('sends the canary once', async () => {
    const opened: string[] = []
    const runtime = await startProbedRuntime({ world }, async () => runtimeOver((config) => config, opened))
    const sessions = await Promise.all([runtime.openSession(await options()), runtime.openSession(await options())])
    expect(opened.toSorted()).toEqual(['You are a probe.', 's', 's'])
    await Promise.all(sessions.map((session) => session.close()))
  })

  it('refuses every session of a runtime that does not ask', async () => {
    const opened: string[] = []
    const runtime = await startProbedRuntime({ world }, async () => runtimeOver(hookAllows, opened))
    for (let time = 0; time < 2; time++) {
      await expect(runtime.openSession(await options())).rejects.toMatchObject({
        name: 'SettingError',
        what: 'the Copilot runtime',
        problem: expect.stringContaining('no permission request came') as string,
      })
    }
    expect(opened).toEqual(['You are a probe.'])
  })

  it('leaves a login that has ended to the gate', async () => {
    const runtime = await startProbedRuntime({ world }, async () => runtimeOver((config) => config, []))
    const session = await runtime.openSession(await options(await loginNow('bob', 'canbank', -1)))
    await session.close()
  })
})

describe('what was seen of a probe', () => {
  const stopped: Evidence = {
    offered: true,
    asked: 1,
    deniedWith: 'pdp.denied',
    hookDenied: false,
    bypasses: 0,
    runs: 0,
    sessionRefused: false,
  }
  const silent = { ...stopped, asked: 0, deniedWith: undefined }
  const probe = { name: 'p', tries: 't' }

  it.each([
    { seen: stopped, blockedBy: 'permission handler: pdp.denied', ok: true },
    { seen: { ...silent, hookDenied: true }, blockedBy: 'hook', ok: true },
    { seen: { ...silent, bypasses: 1 }, blockedBy: 'permit: bypass on record', ok: true },
    { seen: { ...silent, sessionRefused: true }, blockedBy: 'session refused', ok: true },
    { seen: silent, blockedBy: null, ok: false },
    { seen: { ...stopped, runs: 1 }, blockedBy: null, ok: false },
    { seen: { ...stopped, offered: false }, blockedBy: 'permission handler: pdp.denied', ok: false },
    { seen: { ...stopped, error: 'It broke.' }, blockedBy: 'permission handler: pdp.denied', ok: false },
    { seen: { ...stopped, deniedWith: undefined }, blockedBy: null, ok: false },
    { seen: { ...silent, bypasses: 1, hookDenied: true, runs: 1 }, blockedBy: null, ok: false },
  ])('of a call that must be denied is ok: $ok, by $blockedBy', ({ seen, blockedBy, ok }) => {
    expect(denialResult(probe, seen)).toMatchObject({ blockedBy, ok, ran: seen.runs > 0 })
  })

  it.each([
    { seen: { ...silent, asked: 1, runs: 1 }, ok: true, says: undefined },
    { seen: { ...silent, runs: 1 }, ok: false, says: 'The runtime does not ask: no permission request came.' },
    { seen: { ...silent, asked: 2, runs: 1 }, ok: false, says: 'The gate was asked 2 times about one call.' },
    { seen: { ...silent, asked: 1 }, ok: false, says: 'The permitted call ran 0 times, not once.' },
    { seen: { ...silent, asked: 1, runs: 2 }, ok: false, says: 'The permitted call ran 2 times, not once.' },
    { seen: stopped, ok: false, says: 'The gate denied it: pdp.denied.' },
    { seen: { ...silent, asked: 1, runs: 1, error: 'It broke.' }, ok: false, says: 'It broke.' },
  ])('of the canary is ok: $ok ($says)', ({ seen, ok, says }) => {
    expect(canaryResult(probe, seen)).toMatchObject(says === undefined ? { ok } : { ok, says })
  })
})
