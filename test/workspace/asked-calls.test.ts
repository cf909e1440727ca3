import { expect, it } from 'vitest'
import { sessionId, toolCallId } from '../../src/core/ids.ts'
import type { ToolCall } from '../../src/core/call.ts'
import type { Screened } from '../../src/firewall/firewall.ts'
import { allow, requireApproval } from '../../src/firewall/outcome.ts'
import { askedCalls } from '../../src/workspace/asked-calls.ts'
import { loginNow } from '../logins.ts'

const login = await loginNow('bob')
const call = (args: unknown, tool = 'bash', session = 's'): ToolCall => ({
  ...{ id: toolCallId('c'), session: sessionId(session), turn: 1, login, kind: 'shell', tool, args },
})

/** Calls under a firewall that asks as told and finds each call to mean `place`. */
function asking(asks: () => boolean, place = () => '/w/out/a') {
  const screen = (): Screened => {
    const outcome = asks() ? requireApproval('sh-ask', '') : allow('sh-ok', '')
    return { outcome, args: { path: place() }, tainted: false, policySha256: '' }
  }
  const asked = askedCalls({ screen })
  return { ...asked, wasAsked: (given: ToolCall) => asked.wasAsked(given, { path: place() }) }
}

it('remembers for exactly this call whether a person was asked at its last decision', () => {
  let asks = true
  const { firewall, wasAsked } = asking(() => asks)
  expect(wasAsked(call({ a: 1, b: 2 }))).toBe(false)
  firewall.screen(call({ a: 1, b: 2 }))
  expect(wasAsked(call({ b: 2, a: 1 }))).toBe(true)
  for (const other of [call({ a: 1 }), call({ a: 1, b: 2 }, 'view'), call({ a: 1, b: 2 }, 'bash', 'other')]) {
    expect(wasAsked(other)).toBe(false)
  }
  asks = false
  firewall.screen(call({ a: 1, b: 2 }))
  expect(wasAsked(call({ a: 1, b: 2 }))).toBe(false)
})

it('forgets the oldest of very many, which can only refuse', () => {
  const { firewall, wasAsked } = asking(() => true)
  for (let n = 0; n <= 1_000; n++) firewall.screen(call({ n }))
  expect([wasAsked(call({ n: 0 })), wasAsked(call({ n: 1 })), wasAsked(call({ n: 1_000 }))]).toEqual([
    false,
    true,
    true,
  ])
})

it('takes arguments that are no JSON without an error', () => {
  const { firewall, wasAsked } = asking(() => true)
  const strange = { big: 1n }
  expect(firewall.screen(call(strange)).outcome.decision).toBe('require_approval')
  expect(wasAsked(call({}))).toBe(false)
})

it('takes no yes to one file for another that the same spelling leads to meanwhile', () => {
  let place = '/w/out/package.json'
  const { firewall, wasAsked } = asking(
    () => true,
    () => place,
  )
  firewall.screen(call({ path: 'out/package.json' }, 'create'))
  expect(wasAsked(call({ path: 'out/package.json' }, 'create'))).toBe(true)
  place = '/w/package.json'
  expect(wasAsked(call({ path: 'out/package.json' }, 'create'))).toBe(false)
})
