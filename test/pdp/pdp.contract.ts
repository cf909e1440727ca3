import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Evaluation, NonEmpty } from '../../src/core/authzen.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import { evaluation, loginOf, question, transfer, view } from './questions.ts'

export interface OpenedPdp {
  /** Knows who owns what at canbank. */
  readonly pdp: Pdp
  readonly close: () => Promise<void>
}

const patient = (): AbortSignal => new AbortController().signal

const many = (count: number): NonEmpty<Evaluation> => [
  view('bob', 'Account', 'acc-bob-checking'),
  ...Array.from({ length: count - 1 }, (_, index) => view('bob', 'Account', `acc-none-${index}`)),
]

/** What each kind of PDP promises the gate, asked of a running one. */
export function describePdp(kind: string, open: () => Promise<OpenedPdp>): void {
  describe(`${kind} as a PDP`, () => {
    let opened: OpenedPdp
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened.close())
    const ask = (...evaluations: NonEmpty<Evaluation>) => opened.pdp.decide(question(...evaluations), patient())

    it.each([
      { what: 'bob views his account', asked: view('bob', 'Account', 'acc-bob-checking'), decision: true },
      { what: "bob views alice's account", asked: view('bob', 'Account', 'acc-alice-savings'), decision: false },
      { what: 'bob views the joint account', asked: view('bob', 'Account', 'acc-joint'), decision: true },
      { what: 'alice views the joint account', asked: view('alice', 'Account', 'acc-joint'), decision: true },
      { what: 'carol views the joint account', asked: view('carol', 'Account', 'acc-joint'), decision: false },
      { what: 'bob views his closed account', asked: view('bob', 'Account', 'acc-bob-closed'), decision: true },
      { what: 'bob transfers from his closed account', asked: transfer('bob', 'acc-bob-closed'), decision: false },
      { what: 'bob transfers from his account', asked: transfer('bob', 'acc-bob-checking'), decision: true },
      { what: "bob transfers from alice's account", asked: transfer('bob', 'acc-alice-checking'), decision: false },
      { what: 'carol views her invoice', asked: view('carol', 'Invoice', 'inv-carol-1'), decision: true },
      { what: "carol views alice's invoice", asked: view('carol', 'Invoice', 'inv-alice-1'), decision: false },
      { what: 'alice views her profile', asked: view('alice', 'Customer', 'alice'), decision: true },
      { what: "alice views bob's profile", asked: view('alice', 'Customer', 'bob'), decision: false },
    ])('answers $decision when $what', async ({ asked, decision }) => {
      expect(await ask(asked)).toEqual({ ok: true, value: [decision] })
    })

    it('answers in the order asked, each item by itself', async () => {
      const mine = view('bob', 'Account', 'acc-bob-checking')
      const hers = view('bob', 'Account', 'acc-alice-savings')
      expect(await ask(mine, hers, mine)).toEqual({ ok: true, value: [true, false, true] })
      expect(await ask(hers, mine, hers)).toEqual({ ok: true, value: [false, true, false] })
    })

    it.each([
      { what: 'an unknown resource', asked: view('bob', 'Account', 'acc-nobody') },
      { what: 'an unknown type', asked: evaluation('bob', 'VIEW_ACCOUNT_BALANCE', 'account', 'acc-bob-checking') },
      { what: 'an unknown action', asked: evaluation('bob', 'view_account_balance', 'Account', 'acc-bob-checking') },
      { what: 'an action of another type', asked: evaluation('bob', 'VIEW_INVOICE', 'Account', 'acc-bob-checking') },
      { what: 'an unknown subject', asked: view('mallory', 'Account', 'acc-bob-checking') },
      {
        what: 'a subject of another type with the same id',
        asked: { ...view('bob', 'Account', 'acc-bob-checking'), subject: { type: 'Robot', id: 'bob' } },
      },
      { what: 'a wildcard resource', asked: view('bob', 'Account', '*') },
      { what: 'a wildcard subject', asked: view('*', 'Account', 'acc-bob-checking') },
    ])('never permits $what', async ({ asked }) => {
      const verdict = await ask(asked)
      if (verdict.ok) expect(verdict.value).toEqual([false])
      else expect(verdict.reason).toMatch(/^pdp\./)
    })

    it('answers 50 evaluations and refuses 51', async () => {
      const verdict = await ask(...many(50))
      expect(verdict.ok && verdict.value.map((each, index) => each === (index === 0))).toEqual(Array(50).fill(true))
      expect(await ask(...many(51))).toMatchObject({ ok: false, reason: 'pdp.too_many' })
    })

    it('refuses a boxcar about two subjects', async () => {
      const verdict = await ask(view('bob', 'Account', 'acc-joint'), view('alice', 'Account', 'acc-joint'))
      expect(verdict).toMatchObject({ ok: false, reason: 'pdp.conflicting' })
    })

    it('refuses a boxcar that names one resource in two ways', async () => {
      const plain = view('bob', 'Account', 'acc-bob-checking')
      const verdict = await ask(plain, { ...plain, resource: { ...plain.resource, properties: { open: true } } })
      expect(verdict).toMatchObject({ ok: false, reason: 'pdp.conflicting' })
    })

    it('keeps the answers of concurrent questions apart', async () => {
      const ids = ['acc-bob-checking', 'acc-alice-savings', 'acc-joint', 'acc-carol-checking']
      const rounds = Array.from({ length: 40 }, (_, index) => ids[index % ids.length]!)
      const verdicts = await Promise.all(rounds.map((id) => ask(view('bob', 'Account', id))))
      expect(verdicts).toEqual(
        rounds.map((id) => ({ ok: true, value: [id === 'acc-bob-checking' || id === 'acc-joint'] })),
      )
    })

    it('refuses when its time is up before it asks', async () => {
      const asked = { evaluations: many(1), login: loginOf('bob') }
      const verdict = await opened.pdp.decide(asked, AbortSignal.abort())
      expect(verdict).toMatchObject({ ok: false, reason: 'pdp.timeout' })
    })
  })
}
