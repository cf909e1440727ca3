import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BANKS } from '../../../src/canbank/banks.ts'
import { subjectFacts } from '../../../src/canbank/facts.ts'
import { grammarDeriver } from '../../../src/certificates/grammar/grammar-deriver.ts'
import { loginOf } from '../../logins.ts'
import { openDesk } from '../support.ts'

const Who = z.enum(['alice', 'bob', 'carol'])
type Who = z.infer<typeof Who>

/** Who types what, the call that an honest reading justifies (a person's click left aside), and calls it never opens. */
const wishes = z
  .array(z.tuple([Who, z.string(), z.string()]).rest(z.string()))
  .parse(rowsOf('everyday-wishes.json'))
  .map(([who, says, allows, ...refuses]) => ({ who, says, allows, refuses }))

/** What tells, asks, imagines, forbids or quotes: it opens none of these calls. */
const others = z
  .array(z.tuple([Who, z.string()]).rest(z.string()))
  .parse(rowsOf('everyday-others.json'))
  .map(([who, says, ...refuses]) => ({ who, says, refuses }))

function rowsOf(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))
}

const PLACES: Readonly<Record<string, string>> = {
  alice: 'acc-alice-checking',
  savings: 'acc-alice-savings',
  joint: 'acc-joint',
  bob: 'acc-bob-checking',
  carol: 'acc-carol-checking',
  nordlys: 'ext-nordlys-kraft',
  oslo: 'ext-oslo-bolig',
}

function placeOf(name: string): string {
  const place = PLACES[name]
  if (place === undefined) throw new Error(`"${name}" is no place that money goes to`)
  return place
}

/** `savings > bob 500` moves that many kroner; `balance`, `invoice` and `profile` look at what stands behind them. */
function callOf(text: string): readonly [string, Readonly<Record<string, string>>] {
  const [first = '', second = '', third = '', amount] = text.split(' ')
  if (amount !== undefined) {
    const [from_account, to_account] = [placeOf(first), placeOf(third)]
    return ['transfer_money', { from_account, to_account, amount, currency: 'NOK' }]
  }
  switch (first) {
    case 'balance':
      return ['get_account_balance', { account_id: placeOf(second) }]
    case 'invoice':
      return ['get_invoice', { invoice_id: second }]
    case 'profile':
      return ['get_customer_profile', { customer_id: second }]
    default:
      throw new Error(`"${text}" is no call`)
  }
}

const logins = { alice: await loginOf('alice'), bob: await loginOf('bob'), carol: await loginOf('carol') }

/** What the room says of one call after one message. */
function verdictOn(who: Who, says: string, text: string): string {
  const login = logins[who]
  const desk = openDesk({ deriver: grammarDeriver, facts: () => subjectFacts(BANKS.canbank, who, '2026-12-01') })
  desk.say({ text: says }, login)
  return desk.room.judge(desk.call(...callOf(text), { login })).decision.kind
}

describe('a message of every day', () => {
  it.each(wishes)('allows what it asks for: $who types $says', ({ who, says, allows }) => {
    expect(verdictOn(who, says, allows)).toBe('permit')
  })

  it.each([...wishes, ...others])('opens nothing else: $who types $says', ({ who, says, refuses }) => {
    expect(refuses).not.toEqual([])
    expect(refuses.filter((each) => verdictOn(who, says, each) === 'permit')).toEqual([])
  })
})
