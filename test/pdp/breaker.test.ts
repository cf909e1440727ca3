import { fc, test } from '@fast-check/vitest'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { REASONS, type ReasonCode } from '../../src/core/reasons.ts'
import { pass, refuse, type Verdict } from '../../src/core/verdict.ts'
import { withBreaker } from '../../src/pdp/breaker.ts'
import { createAuthzenPdp } from '../../src/pdp/client.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { createWorld } from '../../src/world.io.ts'
import { answerBytes } from '../hostile-server.ts'
import { question, view } from './questions.ts'

type Answer = Verdict<readonly boolean[]> | Error
const asked = question(view('bob', 'Account', 'acc-bob-checking'))
const { signal } = new AbortController()
const YES = pass([true])
const NO = pass([false])
const DEAD = refuse('pdp.unavailable', 'down')

/** A PDP that gives these answers and a clock that moves by hand. */
function played(...answers: readonly Answer[]) {
  let nowMs = 0
  let count = 0
  let tookMs = 0
  const inner: Pdp = {
    decide: () => {
      nowMs += tookMs
      const answer = answers[Math.min(count++, answers.length - 1)]!
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
    },
  }
  const pdp = withBreaker(inner, { monotonicMs: () => nowMs })
  return {
    ask: (given: AbortSignal = signal) => pdp.decide(asked, given).catch((cause: unknown) => cause),
    asks: async (times: number, given: AbortSignal = signal) => {
      for (let n = 0; n < times; n++) await pdp.decide(asked, given).catch(() => undefined)
    },
    count: () => count,
    pass: (ms: number) => (nowMs += ms),
    takes: (ms: number) => (tookMs = ms),
  }
}

describe('a breaker', () => {
  it('hands every answer through while it is closed', async () => {
    const { ask } = played(YES, NO, DEAD, YES)
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([YES, NO, DEAD, YES])
  })

  it('opens after five failures in a row, and then does not ask', async () => {
    const { ask, asks, count } = played(DEAD)
    await asks(4)
    expect(await ask()).toEqual(DEAD)
    expect(await ask()).toMatchObject({ ok: false, reason: 'pdp.circuit_open' })
    await asks(100)
    expect(count()).toBe(5)
  })

  it('counts failures in a row only', async () => {
    const { asks, count } = played(DEAD, DEAD, DEAD, DEAD, YES, DEAD, DEAD, DEAD, DEAD, NO, DEAD)
    await asks(14)
    expect(count()).toBe(14)
  })

  it('lets one question through after a second, and its answer closes it', async () => {
    const { ask, asks, count, pass: wait } = played(DEAD, DEAD, DEAD, DEAD, DEAD, NO, YES)
    await asks(5)
    wait(999)
    expect(await ask()).toMatchObject({ reason: 'pdp.circuit_open' })
    wait(1)
    const both = await Promise.all([ask(), ask()])
    expect(both).toEqual([NO, expect.objectContaining({ reason: 'pdp.circuit_open' })])
    expect(await ask()).toEqual(YES)
    expect(count()).toBe(7)
  })

  it('rests for another second when that question fails', async () => {
    const { ask, asks, count, pass: wait } = played(DEAD)
    await asks(5)
    wait(1000)
    expect(await ask()).toEqual(DEAD)
    wait(999)
    expect(await ask()).toMatchObject({ reason: 'pdp.circuit_open' })
    wait(1)
    expect(await ask()).toEqual(DEAD)
    expect(count()).toBe(7)
  })

  it('counts a rejection as a failure and hands it on', async () => {
    const broken = new RangeError('a bug')
    const { ask, asks, count } = played(broken)
    expect(await ask()).toBe(broken)
    await asks(20)
    expect(count()).toBe(5)
  })

  it('counts a timeout, unless the question had hardly any time', async () => {
    const slow = played(refuse('pdp.timeout', 'late'))
    slow.takes(50)
    await slow.asks(20, AbortSignal.abort())
    expect(slow.count()).toBe(5)
    const hurried = played(refuse('pdp.timeout', 'late'))
    hurried.takes(49)
    await hurried.asks(20, AbortSignal.abort())
    expect(hurried.count()).toBe(20)
  })

  it('is tried again when the question that it let through was refused before it was asked', async () => {
    const { ask, asks, pass: wait } = played(DEAD, DEAD, DEAD, DEAD, DEAD, refuse('pdp.too_many', '51'), DEAD, YES)
    await asks(5)
    wait(1000)
    expect(await ask()).toMatchObject({ reason: 'pdp.too_many' })
    expect(await ask()).toEqual(DEAD)
    expect(await ask()).toMatchObject({ reason: 'pdp.circuit_open' })
    wait(1000)
    expect(await ask()).toEqual(YES)
  })

  const opens: ReadonlySet<string> = new Set(['pdp.unavailable', 'pdp.timeout'])
  const codes = Object.keys(REASONS).filter((code): code is ReasonCode => code.startsWith('pdp.'))
  it.each(codes)('is never opened by what a question can provoke: %s', async (code) => {
    const { asks, count } = played(refuse(code, 'whatever'))
    await asks(20)
    expect(count()).toBe(opens.has(code) ? 5 : 20)
  })

  const anyAnswer = fc.constantFrom<Answer>(YES, NO, DEAD, new Error('broken'), refuse('pdp.error', 'item 1'))
  test.prop([fc.array(fc.tuple(anyAnswer, fc.nat({ max: 700 })), { minLength: 1, maxLength: 60 })])(
    'never says yes unless the PDP did, just then',
    async (steps) => {
      const { ask, count, pass: wait } = played(...steps.map(([answer]) => answer))
      for (const [, ms] of steps) {
        wait(ms)
        const before = count()
        const verdict = await ask()
        if (count() === before) expect(verdict).toMatchObject({ ok: false, reason: 'pdp.circuit_open' })
        else expect(verdict).toBe(steps[before]![0])
      }
    },
  )
})

it('makes a dead PDP cost microseconds', async () => {
  const world = createWorld()
  // Nothing listens on port 1 of loopback.
  const down = createAuthzenPdp({ evaluationsUrl: new URL('http://127.0.0.1:1/'), headers: {} }, world)
  const pdp = withBreaker(down, world, { restMs: 100 })
  for (let n = 0; n < 5; n++) expect(await pdp.decide(asked, signal)).toMatchObject({ reason: 'pdp.unavailable' })
  const samples: number[] = []
  for (let n = 0; n < 200; n++) {
    const startedMs = performance.now()
    expect((await pdp.decide(asked, signal)).ok).toBe(false)
    samples.push(performance.now() - startedMs)
  }
  await world.close()
  expect(samples.toSorted((one, other) => one - other)[100]).toBeLessThan(1)
})

it('asks a server again that was stopped and started, without anybody doing anything', async () => {
  const world = createWorld()
  const answer = answerBytes({ evaluations: [{ decision: true }] })
  const listen = (port: number) =>
    listening((wire) => wire.on('error', () => undefined).on('data', () => wire.write(answer)), port)
  const first = await listen(0)
  const evaluationsUrl = new URL(`http://127.0.0.1:${first.port}/access/v1/evaluations`)
  const pdp = withBreaker(createAuthzenPdp({ evaluationsUrl, headers: {} }, world), world, { restMs: 50 })
  const ask = () => pdp.decide(asked, signal)
  expect(await ask()).toEqual(YES)
  await first.close()
  for (let n = 0; n < 5; n++) expect(await ask()).toMatchObject({ reason: 'pdp.unavailable' })
  expect(await ask()).toMatchObject({ reason: 'pdp.circuit_open' })
  const second = await listen(first.port)
  await vi.waitFor(async () => {
    expect(await ask()).toEqual(YES)
  }, 5_000)
  await second.close()
  await world.close()
})

async function listening(handler: (wire: Socket) => void, port: number) {
  const wires = new Set<Socket>()
  const server = createServer((wire) => {
    wires.add(wire)
    handler(wire)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve)
      for (const wire of wires) wire.destroy()
    })
  return { port: (server.address() as AddressInfo).port, close }
}
