import { afterAll, describe, expect, it } from 'vitest'
import { BANKS } from '../../src/canbank/banks.ts'
import { startIndykite } from '../../standins/indykite.ts'
import { post } from './support.ts'

const CUSTOMERS = ['alice', 'bob', 'carol']
const ACTIONS = ['VIEW_ACCOUNT_BALANCE', 'TRANSFER_FROM_ACCOUNT', 'VIEW_INVOICE', 'VIEW_CUSTOMER_PROFILE']
const RESOURCES = [
  ['Account', 'acc-alice-checking'],
  ['Account', 'acc-alice-savings'],
  ['Account', 'acc-bob-checking'],
  ['Account', 'acc-bob-closed'],
  ['Account', 'acc-carol-checking'],
  ['Account', 'acc-joint'],
  ['Invoice', 'inv-alice-1'],
  ['Invoice', 'inv-bob-1'],
  ['Invoice', 'inv-carol-1'],
  ['Customer', 'alice'],
  ['Customer', 'bob'],
  ['Customer', 'carol'],
]

/** Written by hand from the facts of the demo banks; what is not here is denied. */
const PERMITTED = {
  canbank: [
    'alice VIEW_ACCOUNT_BALANCE acc-alice-checking',
    'alice VIEW_ACCOUNT_BALANCE acc-alice-savings',
    'alice VIEW_ACCOUNT_BALANCE acc-joint',
    'alice TRANSFER_FROM_ACCOUNT acc-alice-checking',
    'alice TRANSFER_FROM_ACCOUNT acc-alice-savings',
    'alice TRANSFER_FROM_ACCOUNT acc-joint',
    'alice VIEW_INVOICE inv-alice-1',
    'alice VIEW_CUSTOMER_PROFILE alice',
    'bob VIEW_ACCOUNT_BALANCE acc-bob-checking',
    'bob VIEW_ACCOUNT_BALANCE acc-bob-closed',
    'bob VIEW_ACCOUNT_BALANCE acc-joint',
    'bob TRANSFER_FROM_ACCOUNT acc-bob-checking',
    'bob TRANSFER_FROM_ACCOUNT acc-joint',
    'bob VIEW_INVOICE inv-bob-1',
    'bob VIEW_CUSTOMER_PROFILE bob',
    'carol VIEW_ACCOUNT_BALANCE acc-carol-checking',
    'carol TRANSFER_FROM_ACCOUNT acc-carol-checking',
    'carol VIEW_INVOICE inv-carol-1',
    'carol VIEW_CUSTOMER_PROFILE carol',
  ],
  fjordbank: [
    'alice VIEW_ACCOUNT_BALANCE acc-alice-checking',
    'alice TRANSFER_FROM_ACCOUNT acc-alice-checking',
    'alice VIEW_INVOICE inv-alice-1',
    'alice VIEW_CUSTOMER_PROFILE alice',
    'bob VIEW_ACCOUNT_BALANCE acc-alice-savings',
    'bob VIEW_ACCOUNT_BALANCE acc-bob-checking',
    'bob TRANSFER_FROM_ACCOUNT acc-alice-savings',
    'bob TRANSFER_FROM_ACCOUNT acc-bob-checking',
    'bob VIEW_INVOICE inv-bob-1',
    'bob VIEW_CUSTOMER_PROFILE bob',
    'carol VIEW_ACCOUNT_BALANCE acc-bob-closed',
    'carol VIEW_ACCOUNT_BALANCE acc-carol-checking',
    'carol VIEW_ACCOUNT_BALANCE acc-joint',
    'carol TRANSFER_FROM_ACCOUNT acc-carol-checking',
    'carol TRANSFER_FROM_ACCOUNT acc-joint',
    'carol VIEW_INVOICE inv-carol-1',
    'carol VIEW_CUSTOMER_PROFILE carol',
  ],
} as const

const questions = CUSTOMERS.flatMap((who) =>
  ACTIONS.flatMap((action) =>
    RESOURCES.map(([type, id]) => ({ who, action, type, id, name: `${who} ${action} ${id}` })),
  ),
)
const ask = ({ who, action, type, id }: (typeof questions)[number]) => ({
  subject: { type: 'Customer', id: who },
  action: { name: action },
  resource: { type, id },
})

describe.each(['canbank', 'fjordbank'] as const)('the agreement set of %s', (tenant) => {
  const starting = startIndykite({ bank: BANKS[tenant] })
  afterAll(async () => (await starting).close())
  const permitted = PERMITTED[tenant]

  it('has 144 questions', () => {
    expect(new Set(questions.map(({ name }) => name)).size).toBe(144)
  })

  it('is answered one by one as the facts say', async () => {
    const { url } = await starting
    const permits: string[] = []
    for (const question of questions) {
      const { status, body } = await post(`${url}/access/v1/evaluation`, ask(question))
      expect(status).toBe(200)
      if ((body as { decision: unknown }).decision === true) permits.push(question.name)
      else expect(body).toEqual({ decision: false })
    }
    expect(permits.toSorted()).toEqual([...permitted].toSorted())
  })

  it('is answered in one boxcar as the facts say', async () => {
    const { url } = await starting
    const { body } = await post(`${url}/access/v1/evaluations`, { evaluations: questions.map(ask) })
    const expected = questions.map(({ name }) => ({ decision: (permitted as readonly string[]).includes(name) }))
    expect(body).toEqual({ evaluations: expected })
  })
})
