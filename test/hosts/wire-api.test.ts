import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBench, openHosted, openModel, outcomes, realGate, ledger, toolTexts, type Bench } from './support.ts'

const APIS = ['completions', 'responses'] as const

let bench: Bench
beforeAll(async () => {
  bench = await openBench()
})
afterAll(() => bench.stop())

describe.each(APIS)('a model endpoint that speaks %s', (wireApi) => {
  it('has each call decided by the gate, and is told what came of it', async () => {
    const { tool, ran } = ledger()
    const { gate, audit } = realGate([tool])
    const model = await openModel([
      { text: 'I look.', calls: [{ name: 'get_balance', arguments: { id: 'bob-1' } }] },
      {
        calls: [
          { name: 'get_balance', arguments: { id: 'alice-1' } },
          { name: 'bash', arguments: { command: 'id' } },
        ],
      },
      { text: 'Done 😀.' },
    ])
    const pieces: string[] = []
    const session = await openHosted(bench, {
      gate,
      url: model.url,
      model: { kind: 'openai', baseUrl: model.url, apiKey: 'none', name: 'standin', wireApi },
      onText: (text) => pieces.push(text),
    })
    const turn = await session.send('hello')
    expect([turn.ended, turn.assistant, turn.error]).toEqual(['done', 'Done 😀.', undefined])
    expect(pieces.join('')).toBe('I look.Done 😀.')
    expect(pieces.length).toBeGreaterThan(2)
    expect(outcomes(turn)).toEqual([
      { tool: 'get_balance', kind: 'custom-tool', decided: 'permit', executed: true },
      { tool: 'get_balance', kind: 'custom-tool', decided: 'pdp.denied', executed: false },
      { tool: 'bash', kind: 'shell', decided: 'firewall.kind_not_allowed', executed: false },
    ])
    expect(ran).toEqual(['bob-1'])
    expect(audit.filter(({ type }) => type === 'decision')).toHaveLength(3)
    expect(toolTexts(model.requests[1])).toEqual([expect.stringContaining('"balance":"1.00"')])
    expect(toolTexts(model.requests[2])).toHaveLength(3)
  })
})
