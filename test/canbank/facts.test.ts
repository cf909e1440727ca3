import { describe, expect, it } from 'vitest'
import type { BankData } from '../../src/canbank/bank.ts'
import { BANKS } from '../../src/canbank/banks.ts'
import { subjectFacts } from '../../src/canbank/facts.ts'
import type { SubjectFacts } from '../../src/core/facts.ts'

const TODAY = '2026-06-01'
const { canbank, fjordbank } = BANKS
const idsOf = ({ records }: SubjectFacts, type: string): readonly string[] =>
  records.filter((record) => record.type === type).map(({ id }) => id)
const recordOf = ({ records }: SubjectFacts, wanted: string) => records.find(({ id }) => id === wanted)

describe('what a customer may name', () => {
  it.each([
    {
      who: 'alice',
      accounts: ['acc-alice-checking', 'acc-alice-savings', 'acc-joint'],
      invoices: ['inv-alice-1'],
      payees: ['Bob', 'Oslo Bolig'],
    },
    {
      who: 'bob',
      accounts: ['acc-bob-checking', 'acc-bob-closed', 'acc-joint'],
      invoices: ['inv-bob-1'],
      payees: ['Alice'],
    },
    { who: 'carol', accounts: ['acc-carol-checking'], invoices: ['inv-carol-1'], payees: [] },
  ])('are the own records of $who, saved payees, and nothing else', ({ who, accounts, invoices, payees }) => {
    const facts = subjectFacts(canbank, who, TODAY)
    expect(idsOf(facts, 'Account')).toEqual(accounts)
    expect(idsOf(facts, 'Invoice')).toEqual(invoices)
    expect(idsOf(facts, 'Customer')).toEqual([who])
    expect(facts.payees.map(({ name }) => name)).toEqual(payees)
    expect(facts.records).toHaveLength(accounts.length + invoices.length + 1)
    expect([facts.currency, facts.today]).toEqual(['NOK', TODAY])
  })

  it('is of one bank alone, although the other one has the same ids', () => {
    expect(idsOf(subjectFacts(fjordbank, 'bob', TODAY), 'Account')).toEqual(['acc-alice-savings', 'acc-bob-checking'])
    expect(idsOf(subjectFacts(fjordbank, 'alice', TODAY), 'Account')).toEqual(['acc-alice-checking'])
  })

  it.each(['mallory', '', '__proto__', 'constructor', 'ALICE', 'alice '])('is nothing for %j', (who) => {
    expect(subjectFacts(canbank, who, TODAY)).toEqual({ records: [], payees: [], today: TODAY })
  })

  it.each(
    Object.values(BANKS).flatMap((bank) =>
      bank.customers.map(({ id }) => ({ bank: bank.tenant, data: bank, who: id })),
    ),
  )('names no foreign record and no personal detail: $who at $bank', ({ data, who }) => {
    const facts = subjectFacts(data, who, TODAY)
    const own = new Set(data.accounts.filter(({ owners }) => owners.includes(who)).map(({ id }) => id))
    for (const id of idsOf(facts, 'Account')) expect(own).toContain(id)
    const text = JSON.stringify(facts)
    for (const { address, phone, name } of data.customers) {
      for (const detail of [address, phone, name]) expect(text).not.toContain(detail)
    }
    for (const { memo } of data.invoices) expect(text).not.toContain(memo)
  })
})

describe('a record of a customer', () => {
  const bob = subjectFacts(canbank, 'bob', TODAY)

  it.each([
    { id: 'acc-bob-checking', name: 'brukskonto', isSource: true, closed: false },
    { id: 'acc-joint', name: 'felleskonto', isSource: true, closed: false },
    { id: 'acc-bob-closed', name: 'avsluttet konto', isSource: false, closed: true },
  ])('is the account $id under $name; money can be taken from it: $isSource', ({ id, name, isSource, closed }) => {
    const record = recordOf(bob, id)
    expect(record).toMatchObject({ type: 'Account', currency: 'NOK', isSource, closed })
    expect(record?.names).toContain(name)
  })

  it('holds of an invoice whom to pay and how much, under the name of who sent it', () => {
    const record = recordOf(bob, 'inv-bob-1')
    expect(record?.holds).toEqual({ payees: ['ext-oslo-bolig'], amounts: [{ minor: 1_250_00, currency: 'NOK' }] })
    expect(record?.names).toEqual(expect.arrayContaining(['invoice', 'faktura', 'oslo bolig bill']))
  })

  it('has names in lower case alone, as a message is matched', () => {
    const names = bob.records.flatMap((record) => record.names)
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => name !== name.toLowerCase())).toEqual([])
  })

  it('has no currency for an amount without one where the accounts differ', () => {
    const mixed = {
      ...canbank,
      accounts: canbank.accounts.map((account) => ({
        ...account,
        currency: account.id === 'acc-joint' ? 'SEK' : account.currency,
      })),
    } as unknown as BankData
    expect(subjectFacts(mixed, 'bob', TODAY)).not.toHaveProperty('currency')
    expect(subjectFacts(mixed, 'carol', TODAY).currency).toBe('NOK')
  })
})
