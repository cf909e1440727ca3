import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'
import { visibleLine } from '../core/visible.ts'

/** Columns that a text gets at least beside its label; where fewer are left, it goes below. */
const BESIDE = 24
const BELOW = 4

/**
 * A label and its text on one line, or on as many as `columns` asks for; then each further line begins where the text
 * does. What a terminal would obey in the text is spelled out before anything is measured.
 * @param label ours: it may be colored, and ends with the space before the text.
 * @param columns undefined: everything stays on one line.
 */
export function hanging(label: string, text: string, columns: number | undefined): string {
  const shown = visibleLine(text)
  const indent = stringWidth(label)
  if (columns === undefined || indent + stringWidth(shown) <= columns) return `${label}${shown}`
  if (indent === 0 || columns - indent >= BESIDE) return `${label}${indented(shown, columns, indent)}`
  return `${wrapAnsi(label.trimEnd(), columns, { hard: true })}\n${' '.repeat(BELOW)}${indented(shown, columns, BELOW)}`
}

const indented = (text: string, columns: number, indent: number): string =>
  wrapAnsi(text, columns - indent, { hard: true }).replaceAll('\n', `\n${' '.repeat(indent)}`)
