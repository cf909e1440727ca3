import { describe, expect, it } from 'vitest'
import { renewedRuntime } from '../../adapters/hosts/renewed-runtime.ts'
import type { CopilotRuntime, GatedSession, SessionOptions } from '../../adapters/hosts/session.ts'
import { sessionId } from '../../src/core/ids.ts'

const options = {} as unknown as SessionOptions

/** A runtime that only counts; the real one is renewed in the soak. */
function counted(name: string, log: string[]): CopilotRuntime {
  return {
    version: name,
    openSession: () => {
      log.push(`${name} opens`)
      const session: GatedSession = {
        id: sessionId(name),
        send: () => Promise.reject(new Error('not used')),
        close: () => Promise.resolve(),
      }
      return Promise.resolve(session)
    },
    stop: () => {
      log.push(`${name} stops`)
      return Promise.resolve()
    },
    removeNow: () => undefined,
  }
}

function renewed(start?: () => Promise<CopilotRuntime>) {
  const log: string[] = []
  let count = 0
  const next = start ?? (() => Promise.resolve(counted(`next-${(count += 1)}`, log)))
  const runtime = renewedRuntime(counted('first', log), { start: next, log: (says) => log.push(says), mostSessions: 2 })
  return { runtime, log }
}

describe('a renewed runtime', () => {
  it('is replaced after so many sessions, and stops with its last one', async () => {
    const { runtime, log } = renewed()
    const one = await runtime.openSession(options)
    const two = await runtime.openSession(options)
    const three = await runtime.openSession(options)
    await one.close()
    expect(log).toEqual(['first opens', 'first opens', 'next-1 opens'])
    await two.close()
    await two.close()
    expect(log.at(-1)).toBe('first stops')
    await three.close()
    expect(log.filter((line) => line.endsWith('stops'))).toEqual(['first stops'])
  })

  it('is replaced once when many sessions open at the same time', async () => {
    const { runtime, log } = renewed()
    for (let n = 0; n < 2; n++) await runtime.openSession(options)
    await Promise.all([runtime.openSession(options), runtime.openSession(options)])
    expect(log.filter((line) => line === 'next-1 opens')).toHaveLength(2)
  })

  it('goes on with the old one when a fresh one does not start', async () => {
    const { runtime, log } = renewed(() => Promise.reject(new Error('no memory')))
    for (let n = 0; n < 3; n++) await runtime.openSession(options)
    expect(log).toEqual([
      'first opens',
      'first opens',
      'A fresh Copilot runtime did not start; the one before goes on.',
      'first opens',
    ])
  })

  it('stops every runtime that is still there', async () => {
    const { runtime, log } = renewed()
    for (let n = 0; n < 3; n++) await runtime.openSession(options)
    await runtime.stop()
    expect(log.filter((line) => line.endsWith('stops'))).toEqual(['first stops', 'next-1 stops'])
  })
})
