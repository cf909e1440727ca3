import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startCopilotRuntime } from '../../adapters/hosts/copilot.io.ts'
import type { TurnRecord } from '../../adapters/hosts/session.ts'
import type { Composition } from '../../src/compose/compose.io.ts'
import { sessionId, tenantId, toolCallId } from '../../src/core/ids.ts'
import type { Login } from '../../src/core/login.ts'
import type { Judgement } from '../../src/gate/gate.ts'
import { assistantBrain } from '../../standins/assistant.ts'
import { startModel } from '../../standins/model-server.ts'
import { proves } from '../requirements.ts'
import { composed, signedIn } from './graph.ts'

const CUSTOMERS = ['alice', 'bob', 'carol'] as const
const BANKS = ['canbank', 'fjordbank'] as const
const RESOURCES = [
  ...[
    'acc-alice-checking',
    'acc-alice-savings',
    'acc-bob-checking',
    'acc-bob-closed',
    'acc-carol-checking',
    'acc-joint',
  ],
  ...['inv-alice-1', 'inv-bob-1', 'inv-carol-1', 'alice', 'bob', 'carol'],
]
const TOOLS = {
  get_account_balance: (id: string) => ({ account_id: id }),
  transfer_money: (id: string) => ({ from_account: id, to_account: 'ext-oslo-bolig', amount: '1', currency: 'NOK' }),
  get_invoice: (id: string) => ({ invoice_id: id }),
  get_customer_profile: (id: string) => ({ customer_id: id }),
} as const

// Who may do what, written out: whatever is not here is denied.
const own = (customer: string) => ({ get_invoice: [`inv-${customer}-1`], get_customer_profile: [customer] })
const PERMITTED = {
  canbank: {
    alice: {
      get_account_balance: ['acc-alice-checking', 'acc-alice-savings', 'acc-joint'],
      transfer_money: ['acc-alice-checking', 'acc-alice-savings', 'acc-joint'],
      ...own('alice'),
    },
    bob: {
      get_account_balance: ['acc-bob-checking', 'acc-bob-closed', 'acc-joint'],
      transfer_money: ['acc-bob-checking', 'acc-joint'],
      ...own('bob'),
    },
    carol: { get_account_balance: ['acc-carol-checking'], transfer_money: ['acc-carol-checking'], ...own('carol') },
  },
  fjordbank: {
    alice: { get_account_balance: ['acc-alice-checking'], transfer_money: ['acc-alice-checking'], ...own('alice') },
    bob: {
      get_account_balance: ['acc-alice-savings', 'acc-bob-checking'],
      transfer_money: ['acc-alice-savings', 'acc-bob-checking'],
      ...own('bob'),
    },
    carol: {
      get_account_balance: ['acc-bob-closed', 'acc-carol-checking', 'acc-joint'],
      transfer_money: ['acc-carol-checking', 'acc-joint'],
      ...own('carol'),
    },
  },
} as const

let calls = 0
function asked({ gate }: Composition, login: Login, tool: keyof typeof TOOLS, resource: string): Promise<Judgement> {
  calls += 1
  return gate.judge({
    id: toolCallId(`c${calls}`),
    session: sessionId(`s${calls}`),
    turn: 1,
    login,
    kind: 'custom-tool',
    tool,
    args: TOOLS[tool](resource),
  })
}

async function permittedOf(graph: Composition, login: Login, tool: keyof typeof TOOLS): Promise<readonly string[]> {
  const decisions = await Promise.all(RESOURCES.map((resource) => asked(graph, login, tool, resource)))
  const reasons = decisions.flatMap(({ decision }) => (decision.kind === 'permit' ? [] : [decision.reason]))
  expect(reasons.filter((reason) => reason !== 'pdp.denied')).toEqual([])
  return RESOURCES.filter((_, index) => decisions[index]?.decision.kind === 'permit')
}

describe.each(['definition', 'agent'])('two banks in one process, evaluations from the %s', (INTENT_SOURCE) => {
  let graph: Composition
  beforeAll(async () => {
    graph = await composed({ banks: BANKS }, { INTENT_SOURCE })
  })
  afterAll(() => graph.close())

  it.each(BANKS.flatMap((bank) => CUSTOMERS.map((customer) => [customer, bank] as const)))(
    `gives %s of %s what is theirs of 48, and nothing else — ${proves('tenant.isolation')}`,
    async (customer, bank) => {
      const login = await signedIn(graph, bank, customer)
      for (const tool of Object.keys(TOOLS) as (keyof typeof TOOLS)[]) {
        expect(await permittedOf(graph, login, tool)).toEqual(PERMITTED[bank][customer][tool])
      }
    },
  )
})

describe('one bank in a process', () => {
  let graphs: readonly [Composition, Composition]
  beforeAll(async () => {
    graphs = await Promise.all([composed({ banks: ['canbank'] }), composed({ banks: ['fjordbank'] })])
  })
  afterAll(async () => {
    await Promise.all(graphs.map((graph) => graph.close()))
  })

  it('denies every call of a login of the other bank', async () => {
    for (const [index, bank] of BANKS.entries()) {
      const [home, away] = [graphs[index]!, graphs[1 - index]!]
      const reasons = new Set<string>()
      for (const customer of CUSTOMERS) {
        const login = await signedIn(home, bank, customer)
        expect(away.gate.tools(login)).toEqual([])
        for (const tool of Object.keys(TOOLS) as (keyof typeof TOOLS)[]) {
          for (const { decision } of await Promise.all(RESOURCES.map((each) => asked(away, login, tool, each)))) {
            reasons.add(decision.kind === 'permit' ? 'permit' : decision.reason)
          }
        }
      }
      expect([...reasons]).toEqual(['login.tenant_unknown'])
    }
  })

  it('takes no token of the other bank', async () => {
    const { token } = await signedIn(graphs[0], 'canbank', 'alice')
    const [fjordbank] = graphs[1].banks.values()
    expect(await fjordbank?.issuer.verify(token)).toMatchObject({ ok: false, reason: 'login.invalid' })
  })

  it('signs nobody in at a bank that it does not serve', async () => {
    expect(await graphs[0].signIn(tenantId('fjordbank'), 'alice')).toMatchObject({ reason: 'login.tenant_unknown' })
  })
})

describe('customers of two banks at once', () => {
  const SESSIONS = 50
  // The balance of each account at each bank; no two are the same.
  const BALANCES = {
    canbank: { 'acc-alice-savings': '80,000.00', 'acc-bob-checking': '4,200.50', 'acc-joint': '15,000.00' },
    fjordbank: { 'acc-alice-savings': '41,750.00', 'acc-bob-checking': '7,080.00', 'acc-joint': '18,400.00' },
  } as const
  const ALL_BALANCES = Object.values(BALANCES).flatMap((accounts) => Object.values(accounts))
  const ACCOUNTS = ['acc-alice-savings', 'acc-bob-checking', 'acc-joint'] as const
  const plans = Array.from({ length: SESSIONS }, (_, n) => ({
    bank: BANKS[n % 2]!,
    customer: CUSTOMERS[Math.floor(n / 2) % 3]!,
    account: ACCOUNTS[Math.floor(n / 6) % 3]!,
  }))

  it(`get their own bank's answers in ${SESSIONS} sessions of one runtime`, async () => {
    const graph = await composed({ banks: BANKS })
    const model = await startModel({ brain: assistantBrain(), name: 'standin' })
    const runtime = await startCopilotRuntime({ world: graph.world })
    try {
      const turns = await Promise.all(
        plans.map(async ({ bank, customer, account }): Promise<TurnRecord> => {
          const login = await signedIn(graph, bank, customer)
          const session = await runtime.openSession({
            gate: graph.gate,
            login,
            model: { kind: 'openai', baseUrl: model.url, name: 'standin' },
            system: graph.banks.get(login.tenant)?.prompt(login) ?? '',
          })
          return session.send(`What's the balance of ${account}?`)
        }),
      )
      for (const [index, { calls: attempted, assistant, ended }] of turns.entries()) {
        const { bank, customer, account } = plans[index]!
        const permitted = (PERMITTED[bank][customer].get_account_balance as readonly string[]).includes(account)
        expect([ended, attempted.map(({ executed }) => executed)]).toEqual(['done', [permitted]])
        expect(ALL_BALANCES.filter((each) => assistant.includes(each))).toEqual(
          permitted ? [BALANCES[bank][account]] : [],
        )
      }
    } finally {
      await runtime.stop()
      await model.close()
      await graph.close()
    }
  }, 90_000)
})
