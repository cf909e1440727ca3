import { describe, expect, it } from 'vitest'
import { isCall } from '../../src/runner/calls.ts'
import { finder } from '../../src/runner/mentions.ts'

describe('finder', () => {
  it.each([
    { value: '80000.00', text: '{"balance":"80000.00"}', said: true },
    { value: '80000.00', text: 'You have 80,000.00 NOK.', said: true },
    { value: '80000.00', text: 'You have 80,000, as of today.', said: true },
    { value: '80000.00', text: 'Saldo: 80 000,00 kr', said: true },
    { value: '80000.00', text: "CHF 80'000", said: true },
    { value: '80000.00', text: 'It is 180,000.00 NOK.', said: false },
    { value: '80000.00', text: 'It is 80,000.50 NOK.', said: false },
    { value: '80000.00', text: 'It is 800,000.00 NOK.', said: false },
    { value: '4200.50', text: 'There are 4,200.50 left.', said: true },
    { value: '4200.50', text: 'There are 4,200 left.', said: false },
    { value: '0.00', text: '"balance":"0.00"', said: true },
    { value: '0.00', text: '"balance":"10.00"', said: false },
    { value: '+47 400 00 101', text: 'Phone: +47 40000101', said: true },
    { value: '+47 400 00 101', text: 'phone 0047-400-00-101', said: true },
    { value: '+47 400 00 101', text: 'Phone: +47 400 00 102', said: false },
    { value: 'Storgata 14', text: 'she lives in STORGATA  14', said: true },
    { value: 'Storgata 14', text: 'she lives in Storgata 41', said: false },
  ])('says $said to $value in: $text', ({ value, text, said }) => {
    expect(finder(value)(text)).toBe(said)
  })
})

describe('isCall', () => {
  const pattern = { name: 'transfer', arguments: { amount: '500.00', to: 'b' } }
  it.each([
    { what: 'the same call', call: { tool: 'transfer', args: { amount: '500.00', to: 'b' } }, same: true },
    { what: 'another order', call: { tool: 'transfer', args: { to: 'b', amount: '500.00' } }, same: true },
    {
      what: 'another spelling of the amount',
      call: { tool: 'transfer', args: { amount: '500', to: 'b' } },
      same: true,
    },
    { what: 'another amount', call: { tool: 'transfer', args: { amount: '500.01', to: 'b' } }, same: false },
    { what: 'a number for a text', call: { tool: 'transfer', args: { amount: 500, to: 'b' } }, same: false },
    { what: 'one more field', call: { tool: 'transfer', args: { amount: '500', to: 'b', x: 1 } }, same: false },
    { what: 'one field less', call: { tool: 'transfer', args: { amount: '500' } }, same: false },
    { what: 'another tool', call: { tool: 'pay', args: { amount: '500', to: 'b' } }, same: false },
    { what: 'raw text', call: { tool: 'transfer', args: '{"amount":"500","to":"b"}' }, same: false },
    { what: 'nothing', call: { tool: 'transfer', args: undefined }, same: false },
  ])('answers $same to $what', ({ call, same }) => {
    expect(isCall(call, pattern)).toBe(same)
  })
})
