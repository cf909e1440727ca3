import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { Evaluation } from '../../src/core/authzen.ts'
import { pass, refuse, type Verdict } from '../../src/core/verdict.ts'
import type { AgentAnswer, AgentSource } from '../../src/intent/agent-source.ts'
import type { IntentQuestion } from '../../src/intent/intent-source.ts'
import { remembering } from '../../src/intent/remembering.ts'
import { bobsBalance, evaluationOf, patient } from './fixtures.ts'

interface Pending {
  readonly question: IntentQuestion
  readonly signal: AbortSignal
  readonly answer: (verdict: Verdict<AgentAnswer>) => void
}

/** A small agent on a hand-turned clock: each question waits until the test answers it. */
function handAgent() {
  const asked: Pending[] = []
  const clock = { ms: 0 }
  const source: AgentSource = {
    ask: (question, signal) =>
      new Promise((resolve) => {
        asked.push({ question, signal, answer: resolve })
        signal.addEventListener('abort', () => {
          resolve(refuse('intent.timeout', 'aborted'))
        })
      }),
    extract: () => Promise.reject(new Error('not used')),
  }
  return { asked, clock, source, world: { monotonicMs: () => clock.ms } }
}

/** An agent that answers at once: evaluations that count the questions, under the digest that the test sets. */
function countingAgent() {
  const state: { digest: string | undefined; count: number; ms: number; refusal: Verdict<AgentAnswer> | undefined } = {
    digest: 'd1',
    count: 0,
    ms: 0,
    refusal: undefined,
  }
  const evaluations = (): Evaluation[] => [evaluationOf('VIEW', 'Account', `answer-${state.count}`)]
  const source: AgentSource = {
    ask: () => {
      state.count++
      const answer = { evaluations: evaluations(), ...(state.digest === undefined ? {} : { digest: state.digest }) }
      return Promise.resolve(state.refusal ?? pass(answer))
    },
    extract: () => Promise.reject(new Error('not used')),
  }
  return { state, source, world: { monotonicMs: () => state.ms } }
}

const asking = (sentence: string, who: Parameters<typeof bobsBalance>[0] = {}): IntentQuestion => ({
  ...bobsBalance(who),
  sentence,
})

describe('remembering asks the agent', () => {
  it.each([
    { what: 'once for the identical question', second: asking('s'), times: 1 },
    { what: 'once for another login of the same person', second: asking('s', { token: 'another-token' }), times: 1 },
    { what: 'again for another sentence', second: asking('s2'), times: 2 },
    { what: 'again for another caller', second: asking('s', { id: 'alice' }), times: 2 },
    { what: 'again for another type of caller', second: asking('s', { type: 'Robot' }), times: 2 },
    { what: 'again for the same caller of another tenant', second: asking('s', { tenant: 'fjordbank' }), times: 2 },
  ])('$what', async ({ second, times }) => {
    const { state, source, world } = countingAgent()
    const memory = remembering(source, world)
    const first = await memory.extract(asking('s'), patient())
    const then = await memory.extract(second, patient())
    expect(state.count).toBe(times)
    expect(JSON.stringify(then) === JSON.stringify(first)).toBe(times === 1)
  })

  it('again after 60 seconds, which use does not prolong', async () => {
    const { state, source, world } = countingAgent()
    const memory = remembering(source, world, { maxAgeMs: 3_600_000 })
    for (const [ms, count] of [
      [0, 1],
      [30_000, 1],
      [59_999, 1],
      [60_000, 2],
      [119_999, 2],
      [120_000, 3],
    ] as const) {
      state.ms = ms
      await memory.extract(asking('s'), patient())
      expect({ ms, count: state.count }).toEqual({ ms, count })
    }
  })

  it('again after a shorter life, when one is set', async () => {
    const { state, source, world } = countingAgent()
    const memory = remembering(source, world, { maxAgeMs: 10 })
    await memory.extract(asking('s'), patient())
    state.ms = 10
    await memory.extract(asking('s'), patient())
    expect(state.count).toBe(2)
  })

  it('every time, when its answers carry no digest', async () => {
    const { state, source, world } = countingAgent()
    state.digest = undefined
    const memory = remembering(source, world)
    for (let time = 0; time < 3; time++) await memory.extract(asking('s'), patient())
    expect(state.count).toBe(3)
  })

  it.each([
    { what: 'a refusal', verdict: refuse('intent.refused', 'TASK_STATE_REJECTED') },
    { what: 'a fault', verdict: refuse('intent.unavailable', 'HTTP 503') },
    { what: 'an obligation', verdict: refuse('intent.obligation_unknown', '') },
  ])('again after $what', async ({ verdict }) => {
    const { state, source, world } = countingAgent()
    const memory = remembering(source, world)
    state.refusal = verdict
    expect(await memory.extract(asking('s'), patient())).toEqual(verdict)
    state.refusal = undefined
    expect((await memory.extract(asking('s'), patient())).ok).toBe(true)
    expect(state.count).toBe(2)
  })

  it('again for everything older, once an answer carries another digest or none', async () => {
    for (const next of ['d2', undefined]) {
      const { state, source, world } = countingAgent()
      const memory = remembering(source, world)
      await memory.extract(asking('old'), patient())
      state.digest = next
      await memory.extract(asking('new'), patient())
      state.digest = 'd1'
      await memory.extract(asking('old'), patient())
      expect(state.count).toBe(3)
    }
  })

  it("but another tenant's digest drops nothing of this tenant", async () => {
    const { state, source, world } = countingAgent()
    const memory = remembering(source, world)
    await memory.extract(asking('s'), patient())
    state.digest = 'of fjordbank'
    await memory.extract(asking('s', { tenant: 'fjordbank' }), patient())
    await memory.extract(asking('s'), patient())
    await memory.extract(asking('s', { tenant: 'fjordbank' }), patient())
    expect(state.count).toBe(2)
  })

  it('again for the oldest, when there are too many', async () => {
    const { state, source, world } = countingAgent()
    const memory = remembering(source, world, { maxEntries: 2 })
    for (const sentence of ['a', 'b', 'a', 'c', 'b', 'c']) await memory.extract(asking(sentence), patient())
    expect(state.count).toBe(3)
    await memory.extract(asking('a'), patient())
    expect(state.count).toBe(4)
  })

  it('at most 10,000 answers are kept, whatever is set', async () => {
    const { state, source, world } = countingAgent()
    const memory = remembering(source, world, { maxEntries: 1e9 })
    for (let at = 0; at <= 10_000; at++) await memory.extract(asking(`s${at}`), patient())
    await memory.extract(asking('s10000'), patient())
    await memory.extract(asking('s1'), patient())
    expect(state.count).toBe(10_001)
    await memory.extract(asking('s0'), patient())
    expect(state.count).toBe(10_002)
  })
})

describe('identical questions under way', () => {
  const answer = pass({ evaluations: [evaluationOf('VIEW', 'Account', 'a')], digest: 'd1' })
  const evaluations = pass(answer.ok ? answer.value.evaluations : [])

  it('share one request', async () => {
    const { asked, source, world } = handAgent()
    const memory = remembering(source, world)
    const both = [memory.extract(asking('s'), patient()), memory.extract(asking('s'), patient())]
    expect(asked).toHaveLength(1)
    asked[0]!.answer(answer)
    expect(await Promise.all(both)).toEqual([evaluations, evaluations])
  })

  it.each([
    { what: 'another login, whose token is another', who: { token: 'another-token' } },
    { what: 'another caller', who: { id: 'alice' } },
    { what: 'another tenant', who: { tenant: 'fjordbank' } },
  ])('do not share it with $what', async ({ who }) => {
    const { asked, source, world } = handAgent()
    const memory = remembering(source, world)
    const both = [memory.extract(asking('s'), patient()), memory.extract(asking('s', who), patient())]
    expect(asked).toHaveLength(2)
    for (const each of asked) each.answer(answer)
    await Promise.all(both)
  })

  it('do not share an abort: the one that leaves is refused, the other gets its answer', async () => {
    for (const leaver of [0, 1]) {
      const { asked, source, world } = handAgent()
      const memory = remembering(source, world)
      const aborts = [new AbortController(), new AbortController()]
      const both = aborts.map(({ signal }) => memory.extract(asking('s'), signal))
      aborts[leaver]!.abort()
      expect(await both[leaver]).toMatchObject({ ok: false, reason: 'intent.timeout' })
      expect(asked.map(({ signal }) => signal.aborted)).toEqual([false])
      asked[0]!.answer(answer)
      expect(await both[1 - leaver]).toEqual(evaluations)
    }
  })

  it('abort the request when the last one has left, and the next question starts afresh', async () => {
    const { asked, source, world } = handAgent()
    const memory = remembering(source, world)
    const aborts = [new AbortController(), new AbortController()]
    const both = aborts.map(({ signal }) => memory.extract(asking('s'), signal))
    for (const abort of aborts) abort.abort()
    expect(await Promise.all(both)).toMatchObject([{ reason: 'intent.timeout' }, { reason: 'intent.timeout' }])
    expect(asked.map(({ signal }) => signal.aborted)).toEqual([true])
    const next = memory.extract(asking('s'), patient())
    asked[1]!.answer(answer)
    expect(await next).toEqual(evaluations)
  })

  it('do not share a fault: the one that joined asks for itself', async () => {
    const { asked, source, world } = handAgent()
    const memory = remembering(source, world)
    const both = [memory.extract(asking('s'), patient()), memory.extract(asking('s'), patient())]
    asked[0]!.answer(refuse('intent.timeout', ''))
    expect(await both[0]).toMatchObject({ reason: 'intent.timeout' })
    expect(asked).toHaveLength(2)
    asked[1]!.answer(answer)
    expect(await both[1]).toEqual(evaluations)
  })

  it('share a refusal', async () => {
    const { asked, source, world } = handAgent()
    const memory = remembering(source, world)
    const both = [memory.extract(asking('s'), patient()), memory.extract(asking('s'), patient())]
    asked[0]!.answer(refuse('intent.refused', ''))
    expect(await Promise.all(both)).toMatchObject([{ reason: 'intent.refused' }, { reason: 'intent.refused' }])
    expect(asked).toHaveLength(1)
  })

  it('share breakage, and the next question starts afresh', async () => {
    const { source, world } = countingAgent()
    let broken = true
    const flaky: AgentSource = {
      ...source,
      ask: (question, signal) => (broken ? Promise.reject(new RangeError('a bug')) : source.ask(question, signal)),
    }
    const memory = remembering(flaky, world)
    const both = [memory.extract(asking('s'), patient()), memory.extract(asking('s'), patient())]
    await Promise.all(both.map((each) => expect(each).rejects.toThrow(RangeError)))
    broken = false
    expect((await memory.extract(asking('s'), patient())).ok).toBe(true)
  })

  it('with an aborted signal ask nobody and remember nothing', async () => {
    const { asked, source, world } = handAgent()
    const memory = remembering(source, world)
    expect(await memory.extract(asking('s'), AbortSignal.abort())).toMatchObject({ reason: 'intent.timeout' })
    expect(asked).toHaveLength(0)
  })

  it('an older answer that arrives after a change of the digest is not remembered', async () => {
    const { asked, source, world } = handAgent()
    const memory = remembering(source, world)
    const old = memory.extract(asking('slow'), patient())
    const fresh = memory.extract(asking('fast'), patient())
    asked[1]!.answer(pass({ evaluations: [], digest: 'd2' }))
    await fresh
    asked[0]!.answer(answer)
    await old
    void memory.extract(asking('slow'), patient())
    void memory.extract(asking('fast'), patient())
    expect(asked).toHaveLength(4)
  })

  it('the age of an answer counts from the question', async () => {
    const { asked, clock, source, world } = handAgent()
    const memory = remembering(source, world)
    const first = memory.extract(asking('s'), patient())
    clock.ms = 50_000
    asked[0]!.answer(answer)
    await first
    clock.ms = 60_000
    void memory.extract(asking('s'), patient())
    expect(asked).toHaveLength(2)
  })
})

describe('memory laws', () => {
  const anyStep = fc.record({
    sentence: fc.constantFrom('a', 'b'),
    tenant: fc.constantFrom('canbank', 'fjordbank'),
    id: fc.constantFrom('alice', 'bob'),
    digest: fc.constantFrom('d1', 'd1', 'd1', 'd2', undefined),
    afterMs: fc.constantFrom(0, 1, 30_000, 60_000),
  })

  test.prop([fc.array(anyStep, { maxLength: 40 })])(
    'what is remembered was answered to this tenant, caller and sentence under a digest, within 60 seconds',
    async (steps) => {
      const state = { ms: 0, digest: undefined as string | undefined }
      const source: AgentSource = {
        ask: ({ call, sentence }) => {
          const stamp = JSON.stringify([
            call.login.tenant,
            call.login.subject.id,
            sentence,
            state.ms,
            state.digest ?? null,
          ])
          const answer = { evaluations: [evaluationOf('VIEW', 'Stamp', stamp)] }
          return Promise.resolve(pass(state.digest === undefined ? answer : { ...answer, digest: state.digest }))
        },
        extract: () => Promise.reject(new Error('not used')),
      }
      const memory = remembering(source, { monotonicMs: () => state.ms })
      for (const { sentence, tenant, id, digest, afterMs } of steps) {
        state.ms += afterMs
        state.digest = digest
        const verdict = await memory.extract(asking(sentence, { tenant, id }), patient())
        const stamp = JSON.parse(verdict.ok ? verdict.value[0]!.resource.id : '[]') as [
          string,
          string,
          string,
          number,
          string | null,
        ]
        expect(stamp.slice(0, 3)).toEqual([tenant, id, sentence])
        expect(state.ms - stamp[3]).toBeLessThan(60_000)
        if (stamp[3] !== state.ms) expect(stamp[4]).not.toBeNull()
      }
    },
  )
})
