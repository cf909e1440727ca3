import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { BANKS } from '../../src/canbank/banks.ts'
import { memoryLedger } from '../../src/canbank/ledger.io.ts'
import { bankTools } from '../../src/canbank/tools.ts'
import { CALL_KINDS, type ToolCall } from '../../src/core/call.ts'
import type { ReasonCode } from '../../src/core/reasons.ts'
import { normalize } from '../../src/firewall/normalize.ts'
import { call, TRANSFER } from '../gate/bank.ts'
import { loginOf } from '../logins.ts'
import { proves } from '../requirements.ts'

const bob = await loginOf('bob')
const tools = new Map(bankTools(memoryLedger(BANKS.canbank)).map((tool) => [tool.name, tool]))
const definition = bankTools(memoryLedger(BANKS.canbank))[0]!
const view = (account_id: unknown): ToolCall => call(bob, 'get_account_balance', { account_id })
const move = (changes: object): ToolCall => call(bob, 'transfer_money', { ...TRANSFER, ...changes })
const parsed = (text: string): unknown => JSON.parse(text)

describe(proves('arguments.closed'), () => {
  it.each<[string, ToolCall, ReasonCode]>([
    ['a number for an id', view(1001), 'agent.action_invalid'],
    ['a list for an id', view(['acc-bob-checking']), 'agent.action_invalid'],
    ['null for an id', view(null), 'agent.action_invalid'],
    ['an object for an id', view({ toString: 'acc-bob-checking' }), 'agent.action_invalid'],
    ['an upper-case id', view('ACC-BOB-CHECKING'), 'agent.action_invalid'],
    ['an id with a space', view('acc-bob-checking '), 'agent.action_invalid'],
    ['an id with a line break', view('acc-bob-checking\n'), 'agent.action_invalid'],
    ['an id with a slash', view('acc-bob-checking/../acc-alice-savings'), 'agent.action_invalid'],
    ['an id with a look-alike', view('acc-b\u043eb-checking'), 'agent.action_invalid'],
    [
      'an id in another Unicode form',
      call(bob, 'get_customer_profile', { customer_id: 'ju\u0308rgen' }),
      'agent.action_invalid',
    ],
    ['an id with a lone surrogate', view('acc-\ud800'), 'agent.action_invalid'],
    ['an empty id', view(''), 'agent.action_invalid'],
    ['an id of 65 characters', view('a'.repeat(65)), 'agent.action_invalid'],
    ['a missing argument', call(bob, 'transfer_money', {}), 'agent.action_invalid'],
    ['an unknown argument', move({ on_behalf_of: 'alice' }), 'agent.action_invalid'],
    [
      'an own __proto__',
      call(bob, 'get_account_balance', parsed('{"account_id":"acc-bob-checking","__proto__":{"x":1}}')),
      'agent.action_invalid',
    ],
    ['a number for an amount', move({ amount: 500 }), 'agent.action_invalid'],
    ['a currency in lower case', move({ currency: 'nok' }), 'agent.action_invalid'],
    ['no arguments', call(bob, 'get_account_balance', undefined), 'agent.action_invalid'],
    [
      'text for arguments',
      call(bob, 'get_account_balance', '{"account_id":"acc-bob-checking"}'),
      'agent.action_invalid',
    ],
    [
      'a list for arguments',
      call(bob, 'get_account_balance', [{ account_id: 'acc-bob-checking' }]),
      'agent.action_invalid',
    ],
    ['64 KiB of arguments', view('x'.repeat(64 * 1024)), 'firewall.arguments_too_large'],
    [
      'a tool in another case',
      call(bob, 'Get_Account_Balance', { account_id: 'acc-bob-checking' }),
      'agent.action_unknown',
    ],
    ['a tool that does not exist', call(bob, 'session_search', { query: '' }), 'agent.action_unknown'],
    ['a name of the prototype', call(bob, 'constructor', {}), 'agent.action_unknown'],
    ['no tool', call(bob, '', {}), 'agent.action_unknown'],
    ['a call of no known kind', call(bob, '', {}, { kind: 'unknown' }), 'firewall.kind_unknown'],
    ['a tool of no known kind', call(bob, 'sql', {}, { kind: 'unknown' }), 'agent.action_unknown'],
  ])('refuses %s', (_what, given, reason) => {
    expect(normalize(given, tools)).toMatchObject({ ok: false, reason })
  })

  it.each(CALL_KINDS.filter((kind) => kind !== 'custom-tool' && kind !== 'unknown'))(
    'refuses every %s call',
    (kind) => {
      const named = call(bob, 'get_account_balance', { account_id: 'acc-bob-checking' }, { kind })
      expect(normalize(named, tools)).toMatchObject({ ok: false, reason: 'firewall.kind_not_allowed' })
    },
  )
})

it('gives every spelling of an amount one spelling and one hash', () => {
  const hashes = ['500', '500.0', '500.00'].map((amount) => {
    const normalized = normalize(move({ amount }), tools)
    return normalized.ok ? [normalized.value.args['amount'], normalized.value.argsHash] : normalized.reason
  })
  expect(hashes).toEqual([hashes[0], hashes[0], hashes[0]])
  expect(hashes[0]?.[0]).toBe('500.00')
})

it('gives the same arguments of another tool another hash', () => {
  const [first, second] = ['acc-bob-checking', 'acc-joint'].map((id) => normalize(view(id), tools))
  expect(first?.ok === true && second?.ok === true && first.value.argsHash !== second.value.argsHash).toBe(true)
})

it('refuses a parsed value that is not plain JSON, because a Set has the hash of any other Set', () => {
  const parameters = z.object({ names: z.array(z.string()).transform((names) => new Set(names)) })
  const odd = new Map([['odd', { ...definition, name: 'odd', parameters: parameters.strict() }]])
  expect(normalize(call(bob, 'odd', { names: ['safe'] }), odd)).toMatchObject({
    ok: false,
    reason: 'agent.action_invalid',
  })
})

it('hints at the parameters that are wrong and never at a value', () => {
  const refused = normalize(move({ amount: 'SECRET', currency: 'nok' }), tools)
  expect(refused.ok ? '' : refused.hint).toMatch(/^Wrong: amount \(amount\.malformed: .*\), currency\.$/)
  expect(JSON.stringify(refused)).not.toContain('SECRET')
})
