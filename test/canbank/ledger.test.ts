import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { BANKS } from '../../src/canbank/banks.ts'
import { LEDGER_REFUSALS, openingState, transferred } from '../../src/canbank/ledger.ts'
import type { LedgerState, TransferRequest } from '../../src/canbank/ledger.ts'

const { canbank, fjordbank } = BANKS
const request: TransferRequest = {
  from: 'acc-alice-savings',
  to: 'acc-alice-checking',
  minor: 250_00,
  currency: 'NOK',
  key: 'k1',
}
const sumOf = (state: LedgerState) => [...state.minor.values()].reduce((sum, minor) => sum + minor, 0)

/** The state after a transfer that is expected to be made. */
function made(state: LedgerState, asked: TransferRequest): LedgerState {
  const outcome = transferred(state, asked)
  if (!outcome.ok) throw new Error(outcome.code)
  return outcome.state
}

describe('transferred', () => {
  it('moves the money and keeps the receipt', () => {
    const before = openingState(canbank)
    const outcome = transferred(before, request)
    expect(outcome).toMatchObject({ ok: true, receipt: request })
    const after = made(before, request)
    expect(after.minor.get('acc-alice-savings')).toBe(79_750_00)
    expect(after.minor.get('acc-alice-checking')).toBe(12_750_00)
    expect(before).toEqual(openingState(canbank))
  })

  it.each([
    { why: 'the source is unknown', change: { from: 'acc-mallory' }, code: 'ledger.account_unknown' },
    { why: 'the target is unknown', change: { to: 'acc-mallory' }, code: 'ledger.account_unknown' },
    { why: 'the target is a customer', change: { to: 'bob' }, code: 'ledger.account_unknown' },
    { why: 'the source is an external payee', change: { from: 'ext-oslo-bolig' }, code: 'ledger.account_unknown' },
    { why: 'the source has another spelling', change: { from: 'ACC-ALICE-SAVINGS' }, code: 'ledger.account_unknown' },
    { why: 'the source is a property of objects', change: { from: 'constructor' }, code: 'ledger.account_unknown' },
    { why: 'the source is closed', change: { from: 'acc-bob-closed' }, code: 'ledger.account_closed' },
    { why: 'the target is closed', change: { to: 'acc-bob-closed' }, code: 'ledger.account_closed' },
    { why: 'both are the same', change: { to: 'acc-alice-savings' }, code: 'ledger.same_account' },
    { why: 'both are the same and unknown', change: { from: 'a', to: 'a' }, code: 'ledger.same_account' },
    { why: 'the amount is zero', change: { minor: 0 }, code: 'ledger.amount_invalid' },
    { why: 'the amount is minus zero', change: { minor: -0 }, code: 'ledger.amount_invalid' },
    { why: 'the amount is negative', change: { minor: -250_00 }, code: 'ledger.amount_invalid' },
    { why: 'the amount is a fraction', change: { minor: 0.5 }, code: 'ledger.amount_invalid' },
    { why: 'the amount is not a number', change: { minor: NaN }, code: 'ledger.amount_invalid' },
    { why: 'the amount is infinite', change: { minor: Infinity }, code: 'ledger.amount_invalid' },
    { why: 'the amount is not exact', change: { minor: 2 ** 53 }, code: 'ledger.amount_invalid' },
    { why: 'it holds a cent less', change: { minor: 80_000_01 }, code: 'ledger.overdraft' },
    { why: 'the currency is another', change: { currency: 'USD' }, code: 'ledger.currency_mismatch' },
    { why: 'the currency has another spelling', change: { currency: 'nok' }, code: 'ledger.currency_mismatch' },
    { why: 'the currency is missing', change: { currency: '' }, code: 'ledger.currency_mismatch' },
    { why: 'the key is empty', change: { key: '' }, code: 'ledger.key_invalid' },
    { why: 'the key is too long', change: { key: 'k'.repeat(257) }, code: 'ledger.key_invalid' },
    { why: 'the key is not Unicode', change: { key: '\ud800' }, code: 'ledger.key_invalid' },
  ] as const)('refuses with $code when $why', ({ change, code }) => {
    expect(transferred(openingState(canbank), { ...request, ...change })).toEqual({
      ok: false,
      code,
      says: LEDGER_REFUSALS[code],
    })
  })

  it('gives the exact balance away, and then not a cent more', () => {
    const emptied = made(openingState(canbank), { ...request, minor: 80_000_00 })
    expect(emptied.minor.get('acc-alice-savings')).toBe(0)
    expect(transferred(emptied, { ...request, minor: 1, key: 'k2' })).toMatchObject({ code: 'ledger.overdraft' })
  })

  it('lets an external payee receive', () => {
    const after = made(openingState(canbank), { ...request, to: 'ext-nordlys-kraft', minor: 640_00 })
    expect(after.minor.get('ext-nordlys-kraft')).toBe(640_00)
    expect(sumOf(after)).toBe(sumOf(openingState(canbank)))
  })

  it('debits a joint account like any other', () => {
    const after = made(openingState(canbank), { ...request, from: 'acc-joint', to: 'acc-bob-checking' })
    expect(after.minor.get('acc-joint')).toBe(14_750_00)
  })

  it('keeps the banks apart, though their ids are the same', () => {
    const asked = { ...request, minor: 41_750_01 }
    expect(transferred(openingState(canbank), asked).ok).toBe(true)
    expect(transferred(openingState(fjordbank), asked)).toMatchObject({ code: 'ledger.overdraft' })
  })

  it('says nothing in a refusal that it was not asked: no id, no name, no digit', () => {
    for (const says of Object.values(LEDGER_REFUSALS)) expect(says).not.toMatch(/\d|acc-|Alice|Bob|Carol/)
  })
})

describe('an idempotency key', () => {
  const once = made(openingState(canbank), request)

  it('gives the first receipt again and moves nothing', () => {
    expect(transferred(once, { ...request })).toEqual({ ok: true, state: once, receipt: request })
    const again = transferred(once, request)
    expect(again.ok && again.state).toBe(once)
  })

  it('still gives the receipt when the transfer could not be made a second time', () => {
    const emptied = made(once, { ...request, minor: 79_750_00, key: 'k2' })
    expect(transferred(emptied, request)).toMatchObject({ ok: true, receipt: request })
  })

  it.each([
    ['amount', { minor: 9_000_00 }],
    ['source', { from: 'acc-joint' }],
    ['target', { to: 'acc-carol-checking' }],
    ['currency', { currency: 'USD' }],
    ['amount, and an invalid one', { minor: -1 }],
  ])('conflicts with a request that has another %s (CT-17)', (_, change) => {
    expect(transferred(once, { ...request, ...change })).toMatchObject({ ok: false, code: 'ledger.key_conflict' })
  })

  it.each([['__proto__'], ['constructor'], ['toString']])('may be %s', (key) => {
    const state = openingState(canbank)
    expect(state.receipts.has(key)).toBe(false)
    expect(made(state, { ...request, key }).receipts.get(key)).toEqual({ ...request, key })
  })
})

const ids = [...canbank.accounts, ...canbank.externalPayees].map(({ id }) => id)
const anyRequest = fc.record({
  from: fc.constantFrom(...ids, 'acc-mallory'),
  to: fc.constantFrom(...ids, 'acc-mallory'),
  minor: fc.oneof(fc.integer({ min: -5, max: 20_000_00 }), fc.double()),
  currency: fc.constantFrom('NOK', 'NOK', 'NOK', 'USD'),
  key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
})

describe('over any run of transfers', () => {
  test.prop([fc.constantFrom(...Object.values(BANKS)), fc.array(anyRequest, { maxLength: 40 })])(
    'money is conserved, nothing goes below zero, closed accounts stay still, and a key moves money once',
    (bank, requests) => {
      const opened = openingState(bank)
      const end = requests.reduce((state, asked) => {
        const outcome = transferred(state, asked)
        if (!outcome.ok) return state
        if (state.receipts.has(asked.key)) expect(outcome.state).toBe(state)
        return outcome.state
      }, opened)
      expect(sumOf(end)).toBe(sumOf(opened))
      expect([...end.minor.keys()]).toEqual([...opened.minor.keys()])
      for (const minor of end.minor.values()) expect(Number.isSafeInteger(minor) && minor >= 0).toBe(true)
      expect(end.minor.get('acc-bob-closed')).toBe(0)
      const replayed = [...end.receipts.values()].reduce(made, opened)
      expect(replayed).toEqual(end)
    },
  )
})
