import type { Clause } from './clauses.ts'
import type { Reading } from './found.ts'
import { CONDITIONALS, HYPOTHETICALS } from './words.ts'

const IF = /^(?:if|hvis|dersom|viss)$/
/** "If I say so", "if we agree": the user decides, later. */
const USER = /^(?:i|i'm|i'll|i've|me|my|we|us|our|you|jeg|eg|meg|min|mitt|mine|vi|oss|du)$/

/** True for a plain "if" about what things are like: no time, no "maybe", nothing that the user has yet to do. */
export function isAboutThings({ tokens, words }: Reading, { from, to, verb }: Clause): boolean {
  const end = from - (verb?.words.length ?? 0)
  let start = end
  while (start > 0 && tokens[start - 1]?.kind !== 'break' && tokens[start - 1]?.kind !== 'block') start -= 1
  const condition = words.slice(start, end)
  const sentence = [...condition, ...words.slice(from, to)]
  const isOther = (word: string): boolean => (CONDITIONALS.has(word) && !IF.test(word)) || HYPOTHETICALS.has(word)
  return (
    condition.some((word) => IF.test(word)) && !sentence.some(isOther) && !condition.some((word) => USER.test(word))
  )
}
