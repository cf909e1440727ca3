import Table from 'cli-table3'
import pc from 'picocolors'
import stringWidth from 'string-width'
import { visible, visibleJson, visibleLine } from '../core/visible.ts'
import { columns } from './columns.io.ts'
import { hanging } from './hanging.ts'

/** Writes one result to stdout; whoever made its text has made visible what a terminal would obey. */
export const print = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

/** Writes one value to stdout, as JSON on a line of its own. */
export const printJson = (value: unknown): void => {
  print(visibleJson(value))
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

/** Columns that the last column needs at least; on a narrower terminal each row becomes a block of lines. */
const LAST_COLUMN = 24

/** A table whose last column takes what is left of the terminal and wraps; in a pipe each row is one line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(visibleLine))
  // A loop: an audit has more rows than a call takes arguments.
  const widths = head.map((title, column) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? '')), widthOf(title)),
  )
  const wide = columns()
  if (wide === undefined || rows.length > MANY) return lines(head, cells, widths)
  const fixed = widths.slice(0, -1).map((width) => width + 2)
  const last = wide - fixed.reduce((sum, column) => sum + column + 1, 2)
  return last < LAST_COLUMN ? blocks(head, cells, wide) : drawnTable(head, cells, [...fixed, last])
}

/** More rows than this are not wrapped: that takes about a millisecond each. */
const MANY = 5_000

const widthOf = (text: string): number => (/^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text))

/** As `drawnTable`, each row on one line. */
function lines(head: readonly string[], rows: readonly (readonly string[])[], widths: readonly number[]): string {
  const padding = (cell: string, column: number): string =>
    ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell)))
  const titles = head.map((title, column) => ` ${paint.bold(title)}${padding(title, column)} `)
  const drawn = rows.map((row) => row.map((cell, column) => ` ${cell}${padding(cell, column)} `))
  return [titles, ...drawn].map((cells) => cells.join(' ').trimEnd()).join('\n')
}

const blocks = (head: readonly string[], rows: readonly (readonly string[])[], wide: number): string =>
  rows
    .map((row) =>
      row.flatMap((cell, column) => (cell === '' ? [] : [hanging(`${paint.bold(head[column] ?? '')} `, cell, wide)])),
    )
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
  // What pads the last column is no part of a line.
  return drawn
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

const borderless = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '', 'bottom-left': '' },
  ...{ 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: ' ' },
}
