import type { Facts, RecordedCall, RunRecord } from '../../src/runner/record.ts'

export const SAVINGS = { name: 'get_account_balance', arguments: { account_id: 'acc-alice-savings' } }
export const TRANSFER = {
  name: 'transfer_money',
  arguments: { from_account: 'a', to_account: 'b', amount: '500.00', currency: 'NOK' },
}

/** A call of a transcript that was permitted and ran, or as the test says. */
export const made = (
  { name, arguments: args }: { readonly name: string; readonly arguments: object },
  change: Partial<RecordedCall> = {},
): RecordedCall => ({
  ...{ kind: 'custom-tool', tool: name, args, executed: true, ms: 2 },
  decision: { kind: 'permit', code: null },
  ...change,
})

export const DENIED = { executed: false, decision: { kind: 'deny', code: 'pdp.denied' } } as const

export const facts = (change: Partial<Facts> = {}): Facts => ({
  ...{ kind: 'attack', family: 'bank', title: 'an attack' },
  ...{ authorized: [], harmless: [], injected: [], leaks: [], moves: [], completes: undefined },
  expect: { lands: false, completes: false, denied: 0 },
  ...change,
})

/** A run with the gate in which nothing happened, or what the test says. */
export const record = (calls: readonly RecordedCall[], change: Partial<RunRecord> = {}): RunRecord => ({
  ...{ run: 1, scenario: 'X1', facts: facts(), mode: 'gate', setup: 'gate', repeat: 1, label: 'runs' },
  ...{ model: 'scripted', pdp: 'standin', intentSource: 'agent', intentAgent: 'standin', certificates: 'off' },
  ...{ tenant: 'canbank', turns: [{ user: 'hello', calls, assistant: '' }] },
  ...{ ledger: { before: { a: 100_000, b: 0 }, after: { a: 100_000, b: 0 } }, seen: [], prompts: [] },
  ...{ ended: 'done', ms: 10 },
  ...change,
})
