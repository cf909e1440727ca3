import { TransportError } from '../src/core/transport-error.ts'
import type { World } from '../src/core/world.ts'
import { createWorld } from '../src/world.io.ts'

/** Where the clock of a `testWorld` stands. */
export const TEST_NOW = '2026-06-01T12:00:00.000Z'

/** A world in which time stands still, ids count up (`id-1`, `id-2`) and nothing can be reached; timers are real. */
export function testWorld(overrides: Partial<World> = {}): World {
  let ids = 0
  const { deadline, pause } = createWorld()
  return {
    now: () => new Date(TEST_NOW),
    monotonicMs: () => 0,
    newId: () => `id-${++ids}`,
    deadline,
    pause,
    send: () => Promise.reject(new TransportError('unreachable', 'a test world has no network')),
    ...overrides,
  }
}
