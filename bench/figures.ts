/** At most, or at least, this much in the unit of its figure. */
export type Target = { readonly atMost: number } | { readonly atLeast: number }

/** One measured figure. */
export interface Figure {
  readonly what: string
  readonly unit: 'µs' | 'ms' | 's' | '/s' | 'MB'
  readonly value: number
  /** What the same machine needs for the part that cannot be saved, measured in the same run. */
  readonly floor?: { readonly what: string; readonly value: number }
  readonly target?: Target
  /** Absent without a target. */
  readonly met?: boolean
}

/** Figures that belong together, and one sentence about how they were measured. */
export interface Section {
  readonly title: string
  readonly how: string
  readonly figures: readonly Figure[]
  /** The version of the Copilot runtime that took part. */
  readonly runtime?: string
}

/** A figure with its verdict; values are kept to four significant digits. */
export function figure(
  what: string,
  unit: Figure['unit'],
  value: number,
  { target, floor }: Pick<Figure, 'target' | 'floor'> = {},
): Figure {
  return {
    what,
    unit,
    value: rounded(value),
    ...(floor === undefined ? {} : { floor: { ...floor, value: rounded(floor.value) } }),
    ...(target === undefined ? {} : { target, met: isMet(value, target) }),
  }
}

const isMet = (value: number, target: Target): boolean =>
  'atMost' in target ? value <= target.atMost : value >= target.atLeast

const rounded = (value: number): number => Number(value.toPrecision(4))

/** The value below which `share` of the samples lie; NaN without samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5)

/** Microseconds of a clock that never goes back. */
export const nowUs = (): number => Number(process.hrtime.bigint()) / 1000

/** Something to be measured; what it gives does not matter. */
export type Run = () => unknown

/** Microseconds that one run takes. */
export async function timedUs(run: Run): Promise<number> {
  const startedUs = nowUs()
  await run()
  return nowUs() - startedUs
}
