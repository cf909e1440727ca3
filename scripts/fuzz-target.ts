import { oneOf, randoms } from '../bench/randoms.ts'

/** Something to throw inputs at, with an oracle that knows better. */
export interface FuzzTarget {
  /** Throws one input of this random source at it; a text says what is wrong. */
  check(random: Random): string | undefined
  /** Asks the oracles that answer many inputs at once. */
  settle(): Promise<readonly string[]>
  /** What was found out about the inputs so far: a fuzzer that never permits proves nothing. */
  counts(): Readonly<Record<string, number>>
  close(): void
}

/** Numbers, choices and texts that a seed repeats. */
export interface Random {
  /** From 0 to below `limit`. */
  below(limit: number): number
  one<T>(all: readonly [T, ...(readonly T[])]): T
  /** True with this probability. */
  chance(share: number): boolean
  /** Up to `most` choices in a row. */
  several<T>(all: readonly [T, ...(readonly T[])], most: number): readonly T[]
}

export function randomOf(seed: number): Random {
  const next = randoms(seed)
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    one: (all) => oneOf(next, all),
    chance: (share) => next() < share,
    several: (all, most) => Array.from({ length: below(most + 1) }, () => oneOf(next, all)),
  }
}

/** What came of a run over one target. */
export interface FuzzResult {
  readonly name: string
  readonly inputs: number
  readonly seconds: number
  readonly findings: readonly string[]
  readonly counts: Readonly<Record<string, number>>
}

/** An input that takes longer than this hangs, as far as an agent's next call is concerned. */
const HANG_MS = 2_000
const SETTLE_EVERY = 5_000
const MAX_FINDINGS = 20

/** Throws `inputs` inputs at a target; what it throws is a finding. Each input has a seed of its own, so one can be repeated. */
export async function fuzz(
  name: string,
  target: FuzzTarget,
  { inputs, seed, step }: { readonly inputs: number; readonly seed: number; readonly step?: (done: number) => void },
): Promise<FuzzResult> {
  const started = performance.now()
  const findings: string[] = []
  try {
    for (let at = 0; at < inputs && findings.length < MAX_FINDINGS; at++) {
      const own = seed * 0x9e3779b1 + at
      const found = checked(target, own)
      if (found !== undefined) findings.push(`${name}, seed ${own}: ${found}`)
      if ((at + 1) % SETTLE_EVERY !== 0 && at + 1 !== inputs) continue
      findings.push(...(await target.settle()).map((each) => `${name}: ${each}`))
      step?.(at + 1)
    }
    return { name, inputs, seconds: (performance.now() - started) / 1000, findings, counts: target.counts() }
  } finally {
    target.close()
  }
}

function checked(target: FuzzTarget, seed: number): string | undefined {
  const started = performance.now()
  try {
    const found = target.check(randomOf(seed))
    const ms = performance.now() - started
    return found ?? (ms > HANG_MS ? `took ${Math.round(ms)} ms` : undefined)
  } catch (cause) {
    return `threw ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`
  }
}
