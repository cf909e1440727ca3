import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startCopilotRuntime } from '../../adapters/hosts/copilot.io.ts'
import type { CopilotRuntime } from '../../adapters/hosts/session.ts'
import { BANKS } from '../../src/canbank/banks.ts'
import { sessionId, toolCallId } from '../../src/core/ids.ts'
import { createWorld } from '../../src/world.io.ts'
import { startBankStandins } from '../../standins/all.ts'
import { startModel } from '../../standins/model-server.ts'
import { scriptedBrain } from '../../standins/scripted.ts'
import { hostile, type HostileServer } from '../hostile-server.ts'
import { proves } from '../requirements.ts'
import { composed, signedIn } from './graph.ts'

const DOWN = 'http://127.0.0.1:9'

let silent: HostileServer
let runtime: CopilotRuntime
beforeAll(async () => {
  silent = await hostile(() => undefined)
  runtime = await startCopilotRuntime({ world: createWorld() })
})
afterAll(async () => {
  await silent.close()
  await runtime.stop()
})

describe('a service that is down or slow', () => {
  it.each([
    ['an intent-agent that is down', 'intent.unavailable', () => ({ INTENT_AGENT_URL: DOWN })],
    [
      'an intent-agent that is silent',
      'intent.timeout',
      () => ({ INTENT_AGENT_URL: silent.url.href, INTENT_AGENT_TIMEOUT_MS: '150' }),
    ],
    [
      'an intent-agent that is slower than the gate waits',
      'intent.timeout',
      () => ({ INTENT_AGENT_URL: silent.url.href, GATE_DEADLINE_MS: '150' }),
    ],
    ['a PDP that is down', 'pdp.unavailable', () => ({ AUTHZEN_PDP_URL: DOWN })],
    [
      'a PDP that is silent',
      'pdp.timeout',
      () => ({ AUTHZEN_PDP_URL: silent.url.href, GATE_DEADLINE_MS: '500', INTENT_SOURCE: 'definition' }),
    ],
  ] as const)(`%s is a deny with %s — ${proves('gate.fails-closed')}`, async (_title, reason, settings) => {
    const graph = await composed({}, settings())
    onTestFinished(() => graph.close())
    const judgement = await graph.gate.judge({
      id: toolCallId('c1'),
      session: sessionId('s1'),
      turn: 1,
      login: await signedIn(graph, 'canbank', 'bob'),
      kind: 'custom-tool',
      tool: 'get_account_balance',
      args: { account_id: 'acc-bob-checking' },
    })
    expect(judgement.decision).toEqual({ kind: 'deny', reason })
  })
})

describe('a service that dies in the middle of a turn', () => {
  it.each([
    ['the intent-agent', 'intent.unavailable', 'INTENT_AGENT_URL', 'agentUrl'],
    ['the PDP', 'pdp.unavailable', 'AUTHZEN_PDP_URL', 'indykiteUrl'],
  ] as const)(
    '%s: the calls after it are denied with %s, and the turn ends well',
    async (_who, reason, setting, url) => {
      const standins = await startBankStandins({ bank: BANKS.canbank })
      onTestFinished(() => standins.close())
      const graph = await composed({}, { [setting]: standins[url], INTENT_MEMORY: 'off' })
      onTestFinished(() => graph.close())
      const ask = (account_id: string) => ({ calls: [{ name: 'get_account_balance', arguments: { account_id } }] })
      const brain = scriptedBrain([ask('acc-bob-checking'), ask('acc-joint'), { text: 'over' }])
      const model = await startModel({ brain, name: 'scripted' })
      onTestFinished(() => model.close())
      let decided = 0
      const login = await signedIn(graph, 'canbank', 'bob')
      const session = await runtime.openSession({
        gate: graph.gate,
        login,
        model: { kind: 'openai', baseUrl: model.url, name: 'scripted' },
        system: 'You are the assistant of a bank.',
        // The model's second answer waits for the first call's result, so this is over before it.
        onDecision: () => {
          if (decided++ === 0) void standins.close()
        },
      })
      const { calls, assistant, ended } = await session.send('My balances, please')
      expect([ended, assistant]).toEqual(['done', 'over'])
      expect(calls.map(({ executed }) => executed)).toEqual([true, false])
      expect(calls[1]?.judgement.decision).toEqual({ kind: 'deny', reason })
    },
  )
})
