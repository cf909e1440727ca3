import { fingerprint } from './digest.ts'

/** Longer texts are compared by their first words only where that cannot admit more. */
const MAX_WORDS = 64

/** The words of a text, without the punctuation around them; case counts. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .split(/\s+/)
    .map((word) => word.replace(/^[\p{P}]+|[\p{P}]+$/gu, ''))
    .filter((word) => word !== '')

/** Keyed hashes of the words of a text, in order; what is over the limit is left out, and so is not bound. */
export const hashedWords = (salt: string, text: string): readonly string[] =>
  wordsOf(text)
    .slice(0, MAX_WORDS)
    .map((word) => fingerprint(salt, word))

/** True when the text is words of one of the given texts, next to each other and in their order. */
export function isQuoted(salt: string, text: string, given: readonly (readonly string[])[]): boolean {
  if (given.length === 0) return false
  const words = wordsOf(text)
  if (words.length === 0 || words.length > MAX_WORDS) return false
  const hashes = words.map((word) => fingerprint(salt, word))
  return given.some((source) =>
    source.some((_word, start) => hashes.every((hash, index) => source[start + index] === hash)),
  )
}
