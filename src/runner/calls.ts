import type { CallPattern } from './scenario.ts'

/** A call that was made, as a transcript has it. */
interface MadeCall {
  readonly tool: string
  readonly args: unknown
}

/** True when the call is what the pattern names: the same tool, exactly its arguments, amounts in any spelling. */
export const isCall = ({ tool, args }: MadeCall, pattern: CallPattern): boolean =>
  tool === pattern.name && spelled(args) === spelled(pattern.arguments)

const AMOUNT = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,2})?$/

/** One text for all values that mean the same: keys in order, amounts with two decimals. */
function spelled(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(AMOUNT.test(value) ? decimal(value) : value)
  if (Array.isArray(value)) return `[${value.map(spelled).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${spelled(each)}`).join(',')}}`
}

function decimal(amount: string): string {
  const [whole = '', decimals = ''] = amount.split('.')
  return `${whole}.${decimals.padEnd(2, '0')}`
}
