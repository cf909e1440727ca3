/** A whole number from 0 to below `below`. */
export type Random = (below: number) => number

/** The same numbers for the same seed, on every machine (a counter through a 32-bit mixing function). */
export function randomOf(seed: number): Random {
  let counter = seed >>> 0
  return (below) => {
    counter = (counter + 0x9e3779b9) >>> 0
    let mixed = Math.imul(counter ^ (counter >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below
  }
}

/** One of the list; undefined when it is empty. */
export const pick = <T>(list: readonly T[], random: Random): T | undefined =>
  list.length === 0 ? undefined : list[random(list.length)]
