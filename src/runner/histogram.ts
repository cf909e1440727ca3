/** Times by their first three digits: as many as there are, in bounded memory, and in any order. */
export interface Histogram {
  add(ms: number): void
  /** The smallest time that this share of all lies at or below; undefined without any. */
  quantile(share: number): number | undefined
}

/** An empty histogram. */
export function createHistogram(): Histogram {
  const counts = new Map<number, number>()
  let total = 0
  return {
    add: (ms) => {
      const rounded = Number(ms.toPrecision(3))
      counts.set(rounded, (counts.get(rounded) ?? 0) + 1)
      total += 1
    },
    quantile: (share) => {
      let left = Math.max(1, Math.ceil(share * total))
      for (const [ms, count] of [...counts].toSorted(([one], [other]) => one - other)) {
        left -= count
        if (left <= 0) return ms
      }
      return undefined
    },
  }
}
