/**
 * True when the whole text matches: `*` is any run of characters, slashes included, `?` any one, the rest itself. Takes at
 * most the product of both lengths, whatever the pattern: no pattern of an agent may keep the gate busy.
 */
export function matchesWildcards(pattern: string, text: string): boolean {
  let [at, from] = [0, 0]
  // Where to go on when the run of the last `*` has to be longer.
  let [star, resume] = [-1, 0]
  while (from < text.length) {
    const sign = pattern.charAt(at)
    if (sign === '*') {
      star = at++
      resume = from
    } else if (at < pattern.length && (sign === '?' || sign === text.charAt(from))) {
      at++
      from++
    } else if (star >= 0) {
      at = star + 1
      from = ++resume
    } else return false
  }
  while (pattern.charAt(at) === '*') at++
  return at === pattern.length
}
