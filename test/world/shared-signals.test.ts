import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createDeadlines } from '../../src/deadlines.io.ts'

describe('the signal of a deadline that was cleared in time', () => {
  it('serves the next deadline, and ends with that one only', async () => {
    const deadline = createDeadlines()
    const first = deadline(20)
    first.clear()
    const second = deadline(10_000)
    expect(second.signal).toBe(first.signal)
    await wait(40)
    expect([second.signal.aborted, second.expired()]).toEqual([false, false])
    second.clear()
  })

  it('says of the earlier deadline no more than that its own time is up', async () => {
    const deadline = createDeadlines()
    const first = deadline(10_000)
    first.clear()
    const second = deadline(10)
    await expect.poll(() => second.signal.aborted).toBe(true)
    expect([first.expired(), second.expired()]).toEqual([false, true])
  })

  it('does not serve two deadlines at once, also when it is cleared twice', () => {
    const deadline = createDeadlines()
    const first = deadline(10_000)
    first.clear()
    first.clear()
    const [second, third] = [deadline(10_000), deadline(10_000)]
    expect(second.signal).not.toBe(third.signal)
    second.clear()
    third.clear()
  })

  it('serves nobody while somebody listens to it', () => {
    const deadline = createDeadlines()
    const first = deadline(10_000)
    first.signal.addEventListener('abort', () => undefined)
    first.clear()
    const second = deadline(10_000)
    expect(second.signal).not.toBe(first.signal)
    second.clear()
  })

  it('serves nobody once it has aborted', async () => {
    const deadline = createDeadlines()
    const first = deadline(5)
    await expect.poll(() => first.signal.aborted).toBe(true)
    first.clear()
    const second = deadline(10_000)
    expect(second.signal.aborted).toBe(false)
    second.clear()
  })
})
