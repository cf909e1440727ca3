import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { createMediator, type MediatorOptions } from '../../adapters/hosts/mediator.ts'
import { sessionId } from '../../src/core/ids.ts'
import { deny, permit } from '../../src/core/decision.ts'
import type { ToolCall } from '../../src/core/call.ts'
import type { Gate, Judgement } from '../../src/gate/gate.ts'
import { testWorld } from '../worlds.ts'
import { bob, ledger, realGate } from './support.ts'

const session = sessionId('s1')
const here = { sessionId: 's1' }
const balance = (id: string, toolCallId = 'c1') => ({
  kind: 'hook',
  toolCallId,
  toolName: 'get_balance',
  toolArgs: { id },
})

/** A gate that says yes to everything: what is denied in front of it, the host has denied. */
function yes(change: Partial<Gate> = {}) {
  const asked: ToolCall[] = []
  const authorize = async (call: ToolCall): Promise<Judgement> => {
    asked.push(call)
    return { id: 'j', decision: permit(), opinions: [], ms: 1 }
  }
  const gate: Gate = {
    tools: () => [],
    judge: authorize,
    authorize,
    run: async () => ({ kind: 'done', executed: true, value: 'ran' }),
    beginTurn: () => ({ visible: ['get_balance'] }),
    revoke: () => undefined,
    forget: () => undefined,
    heard: () => undefined,
    endTurn: () => undefined,
    ...change,
  }
  return { gate, asked }
}

function mediator(gate: Gate, change: Partial<MediatorOptions> = {}) {
  const logged: string[] = []
  const known = new Set(['get_balance'])
  const log = (sentence: string) => logged.push(sentence)
  const mediated = createMediator({ gate, login: bob, session, world: testWorld(), known, log, events: {}, ...change })
  return { ...mediated, logged }
}

const never = (): Promise<never> => new Promise(() => undefined)
const feedback = (code: string) => ({ kind: 'reject', feedback: expect.stringContaining(`(${code})`) as string })

describe('the pre-tool hook', () => {
  it('asks for a call of the turn under way', () => {
    const { onPreToolUse, beginTurn } = mediator(yes().gate)
    beginTurn('hello')
    expect(onPreToolUse(here, here).permissionDecision).toBe('ask')
  })

  it.each([
    { what: 'before any turn', begin: false, input: here, invocation: here },
    { what: 'of a sub-agent', begin: true, input: { sessionId: 'sub' }, invocation: here },
    { what: 'of another session', begin: true, input: here, invocation: { sessionId: 's2' } },
  ])('denies a call $what', ({ begin, input, invocation }) => {
    const { onPreToolUse, beginTurn } = mediator(yes().gate)
    if (begin) beginTurn('hello')
    expect(onPreToolUse(input, invocation)).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringMatching(/^Denied \(/) as string,
    })
  })

  it('denies a call after the turn is over', () => {
    const { onPreToolUse, beginTurn, endTurn } = mediator(yes().gate)
    endTurn(beginTurn('hello'))
    expect(onPreToolUse(here, here).permissionDecision).toBe('deny')
  })

  it('denies when it breaks', () => {
    const { onPreToolUse, beginTurn, logged } = mediator(yes().gate)
    beginTurn('hello')
    const poison = {
      get sessionId(): string {
        throw new Error('poison')
      },
    }
    expect(onPreToolUse(poison, here).permissionDecision).toBe('deny')
    expect(logged).toHaveLength(1)
  })
})

describe('the permission handler', () => {
  it('hands the call over as the model gave it, with who talks and in which turn', async () => {
    const { gate, asked } = yes()
    const { onPermissionRequest, beginTurn } = mediator(gate)
    beginTurn('hello')
    beginTurn('hello')
    expect(await onPermissionRequest(balance('bob-1'), here)).toEqual({ kind: 'approve-once' })
    expect(asked).toEqual([
      { id: 'c1', session, turn: 2, login: bob, kind: 'custom-tool', tool: 'get_balance', args: { id: 'bob-1' } },
    ])
  })

  it.each([
    {
      what: 'throws',
      authorize: () => {
        throw new Error('broken')
      },
      code: 'gate.internal_error',
    },
    { what: 'rejects', authorize: () => Promise.reject(new Error('broken')), code: 'gate.internal_error' },
    { what: 'gives nothing', authorize: async () => undefined, code: 'gate.internal_error' },
    { what: 'gives no decision', authorize: async () => ({ decision: {} }), code: 'gate.internal_error' },
    { what: 'gives true', authorize: async () => true, code: 'gate.internal_error' },
    {
      what: 'gives no obligations',
      authorize: async () => ({ decision: { kind: 'permit' } }),
      code: 'gate.internal_error',
    },
    {
      what: 'gives a list of obligations',
      authorize: async () => ({ decision: { kind: 'permit', obligations: [] } }),
      code: 'gate.obligation_unmet',
    },
    {
      what: 'leaves an obligation open',
      authorize: async () => ({ decision: permit('confirm'), opinions: [] }),
      code: 'gate.obligation_unmet',
    },
    { what: 'denies', authorize: async () => ({ decision: deny('pdp.denied'), opinions: [] }), code: 'pdp.denied' },
    {
      what: 'denies with no known code',
      authorize: async () => ({ decision: { kind: 'deny', reason: 'x' }, opinions: [] }),
      code: 'gate.internal_error',
    },
    { what: 'never answers', authorize: never, code: 'gate.timeout' },
  ])('rejects with $code when the gate $what', async ({ authorize, code }) => {
    const { gate } = yes({ authorize: authorize as unknown as Gate['authorize'] })
    const { onPermissionRequest, beginTurn } = mediator(gate, { decisionTimeoutMs: 100 })
    beginTurn('hello')
    expect(await onPermissionRequest(balance('bob-1'), here)).toEqual(feedback(code))
  })

  it.each([
    { what: 'no id', request: { ...balance('bob-1'), toolCallId: undefined }, code: 'request.invalid' },
    { what: 'no tool', request: { kind: 'hook', toolCallId: 'c1' }, code: 'request.invalid' },
    { what: 'no object', request: null, code: 'request.invalid' },
    { what: 'a function in it', request: { ...balance('bob-1'), toolArgs: () => 1 }, code: 'gate.internal_error' },
    { what: 'over 64 KiB of arguments', request: balance('b'.repeat(65_536)), code: 'firewall.arguments_too_large' },
  ])('rejects a request with $what, whatever the gate says', async ({ request, code }) => {
    const { onPermissionRequest, beginTurn } = mediator(yes().gate)
    beginTurn('hello')
    expect(await onPermissionRequest(request, here)).toEqual(feedback(code))
  })

  it('rejects a request of another session', async () => {
    const { onPermissionRequest, beginTurn } = mediator(yes().gate)
    beginTurn('hello')
    expect(await onPermissionRequest(balance('bob-1'), { sessionId: 's2' })).toEqual(feedback('request.invalid'))
  })

  it.each(['before any turn', 'after the turn'])('rejects a request %s', async (when) => {
    const { onPermissionRequest, beginTurn, endTurn } = mediator(yes().gate)
    if (when === 'after the turn') endTurn(beginTurn('hello'))
    expect(await onPermissionRequest(balance('bob-1'), here)).toEqual(feedback('gate.turn_over'))
  })

  it('puts a request outside a turn on record at the real gate', async () => {
    const { gate, audit } = realGate([ledger().tool])
    await mediator(gate).onPermissionRequest(balance('bob-1'), here)
    expect(audit).toMatchObject([{ type: 'decision', code: 'gate.turn_over' }])
  })

  it('rejects at once when the turn ends while the gate thinks, and a late permit changes nothing', async () => {
    let late: (judgement: Judgement) => void = () => undefined
    const { gate } = yes({ authorize: () => new Promise((resolve) => (late = resolve)) })
    const { onPermissionRequest, beginTurn, endTurn } = mediator(gate)
    const turn = beginTurn('hello')
    const answer = onPermissionRequest(balance('bob-1'), here)
    endTurn(turn)
    expect(await answer).toEqual(feedback('gate.turn_over'))
    late({ id: 'j', decision: permit(), opinions: [], ms: 0 })
    expect(turn.attempts()).toMatchObject([{ judgement: { decision: deny('gate.turn_over') }, executed: false }])
  })

  it('rejects when the permit arrives in the very moment in which the turn ends', async () => {
    const { gate } = yes()
    const { onPermissionRequest, beginTurn, endTurn } = mediator(gate)
    const turn = beginTurn('hello')
    const answer = onPermissionRequest(balance('bob-1'), here)
    await Promise.resolve()
    endTurn(turn)
    expect(await answer).toEqual(feedback('gate.turn_over'))
  })

  it('judges a frozen copy: a request that is changed while the gate thinks stays as it was', async () => {
    const { gate, asked } = yes()
    const { onPermissionRequest, beginTurn } = mediator(gate)
    beginTurn('hello')
    const request = balance('bob-1')
    const answer = onPermissionRequest(request, here)
    request.toolArgs.id = 'alice-1'
    request.toolName = 'bash'
    await answer
    expect(asked).toMatchObject([{ tool: 'get_balance', args: { id: 'bob-1' } }])
    expect(Object.isFrozen(asked[0]?.args)).toBe(true)
    expect(Object.isFrozen(request)).toBe(false)
  })

  it('goes on when a listener throws, and tells it in the log', async () => {
    const broken = (): never => {
      throw new Error('listener')
    }
    const { onPermissionRequest, beginTurn, logged } = mediator(yes().gate, {
      events: { onCall: broken, onDecision: broken },
    })
    beginTurn('hello')
    expect(await onPermissionRequest(balance('bob-1'), here)).toEqual({ kind: 'approve-once' })
    expect(logged).toHaveLength(2)
  })

  it('cannot be talked into a yes by a listener that changes what it was told', async () => {
    const { gate } = realGate([ledger().tool])
    const onDecision = (call: object) => {
      Object.assign(call, { judgement: { decision: permit() } })
    }
    const { onPermissionRequest, beginTurn } = mediator(gate, { events: { onDecision } })
    beginTurn('hello')
    expect(await onPermissionRequest(balance('alice-1'), here)).toEqual(feedback('pdp.denied'))
  })

  test.prop([fc.anything()])('answers anything with one of its two answers', async (request) => {
    const { onPermissionRequest, beginTurn } = mediator(realGate([ledger().tool]).gate)
    beginTurn('hello')
    const answer = await onPermissionRequest(request, here)
    expect(answer.kind).toBe('reject')
    if (answer.kind === 'reject') expect(answer.feedback).not.toBe('')
  })
})

describe('the tool handler', () => {
  const run = { sessionId: 's1', toolCallId: 'c1', arguments: { id: 'bob-1' } }

  it('runs on a permit, once, and gives a second run the first result', async () => {
    const { tool, ran } = ledger()
    const { onPermissionRequest, runTool, beginTurn } = mediator(realGate([tool]).gate)
    const turn = beginTurn('hello')
    await onPermissionRequest(balance('bob-1'), here)
    const [first, second] = await Promise.all([runTool('get_balance', run), runTool('get_balance', run)])
    expect(first).toEqual({ textResultForLlm: '{"id":"bob-1","balance":"1.00"}', resultType: 'success' })
    expect(second).toEqual(first)
    expect(ran).toEqual(['bob-1'])
    expect(turn.attempts()).toMatchObject([{ executed: true }])
  })

  it.each([
    { what: 'was not decided', change: { toolCallId: 'c2' } },
    { what: 'has other arguments', change: { arguments: { id: 'bob-2' } } },
    { what: 'has one argument more', change: { arguments: { id: 'bob-1', extra: 1 } } },
    { what: 'is of another session', change: { sessionId: 's2' } },
  ])('does nothing for a call that $what', async ({ change }) => {
    const { tool, ran } = ledger()
    const { onPermissionRequest, runTool, beginTurn } = mediator(realGate([tool]).gate)
    const turn = beginTurn('hello')
    await onPermissionRequest(balance('bob-1'), here)
    expect(await runTool('get_balance', { ...run, ...change })).toMatchObject({ resultType: 'denied' })
    expect(ran).toEqual([])
    await turn.settled()
    expect(turn.attempts()).toMatchObject([{ executed: false }])
  })

  it('does nothing on a permit of another tool, of an earlier turn, or after the turn', async () => {
    const [tool, other] = [ledger(), ledger('other')]
    const { onPermissionRequest, runTool, beginTurn, endTurn } = mediator(realGate([tool.tool, other.tool]).gate)
    const turn = beginTurn('hello')
    await onPermissionRequest(balance('bob-1'), here)
    expect(await runTool('other', run)).toMatchObject({ resultType: 'denied' })
    endTurn(turn)
    expect(await runTool('get_balance', run)).toMatchObject({ resultType: 'denied' })
    beginTurn('hello')
    expect(await runTool('get_balance', run)).toMatchObject({ resultType: 'denied' })
    expect([...tool.ran, ...other.ran]).toEqual([])
  })

  it.each([
    {
      what: 'throws',
      run: () => {
        throw new Error('broken')
      },
    },
    { what: 'rejects', run: () => Promise.reject(new Error('broken')) },
    { what: 'gives nothing', run: async () => undefined },
  ])('answers denied when the gate $what', async ({ run: broken }) => {
    const { runTool, beginTurn } = mediator(yes({ run: broken as unknown as Gate['run'] }).gate)
    beginTurn('hello')
    expect(await runTool('get_balance', run)).toMatchObject({ resultType: 'denied' })
  })
})

describe('calls that the runtime never asked about', () => {
  it('are denied and put on record with the text that the model sent', async () => {
    const { gate, audit } = realGate([ledger().tool])
    const decided: string[] = []
    const mediated = mediator(gate, { events: { onDecision: ({ tool }) => decided.push(tool) } })
    const turn = mediated.beginTurn('hello')
    turn.streamed('c1', 'get_balance', '{"id":')
    turn.streamed('c1', '', '"bob-1"')
    turn.named('c2', 'get_balance', { id: 'bob-1' })
    turn.named('c3', '')
    await mediated.complete(turn)
    expect(turn.attempts()).toMatchObject([
      { toolCallId: 'c1', tool: 'get_balance', kind: 'custom-tool', args: '{"id":"bob-1"', executed: false },
      { toolCallId: 'c2', tool: 'get_balance', args: '{"id":"bob-1"}', executed: false },
      { toolCallId: 'c3', tool: '', kind: 'unknown', executed: false },
    ])
    expect(turn.attempts().map(({ judgement }) => judgement.decision.kind)).toEqual(['deny', 'deny', 'deny'])
    expect(decided).toEqual(['get_balance', 'get_balance', ''])
    expect(audit).toHaveLength(3)
  })

  it('are denied also by a gate that would permit them', async () => {
    const mediated = mediator(yes().gate)
    const turn = mediated.beginTurn('hello')
    turn.streamed('c1', 'get_balance', '{}')
    await mediated.complete(turn)
    expect(turn.attempts()).toMatchObject([{ judgement: { decision: deny('request.invalid') } }])
  })
})
