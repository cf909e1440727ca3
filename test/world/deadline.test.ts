import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TransportError } from '../../src/core/transport-error.ts'
import { createWorld } from '../../src/world.io.ts'

const world = createWorld()
const timers = (): number => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length

function keepBusy(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it('aborts when the time is up, with a timeout as its reason', async () => {
  const deadline = world.deadline(200)
  expect(deadline.signal.aborted).toBe(false)
  expect(deadline.expired()).toBe(false)
  await expect.poll(() => deadline.signal.aborted).toBe(true)
  expect(deadline.signal.reason).toBeInstanceOf(TransportError)
  expect(deadline.signal.reason).toMatchObject({ kind: 'timeout' })
  expect(deadline.expired()).toBe(true)
})

it('has expired on time although a busy loop keeps its signal from firing', () => {
  const deadline = world.deadline(10)
  keepBusy(15)
  expect(deadline.signal.aborted).toBe(false)
  expect(deadline.expired()).toBe(true)
  deadline.clear()
})

it('leaves no timer behind once it is cleared', async () => {
  const before = timers()
  const deadline = world.deadline(20)
  expect(timers()).toBe(before + 1)
  deadline.clear()
  expect(timers()).toBe(before)
  await wait(40)
  expect(deadline.signal.aborted).toBe(false)
})

it('does not end at once when it is longer than a timer can be', async () => {
  const deadline = world.deadline(2 ** 40)
  await wait(20)
  expect(deadline.expired()).toBe(false)
  deadline.clear()
})

it.each([{ ms: 0 }, { ms: -5 }, { ms: Number.NaN }])('is over at once for $ms ms', async ({ ms }) => {
  const deadline = world.deadline(ms)
  await wait(20)
  expect(deadline.expired()).toBe(true)
})

it('gives ids that differ and a clock that runs', async () => {
  expect(new Set(Array.from({ length: 100 }, () => world.newId())).size).toBe(100)
  const [earlier, start] = [world.monotonicMs(), world.now().getTime()]
  await wait(5)
  expect(world.monotonicMs()).toBeGreaterThan(earlier)
  expect(Math.abs(world.now().getTime() - start)).toBeLessThan(5000)
})
