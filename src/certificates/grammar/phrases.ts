/** Phrases of a lexicon by their first word, longest first. */
export type Phrases = ReadonlyMap<string, readonly (readonly string[])[]>

/** Phrases as words with single spaces, ready for a look-up. */
export function phrases(list: readonly string[]): Phrases {
  const groups = new Map<string, (readonly string[])[]>()
  const longestFirst = list.map((phrase) => phrase.split(' ')).toSorted((a, b) => b.length - a.length)
  for (const phrase of longestFirst) {
    const first = phrase[0] ?? ''
    groups.set(first, [...(groups.get(first) ?? []), phrase])
  }
  return groups
}

/** How many words the longest phrase at a place has; 0: none stands there. */
export function phraseAt(known: Phrases, words: readonly string[], at: number): number {
  const candidates = known.get(words[at] ?? '') ?? []
  return candidates.find((phrase) => phrase.every((word, offset) => words[at + offset] === word))?.length ?? 0
}
