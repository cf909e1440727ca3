/** Narrower than this, a line would hold hardly a word. */
const LEAST = 20

/**
 * Columns to wrap lines for: `COLUMNS` (POSIX, Environment Variables), else those of the terminal that stdout is.
 * Undefined in a pipe, where a line stays one line for whoever reads it.
 */
export function columns(): number | undefined {
  const { COLUMNS = '' } = process.env
  const { isTTY, columns: ofTerminal } = process.stdout
  const wanted = /^[1-9]\d{0,3}$/.test(COLUMNS) ? Number(COLUMNS) : isTTY ? ofTerminal : undefined
  return wanted === undefined || wanted === 0 ? undefined : Math.max(LEAST, wanted)
}
