import type { AgentAnswer } from './agent-source.ts'

/** What is remembered under one key. */
interface Entry {
  readonly tenant: string
  readonly answer: AgentAnswer
  /** Monotonic milliseconds at which the question was asked. */
  readonly askedMs: number
}

interface MemoryLimits {
  readonly maxAgeMs: number
  readonly maxEntries: number
}

/** A question whose answer may be remembered: which digests were current when it was asked, and when that was. */
interface Asked {
  readonly tenant: string
  readonly key: string
  readonly changes: number
  readonly atMs: number
}

/** Answers by key, each of the one schema and policy digest that is current for its tenant. */
interface AnswerMemory {
  recall(key: string, nowMs: number): AgentAnswer | undefined
  asking(tenant: string, key: string, nowMs: number): Asked
  /** Takes note of an answer, and remembers it when it carries the current digest. */
  answered(asked: Asked, answer: AgentAnswer): void
}

/** Holds at most `maxEntries`; the oldest leave first. Use never prolongs an entry's life. */
export function answerMemory({ maxAgeMs, maxEntries }: MemoryLimits): AnswerMemory {
  const entries = new Map<string, Entry>()
  const current = new Map<string, { digest: string | undefined; changes: number }>()
  const stateOf = (tenant: string): { digest: string | undefined; changes: number } => {
    const known = current.get(tenant) ?? { digest: undefined, changes: 0 }
    current.set(tenant, known)
    return known
  }
  const forget = (tenant: string): void => {
    for (const [key, entry] of entries) if (entry.tenant === tenant) entries.delete(key)
  }
  return {
    recall: (key, nowMs) => {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (nowMs - entry.askedMs < maxAgeMs) return entry.answer
      entries.delete(key)
      return undefined
    },
    asking: (tenant, key, nowMs) => ({ tenant, key, changes: stateOf(tenant).changes, atMs: nowMs }),
    answered: ({ tenant, key, changes, atMs }, answer) => {
      const state = stateOf(tenant)
      if (answer.digest !== state.digest) {
        forget(tenant)
        // An answer that was under way during a change may be the older one: then no digest is current.
        state.digest = state.changes === changes ? answer.digest : undefined
        state.changes++
      }
      if (answer.digest === undefined || answer.digest !== state.digest) return
      entries.delete(key)
      entries.set(key, { tenant, answer, askedMs: atMs })
      const [oldest] = entries.keys()
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest)
    },
  }
}
