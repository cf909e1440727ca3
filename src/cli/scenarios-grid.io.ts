import Table from 'cli-table3'
import stringWidth from 'string-width'
import { visibleLine } from '../core/visible.ts'
import { columns } from './columns.io.ts'
import { hanging } from './hanging.ts'
import { paint } from './output.io.ts'
import type { Grid } from './scenarios-view.ts'

/** Columns below which even one column of figures is hard to read as a table. */
const NARROW = 48

/** The first of the grids that fits the terminal; when none does, the last one as one line a row. */
export function drawGrid(...grids: readonly Grid[]): string {
  const wide = columns()
  const fits = (grid: Grid): boolean => wide === undefined || (wide >= NARROW && widthOf(grid) <= wide)
  const grid = grids.find(fits)
  if (grid !== undefined) return drawn(grid)
  return lines(grids.at(-1) ?? { columns: [], rows: [] })
}

const GAP = 2

function widthsOf({ columns: names, rows }: Grid): readonly number[] {
  const widest = (texts: readonly string[]): number => Math.max(...texts.map((text) => stringWidth(visibleLine(text))))
  return [
    widest(rows.map(({ name }) => name)),
    ...names.map((name, index) => widest([name, ...rows.map(({ cells }) => cells[index] ?? '')])),
  ].map((width) => width + GAP)
}

const widthOf = (grid: Grid): number => widthsOf(grid).reduce((sum, width) => sum + width + 1, 0)

function drawn(grid: Grid): string {
  const table = new Table({
    head: ['', ...grid.columns.map((name) => paint.bold(visibleLine(name)))],
    colWidths: [...widthsOf(grid)],
    colAligns: ['left', ...grid.columns.map(() => 'right' as const)],
    style: { head: [], border: [], compact: true },
    chars: BORDERLESS,
  })
  table.push(...grid.rows.map(({ name, cells }) => [name, ...cells].map(visibleLine)))
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

const BORDERLESS = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '', 'bottom-left': '' },
  ...{ 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: ' ' },
}

/** One column under its name; of several each row under its own, so that what belongs together stays together. */
function lines({ columns: names, rows }: Grid): string {
  const [only, ...others] = names
  if (only !== undefined && others.length === 0) {
    return [paint.bold(visibleLine(only)), ...rows.map(({ name, cells }) => `${name} ${cells[0] ?? ''}`)].join('\n')
  }
  return rows.map((row) => linesOf(row, names)).join('\n')
}

function linesOf({ name, cells }: Grid['rows'][number], names: readonly string[]): string {
  const stated = names.flatMap((column, index) => {
    const cell = cells[index] ?? ''
    return cell === '' ? [] : [`${column} ${cell}`]
  })
  return `${paint.bold(hanging('', name, columns()))}\n${hanging('  ', stated.join(' · '), columns())}`
}
