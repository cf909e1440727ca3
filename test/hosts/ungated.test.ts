import { expect, it } from 'vitest'
import { ungated } from '../../adapters/hosts/ungated.ts'
import { CALL_KINDS, type ToolCall } from '../../src/core/call.ts'
import { sessionId, toolCallId } from '../../src/core/ids.ts'
import { testWorld } from '../worlds.ts'
import { bob, ledger, refusing } from './support.ts'

const call = (change: Partial<ToolCall> = {}): ToolCall => ({
  id: toolCallId('c1'),
  session: sessionId('s1'),
  turn: 1,
  login: bob,
  kind: 'custom-tool',
  tool: 'get_balance',
  args: { id: 'alice-1' },
  ...change,
})

it('permits and runs any custom tool call that parses, whoever asks', async () => {
  const { tool, ran } = ledger()
  const gate = ungated([tool], testWorld())
  expect(gate.tools(bob)).toEqual([tool])
  expect((await gate.authorize(call())).decision.kind).toBe('permit')
  expect(await gate.run(call())).toMatchObject({ kind: 'done', executed: true })
  expect(ran).toEqual(['alice-1'])
})

it.each(CALL_KINDS.filter((kind) => kind !== 'custom-tool'))('still denies a call of kind %s', async (kind) => {
  const gate = ungated([ledger().tool], testWorld())
  expect((await gate.authorize(call({ kind }))).decision.kind).toBe('deny')
})

it.each([{ tool: 'stranger' }, { args: {} }, { args: { id: 'a', extra: 1 } }, { args: '{"id":"a"}' }])(
  'still denies and does not run what does not parse: %j',
  async (change) => {
    const { tool, ran } = ledger()
    const gate = ungated([tool], testWorld())
    expect((await gate.authorize(call(change))).decision.kind).toBe('deny')
    expect(await gate.run(call(change))).toMatchObject({ kind: 'denied', executed: false })
    expect(ran).toEqual([])
  },
)

it('reports a refusal of the tool by its code, and breakage without its message', async () => {
  const broken = (): never => {
    throw new Error('secret')
  }
  const [refused, failed] = [ledger('refused', refusing), ledger('failed', broken)]
  const gate = ungated([refused.tool, failed.tool], testWorld())
  expect(await gate.run(call({ tool: 'refused' }))).toMatchObject({ kind: 'refused', code: 'account.closed' })
  expect(await gate.run(call({ tool: 'failed' }))).toEqual({ kind: 'failed', executed: true })
})
