import { describe, expect, it } from 'vitest'
import { ASKS_PER_TURN, createAsks, type Question } from '../../src/approval/asks.ts'
import type { PersonAnswer } from '../../src/approval/ask.ts'
import { deny, permit } from '../../src/core/decision.ts'
import { sessionId, tenantId } from '../../src/core/ids.ts'
import type { ReasonCode } from '../../src/core/reasons.ts'

const [tenant, session] = [tenantId('canbank'), sessionId('s-1')]
const question = (changes: Partial<Question> = {}): Question => ({
  ...{ tenant, session, turn: 1, subject: { type: 'Customer', id: 'alice' }, tool: 'transfer_money' },
  args: { amount: '1.00' },
  ...changes,
})
const granted: PersonAnswer = { decision: permit() }
const refused = (reason: ReasonCode = 'approval.refused'): PersonAnswer => ({ decision: deny(reason), said: 'not now' })
const codeOf = ({ decision }: PersonAnswer): string => (decision.kind === 'permit' ? 'permit' : decision.reason)

/** A person whose cards the test counts. */
function counted(answer: PersonAnswer) {
  const count = { cards: 0 }
  return {
    count,
    put: () => {
      count.cards += 1
      return Promise.resolve(answer)
    },
  }
}

describe('a question that was refused', () => {
  it.each<ReasonCode>(['approval.refused', 'approval.timeout', 'approval.nobody', 'approval.invalid'])(
    'is answered again with %s and the same words, without asking',
    async (code) => {
      const asks = createAsks()
      const { put, count } = counted(refused(code))
      const answers = [await asks.ask(question(), put), await asks.ask(question(), put)]
      expect(answers).toEqual([refused(code), refused(code)])
      expect(count.cards).toBe(1)
    },
  )

  it.each([
    { what: 'other arguments', changes: { args: { amount: '1.01' } } },
    { what: 'another tool', changes: { tool: 'pay_invoice' } },
    { what: 'another person', changes: { subject: { type: 'Customer', id: 'bob' } } },
    { what: 'another session', changes: { session: sessionId('s-2') } },
    { what: 'another bank', changes: { tenant: tenantId('fjordbank') } },
    { what: 'the next message', changes: { turn: 2 } },
  ])('is another question with $what', async ({ changes }) => {
    const asks = createAsks()
    const { put, count } = counted(refused())
    await asks.ask(question(), put)
    await asks.ask(question(changes), put)
    expect(count.cards).toBe(2)
  })

  it('is not remembered when it was a yes', async () => {
    const asks = createAsks()
    const { put, count } = counted(granted)
    await asks.ask(question(), put)
    await asks.ask(question(), put)
    expect(count.cards).toBe(2)
  })
})

it('keeps questions apart whose parts could be joined in two ways', async () => {
  const asks = createAsks()
  const { put, count } = counted(refused())
  const asked = (tenantName: string, sessionName: string) =>
    asks.ask(question({ tenant: tenantId(tenantName), session: sessionId(sessionName) }), put)
  await asked('a:1', '2')
  await asked('a', '1:2')
  await asked('a","1', '2')
  await asked('a', '1","2')
  expect(count.cards).toBe(4)
})

describe('two people who use one name for a session', () => {
  const bob = { type: 'Customer', id: 'bob' }

  it('are each in a turn of their own', async () => {
    const asks = createAsks()
    const { put, count } = counted(granted)
    for (const [subject, turn] of [
      [bob, 3],
      [question().subject, 1],
      [bob, 3],
    ] as const) {
      expect(codeOf(await asks.ask(question({ subject, turn }), put))).toBe('permit')
    }
    expect(count.cards).toBe(3)
  })

  it('lose their waiting questions with the turn that ends, each turn for all who are in it', async () => {
    const asks = createAsks()
    let close = (): void => undefined
    const open = new Promise<void>((resolve) => {
      close = resolve
    })
    const slow = async (): Promise<PersonAnswer> => {
      await open
      return granted
    }
    const people = [question().subject, bob]
    const first = people.map((subject) => asks.ask(question({ subject }), slow))
    const waiting = people.map((subject) => asks.ask(question({ subject, args: {} }), slow))
    asks.end(tenant, session, 1)
    close()
    expect((await Promise.all(waiting)).map(codeOf)).toEqual(['gate.turn_over', 'gate.turn_over'])
    await Promise.all(first)
  })
})

describe('the budget of one message', () => {
  const differing = (index: number, turn = 1): Question => question({ turn, args: { amount: `${index}.00` } })

  it('is five cards; what comes after is refused without asking, until the next message', async () => {
    const asks = createAsks()
    const { put, count } = counted(granted)
    const codes: string[] = []
    for (let index = 0; index < 7; index++) codes.push(codeOf(await asks.ask(differing(index), put)))
    expect(codes).toEqual([...Array<string>(5).fill('permit'), 'approval.too_many', 'approval.too_many'])
    expect([count.cards, ASKS_PER_TURN]).toEqual([5, 5])
    expect(codeOf(await asks.ask(differing(9, 2), put))).toBe('permit')
  })

  it('holds for calls that come at once, too', async () => {
    const asks = createAsks(2)
    const { put, count } = counted(granted)
    const answers = await Promise.all([0, 1, 2, 3].map((index) => asks.ask(differing(index), put)))
    expect(answers.map(codeOf)).toEqual(['permit', 'permit', 'approval.too_many', 'approval.too_many'])
    expect(count.cards).toBe(2)
  })

  it('is not used up by answers that nobody was asked for', async () => {
    const asks = createAsks(2)
    const { put, count } = counted(refused())
    for (let index = 0; index < 5; index++) await asks.ask(differing(0), put)
    expect(codeOf(await asks.ask(differing(1), put))).toBe('approval.refused')
    expect(count.cards).toBe(2)
  })
})

describe('cards that come at once', () => {
  it('are put one after the other, in order; what becomes of one is nothing to the next', async () => {
    const asks = createAsks()
    const events: string[] = []
    const slowly = (name: string, answer: () => PersonAnswer) => async () => {
      events.push(`${name} opens`)
      await new Promise((resolve) => setTimeout(resolve, 2))
      events.push(`${name} closes`)
      return answer()
    }
    const broken = (): PersonAnswer => {
      throw new Error('the terminal broke')
    }
    const answers = await Promise.allSettled([
      asks.ask(question({ args: { n: 1 } }), slowly('first', refused)),
      asks.ask(question({ args: { n: 2 } }), slowly('second', broken)),
      asks.ask(
        question({ args: { n: 3 } }),
        slowly('third', () => granted),
      ),
    ])
    expect(events).toEqual(['first', 'second', 'third'].flatMap((name) => [`${name} opens`, `${name} closes`]))
    expect(answers).toMatchObject([{ value: refused() }, { status: 'rejected' }, { value: granted }])
  })

  it('of two sessions do not wait for each other', async () => {
    const asks = createAsks()
    const forever = asks.ask(question(), () => new Promise(() => undefined))
    const { put } = counted(granted)
    expect(await Promise.race([asks.ask(question({ session: sessionId('s-2') }), put), forever])).toEqual(granted)
  })

  it.each([
    { what: 'the turn ends', end: 1 },
    { what: 'the next message comes', end: 2 },
  ])('are no longer put once $what', async ({ end }) => {
    const asks = createAsks()
    const { put, count } = counted(granted)
    let close: (answer: PersonAnswer) => void = () => undefined
    const open = asks.ask(question({ args: {} }), () => new Promise((resolve) => (close = resolve)))
    await Promise.resolve()
    const waiting = asks.ask(question(), put)
    if (end === 1) asks.end(tenant, session, 1)
    else await asks.ask(question({ turn: 2, tool: 'other' }), () => Promise.resolve(granted))
    close(granted)
    await open
    expect([codeOf(await waiting), count.cards]).toEqual(['gate.turn_over', 0])
  })

  it('of an earlier turn are refused', async () => {
    const asks = createAsks()
    const { put, count } = counted(granted)
    await asks.ask(question({ turn: 2 }), put)
    asks.end(tenant, session, 1)
    expect([codeOf(await asks.ask(question({ turn: 1 }), put)), count.cards]).toEqual(['gate.turn_over', 1])
  })
})
