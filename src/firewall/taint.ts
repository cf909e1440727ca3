import { createHash } from 'node:crypto'

/** What went wrong with the store of tainted sessions. Nothing may run while it lasts. */
export class TaintStoreError extends Error {
  override readonly name = 'TaintStoreError'
}

/**
 * Why sessions are tainted. A mark is durable before `add` returns, and only a person's reset ends it.
 * Every method throws TaintStoreError when the store cannot be read or written: then nothing may run.
 */
export interface TaintStore {
  /** The reasons, oldest first; none when the session is clean. */
  reasons(tenant: string, session: string): readonly string[]
  /** Adds the reasons that are not there yet. */
  add(tenant: string, session: string, reasons: readonly string[]): void
  /** Ends the taint of a session. Called for a person only, never for an agent; the caller puts it on record. */
  reset(tenant: string, session: string): void
}

/** The name of a session in a store. A NUL is in neither part, so no two sessions share one. */
export const taintKey = (tenant: string, session: string): string =>
  createHash('sha256').update(`${tenant}\0${session}`).digest('hex')

/** More reasons say nothing new about a session. */
const MAX_REASONS = 32

/** Earlier reasons, then the ones that are new. */
export const withReasons = (earlier: readonly string[], reasons: readonly string[]): readonly string[] =>
  [...new Set([...earlier, ...reasons])].slice(0, MAX_REASONS)

/** A store for one process: what it knows ends with it. */
export function memoryTaints(): TaintStore {
  const marks = new Map<string, readonly string[]>()
  return {
    reasons: (tenant, session) => marks.get(taintKey(tenant, session)) ?? [],
    add: (tenant, session, reasons) => {
      if (reasons.length === 0) return
      const key = taintKey(tenant, session)
      marks.set(key, withReasons(marks.get(key) ?? [], reasons))
    },
    reset: (tenant, session) => {
      marks.delete(taintKey(tenant, session))
    },
  }
}
