/** Control, format (bidirectional and zero-width marks), surrogate, private-use and line-separating characters. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

const spelledOut = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

/** One line of text for a terminal: every character that it would obey or not show is spelled out, as `\u{202e}`. */
export const visibleLine = (text: string): string => text.replace(HIDDEN, spelledOut)

/** The same for text of several lines: newline and tab stay. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (char) => (char === '\n' || char === '\t' ? char : spelledOut(char)))

/** Strict JSON on one line whose text holds none of these characters: each is escaped, so a parser reads the same value. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value).replace(HIDDEN, (char) =>
    Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  )
