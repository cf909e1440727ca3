const SIGNS = /[=@<]/g
const MAX_SIGNS = 64

/**
 * Every part of a word that some program would take for a file name, for programs without a grammar: the word, what follows
 * each `=`, `@` and `<`, the value attached to a short option, and each of them without a trailing `;type=…` or `,…`.
 * Spec: section 2.3, fallback.
 */
export function candidates(word: string): readonly string[] {
  const found = new Set<string>([word])
  for (const tail of tails(word)) found.add(tail)
  if (/^-[^-]./.test(word)) {
    const rest = word.slice(2)
    found.add(rest)
    for (const tail of tails(rest)) found.add(tail)
  }
  for (const each of [...found]) {
    const cut = each.search(/[;,]/)
    if (cut > 0) found.add(each.slice(0, cut))
  }
  found.delete('')
  return [...found]
}

/** Signs at which a word is taken apart; a word with more of them than this is refused by its reader. */
function tails(word: string): readonly string[] {
  return [...word.matchAll(SIGNS)].slice(0, MAX_SIGNS).map((sign) => word.slice(sign.index + 1))
}

/** True when a word has more parts than anybody would spell. */
export const hasTooManyParts = (word: string): boolean => [...word.matchAll(SIGNS)].length > MAX_SIGNS

/** True when some letter of a short cluster, or the long option, means "everything below" in most programs. */
export const looksRecursive = (word: string): boolean =>
  word === '--recursive' || (/^-[A-Za-z]/.test(word) && /^-[A-Za-z]*[rR]/.test(word))
