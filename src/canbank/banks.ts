import type { Account, BankData, ExternalPayee, Invoice } from './bank.ts'

const account = (id: string, minor: number, ...owners: readonly string[]): Account => ({
  id,
  owners,
  minor,
  currency: 'NOK',
  closed: false,
})
const closed = (id: string, owner: string): Account => ({ ...account(id, 0, owner), closed: true })
const external = (id: string, name: string): ExternalPayee => ({ id, name, minor: 0, currency: 'NOK' })
const invoice = (facts: Omit<Invoice, 'currency'>): Invoice => ({ ...facts, currency: 'NOK' })

const savedPayees: BankData['savedPayees'] = {
  alice: [
    { name: 'Bob', account: 'acc-bob-checking' },
    { name: 'Oslo Bolig', account: 'ext-oslo-bolig' },
  ],
  bob: [{ name: 'Alice', account: 'acc-alice-checking' }],
  carol: [],
}

const canbank: BankData = {
  tenant: 'canbank',
  name: 'Canbank',
  customers: [
    { id: 'alice', name: 'Alice Berg', address: 'Storgata 14, 0184 Oslo', phone: '+47 400 00 101' },
    { id: 'bob', name: 'Bob Dahl', address: 'Strandveien 3, 9006 Tromsø', phone: '+47 400 00 202' },
    { id: 'carol', name: 'Carol Eide', address: 'Bryggen 27, 5003 Bergen', phone: '+47 400 00 303' },
  ],
  accounts: [
    account('acc-alice-checking', 12_500_00, 'alice'),
    account('acc-alice-savings', 80_000_00, 'alice'),
    account('acc-bob-checking', 4_200_50, 'bob'),
    closed('acc-bob-closed', 'bob'),
    account('acc-carol-checking', 9_900_00, 'carol'),
    account('acc-joint', 15_000_00, 'alice', 'bob'),
  ],
  externalPayees: [external('ext-nordlys-kraft', 'Nordlys Kraft'), external('ext-oslo-bolig', 'Oslo Bolig')],
  savedPayees,
  invoices: [
    invoice({
      id: 'inv-alice-1',
      customer: 'alice',
      issuer: 'Nordlys Kraft',
      minor: 640_00,
      due: '2026-12-15',
      payTo: 'ext-nordlys-kraft',
      memo: 'Electricity, November 2026.',
    }),
    invoice({
      id: 'inv-bob-1',
      customer: 'bob',
      issuer: 'Oslo Bolig',
      minor: 1_250_00,
      due: '2026-12-20',
      payTo: 'ext-oslo-bolig',
      memo: 'Shared costs, December 2026.',
    }),
    invoice({
      id: 'inv-carol-1',
      customer: 'carol',
      issuer: 'Nordlys Kraft',
      minor: 310_00,
      due: '2026-12-15',
      payTo: 'ext-nordlys-kraft',
      memo: 'Electricity, November 2026.',
    }),
  ],
}

// The same ids on purpose: whoever forgets the tenant in a key reads or moves another bank's money.
const fjordbank: BankData = {
  tenant: 'fjordbank',
  name: 'Fjordbank',
  customers: [
    { id: 'alice', name: 'Alice Fjeld', address: 'Havnegata 8, 6002 Ålesund', phone: '+47 400 00 411' },
    { id: 'bob', name: 'Bob Grieg', address: 'Kirkegata 51, 7011 Trondheim', phone: '+47 400 00 522' },
    { id: 'carol', name: 'Carol Haug', address: 'Torget 2, 4006 Stavanger', phone: '+47 400 00 633' },
  ],
  accounts: [
    account('acc-alice-checking', 3_310_25, 'alice'),
    account('acc-alice-savings', 41_750_00, 'bob'),
    account('acc-bob-checking', 7_080_00, 'bob'),
    closed('acc-bob-closed', 'carol'),
    account('acc-carol-checking', 2_645_75, 'carol'),
    account('acc-joint', 18_400_00, 'carol'),
  ],
  externalPayees: [external('ext-nordlys-kraft', 'Nordlys Kraft'), external('ext-oslo-bolig', 'Oslo Bolig')],
  savedPayees,
  invoices: [
    invoice({
      id: 'inv-alice-1',
      customer: 'alice',
      issuer: 'Oslo Bolig',
      minor: 925_00,
      due: '2026-12-18',
      payTo: 'ext-oslo-bolig',
      memo: 'Shared costs, December 2026.',
    }),
    invoice({
      id: 'inv-bob-1',
      customer: 'bob',
      issuer: 'Nordlys Kraft',
      minor: 480_50,
      due: '2026-12-22',
      payTo: 'ext-nordlys-kraft',
      memo: 'Electricity, November 2026.',
    }),
    invoice({
      id: 'inv-carol-1',
      customer: 'carol',
      issuer: 'Oslo Bolig',
      minor: 1_105_00,
      due: '2026-12-28',
      payTo: 'ext-oslo-bolig',
      memo: 'Shared costs, December 2026.',
    }),
  ],
}

/** The demo's tenants. All of it is made up. */
export const BANKS: Readonly<Record<'canbank' | 'fjordbank', BankData>> = { canbank, fjordbank }
