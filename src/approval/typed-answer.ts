/** What a person's line at the prompt means. */
export type TypedAnswer =
  | { readonly kind: 'yes' }
  | { readonly kind: 'details' }
  /** `almost`: it begins like a yes and is none. */
  | { readonly kind: 'no'; readonly reason?: string; readonly almost: boolean }

const YES = new Set(['y', 'yes', 'j', 'ja'])
const DETAILS = new Set(['d', 'details'])
// "n because …", "nei, fordi …", "no: …"
const NO = /^(?:n|no|nei|nope)(?=$|[\s,.:;!])[\s,.:;!]*(?:(?:because|fordi|since|for)\b[\s,:]*)?/i

/**
 * Reads one line. Only `y`, `yes`, `j` and `ja` alone are a yes, in any case; an empty line and everything else are a
 * no, with the person's own words as its reason.
 */
export function typedAnswer(line: string): TypedAnswer {
  const text = line.trim()
  // ASCII only: lower-casing may turn another letter into one of these.
  const word = /^[A-Za-z]+$/.test(text) ? text.toLowerCase() : ''
  if (YES.has(word)) return { kind: 'yes' }
  if (DETAILS.has(word)) return { kind: 'details' }
  const first = /^[a-z]+/i.exec(text)?.[0].toLowerCase() ?? ''
  if (YES.has(first)) return { kind: 'no', almost: true }
  const reason = text.replace(NO, '').trim()
  return reason === '' ? { kind: 'no', almost: false } : { kind: 'no', almost: false, reason }
}
