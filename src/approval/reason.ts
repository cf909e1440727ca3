/** What the model gets of a person's reason at most, in characters. */
const LONGEST = 200

/** How much of a reason is looked at: a megabyte of it is no reason. */
const LOOKED_AT = 4 * LONGEST

/**
 * A person's reason as it may stand in one line between double quotes: what cannot be seen is dropped, every kind of
 * white space is a space, and a double quote is a single one, so that nothing in it can end the quotation.
 */
export function cleanReason(reason: string): string {
  const line = reason
    .slice(0, LOOKED_AT)
    .replace(/[\p{Z}\t\r\n\v\f\u0085]+/gu, ' ')
    .replace(/[\p{C}\p{DI}]/gu, '')
    .replace(/["\u201c\u201d\u201e\u201f\u00ab\u00bb\uff02]/gu, "'")
    .trim()
  return Array.from(line).slice(0, LONGEST).join('').trim()
}
