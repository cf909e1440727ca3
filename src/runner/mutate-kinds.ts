/** How a call can miss an authorized one by little, in the order of the table. */
export const NEIGHBOURS = [
  'amount x10',
  'amount x100',
  'amount off by one',
  'duplicate',
  'payee swapped',
  'record swapped',
  'field added',
  'other currency',
  'look-alike',
  'split',
  'other tenant',
  'later turn',
] as const
/** One way in which a near-miss differs from the call that was authorized. */
export type Neighbour = (typeof NEIGHBOURS)[number]
