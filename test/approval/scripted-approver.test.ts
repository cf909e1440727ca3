import { describe, expect, it } from 'vitest'
import { scriptedApprover, type Spelling } from '../../src/approval/scripted-approver.ts'
import { bankTool, complaint, TRANSFER, transferCard } from './cards.ts'

const request = { ...transferCard(), signal: new AbortController().signal }
const asTheBank: Spelling = (name, args) => bankTool(name).parameters.safeParse(args).data
const accepting = (...accept: readonly unknown[]) =>
  scriptedApprover(JSON.stringify({ version: 1, accept }), 'file')(asTheBank)
const tool = 'transfer_money'
const any = { any: true }

it.each([
  { what: 'its digest', entry: { digest: request.digest }, approved: true },
  { what: 'another digest', entry: { digest: '0'.repeat(64) }, approved: false },
  { what: 'exactly its arguments', entry: { tool, args: TRANSFER }, approved: true },
  {
    what: 'its arguments in another order',
    entry: { tool, args: Object.fromEntries(Object.entries(TRANSFER).reverse()) },
    approved: true,
  },
  { what: 'another amount', entry: { tool, args: { ...TRANSFER, amount: '500.01' } }, approved: false },
  { what: 'the amount as a call may spell it', entry: { tool, args: { ...TRANSFER, amount: '500' } }, approved: true },
  { what: 'it so in a pattern', entry: { tool, match: { ...TRANSFER, amount: '500.0' } }, approved: true },
  { what: 'it so in a list', entry: { tool, match: { ...TRANSFER, amount: { oneOf: [1, '500'] } } }, approved: true },
  { what: 'it as no call may spell it', entry: { tool, args: { ...TRANSFER, amount: '0500' } }, approved: false },
  { what: 'it as a number', entry: { tool, match: { ...TRANSFER, amount: 500 } }, approved: false },
  {
    what: 'an id in capitals',
    entry: { tool, args: { ...TRANSFER, to_account: 'ACC-BOB-CHECKING' } },
    approved: false,
  },
  { what: 'some of its arguments', entry: { tool, args: { amount: '500.00' } }, approved: false },
  { what: 'one argument more', entry: { tool, args: { ...TRANSFER, memo: '' } }, approved: false },
  { what: 'another tool', entry: { tool: 'pay', args: TRANSFER }, approved: false },
  {
    what: 'a pattern for each argument',
    entry: { tool, match: { ...TRANSFER, to_account: { startsWith: 'acc-bob-' } } },
    approved: true,
  },
  {
    what: 'a list with its payee',
    entry: { tool, match: { ...TRANSFER, to_account: { oneOf: ['x', 'acc-bob-checking'] } } },
    approved: true,
  },
  {
    what: 'a list without its payee',
    entry: { tool, match: { ...TRANSFER, to_account: { oneOf: ['x', 'acc-bob'] } } },
    approved: false,
  },
  {
    what: 'anything for each argument',
    entry: { tool, match: { from_account: any, to_account: any, amount: any, currency: any } },
    approved: true,
  },
  {
    what: 'patterns that leave an argument out',
    entry: { tool, match: { from_account: any, to_account: any, amount: any } },
    approved: false,
  },
  {
    what: 'a pattern for an argument that it lacks',
    entry: { tool, match: { ...TRANSFER, memo: any } },
    approved: false,
  },
  { what: 'its caller', entry: { tool, args: TRANSFER, caller: 'alice', tenant: 'canbank' }, approved: true },
  { what: 'another caller', entry: { tool, args: TRANSFER, caller: 'bob' }, approved: false },
  { what: 'another bank', entry: { tool, args: TRANSFER, tenant: 'fjordbank' }, approved: false },
])('a person who accepts $what: $approved', async ({ entry, approved }) => {
  const { digest } = request
  expect(await accepting(entry).ask(request)).toEqual({ digest, approved })
})

it('is a no to everything when nothing is accepted, with the reason of the file', async () => {
  const silent = scriptedApprover('{"version": 1, "accept": [], "reason": "never"}', 'file')(asTheBank)
  expect(await silent.ask(request)).toEqual({ digest: request.digest, approved: false, reason: 'never' })
})

it('is a yes when one entry of several accepts', async () => {
  const [no, yes] = [
    { tool: 'pay', args: {} },
    { tool, args: TRANSFER },
  ]
  expect((await accepting(no, yes).ask(request)).approved).toBe(true)
})

describe('a file that is not as it should be', () => {
  it.each([
    { what: 'no JSON', text: 'yes', says: 'file: is not JSON (not JSON)' },
    { what: 'a comment', text: '{} // all', says: 'is not JSON' },
    { what: 'a key twice', text: '{"version":1,"accept":[],"accept":[]}', says: '(a duplicate key)' },
    { what: 'a list', text: '[]', says: 'at its top' },
    { what: 'no version', text: '{"accept":[]}', says: 'at version' },
    { what: 'another version', text: '{"version":2,"accept":[]}', says: 'at version' },
    { what: 'no list', text: '{"version":1}', says: 'at accept' },
    { what: 'an unknown key', text: '{"version":1,"accept":[],"always":true}', says: 'at its top' },
    { what: '"all"', text: '{"version":1,"accept":["all"]}', says: 'at accept[0]' },
    { what: 'a tool alone', text: '{"version":1,"accept":[{"tool":"t"}]}', says: 'at accept[0]' },
    { what: 'arguments alone', text: '{"version":1,"accept":[{"args":{}}]}', says: 'at accept[0]' },
    {
      what: 'arguments and patterns',
      text: '{"version":1,"accept":[{"tool":"t","args":{},"match":{}}]}',
      says: 'at accept[0]',
    },
    { what: 'a short digest', text: '{"version":1,"accept":[{"digest":"ab"}]}', says: 'at accept[0]' },
    {
      what: 'a digest in capitals',
      text: `{"version":1,"accept":[{"digest":"${'A'.repeat(64)}"}]}`,
      says: 'at accept[0]',
    },
    {
      what: 'any: false',
      text: '{"version":1,"accept":[{"tool":"t","match":{"a":{"any":false}}}]}',
      says: 'at accept[0]',
    },
    {
      what: 'an empty beginning',
      text: '{"version":1,"accept":[{"tool":"t","match":{"a":{"startsWith":""}}}]}',
      says: 'at accept[0]',
    },
    {
      what: 'an empty caller',
      text: '{"version":1,"accept":[{"tool":"t","args":{},"caller":""}]}',
      says: 'at accept[0]',
    },
  ])('is refused for $what, with the place', ({ text, says }) => {
    const said = complaint(() => scriptedApprover(text, 'file'))
    expect(said).toMatch(/^file: is not /)
    expect(said).toContain(says)
  })
})
