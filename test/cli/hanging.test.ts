import { fc, test } from '@fast-check/vitest'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { hanging } from '../../src/cli/hanging.ts'
import { visibleLine } from '../../src/core/visible.ts'

describe('a label and its text', () => {
  it.each([
    { title: 'in a pipe', columns: undefined, label: 'do  ', text: 'a b '.repeat(40).trim(), lines: 1 },
    { title: 'that fit', columns: 40, label: 'do  ', text: 'x'.repeat(36), lines: 1 },
    { title: 'that are one column too wide', columns: 40, label: 'do  ', text: 'x'.repeat(37), lines: 2 },
    { title: 'without a text', columns: 40, label: 'permit', text: '', lines: 1 },
    { title: 'without a label', columns: 20, label: '', text: 'one two three four five six', lines: 2 },
  ])('$title take $lines lines', ({ columns, label, text, lines }) => {
    expect(hanging(label, text, columns).split('\n')).toHaveLength(lines)
  })

  it('go on below where the text begins', () => {
    expect(hanging('sentence    ', 'View the balance of Account acc-bob-checking', 40)).toBe(
      ['sentence    View the balance of Account', '            acc-bob-checking'].join('\n'),
    )
  })

  it('go one below the other where the label leaves too little', () => {
    expect(hanging('get_customer_profile: ', 'Shows the name of one customer.', 40)).toBe(
      ['get_customer_profile:', '    Shows the name of one customer.'].join('\n'),
    )
  })

  it('count no color, and a wide character as two columns', () => {
    expect(hanging('\u001b[32m✓\u001b[39m ', '漢'.repeat(20), 40)).toBe(
      `\u001b[32m✓\u001b[39m ${'漢'.repeat(19)}\n  漢`,
    )
  })

  it.each([
    { what: 'an escape sequence', text: '\u001b[2Jgone', shown: String.raw`\u{1b}[2Jgone` },
    { what: 'a mark that turns the line around', text: 'a\u202eb', shown: String.raw`a\u{202e}b` },
    { what: 'a line break', text: 'a\nb', shown: String.raw`a\u{a}b` },
  ])('show $what and do not obey it', ({ text, shown }) => {
    expect([hanging('', text, undefined), hanging('', text, 40)]).toEqual([shown, shown])
  })
})

const words = fc
  .array(fc.constantFrom('a', 'bc', ' ', '  ', '漢字', '\u001b[31m', '\u202e', '\n', 'acc-bob-checking', '…', '→'))
  .map((parts) => parts.join(''))
const bare = (text: string): string => text.replaceAll(/\s/g, '')

test.prop([fc.nat(30), words, fc.integer({ min: 20, max: 120 })])(
  'whatever is in the text, no line is wider than the terminal and nothing is lost',
  (width, text, columns) => {
    const label = width === 0 ? '' : `${'l'.repeat(width)} `
    const drawn = hanging(label, text, columns)
    for (const line of drawn.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
    expect(bare(drawn)).toBe(bare(`${label}${visibleLine(text)}`))
  },
)
