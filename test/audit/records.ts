import type { BypassRecord, DecisionRecord, OutcomeRecord } from '../../src/audit/record.ts'

const call = {
  tenant: 'canbank',
  caller: { type: 'Customer', id: 'bob' },
  session: 's-1',
  turn: 1,
  toolCallId: 'c1',
  kind: 'custom-tool',
  tool: 'get_account_balance',
} as const

/** A permitted call of about 800 bytes, as the gate writes it. */
export const decision = (id: string, change: Partial<DecisionRecord> = {}): DecisionRecord => ({
  type: 'decision',
  id,
  at: '2026-12-01T08:00:00.000Z',
  ...call,
  decision: 'permit',
  code: null,
  cause: null,
  obligations: [],
  opinions: [
    { room: 'login', kind: 'permit', code: null },
    { room: 'firewall', kind: 'permit', code: null },
    { room: 'coverage', kind: 'permit', code: null },
    { room: 'pdp', kind: 'permit', code: null },
  ],
  args: { account_id: 'acc-bob-checking' },
  argsHash: '5'.repeat(64),
  sentence: 'View the balance of Account acc-bob-checking',
  evaluations: [
    {
      subject: { type: 'Customer', id: 'bob' },
      action: { name: 'VIEW_ACCOUNT_BALANCE' },
      resource: { type: 'Account', id: 'acc-bob-checking' },
    },
  ],
  decisions: [true],
  ms: 2.4,
  ...change,
})

export const outcome = (of: string, change: Partial<OutcomeRecord> = {}): OutcomeRecord => ({
  type: 'outcome',
  decision: of,
  at: '2026-12-01T08:00:00.010Z',
  ...call,
  outcome: 'done',
  code: null,
  ms: 0.8,
  ...change,
})

export const bypass = (change: Partial<BypassRecord> = {}): BypassRecord => ({
  type: 'bypass',
  at: '2026-12-01T08:00:01.000Z',
  ...call,
  code: 'permit.missing',
  ...change,
})
