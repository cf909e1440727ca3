import { expect, it } from 'vitest'
import { visible, visibleLine } from '../../src/core/visible.ts'

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
