/** One `decide` answer as far as tests look at it. */
export interface Answer {
  readonly id: string | number | null
  readonly kind: string
  readonly code: string | null
  readonly cause: string | null
  readonly [field: string]: unknown
}

export const answersOf = (stdout: string): readonly Answer[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Answer)

/** A custom tool call in the native form. */
export const tool = (toolName: string, args: unknown, toolCallId = 'c1') => ({
  kind: 'custom-tool',
  toolCallId,
  toolName,
  args,
})
export const balance = (account_id: unknown, toolCallId = 'c1') =>
  tool('get_account_balance', { account_id }, toolCallId)

/** One line of `decide`. */
export const line = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ id: '1', caller: 'bob', request: balance('acc-bob-checking'), ...fields })
