/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
export function randoms(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One of several, all as likely. */
export function oneOf<T>(random: () => number, all: readonly [T, ...(readonly T[])]): T {
  return all[Math.floor(random() * all.length)] ?? all[0]
}
