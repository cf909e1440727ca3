import Table from 'cli-table3'
import pc from 'picocolors'
import { visible, visibleLine } from '../core/visible.ts'

/** Writes one result to stdout, with what a terminal would obey made visible. */
export const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

/** Tells the person something beside the result, on stderr; `dim` when it only says what is going on. */
export const tell = (text: string, style: 'plain' | 'dim' = 'plain'): void => {
  const shown = visible(text)
  process.stderr.write(`${style === 'dim' ? pc.createColors(isColorful(process.stderr)).dim(shown) : shown}\n`)
}

/** `NO_COLOR` first (no-color.org), then `FORCE_COLOR`, then whether the stream is a terminal that has colors. */
function isColorful({ isTTY }: { readonly isTTY?: boolean }): boolean {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = process.env
  if (NO_COLOR !== '') return false
  return FORCE_COLOR === '' ? isTTY === true && TERM !== 'dumb' : FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
}

/** Colors for stdout. */
export const paint = pc.createColors(isColorful(process.stdout))

/** The width to draw for, in columns: the terminal's, at least 40. */
const width = (): number => Math.max(40, process.stdout.isTTY ? process.stdout.columns : 100)

/** Columns that the last column needs at least; on a narrower terminal each row becomes a block of lines. */
const LAST_COLUMN = 24

/** A table that fits the terminal: the last column takes what is left and wraps. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(visibleLine))
  const fixed = head
    .slice(0, -1)
    .map(
      (title, column) => 2 + Math.max(...[title, ...cells.map((row) => row[column] ?? '')].map(({ length }) => length)),
    )
  const last = width() - fixed.reduce((sum, column) => sum + column + 1, 2)
  return last < LAST_COLUMN ? blocks(head, cells) : drawnTable(head, cells, [...fixed, last])
}

const blocks = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  rows
    .map((row) => row.flatMap((cell, column) => (cell === '' ? [] : [`${paint.bold(head[column] ?? '')} ${cell}`])))
    .map((lines) => lines.join('\n'))
    .join('\n\n')

function drawnTable(head: readonly string[], cells: readonly (readonly string[])[], colWidths: number[]): string {
  const drawn = new Table({
    head: head.map((title) => paint.bold(title)),
    colWidths,
    wordWrap: true,
    style: { head: [], border: [], compact: true },
    chars: borderless,
  })
  drawn.push(...cells.map((row) => [...row]))
  return drawn.toString()
}

const borderless = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '', 'bottom-left': '' },
  ...{ 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: ' ' },
}
