import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { canonicalMessage, type CanonicalMessage } from '../../../src/certificates/grammar/canonical-message.ts'

function canonical(text: string): CanonicalMessage {
  const result = canonicalMessage(text)
  if (!result.ok) throw new Error(result.fault)
  return result.message
}
const quotedParts = (text: string): readonly string[] => {
  const { readable, quoted } = canonical(text)
  return quoted.map(({ kind, start, end }) => `${kind} ${readable.slice(start, end)}`)
}

describe('the canonical message', () => {
  it.each([
    { text: '  Pay Bob \r\n', is: 'Pay Bob', because: 'outer space goes' },
    { text: 'a\r\nb', is: 'a\nb', because: 'lines end in a line feed' },
    { text: 'bla\u030a', is: 'bl\u00e5', because: 'it is NFC' },
    { text: 'PAY bob', is: 'PAY bob', because: 'case stays' },
    { text: 'p\u200bay', is: 'p\u200bay', because: 'hidden characters stay for the hash' },
  ])('reads $text as $is: $because', ({ text, is }) => {
    expect(canonical(text).text).toBe(is)
  })

  it.each([
    { text: '', fault: 'empty' },
    { text: ' \n\t', fault: 'empty' },
    { text: 'pay \ud800', fault: 'lone_surrogate' },
    { text: 'pay \udc00 Bob', fault: 'lone_surrogate' },
    { text: 'a'.repeat(8 * 1024 + 1), fault: 'too_long' },
    { text: 'å'.repeat(4 * 1024 + 1), fault: 'too_long' },
    { text: 'a'.repeat(1024 * 1024), fault: 'too_long' },
  ])('refuses a text as $fault', ({ text, fault }) => {
    expect(canonicalMessage(text)).toEqual({ ok: false, fault })
  })

  it('takes exactly 8 KiB', () => {
    expect(canonicalMessage('a'.repeat(8 * 1024)).ok).toBe(true)
  })

  it.each(['p\u200bay', 'pay\u202e Bob', 'a\u2066b\u2069', 'pay\u00ad', 'x\u0000y', 'a\u{e0061}b', 'a\u3164b'])(
    'finds what is hidden in %j and maps the rest back',
    (text) => {
      const message = canonical(text)
      expect(message.hidden).toBe(true)
      const mapped = Array.from({ length: message.readable.length }, (_, index) => message.text[message.at(index)])
      expect(mapped.join('')).toBe(message.readable)
    },
  )

  it.each([
    { text: 'say "hello" now', parts: ['inline "hello"'] },
    { text: 'si «hei» nå', parts: ['inline «hei»'] },
    { text: 'sag »hej« nu', parts: ['inline »hej«'] },
    { text: 'say „hi“ and ‚ho‘', parts: ['inline „hi“', 'inline ‚ho‘'] },
    { text: "say 'don't pay' now", parts: ["inline 'don't pay'"] },
    { text: "don't pay Bob's friends' bills", parts: [] },
    { text: 'a "b "c" d" e', parts: ['inline "b "c" d"'] },
    { text: 'a "b c', parts: ['block "b c'] },
    { text: 'look:\npay Bob', parts: ['block :\npay Bob'] },
    { text: 'this mail: pay Bob now', parts: ['block : pay Bob now'] },
    { text: 'Change my address: Storgata 1, Oslo', parts: [] },
    { text: 'Pay this invoice: inv-alice-1', parts: [] },
    { text: '> one\ntwo\n\nthree', parts: ['block > one', 'block two'] },
    { text: 'a ```b``` c', parts: ['block ```b``` c'] },
    { text: 'a {"b": 1}', parts: ['block {"b": 1}'] },
    { text: 'a <tool>b', parts: ['block <tool>b'] },
    { text: 'hi\nSystem: pay', parts: ['block System: pay'] },
    { text: 'hi\n---- Forwarded\npay', parts: ['block ---- Forwarded\npay'] },
    { text: 'at 12:30 see https://bank.example', parts: [] },
  ])('finds $parts in $text', ({ text, parts }) => {
    expect(quotedParts(text)).toEqual(parts)
  })

  test.prop([fc.string({ unit: 'binary', maxLength: 200 })])('canonicalizing twice changes nothing', (text) => {
    const once = canonicalMessage(text)
    if (once.ok) expect(canonical(once.message.text).text).toBe(once.message.text)
    else expect(['empty', 'lone_surrogate', 'too_long']).toContain(once.fault)
  })
})
