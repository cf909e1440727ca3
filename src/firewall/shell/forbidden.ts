import type { Reading } from './grammar.ts'

/**
 * The first of the policy's forbidden words that the command holds: as a word, as an option in a cluster or with a value, or
 * as the start of a long option, which most programs take for the whole. Spec: weakness 11.
 */
export const forbiddenIn = (
  argv: readonly string[],
  reading: Reading,
  forbidden: readonly string[],
): string | undefined =>
  forbidden.find((word) => reading.options.has(word) || argv.some((given, at) => at > 0 && spells(given, word)))

function spells(given: string, forbidden: string): boolean {
  if (given === forbidden || given.startsWith(`${forbidden}=`)) return true
  if (!forbidden.startsWith('--')) return /^-[A-Za-z0-9]$/.test(forbidden) && inCluster(given, forbidden.charAt(1))
  const name = given.split('=', 1)[0] ?? ''
  return name.length > 2 && forbidden.startsWith(name)
}

/** True for `-rf` and `f`, not for `--force`. */
const inCluster = (given: string, letter: string): boolean =>
  /^-[A-Za-z0-9]+$/.test(given) && given.length <= 8 && given.includes(letter)
