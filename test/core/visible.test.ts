import { fc, test } from '@fast-check/vitest'
import { expect, it } from 'vitest'
import { visible, visibleJson, visibleLine } from '../../src/core/visible.ts'

it.each([
  { text: 'plain, æøå and 😀', shown: 'plain, æøå and 😀' },
  { text: '\u001b[2Jgone', shown: '\\u{1b}[2Jgone' },
  { text: 'a\u202egnp.exe', shown: 'a\\u{202e}gnp.exe' },
  { text: 'b\u200bob', shown: 'b\\u{200b}ob' },
  { text: 'c1 \u009b31m', shown: 'c1 \\u{9b}31m' },
  { text: 'lone \ud800', shown: 'lone \\u{d800}' },
  { text: 'line\u2028separator', shown: 'line\\u{2028}separator' },
  { text: 'two\nlines\r', shown: 'two\nlines\\u{d}' },
])('shows $shown', ({ text, shown }) => {
  expect(visible(text)).toBe(shown)
})

it('shows line breaks in text that must stay on one line', () => {
  expect(visibleLine('a\nb\tc')).toBe('a\\u{a}b\\u{9}c')
})

it.each([
  { text: 'plain, æøå and 😀', json: '"plain, æøå and 😀"' },
  { text: 'c1 \u009b31m', json: String.raw`"c1 \u009b31m"` },
  { text: 'a\u202egnp.exe', json: String.raw`"a\u202egnp.exe"` },
  { text: 'tag \u{e0041}', json: String.raw`"tag \udb40\udc41"` },
  { text: 'lone \ud800', json: String.raw`"lone \ud800"` },
])('is spelled $json in JSON', ({ text, json }) => {
  expect(visibleJson(text)).toBe(json)
})

test.prop([fc.jsonValue({ stringUnit: 'binary' })])('in JSON is the same value to a parser, on one line', (value) => {
  const json = visibleJson(value)
  expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)))
  expect(visibleLine(json)).toBe(json)
})
